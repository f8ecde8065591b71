"""Renames that never replace, with the system's help and without it."""

from __future__ import annotations

import pytest

from sfumato.runs import moves
from sfumato.runs.moves import exchange, link_new, rename_new


@pytest.fixture(params=["system", "plain"])
def way(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(moves, "_system_rename", lambda: None)
    return request.param


@pytest.fixture(params=["file", "empty folder", "full folder"])
def taken(request, tmp_path):
    target = tmp_path / "target"
    if request.param == "file":
        target.write_text("mine")
    else:
        target.mkdir()
        if request.param == "full folder":
            (target / "mine").write_text("mine")
    return target


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_is_there_stays(way, taken, tmp_path, kind):
    source = tmp_path / "source"
    source.mkdir() if kind == "folder" else source.write_text("new")
    with pytest.raises(FileExistsError):
        rename_new(source, taken)
    assert source.exists()
    assert taken.exists()


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_free_name_is_taken(way, tmp_path, kind):
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir() if kind == "folder" else source.write_text("new")
    rename_new(source, target)
    assert target.exists()
    assert not source.exists()


def test_files_that_cannot_have_two_names_are_moved(tmp_path, monkeypatch):
    def refuse(source, target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    (tmp_path / "source").write_text("new")
    link_new(tmp_path / "source", tmp_path / "target")
    assert (tmp_path / "target").read_text() == "new"
    (tmp_path / "source").write_text("newer")
    with pytest.raises(FileExistsError):
        link_new(tmp_path / "source", tmp_path / "target")
    assert (tmp_path / "target").read_text() == "new"


def test_two_folders_are_exchanged_where_the_system_can(way, tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).write_text("")
    done = exchange(tmp_path / "one", tmp_path / "other")
    assert done == (way == "system")
    assert (tmp_path / ("other" if done else "one") / "one").exists()
