"""CSV: cells of the chosen columns are parts, and everything else keeps its bytes."""

from __future__ import annotations

import pytest

from sfumato.errors import SourceError
from sfumato.text.formats import FileReading
from sfumato.text.formats.csv_tables import CsvTable
from sfumato.text.kinds import ReferenceKind

TABLE = 'id,note,age\r\n7,"Ann, ""Dot"" Lee\nwas here",31\r\n8,,40\r\n9,Ann,5\r\n'


def test_chosen_columns_are_parts_and_the_person_is_told(write):
    opened = CsvTable().open(TABLE.encode(), FileReading(columns=("note",), person="id"))
    assert [(part.text, part.person) for part in opened.parts] == [
        ('Ann, "Dot" Lee\nwas here', "7"),
        ("Ann", "9"),
    ]
    assert [part.place for part in opened.parts] == ["row 2, column 2", "row 4, column 2"]
    assert write(opened) == TABLE.encode()
    assert write(opened, {"Ann": "Eve", "31": "x"}) == TABLE.replace("Ann", "Eve").encode()


def test_without_a_choice_every_cell_is_a_part_and_so_is_the_header():
    opened = CsvTable().open(b"surname;note\nLee;came\n", FileReading())
    assert [(part.text, part.kind) for part in opened.parts] == [
        ("surname", None),
        ("note", None),
        ("Lee", ReferenceKind.NAME),
        ("came", None),
    ]


@pytest.mark.parametrize("new", ['a "b"', "a,b", "a\nb", "", " a", '"'])
def test_what_needs_quotes_gets_them(new, write):
    opened = CsvTable().open(b"note,n\nAnn,1\n", FileReading(columns=("note",)))
    again = CsvTable().open(write(opened, {"Ann": new}), FileReading(columns=("note", "n")))
    assert [part.text for part in again.parts] == ([new, "1"] if new else ["1"])


@pytest.mark.parametrize(
    ("source", "delimiter"),
    [("a;b\n1,5;2\n", ";"), ("a\tb\n1\t2", "\t"), ("a|b\n1|2", "|"), ("a", ",")],
)
def test_the_delimiter_is_found(source, delimiter):
    assert CsvTable().open(source.encode(), FileReading()).delimiter == delimiter


def test_a_column_that_is_not_there():
    with pytest.raises(SourceError, match="no column 'text'") as refused:
        CsvTable().open(b"Ann,Lee\n1,2\n", FileReading(columns=("text",)))
    assert "Ann" not in str(refused.value)


def test_a_cell_of_no_column_is_refused_where_columns_were_chosen():
    with pytest.raises(SourceError, match="as many cells"):
        CsvTable().open(b"id,note\n1,Ann,Lee\n", FileReading(columns=("note",)))
    assert len(CsvTable().open(b"id,note\n1,Ann,Lee\n", FileReading()).parts) == 5


def test_a_quote_that_is_never_closed():
    with pytest.raises(SourceError, match="never closed"):
        CsvTable().open(b'id,note\n1,"Ann\n', FileReading())


def test_bare_quotes_empty_lines_and_short_rows(write):
    source = b'id,note\n\n1,5" tube\n2\n3,\n'
    opened = CsvTable().open(source, FileReading(columns=("note",)))
    assert [part.text for part in opened.parts] == ['5" tube']
    assert write(opened) == source


@pytest.mark.parametrize("source", [b"", b"\n", b"a", b",", b"a,", b"\r\n\r\n"])
def test_hardly_a_table(source, write):
    assert write(CsvTable().open(source, FileReading())) == source


def test_a_chosen_column_that_says_what_it_holds_is_certain_to_hold_it():
    opened = CsvTable().open(
        b"surname,note\nSo,So came\n", FileReading(columns=("surname", "note"))
    )
    assert [(part.text, part.kind) for part in opened.parts] == [
        ("So", ReferenceKind.NAME),
        ("So came", None),
    ]


def test_prose_under_the_name_of_a_reference_is_read_as_prose():
    prose = "she came in on Monday and went home on Friday with her wife"
    opened = CsvTable().open(f"patient\n{prose}\nLee\n".encode(), FileReading(columns=("patient",)))
    assert [part.kind for part in opened.parts] == [None, ReferenceKind.NAME]
