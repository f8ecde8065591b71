"""The folder of a review: its owner's only, new, apart from what travels, and whole or not there at
all."""

from __future__ import annotations

import os
import stat

import pytest

from sfumato.errors import TargetError
from sfumato.scrubbing.review import review_folder as writing_module
from sfumato.scrubbing.review import write_review


def test_only_the_owner_may_read_any_of_it(room):
    everything = [room.folder, *room.folder.rglob("*")]
    assert len(everything) == 3
    for path in everything:
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted


def test_permissions_do_not_hang_on_the_umask(collection, tmp_path):
    documents, done = collection
    before = os.umask(0)
    try:
        write_review(tmp_path / "r", documents, done.documents, purpose="direct")
    finally:
        os.umask(before)
    assert all(
        path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "r", *(tmp_path / "r").iterdir())
    )


def test_nothing_is_overwritten(room):
    before = room.file.read_bytes()
    with pytest.raises(TargetError, match="not overwritten"):
        write_review(room.folder, room.documents, room.done.documents, purpose="direct")
    assert room.file.read_bytes() == before


def test_not_within_a_folder_that_travels(room, tmp_path):
    release = tmp_path / "release"
    release.mkdir()
    (tmp_path / "link").symlink_to(release)
    for place in (release / "review", tmp_path / "link" / "review"):
        with pytest.raises(TargetError, match="is shared"):
            write_review(
                place, room.documents, room.done.documents, purpose="direct", apart_from=[release]
            )
    assert list(release.iterdir()) == []


def test_a_folder_that_is_not_there(room, tmp_path):
    with pytest.raises(TargetError, match="There is no folder"):
        write_review(tmp_path / "a" / "b", room.documents, room.done.documents, purpose="direct")


def test_what_fails_half_way_leaves_nothing(room, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing_module, "_write_pages", full)
    before = set(tmp_path.iterdir())
    with pytest.raises(TargetError, match="No space left"):
        write_review(tmp_path / "other", room.documents, room.done.documents, purpose="direct")
    assert set(tmp_path.iterdir()) == before
