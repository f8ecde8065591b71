"""How a CSV file is written is found, said and recorded; what a person says has precedence."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from sfumato.engines import Engine, TableView, open_database, open_source
from sfumato.engines.csv_dialect import SEPARATORS
from sfumato.engines.field_names import check_names, mend_names
from sfumato.engines.reading_notes import reading_sentences
from sfumato.errors import SourceError
from sfumato.policy import policy_from_table

ENGINES = ("duckdb", "reference")
TEXT = "name{0}city\nZoë{0}Zürich\nJosé{0}Málaga\n"


def file(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def cells(engine: Engine) -> list[tuple[str | None, ...]]:
    names = [info.name for info in engine.fields()]
    return [
        row
        for batch in engine.distinct(names)
        for row in zip(*(batch[name] for name in names), strict=True)
    ]


def facts(engine: Engine) -> dict[str, Any]:
    (read,) = engine.snapshot().facts["read"]
    return dict(read)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
        ("latin-1", "latin-1"),
    ],
)
def test_encoding_and_separator_are_found_and_recorded(
    tmp_path: Path, engine: str, separator: str, encoding: str, said: str
) -> None:
    path = file(tmp_path, "x.csv", TEXT.format(separator).encode(encoding))
    with open_source(path, engine=engine) as opened:
        assert cells(opened) == [("José", "Málaga"), ("Zoë", "Zürich")]
        assert (facts(opened)["encoding"], facts(opened)["separator"]) == (said, separator)


@pytest.mark.parametrize("engine", ENGINES)
def test_bytes_that_latin1_has_no_letter_for_are_windows_1252(tmp_path: Path, engine: str) -> None:
    path = file(tmp_path, "x.csv", "a,b\n“Zoë”,€\n".encode("cp1252"))
    with open_source(path, engine=engine) as opened:
        assert cells(opened) == [("“Zoë”", "€")]
        assert facts(opened)["encoding"] == "windows-1252"
        assert "read as windows-1252" in " ".join(reading_sentences(opened.snapshot().facts))


def test_the_separator_is_the_one_that_fits_the_rows_and_not_only_the_header(
    tmp_path: Path,
) -> None:
    path = file(tmp_path, "x.csv", "name, first, title;age;sex\nAnn;34;f\nBob;35;m\n")
    with open_source(path) as opened:
        assert [info.name for info in opened.fields()] == ["name, first, title", "age", "sex"]


@pytest.mark.parametrize("engine", ENGINES)
def test_columns_named_like_numbers_and_dates_are_a_header_and_that_is_said(
    tmp_path: Path, engine: str
) -> None:
    path = file(tmp_path, "x.csv", "id,2019,2020-01-01\na,1,2\n")
    with open_source(path, engine=engine) as opened:
        assert [info.name for info in opened.fields()] == ["id", "2019", "2020-01-01"]
        (note,) = facts(opened)["notes"]
    assert "columns 2, 3" in note
    assert "`header=False`" in note


@pytest.mark.parametrize("engine", ENGINES)
def test_without_a_header_the_first_line_is_a_row(tmp_path: Path, engine: str) -> None:
    path = file(tmp_path, "x.csv", "a,1\nb,2\n")
    with open_source(path, engine=engine, header=False) as opened:
        assert [info.name for info in opened.fields()] == ["column_1", "column_2"]
        assert cells(opened) == [("a", "1"), ("b", "2")]
        assert facts(opened)["header"] is False


@pytest.mark.parametrize("engine", ENGINES)
def test_names_that_are_missing_or_repeated_are_changed_when_asked(
    tmp_path: Path, engine: str
) -> None:
    path = file(tmp_path, "x.csv", ",score,age,score,Score\n0,1,2,3,4\n")
    with open_source(path, engine=engine, rename_headers=True) as opened:
        assert [info.name for info in opened.fields()] == [
            "column_1",
            "score",
            "age",
            "score.1",
            "Score.2",
        ]
        assert facts(opened)["renamed_headers"] == 3


def test_new_names_never_meet_one_that_is_there() -> None:
    assert mend_names(["a", "a", "a.1", "A"]) == ["a", "a.2", "a.1", "A.3"]
    assert mend_names(["", "column_1"]) == ["column_1.1", "column_1"]
    long = mend_names(["n" * 300, "n" * 300])
    assert [len(name) for name in long] == [200, 202]
    check_names("x", long)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_policy_says_how_its_source_is_read_and_an_option_has_precedence(
    tmp_path: Path, engine: str
) -> None:
    path = file(tmp_path, "x.csv", "a;b|c\nZoë;1|2\n".encode("latin-1"))
    policy = policy_from_table(
        {
            "fields": {"a": "insensitive", "b|c": "insensitive"},
            "source": {"separator": ";", "encoding": "latin-1"},
        }
    )
    with open_source(path, engine=engine, policy=policy) as opened:
        assert [info.name for info in opened.fields()] == ["a", "b|c"]
    with open_source(path, engine=engine, policy=policy, separator="|") as opened:
        assert [info.name for info in opened.fields()] == ["a;b", "c"]


@pytest.mark.parametrize("engine", ENGINES)
def test_each_table_may_be_read_in_its_own_way(tmp_path: Path, engine: str) -> None:
    file(tmp_path, "a.csv", "x,y;z\n1,2;3\n")
    file(tmp_path, "b.csv", "x,y;z\n1,2;3\n")
    policy = policy_from_table(
        {
            "entity": "a.x",
            "source": {"separator": ","},
            "other_fields": "remove",
            "tables": {
                "a": {"key": "x", "fields": {"x": "direct", "y;z": "insensitive"}},
                "b": {
                    "links": {"x,y": "a.x"},
                    "fields": {"x,y": "direct", "z": "insensitive"},
                    "source": {"separator": ";"},
                },
            },
            "require": {"k": 1},
        }
    )
    with open_database(tmp_path, engine=engine, policy=policy) as database:
        found = {
            name: [info.name for info in database.view(TableView(table=name)).fields()]
            for name in ("a", "b")
        }
    assert found == {"a": ["x", "y;z"], "b": ["x,y", "z"]}


# -------------------------------------------------------------------------------------------------
# compressed files


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["x.csv.gz", "x.tsv.gz", "X.CSV.GZ"])
def test_compressed_text(tmp_path: Path, engine: str, name: str) -> None:
    separator = "\t" if "tsv" in name else ";"
    path = file(tmp_path, name, gzip.compress(TEXT.format(separator).encode("latin-1")))
    with open_source(path, engine=engine) as opened:
        assert cells(opened) == [("José", "Málaga"), ("Zoë", "Zürich")]
        assert facts(opened)["encoding"] == "latin-1"


@pytest.mark.parametrize("name", ["x.json.gz", "x.jsonl.gz"])
def test_compressed_json(tmp_path: Path, name: str) -> None:
    with open_source(file(tmp_path, name, gzip.compress(b'{"a": 1, "b": "x"}\n'))) as opened:
        assert cells(opened) == [("1", "x")]


def test_compressed_files_of_a_folder_are_tables(tmp_path: Path) -> None:
    file(tmp_path, "a.csv.gz", gzip.compress(b"x\n1\n"))
    file(tmp_path, "b.csv", "x\n1\n")
    with open_database(tmp_path) as database:
        assert database.tables() == ("a", "b")


@pytest.mark.parametrize(
    "content",
    [b"not gzip", gzip.compress(b"a,b\n" + b"1,2\n" * 5000)[:60]],
    ids=["not gzip", "cut gzip"],
)
def test_a_damaged_file_is_told(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(SourceError, match=r"x\.csv\.gz cannot be unpacked\."):
        open_source(file(tmp_path, "x.csv.gz", content))


def test_a_bomb_is_refused_with_the_limit_and_little_disk(tmp_path: Path) -> None:
    path = tmp_path / "x.csv.gz"
    with gzip.open(path, "wb", compresslevel=9) as packed:
        packed.write(b"a,b\n")
        for _ in range(120):
            packed.write(b"\0" * (1 << 20))
    assert path.stat().st_size < 200_000
    with pytest.raises(SourceError, match=r"unpacks to more than 64 MiB, which is the limit"):
        open_source(path)
