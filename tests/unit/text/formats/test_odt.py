"""OpenDocument text: the text, headers and notes; nothing else of the package."""

from __future__ import annotations

import io
import zipfile

import pytest

from sfumato.errors import SourceError
from sfumato.scrubbing import scrub
from sfumato.text.formats.odt import Odt
from sfumato.text.formats.parts import FileReading

HEAD = (
    '<office:d xmlns:office="urn:o" xmlns:text="urn:t" xmlns:dc="urn:dc" xmlns:draw="urn:d" '
    'xmlns:xlink="urn:x">'
)
BODY = (
    '<text:p text:style-name="P1">RE: <text:span text:style-name="T1">Virg</text:span>inia Townsend'
    "<text:s/>was seen.</text:p><text:p>Dear Dr. Hayes:<dc:creator>Virginia Townsend</dc:creator></text:p>"
    '<draw:frame draw:name="Townsend"><draw:image xlink:href="Pictures/Townsend.png"/></draw:frame>'
)


def odt(body=BODY):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        package.writestr("content.xml", f"{HEAD}{body}</office:d>")
        package.writestr(
            "styles.xml", f"{HEAD}<text:p>Page of Virginia Townsend</text:p></office:d>"
        )
        package.writestr("meta.xml", "<a>Virginia Townsend</a>")
        package.writestr("Pictures/Townsend.png", b"\x89PNG")
    return out.getvalue()


def test_paragraphs_are_lines_and_spans_are_within_them():
    opened = Odt().open(odt(), FileReading())
    texts = [part.text for part in opened.parts if part.kind is None]
    assert texts == [
        "RE: Virginia Townsend was seen.\nDear Dr. Hayes:\n",
        "Page of Virginia Townsend\n",
    ]
    assert any("picture" in what for what in opened.left_out)


def test_nothing_of_the_people_is_in_the_package(tmp_path):
    (tmp_path / "a.odt").write_bytes(odt())
    scrub(tmp_path / "a.odt", to=tmp_path / "out")
    (written,) = (tmp_path / "out").glob("*.odt")
    with zipfile.ZipFile(written) as package:
        names, whole = package.namelist(), b"".join(map(package.read, package.namelist()))
    assert names == ["mimetype", "content.xml", "styles.xml", "META-INF/manifest.xml"]
    for secret in (b"Townsend", b"Virg", b"Hayes", b"PNG"):
        assert secret not in whole
    assert b'text:style-name="P1"' in whole


@pytest.mark.parametrize("content", [b"PK\x03\x04", b"", b"text"])
def test_a_broken_package_is_refused(content):
    with pytest.raises(SourceError):
        Odt().open(content, FileReading())
