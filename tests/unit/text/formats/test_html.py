"""HTML: read as it is shown; written from a list of what may be in it."""

from __future__ import annotations

import pytest

from sfumato.text.formats import FileReading
from sfumato.text.formats.html import HtmlFormat
from sfumato.text.kinds import ReferenceKind

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>About Ann</title>
<meta name="author" content="Ann Lee"><meta name="description" content="A letter on Ann">
<style>.ann { color: red }</style><script>var patient = "Ann Lee";</script></head>
<body class="ann" data-patient="Ann" onclick="ann()"><!-- for Ann -->
<h1 id="ann">Letter</h1><p>Dear Dr. <b>L</b>ang&nbsp;&amp; M&uuml;ller,<br>Ann
   came.</p>
<table><tr><td>Name</td><td>Ann</td></tr></table>
<img src="ann.png" alt="Ann at home"><a href="mailto:ann@lee.org?subject=Ann">write</a>
<a href="https://lee.org/ann">site</a><a href="ann.html">more</a><a href="#ann">up</a>
<input type="text" placeholder="Ann" value="Ann"><svg><text>Ann</text></svg>
</body></html>"""


@pytest.fixture
def opened():
    return HtmlFormat().open(PAGE.encode(), FileReading())


def test_the_text_is_what_is_shown(opened):
    assert opened.parts[0].text == (
        "Letter\nDear Dr. Lang\xa0& Müller,\nAnn came.\nName\tAnn\n[Ann at home]write sitemoreup \n"
    )


def test_what_is_read_out_is_a_part(opened):
    parts = {part.text: part.kind for part in opened.parts[1:]}
    assert parts == {
        "About Ann": None,
        "A letter on Ann": None,
        "ann@lee.org": ReferenceKind.EMAIL,
        "https://lee.org/ann": ReferenceKind.URL,
        "Ann": None,
    }


def test_what_can_hold_data_is_dropped_and_told(opened, write):
    words = {
        "Ann": "Eve",
        "ann@lee.org": "x@y.z",
        "https://lee.org/ann": "https://e.org",
        "Lang": "Mund",
    }
    written = write(opened, words).decode()
    assert "ann" not in written.lower().replace("eve", "")
    assert "Lee" not in written
    assert "<p>Dear Dr. <b>Mund</b>\xa0&amp; Müller,<br/>Eve came.</p>" in written
    told = " ".join(opened.left_out)
    for what in (
        "1 comment",
        "1 script",
        "1 style sheet",
        "1 picture",
        "1 drawing",
        "1 property of the page",
    ):
        assert what in told


def test_a_name_over_several_elements(write):
    opened = HtmlFormat().open(
        b"<p>Dr. <b>L<i>a</i></b>ng: <u>Ann</u>\n <u>Lee</u></p>", FileReading()
    )
    assert opened.parts[0].text == "Dr. Lang: Ann Lee\n"
    assert write(opened, {"Lang": "Mund", "Ann Lee": "Eve & Day"}) == (
        b"<p>Dr. <b>Mund<i></i></b>: <u>Eve &amp; Day</u><u></u></p>"
    )


def test_markup_in_a_surrogate_is_text(write):
    opened = HtmlFormat().open(b'<p title="Ann">Ann</p>', FileReading())
    assert (
        write(opened, {"Ann": '<x "y">'}) == b'<p title="&lt;x &quot;y&quot;&gt;">&lt;x "y"&gt;</p>'
    )


def test_writing_and_reading_again_changes_nothing(opened, write):
    again = HtmlFormat().open(write(opened), FileReading())
    assert [part.text for part in again.parts] == [part.text for part in opened.parts]
    assert write(again) == write(opened)


def test_a_declared_encoding(write):
    source = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2"><p>Łucja</p>'
    opened = HtmlFormat().open(source.encode("iso8859-2"), FileReading())
    assert opened.parts[0].text == "Łucja\n"
    assert HtmlFormat().open(write(opened), FileReading()).parts[0].text == "Łucja\n"


@pytest.mark.parametrize(
    "source", ["", "<", "<p", "</p></p>", "<b><i></b></i>x", "<!", "<![CDATA[x]]>", "&#xD800;&#0;y"]
)
def test_broken_markup_is_read(source, write):
    opened = HtmlFormat().open(source.encode(), FileReading())
    again = HtmlFormat().open(write(opened), FileReading())
    assert [part.text for part in again.parts] == [part.text for part in opened.parts]


def test_lines_of_pre_are_kept(write):
    opened = HtmlFormat().open(b"<pre>Ann\n  Lee\n</pre>", FileReading())
    assert opened.parts[0].text == "Ann\n  Lee\n"
    assert write(opened) == b"<pre>Ann\n  Lee\n</pre>"


@pytest.mark.parametrize("piece", ["<a ", "<!--", "</a ", "<b>", "<script>", '<a b="', "<"])
def test_tags_without_end_take_no_more_than_their_time(piece, write):
    opened = HtmlFormat().open((piece * (400_000 // len(piece))).encode(), FileReading())
    assert len(write(opened)) < 4_000_000


def test_a_script_that_writes_a_comment_takes_no_text_with_it():
    opened = HtmlFormat().open(b"<script>x = '<!--'</script>Ann <!-- gone -->Lee", FileReading())
    assert opened.parts[0].text == "Ann Lee"
