"""RTF: every way of writing a letter is read, and nothing but the texts is written."""

from __future__ import annotations

import pytest

from sfumato.errors import SourceError
from sfumato.text.formats import FileReading
from sfumato.text.formats.rtf import Rtf

LETTER = (
    rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}{\f1\fcharset204 "
    rb"Arial;}}{\colortbl;\red255\green0\blue0;}"
    rb"{\info{\author Ann Lee}{\title Ann}}{\*\generator Ann 1.0;}{\stylesheet{\s0 "
    rb"Ann;}}{\*\revtbl{Ann Lee;}}"
    rb"{\header Head Ann\par}{\footer Foot Ann}\pard\plain Dear {\b A}nn Gr\'fc\'dfe "
    rb"\u8364? \{x\}\par "
    b"\r\n"
    rb"{\f1\'cf\'f0} {\*\bkmkstart Ann}{\field{\*\fldinst HYPERLINK "
    rb"mailto:ann@lee.org}{\fldrslt write}}\par "
    rb"{\v hidden Ann}{\deleted gone Ann}{\pict\pngblip 89504e47}{\footnote Note Ann}"
    rb"{\*\atnid AL}{\*\atnauthor Ann Lee}\chatn{\*\annotation{\*\atndate 1}Remark "
    rb"Ann}\trowd a\cell b\cell\row end}"
)


def test_texts_and_what_is_left_out():
    opened = Rtf().open(LETTER, FileReading())
    assert {part.place: part.text for part in opened.parts} == {
        "text": "Dear Ann Grüße € {x}\nПр write\na\tb\t\nend",
        "header 1": "Head Ann\n",
        "footer 1": "Foot Ann",
        "footnote 1": "Note Ann",
        "comment 1": "Remark Ann",
    }
    told = " ".join(opened.left_out)
    for what in (
        "1 picture",
        "1 set of document properties",
        "1 table of authors",
        "1 bookmark",
        "hidden or deleted",
    ):
        assert what in told


def test_nothing_of_the_old_file_comes_along(write):
    written = write(Rtf().open(LETTER, FileReading()), {"Ann": "Eve"})
    assert b"Ann" not in written
    assert b"Lee" not in written
    assert b"hidden" not in written
    assert written.isascii()


def test_writing_and_reading_again_changes_nothing(write):
    opened = Rtf().open(LETTER, FileReading())
    again = Rtf().open(write(opened), FileReading())
    assert sorted(part.text for part in again.parts) == sorted(part.text for part in opened.parts)
    assert write(again) == write(opened)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (rb"{\rtf1\uc2 \u252??x}", "üx"),
        (rb"{\rtf1\uc0 \u252 x}", "üx"),
        (rb"{\rtf1 \u-10179?\u-8704?!}", "😀!"),
        (rb"{\rtf1\ansicpg932 \'83\'65\'83X}", "テス"),
        (rb"{\rtf1 Li\-nd\~x\_y}", "Lind\xa0x\u2011y"),
        (rb"{\rtf1\mac \'8a}", "ä"),
        (rb"{\rtf1{\*\shpinst{\sp{\sn a}{\sv b}}{\shptxt box\par}}end}", "box\nend"),
        (rb"{\rtf1 a{\bin3 }}}b}", "ab"),
        (b"{\\rtf1 caf\xe9}", "café"),
    ],
)
def test_ways_of_writing_a_letter(source, text):
    assert Rtf().open(source, FileReading()).parts[0].text == text


def test_the_footnote_stays_where_it_stood(write):
    written = write(Rtf().open(rb"{\rtf1 one{\footnote two} three}", FileReading())).decode()
    assert written.endswith("one{\\footnote two} three}\n")


@pytest.mark.parametrize("source", [b"", b"Dear Ann", b"{\\r"])
def test_what_is_not_rtf_is_refused(source):
    with pytest.raises(SourceError, match="not RTF"):
        Rtf().open(source, FileReading())


@pytest.mark.parametrize(
    "source",
    [
        b"{\\rtf1",
        b"{\\rtf1}}}",
        b"{\\rtf1 \\",
        b"{\\rtf1 \\'",
        b"{\\rtf1 " + b"{" * 5000,
        b"{\\rtf1\\u99999999?}",
    ],
)
def test_broken_rtf_is_read_as_far_as_it_goes(source, write):
    assert write(Rtf().open(source, FileReading())).startswith(b"{\\rtf1")
