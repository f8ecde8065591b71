"""Plain text and its encodings: what was not replaced keeps its bytes, and nothing is misread in
silence."""

from __future__ import annotations

import codecs

import pytest

from sfumato.errors import SourceError
from sfumato.text.formats import FileReading
from sfumato.text.formats.encodings import decoded
from sfumato.text.formats.plain import PlainText

TEXT = "Zoë Müller\r\nשלום مرحبا 😀\tA\u200db\n"


@pytest.mark.parametrize(
    "content",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"),
        ("Plain Latin text of Zoe " * 4).encode("utf-16-le"),
        ("Plain Latin text of Zoe " * 4).encode("utf-16-be"),
        "Zoë – “quoted”".encode("cp1252"),
    ],
)
def test_an_encoding_is_kept(content, write):
    opened = PlainText().open(content, FileReading())
    assert write(opened) == content
    assert "Zo" in opened.parts[0].text
    assert "�" not in opened.parts[0].text


def test_windows_1252_is_told_and_written_again(write):
    opened = PlainText().open("Zoë came".encode("cp1252"), FileReading())
    assert opened.notes == ("read as Windows-1252, because it is not UTF-8",)
    assert write(opened, {"Zoë": "Chloé"}) == "Chloé came".encode("cp1252")


def test_a_surrogate_that_the_encoding_lacks_makes_it_utf_8_with_a_mark(write):
    opened = PlainText().open("Zoë came".encode("cp1252"), FileReading())
    assert write(opened, {"Zoë": "Łucja"}) == codecs.BOM_UTF8 + "Łucja came".encode()


def test_an_encoding_that_was_asked_for(write):
    content = "Łucja".encode("cp1250")
    opened = PlainText().open(content, FileReading(encoding="cp1250"))
    assert opened.parts[0].text == "Łucja"
    assert write(opened) == content


@pytest.mark.parametrize(
    "content",
    [
        b"\x81\x8d Ann \x9d",
        b"\x00\x01\x02\x03\x04\x05\x06\x07" * 8,
        codecs.BOM_UTF16_LE + b"A\x00\x00\xd8A\x00",
    ],
)
def test_what_is_no_text_is_refused_without_a_word_of_it(content):
    with pytest.raises(SourceError) as refused:
        PlainText().open(content, FileReading())
    assert "Ann" not in str(refused.value)


def test_an_unknown_encoding_is_refused():
    with pytest.raises(SourceError, match="encoding of a file is unknown"):
        PlainText().open(b"\xff", FileReading(encoding="martian"))


def test_an_empty_file(write):
    opened = PlainText().open(b"", FileReading())
    assert opened.parts == ()
    assert write(opened) == b""


def test_a_few_control_characters_stay(write):
    content = b"Ann\x00 came\x0b to us\x07 on a day that was long ago"
    assert write(PlainText().open(content, FileReading())) == content


def test_a_line_of_50_mb(write):
    content = b"x" * 25_000_000 + b" Ann " + b"y" * 25_000_000
    opened = PlainText().open(content, FileReading())
    assert write(opened, {"Ann": "Eve"}) == content.replace(b"Ann", b"Eve")


def test_a_declared_encoding_comes_before_a_guess():
    assert decoded("Łuć".encode("iso8859-2"), declared="iso-8859-2").text == "Łuć"
    assert decoded("Łuć".encode(), declared="utf-16").text == "Łuć"
