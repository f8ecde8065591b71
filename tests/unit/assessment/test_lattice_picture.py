"""The picture of the lattice is taken from the release's report, and from a changed report nothing
else is."""

from __future__ import annotations

import shutil

import pytest

from sfumato.assessment.lattice_picture import lattice_picture


def test_the_report_has_one_and_it_is_copied_shape_by_shape(made):
    picture = lattice_picture(made.release)
    assert picture.startswith("<svg ")
    assert 'aria-label="Lattice of ' in picture
    assert "xmlns" not in picture
    report = (made.release / "report.html").read_text(encoding="utf-8")
    assert picture.count("<circle") == report.count("<circle") > 0


@pytest.mark.parametrize(
    "slipped_in",
    [
        "<script>alert(1)</script>",
        '<image href="file:///etc/passwd"></image>',
        '<circle cx="1" cy="1" r="1" onclick="alert(1)"></circle>',
        '<circle cx="1" cy="1" r="1" fill="url(#x)"></circle>',
        '<foreignObject><p xmlns="x">hello</p></foreignObject>',
        "<circle>",
    ],
)
def test_a_changed_picture_is_no_picture(made, tmp_path, slipped_in):
    copy = shutil.copytree(made.release, tmp_path / "copy")
    report = copy / "report.html"
    page = report.read_text(encoding="utf-8")
    at = page.index("</svg>", page.index("Lattice of "))
    report.write_text(page[:at] + slipped_in + page[at:], encoding="utf-8")
    assert lattice_picture(copy) == ""


def test_without_a_report_there_is_none(tmp_path):
    assert lattice_picture(tmp_path) == ""
    (tmp_path / "report.html").write_bytes(b"\xff\xfe not a page")
    assert lattice_picture(tmp_path) == ""
