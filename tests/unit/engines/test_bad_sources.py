"""What cannot be read is refused with a message that helps, and no part of the error holds a cell
value."""

from __future__ import annotations

import sqlite3
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pyarrow
import pyarrow.parquet
import pytest

from sfumato.engines import WritePlan, open_source
from sfumato.errors import SfumatoError, SourceError, TargetError

SECRET = "Alice"


@pytest.fixture(autouse=True)
def _no_folder_is_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Whatever happens, the engine's own folder is gone afterwards."""
    folder = tmp_path_factory.mktemp("spill")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert list(folder.iterdir()) == []


def ask(source: Any, **options: Any) -> None:
    with open_source(source, **options) as engine:
        engine.count_rows()
        engine.frequencies([info.name for info in engine.fields()])


def refusal(source: Any, **options: Any) -> str:
    """The message with which a source is refused, on opening or on the first questions."""
    with pytest.raises(SfumatoError) as raised:
        ask(source, **options)
    holds_no_value(raised.value)
    assert isinstance(raised.value, SourceError)
    return str(raised.value)


def holds_no_value(error: BaseException) -> None:
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None
    assert SECRET not in "".join(traceback.format_exception(error))
    assert SECRET not in repr(vars(error))


def file(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# ------------------------------------------------------------------------------------------------------------
# CSV


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "x.csv is empty.\n  Try a file with a header line and at least one row."),
        (" \n\n", "x.csv is empty."),
        ("\n\na,b\nAlice,1\n", "x.csv needs a header.\n  Its first line is empty."),
        ('a,"two\nlines"\r\n1,2\r\n', "a name of a field with a line break in it, and lines that do not"),
        ("a,,b\nAlice,1,2\n", "needs one name for each field.\n  Column 2 has no name."),
        ("a,b,A\nAlice,1,2\n", "'a' is the name of columns 1 and 3 (upper and lower case are one)."),
        ("a,a\nAlice,1\n", "'a' is the name of columns 1 and 2.\n  Try `rename_headers`, which calls them a.1"),
        (",a,b,a,,B\nAlice,1,2,3,4,5\n", "Columns 1, 5 have no name. 'a' is the name of columns 2 and 4. 'b' is"),
        (f"Alice,1970-01-02,Alice\n{SECRET},1,2\n", "One name is the name of columns 1 and 3."),
        ("a," + "n" * 300 + "\nAlice,1\n", "Column 2: a name exceeds 255 characters, the limit."),
        ("," * 20_000 + "\nAlice\n", "x.csv has too many fields.\n  Its first line has 20,001 cells; at most 20,000"),
        ("n" * (5 << 20), "The first line of x.csv is longer than 4 MiB, which is the limit."),
        ("a,b\nx,y\nAlice,w,extra\n", "as many cells as its header.\n  Line 3 has 3 cells; the header has 2."),
        ("a,b\nx,y\nAlice\n", "Line 3 has 1 cell; the header has 2."),
        ('a,b\n"Expected Number of Columns: 7 Found: 9\n",Alice,2\n', "has 3 cells; the header has 2."),
        ('a,b\n"Alice,y\nz,w\n', "A quotation mark is opened and not closed, or misplaced, near line 2."),
        ('a,b\n"Alice" x,y\n', "A quotation mark is opened and not closed, or misplaced, near line 2."),
        ("a,b\r\nAlice,y\nz,w\r\n", "lines do not all end alike"),
        ("a,b\n" + SECRET * 500_000 + ",y\n", "Line 2 is longer than the 2 MB that a line may have."),
    ],
)  # fmt: skip
def test_csv_that_is_no_table(tmp_path: Path, content: str, says: str) -> None:
    assert says in refusal(file(tmp_path, "x.csv", content))


def test_the_line_of_a_ragged_row_is_found_far_down(tmp_path: Path) -> None:
    rows = "".join(f"{SECRET}{n},x\n" for n in range(50_000))
    assert "Line 50002 has 1 cell" in refusal(file(tmp_path, "x.csv", f"a,b\n{rows}Alice\n"))


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = file(tmp_path, "x.csv", "a,b\nAlice,Zoë\n".encode("latin-1"))
    said = refusal(path, encoding="utf-8")
    assert (
        "x.csv is not UTF-8 text.\n  Bytes that are not UTF-8 are on line 2.\n  Try "
        "naming its encoding" in said
    )


def test_utf8_with_damaged_bytes_is_refused_and_not_read_as_latin1(tmp_path: Path) -> None:
    path = file(tmp_path, "x.csv", "a,b\nAlice,Zoë\n".encode() + b"Alice,Zo\xeb\n")
    assert "Most of it is, and 1 byte is not, the first near line 3." in refusal(path)


def test_an_encoding_that_cannot_be_told(tmp_path: Path) -> None:
    path = file(tmp_path, "x.csv", "a,b\nAlice,日本語テキスト\n".encode("shift_jis") + b"\x81\n")
    assert "The encoding of x.csv cannot be found." in refusal(path)


def test_a_header_that_is_not_utf8(tmp_path: Path) -> None:
    latin = file(tmp_path, "x.csv", "Zoë,b\nAlice,1\n".encode("latin-1"))
    wide = file(tmp_path, "y.csv", "a,b\nAlice,1\n".encode("utf-16-le"))
    for path in (latin, wide):
        said = refusal(path, encoding="utf-8")
        assert "Its first line holds bytes that are not UTF-8, or NUL bytes." in said


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            {"encoding": "martian"},
            "no encoding is called 'martian'.\n  Try utf-8, latin-1, windows-1252 or utf-16.",
        ),
        ({"encoding": "rot13"}, "no encoding is called 'rot13'."),
        ({"encoding": "ascii"}, "x.csv is not UTF-8 text."),
        ({"encoding": "utf-16"}, "x.csv is not utf-16 text."),
        ({"encoding": "shift_jis"}, "x.csv is not shift_jis text."),
        ({"separator": "::"}, "Separator '::' is not one character."),
        ({"separator": '"'}, "is not one character."),
        ({"memory": "nonsense"}, "Memory 'nonsense' is not an amount.\n  Try for example 3GB."),
        ({"memory": ""}, "is not an amount."),
    ],
)
def test_options_that_do_not_fit(tmp_path: Path, options: dict[str, str], says: str) -> None:
    path = file(tmp_path, "x.csv", b"a,b\nAlice,Zo\xeb\xff\n")
    assert says in refusal(path, **options)


def test_too_little_memory(tmp_path: Path) -> None:
    assert "needs more memory" in refusal(file(tmp_path, "x.csv", "a,b\nAlice,1\n"), memory="1KB")


# -----------------------------------------------------------------------------------------------------
# other files


def test_what_is_not_there(tmp_path: Path) -> None:
    assert refusal(tmp_path / "x.csv").endswith("x.csv does not exist.\n  Try checking the path.")


@pytest.mark.parametrize("name", ["x.doc", "x", "x.gz", "x.doc.gz", "x.sqlite.gz"])
def test_a_kind_that_is_not_read(tmp_path: Path, name: str) -> None:
    said = refusal(file(tmp_path, name, SECRET))
    assert "are not read.\n  Try one of .csv, .tsv" in said


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("x.parquet", b"PAR1 Alice PAR1", "x.parquet cannot be read.\n  The engine stopped with "),
        ("x.parquet", b"", "x.parquet cannot be read."),
        ("x.sqlite", b"SQLite format 3\0Alice", "x.sqlite cannot be read as an SQLite database."),
        ("x.db", b"Alice" * 1000, "x.db cannot be read as an SQLite database."),
        ("x.duckdb", b"Alice" * 1000, "x.duckdb cannot be read as a DuckDB database."),
        ("x.json", b"", "x.json is empty."),
        ("x.json", b'[{"a": "Alice"}, {"a": ', "x.json cannot be read as JSON."),
        ("x.jsonl", b'{"a": "Alice"}\n{"a"\n', "x.jsonl cannot be read as JSON."),
        (
            "x.json",
            b'["Alice", 2]',
            "x.json is not a table.\n  It holds values that are not objects.",
        ),
        ("x.xlsx", b"PK Alice", "x.xlsx cannot be read as an Excel workbook."),
    ],
)
def test_files_that_are_broken(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    assert says in refusal(file(tmp_path, name, content))


def test_a_parquet_file_that_is_cut_short(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.table({"a": [SECRET] * 1000}), tmp_path / "x.parquet")
    whole = (tmp_path / "x.parquet").read_bytes()
    assert "cannot be read" in refusal(file(tmp_path, "y.parquet", whole[: len(whole) // 2]))


def test_a_folder_without_parquet(tmp_path: Path) -> None:
    file(tmp_path, "x.csv", "a\nAlice\n")
    assert "holds no Parquet file" in refusal(tmp_path)


def test_two_tables_in_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE people (name TEXT)")
    database.execute("CREATE TABLE visits (name TEXT)")
    database.execute("INSERT INTO visits VALUES ('Alice')")
    database.commit()
    database.close()
    said = refusal(path)
    assert (
        said == "One table of x.sqlite was asked for.\n  It has 2: people, visits.\n  Try naming "
        "one with `table`."
    )
    assert "Table 'illness' of x.sqlite was asked for." in refusal(path, table="illness")
    with open_source(path, table="visits") as engine:
        assert engine.count_rows() == 1


def test_an_sqlite_file_without_tables(tmp_path: Path) -> None:
    assert "It has none." in refusal(file(tmp_path, "x.sqlite", b""))


def test_binary_values_in_sqlite(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "x.sqlite")
    database.execute("CREATE TABLE people (photo)")
    database.execute("INSERT INTO people VALUES (?)", (SECRET.encode(),))
    database.commit()
    database.close()
    assert (
        refusal(tmp_path / "x.sqlite")
        == "Field photo holds binary values.\n  Try a view without that field."
    )


def test_text_that_is_not_utf8_in_sqlite(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "x.sqlite")
    database.execute("CREATE TABLE people (name TEXT)")
    database.execute("INSERT INTO people VALUES (CAST(x'416c696365ff' AS TEXT))")
    database.commit()
    database.close()
    assert "cannot be read as an SQLite database" in refusal(tmp_path / "x.sqlite")


def test_tables_of_a_duckdb_file(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE people AS SELECT 'Alice' AS name")
        database.execute("CREATE VIEW visits AS SELECT name FROM people")
    assert "It has 2: people, visits." in refusal(path)
    with open_source(path, table="visits") as engine:
        assert engine.count_rows() == 1


def test_a_duckdb_view_over_what_is_elsewhere(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "x.duckdb")) as database:
        database.execute("CREATE TABLE frame AS SELECT 'Alice' AS name")
        database.execute("CREATE VIEW visits AS SELECT name FROM frame")
        database.execute("DROP TABLE frame")
    said = refusal(tmp_path / "x.duckdb", table="visits")
    assert "It uses the table frame: not rows of that file" in said


@pytest.mark.parametrize(
    "text", ['[{"a": 1}, {"a": ', '{"a": 1}\n{"a": "x\n', '[{"a": 1} {"a": 2}]']
)
def test_json_that_is_cut(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    assert "x.json cannot be read as JSON.\n  It is cut off" in refusal(tmp_path / "x.json")


def test_a_duckdb_file_is_only_read(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE people AS SELECT 'Alice' AS name")
    before = path.read_bytes()
    with open_source(path) as engine:
        assert engine.count_rows() == 1
    assert path.read_bytes() == before


# ---------------------------------------------------------------------------------------------------------
# frames


@pytest.mark.parametrize(
    ("source", "attempt"),
    [
        (None, "the path of a file"),
        (5, "the path of a file"),
        (b"Alice", "the path of a file"),
        (object(), "the path of a file"),
        ([{"a": SECRET}], "pandas.DataFrame(rows)"),
        ({"a": 5}, "pandas.DataFrame(columns)"),
    ],
)
def test_what_is_no_source(source: object, attempt: str) -> None:
    assert f"A source of type {type(source).__name__} is not read.\n  Try {attempt}" in refusal(
        source
    )


def test_frames_with_names_that_cannot_be_used() -> None:
    assert "'a' is the name of columns 1 and 2 (upper" in refusal(
        pandas.DataFrame({"a": [SECRET], "A": ["x"]})
    )
    assert "'a' is the name of columns 1 and 2." in refusal(
        pyarrow.table([[SECRET], ["x"]], names=["a", "a"])
    )
    assert "Column 1 has no name" in refusal(pandas.DataFrame({"": [SECRET]}))
    assert "is not read" in refusal(pandas.DataFrame())


def test_text_in_a_frame_that_cannot_be_encoded() -> None:
    assert "The frame cannot be read" in refusal(
        pandas.DataFrame({"a": [SECRET + "\ud800"]}, dtype=object)
    )


def test_a_field_that_is_an_enumeration_keeps_its_values_to_itself() -> None:
    with open_source(pandas.DataFrame({"a": pandas.Categorical([SECRET, "x"])})) as engine:
        assert SECRET not in repr(engine.fields())
        assert SECRET not in repr(engine.profile("a"))


def test_enumerations_of_a_database_too(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "x.duckdb")) as database:
        database.execute("CREATE TYPE names AS ENUM ('Alice', 'x')")
        database.execute(
            "CREATE TABLE t AS SELECT 'x'::names AS a, {'n': 'x'::names} AS s, ['x'::names] AS l"
        )
    with open_source(tmp_path / "x.duckdb") as engine:
        assert SECRET not in repr(engine.fields())
        assert engine.frequencies(("a", "s", "l")).values == (("x",), ("{'n': x}",), ("[x]",))


# ---------------------------------------------------------------------------------------------------------
# writing


def test_a_bad_line_far_down_is_told_when_the_file_is_opened(tmp_path: Path) -> None:
    rows = "".join(f"{SECRET},{n}\n" for n in range(200_000))
    said = refusal(file(tmp_path, "x.csv", f"a,b\n{rows}Alice\n"))
    assert "Line 200002 has 1 cell" in said
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_a_full_disk(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    (tmp_path / "out.csv").symlink_to("/dev/full")
    with open_source(file(tmp_path, "x.csv", "a\nAlice\n")) as engine:
        with pytest.raises(TargetError, match="The disk is full") as raised:
            engine.write(WritePlan(fields=("a",)), tmp_path / "out.csv")
        holds_no_value(raised.value)


def test_a_source_that_goes_away(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    duckdb.execute(f"COPY (SELECT 'Alice' AS a) TO '{path}'")
    with open_source(path) as engine:
        path.unlink()
        with pytest.raises(SourceError, match="cannot be read") as raised:
            engine.write(WritePlan(fields=("a",)), tmp_path / "out.csv")
        holds_no_value(raised.value)


@pytest.mark.parametrize("name", ["x.csv", "x.json"])
def test_text_is_parsed_once(tmp_path: Path, name: str) -> None:
    """What was opened is what is counted and written, whatever becomes of the file."""
    path = file(tmp_path, name, "a\nAlice\n" if name == "x.csv" else '[{"a": "Alice"}]')
    with open_source(path) as engine:
        path.unlink()
        assert engine.count_rows() == engine.write(WritePlan(fields=("a",)), tmp_path / "out.csv")


def test_an_unknown_engine() -> None:
    with pytest.raises(
        SourceError,
        match=r"No engine is called 'oracle'.\n  Try one of duckdb, postgres, reference, spark",
    ):
        open_source("x.csv", engine="oracle")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "is empty"),
        ("a,b\nAlice\n", "Line 2 has 1 cell"),
        ("a,a\nAlice,1\n", "'a' is the name of columns 1 and 2."),
        ('a,b\n"Alice,1\n', "cannot be read as CSV"),
    ],
)
def test_the_reference_engine_refuses_too(tmp_path: Path, content: str, says: str) -> None:
    assert says in refusal(file(tmp_path, "x.csv", content), engine="reference")
