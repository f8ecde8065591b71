"""Which format a file is, and what is refused."""

from __future__ import annotations

import pytest

from sfumato.errors import SourceError
from sfumato.text.formats import FORMATS, format_of


@pytest.mark.parametrize(
    ("path", "content", "name"),
    [
        ("a.txt", b"x", "plain text"),
        ("A.TXT", b"", "plain text"),
        ("a.md", b"x", "Markdown"),
        ("a.htm", b"x", "HTML"),
        ("a.rtf", b"{\\rtf1}", "RTF"),
        ("a.docx", b"PK\x03\x04", "DOCX"),
        ("a.pdf", b"%PDF-1.4", "PDF"),
        ("a.tsv", b"x", "CSV"),
        ("a.jsonl", b"{}", "JSON lines"),
        ("a.ndjson", b'{"resourceType":"Patient"}', "FHIR"),
        ("a.json", '{"resourceType": "Patient"}'.encode("utf-16-le"), "FHIR"),
        ("a.json", b'{"a": 1}', "JSON lines"),
        ("a.fhir", b"{}", "FHIR"),
    ],
)
def test_the_format_of_a_file(path, content, name):
    assert format_of(path, content).name == name


@pytest.mark.parametrize(
    ("path", "content", "said"),
    [
        ("scan.gif", b"GIF89a", "a picture"),
        ("letter.doc", b"\xd0\xcf\x11\xe0", "before 2007"),
        ("letter", b"Dear Ann", "no known suffix"),
        ("a.Ann Lee", b"", "no known suffix"),
        ("letter.txt", b"%PDF-1.4", "It is PDF"),
        ("letter.pdf", b"PK\x03\x04", "zip package"),
        ("rows.ods", b"", "'.ods'"),
    ],
)
def test_what_is_not_read_is_refused_with_a_reason(path, content, said):
    with pytest.raises(SourceError, match=r"not read|not have the format of its suffix") as refused:
        format_of(path, content)
    assert said in str(refused.value)
    assert "Ann" not in str(refused.value)


def test_every_format_has_its_suffixes():
    for each in FORMATS:
        assert each.suffixes
        assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in each.suffixes)
