"""JSON lines: strings are parts with their paths, and the rest of each line keeps its
characters."""

from __future__ import annotations

import json

import pytest

from sfumato.errors import SourceError
from sfumato.text.formats import FileReading
from sfumato.text.formats.json_lines import JsonLines
from sfumato.text.kinds import ReferenceKind

LINES = (
    '{"id": 7, "visit": [{"note": "Ann \\u00fc\\n", "dose": 1.50}], "surname": "Lee"}\n\n'
    '{"id": 8, "visit": [{"note": "B", "dose": 2e3}], "phone": 6174731214, "ok": true}\n'
)


def test_every_string_is_a_part_and_known_keys_tell_kinds(write):
    opened = JsonLines().open(LINES.encode(), FileReading(person="id"))
    assert [(part.text, part.person, part.kind) for part in opened.parts] == [
        ("Ann ü\n", "7", None),
        ("Lee", "7", ReferenceKind.NAME),
        ("B", "8", None),
        ("6174731214", "8", ReferenceKind.PHONE),
    ]
    assert write(opened) == LINES.encode()


def test_only_what_was_replaced_is_written_anew(write):
    opened = JsonLines().open(LINES.encode(), FileReading())
    written = write(opened, {"Ann": 'E"v', "6174731214": "(555) 1"}).decode()
    assert written == LINES.replace("Ann \\u00fc", 'E\\"v \\u00fc').replace(
        "6174731214", '"(555) 1"'
    )
    assert [json.loads(line) for line in written.splitlines() if line]


def test_a_number_stays_a_number_where_it_can(write):
    opened = JsonLines().open(b'{"mrn": 123456}', FileReading())
    assert write(opened, {"123456": "654321"}) == b'{"mrn": 654321}'


def test_chosen_paths(write):
    opened = JsonLines().open(LINES.encode(), FileReading(columns=("visit.note",)))
    assert [part.text for part in opened.parts] == ["Ann ü\n", "B"]
    with pytest.raises(SourceError, match=r"'visit\.text'"):
        JsonLines().open(LINES.encode(), FileReading(columns=("visit.text",)))


def test_one_value_over_several_lines(write):
    source = b'[\n  {"a": "Ann"},\n  {"a": "Ann"}\n]\n'
    assert write(JsonLines().open(source, FileReading()), {"Ann": "Eve"}) == source.replace(
        b"Ann", b"Eve"
    )


@pytest.mark.parametrize(
    "source",
    [
        '{"a": "Ann"',
        '{"a": 1,}',
        "[1,]",
        '{"a" 1}',
        '{"a": 01}',
        '"\x01"',
        "nope",
        '{"a": 1} x',
        "[" * 5000,
        '{"a": "\\x"}',
    ],
)
def test_what_is_not_json_is_refused_without_a_word_of_it(source):
    with pytest.raises(SourceError) as refused:
        JsonLines().open(source.encode(), FileReading())
    assert "Ann" not in str(refused.value)


def test_a_broken_line_is_told_by_its_number():
    with pytest.raises(SourceError, match="Line 2"):
        JsonLines().open(b'{"a": 1}\n{"a": \n', FileReading())


@pytest.mark.parametrize(
    "source",
    [b"", b"\n", b"{}", b"[]", b'"Ann"', b"null", b'{"a": "\\ud800"}', b'{"a": "1", "a": "2"}'],
)
def test_small_values(source, write):
    assert write(JsonLines().open(source, FileReading())) == source


def test_a_chosen_field_that_says_what_it_holds_is_certain_to_hold_it():
    opened = JsonLines().open(
        b'{"surname": "So", "note": "So came"}\n', FileReading(columns=("surname", "note"))
    )
    assert [(part.text, part.kind) for part in opened.parts] == [
        ("So", ReferenceKind.NAME),
        ("So came", None),
    ]
