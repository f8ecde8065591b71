"""What can be read, and as what: cells stay the text that they are, names and paths are meant as
they are."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow
import pyarrow.parquet
import pytest

from sfumato.engines import Engine, open_source
from sfumato.engines.engine import FieldKind


def file(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def cells(engine: Engine) -> list[tuple[str | None, ...]]:
    """Every distinct row as text, in order."""
    names = [info.name for info in engine.fields()]
    batches = engine.distinct(names)
    return [row for batch in batches for row in zip(*(batch[name] for name in names), strict=True)]


def read(source: Any, **options: Any) -> list[tuple[str | None, ...]]:
    with open_source(source, **options) as engine:
        return cells(engine)


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ("a,b\nx,y\n", [("x", "y")]),
        ("a,b\nx,y", [("x", "y")]),
        ("a,b\r\nx,y\r\n", [("x", "y")]),
        ("a,b\rx,y\r", [("x", "y")]),
        ("\ufeffa,b\nx,y\n", [("x", "y")]),
        ("a;b\nx,1;y\n", [("x,1", "y")]),
        ("a|b\nx;1|y\n", [("x;1", "y")]),
        ('"a;b;c",d\nx,y\n', [("x", "y")]),
        ("a,b\n02138,1.50\n", [("02138", "1.50")]),
        ("a,b\nNULL,NA\nnull,nan\n", [("NULL", "NA"), ("null", "nan")]),
        ('a,b\n"",x\n,y\n', [(None, "x"), (None, "y")]),
        ("a,b\n x ,  \n", [(" x ", "  ")]),
        ("a,b\nx,y\n\nz,w\n\n", [("x", "y"), ("z", "w")]),
        ("a\nx\n\n", [("x",), (None,)]),
        ('"a\nb",c\nx,"y\nz"\n', [("x", "y\nz")]),
        ("a,b\nx\0y,z\n", [("x\0y", "z")]),
        ("#a,b\n#x,'y'\n", [("#x", "'y'")]),
        ('a,b\nx"y,"z""w"\n', [('x"y', 'z"w')]),
        ("a,b\n", []),
        ("a,b", []),
    ],
)
def test_csv(tmp_path: Path, content: str, rows: list[tuple[str | None, ...]]) -> None:
    assert read(file(tmp_path, "x.csv", content)) == rows


def test_an_empty_cell_is_null_quoted_or_not(tmp_path: Path) -> None:
    with open_source(file(tmp_path, "x.csv", 'a,b\n"",x\n,x\n')) as engine:
        assert engine.frequencies(("a", "b")).counts.tolist() == [2]


def test_only_a_header_opens_with_no_rows(tmp_path: Path) -> None:
    with open_source(file(tmp_path, "x.csv", "a,b\n")) as engine:
        assert ([info.name for info in engine.fields()], engine.count_rows()) == (["a", "b"], 0)


def test_tabs(tmp_path: Path) -> None:
    assert read(file(tmp_path, "x.tsv", "a,1\tb\nx,y\tz\n")) == [("x,y", "z")]
    assert read(file(tmp_path, "y.txt", "a\tb\nx\ty\n")) == [("x", "y")]


def test_a_separator_that_is_named(tmp_path: Path) -> None:
    assert read(file(tmp_path, "x.csv", "a:b,c\nx:y,z\n"), separator=":") == [("x", "y,z")]


@pytest.mark.parametrize(
    "encoding", ["latin-1", "iso-8859-15", "cp1252", "utf-16", "utf-16-le", "UTF8", "utf-8-sig"]
)
def test_encodings(tmp_path: Path, encoding: str) -> None:
    text = 'näme,b\nZoë,"two\r\nlines"\n'
    with open_source(file(tmp_path, "x.csv", text.encode(encoding)), encoding=encoding) as engine:
        assert [info.name for info in engine.fields()] == ["näme", "b"]
        assert cells(engine) == [("Zoë", "two\r\nlines")]


def test_a_field_longer_than_a_page(tmp_path: Path) -> None:
    letter = "long, " * 200_000
    assert read(file(tmp_path, "x.csv", f'a,b\n"{letter}",y\n')) == [(letter, "y")]


NAMES = (
    "it's",
    'a "quoted" name',
    "g[1]",
    "g*",
    "g?",
    "sp ace; --",
    "per%41cent#x?y",
    "{a,b}",
    "~",
    "über",
    "back\\slash",
)


@pytest.mark.long("a file for each odd name; each fourth stays", every=4)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "kind", ["csv", "json", "parquet", "sqlite", "duckdb", "folder", "latin-1"]
)
def test_paths_are_meant_as_they_are(tmp_path: Path, name: str, kind: str) -> None:
    """Files that a pattern would match lie beside the one that was asked for."""
    if kind == "duckdb" and "\\" in name:
        pytest.skip(
            "DuckDB takes a backslash in the path of a database for a slash, and finds no file"
        )
    for decoy in ("g1", "gx", "g12", "a", "b"):
        _make(tmp_path, decoy, kind, "wrong")
    path = _make(tmp_path, name, kind, "right")
    assert read(path, **({"encoding": "latin-1"} if kind == "latin-1" else {})) == [("right",)]


def _make(folder: Path, name: str, kind: str, cell: str) -> Path:
    if kind in ("csv", "latin-1"):
        return file(folder, f"{name}.csv", f"a\n{cell}\n")
    if kind == "json":
        return file(folder, f"{name}.json", json.dumps([{"a": cell}]))
    if kind == "sqlite":
        database = sqlite3.connect(folder / f"{name}.sqlite")
        database.execute("CREATE TABLE t (a TEXT)")
        database.execute("INSERT INTO t VALUES (?)", (cell,))
        database.commit()
        database.close()
        return folder / f"{name}.sqlite"
    if kind == "duckdb":
        plain = folder / f"plain-{cell}.duckdb"
        with duckdb.connect(str(plain)) as database_:
            database_.execute("CREATE TABLE t AS SELECT ? AS a", [cell])
        return plain.rename(folder / f"{name}.duckdb")
    (folder / name).mkdir(exist_ok=True)
    path = folder / f"{name}.parquet" if kind == "parquet" else folder / name / "part.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"a": [cell]}), path)
    return path if kind == "parquet" else folder / name


def test_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file(tmp_path, "x.csv", "a\nx\n")
    monkeypatch.chdir(tmp_path)
    assert read("x.csv") == [("x",)]


def test_a_folder_of_parquet_files(tmp_path: Path) -> None:
    for part in ("year=1/a", "year=2/b"):
        (tmp_path / part).parent.mkdir(parents=True)
        pyarrow.parquet.write_table(pyarrow.table({"a": [part[-1]]}), tmp_path / f"{part}.parquet")
    (tmp_path / "_SUCCESS").touch()
    with open_source(tmp_path) as engine:
        assert engine.frequencies(("a",)).values == (("a", "b"),)


def test_json_text_stays_text(tmp_path: Path) -> None:
    row = {
        "day": "2020-1-5",
        "zip": "02138",
        "id": "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
        "when": "2020-01-05T10:00Z",
    }
    other = {
        "n": 3,
        "x": 1.5,
        "yes": True,
        "none": None,
        "empty": "",
        "list": [1, "a"],
        "dict": {"d": "2020-1-5"},
    }
    expected = (*row.values(), "3", "1.5", "true", None, None, '[1,"a"]', '{"d":"2020-1-5"}')
    assert read(file(tmp_path, "x.json", json.dumps([row | other]))) == [expected]
    with open_source(tmp_path / "x.json") as engine:
        kinds = [info.kind for info in engine.fields()]
    assert (
        kinds
        == [FieldKind.TEXT] * 4
        + [FieldKind.INTEGER, FieldKind.REAL, FieldKind.BOOLEAN]
        + [FieldKind.TEXT] * 4
    )


@pytest.mark.parametrize(
    ("numbers", "declared"),
    [
        (["12345678901234567.89", "1.5"], "VARCHAR"),
        (["0.12345678901234567891"], "VARCHAR"),
        (["-0", "1.5"], "VARCHAR"),
        (["1e-400", "1.5"], "VARCHAR"),
        (["9007199254740993", "1.5"], "VARCHAR"),
        (
            ["0.30000000000000004", "-0.0", "0", "1e22", "100", "1.50", "5e-324", "2E3", "0.1"],
            "DOUBLE",
        ),
    ],
)
def test_numbers_in_json_keep_their_digits(
    tmp_path: Path, numbers: list[str], declared: str
) -> None:
    lines = "".join(f'{{"g": 1, "n": {number}}}\n' for number in numbers)
    with open_source(file(tmp_path, "x.jsonl", lines)) as engine:
        assert [info.declared for info in engine.fields() if info.name == "n"] == [declared]
        found = engine.frequencies(("n",)).values[0]
        read = engine.snapshot().facts.get("read", [])
    assert declared == "DOUBLE" or set(found) == set(numbers)
    noted = [note for one in read for note in one.get("notes", ())]
    told = ["Read as text, because no type holds every number as it is written: n."]
    assert noted == (told if declared == "VARCHAR" else [])


def test_json_lines_with_a_field_that_comes_late(tmp_path: Path) -> None:
    lines = [json.dumps({"a": "x"})] * 30_000 + [json.dumps({"a": 5, "b": "y"})]
    for name in ("x.jsonl", "x.ndjson"):
        assert read(file(tmp_path, name, "\n".join(lines))) == [("5", "y"), ("x", None)]


def test_sqlite_types(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "x.db")
    database.execute('CREATE TABLE "t ""1""" (i, r, t, mixed, none, "a ""b""")')
    database.executemany(
        'INSERT INTO "t ""1""" VALUES (?, ?, ?, ?, ?, ?)',
        [(1, 1.5, "02138", 7, None, ""), (2**60, 2, "é", "x", None, None)],
    )
    database.commit()
    database.close()
    with open_source(tmp_path / "x.db") as engine:
        assert [info.kind for info in engine.fields()] == [FieldKind.INTEGER, FieldKind.REAL] + [
            FieldKind.TEXT
        ] * 4
        assert cells(engine) == [
            ("1", "1.5", "02138", "7", None, None),
            (str(2**60), "2.0", "é", "x", None, None),
        ]


def test_a_stream_can_be_asked_twice() -> None:
    stream = pyarrow.table({"a": ["x", "y"]}).to_reader()
    with open_source(stream) as engine:
        assert (engine.count_rows(), engine.count_rows()) == (2, 2)


def test_a_lazy_frame() -> None:
    assert read(polars.LazyFrame({"a": ["x"]})) == [("x",)]
