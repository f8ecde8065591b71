"""A page or a file of numbers is there whole or not at all, and nothing is lost."""

from __future__ import annotations

import os
import stat

import pytest

from sfumato.assessment.page_file import check_file, write_private
from sfumato.errors import TargetError


def test_what_was_written_is_whole_and_its_owners(tmp_path):
    path = tmp_path / "page.html"
    write_private(path, "häuser", replace=False)
    assert path.read_text(encoding="utf-8") == "häuser"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["page.html"]


def test_nothing_is_written_over_unless_told(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("earlier")
    with pytest.raises(TargetError, match="exists already"):
        write_private(path, "later", replace=False)
    assert path.read_text() == "earlier"
    write_private(path, "later", replace=True)
    assert path.read_text() == "later"
    assert os.listdir(tmp_path) == ["page.html"]


def test_a_file_that_came_in_between_stays(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    monkeypatch.setattr(
        "sfumato.assessment.page_file.check_file",
        lambda *given, **named: path.write_text("another's"),
    )
    with pytest.raises(TargetError, match="exists already"):
        write_private(path, "mine", replace=False)
    assert path.read_text() == "another's"
    assert os.listdir(tmp_path) == ["page.html"]


def test_a_full_disk_leaves_the_earlier_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    path.write_text("earlier")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TargetError, match="No space left"):
        write_private(path, "later", replace=True)
    assert path.read_text() == "earlier"
    assert os.listdir(tmp_path) == ["page.html"]


def test_a_folder_is_no_file_and_must_be_there(tmp_path):
    with pytest.raises(TargetError, match="is a folder"):
        check_file(tmp_path, replace=True)
    with pytest.raises(TargetError, match="no folder"):
        check_file(tmp_path / "none" / "page.html", replace=True)
