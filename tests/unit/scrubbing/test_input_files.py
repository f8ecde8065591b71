"""Which files are scrubbed, and everything that stands in the way, told at once."""

from __future__ import annotations

import os

import pytest

from sfumato.errors import Mistake, SourceError
from sfumato.scrubbing.input_files import MOST_TOLD, gather
from sfumato.scrubbing.request import ScrubRequest


def asked(tmp_path, *paths, **options):
    return ScrubRequest(paths=paths or (tmp_path / "in",), target=tmp_path / "out", **options)


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "in"
    (inside / "ward" / "p7").mkdir(parents=True)
    (inside / "b.txt").write_text("b", encoding="utf-8")
    (inside / "ward" / "p7" / "a.txt").write_text("a", encoding="utf-8")
    return inside


def test_files_come_in_the_order_of_their_places(folder, tmp_path):
    assert [source.place for source in gather(asked(tmp_path))] == ["b.txt", "ward/p7/a.txt"]
    assert [source.place for source in gather(asked(tmp_path, folder / "b.txt"))] == ["b.txt"]


@pytest.mark.parametrize(
    ("how", "people"),
    [("file", ["", ""]), ("folder", ["", "ward/p7"]), (r"p(\d+)", ["", "7"]), ("(x)?a", ["", ""])],
)
def test_whose_a_file_is_may_be_told_by_its_path(folder, tmp_path, how, people):
    assert [source.person for source in gather(asked(tmp_path, person_from=how))] == people


@pytest.mark.parametrize("how", ["(", r"p\d+", "", "Folder"])
def test_a_pattern_without_a_group_tells_nobody(folder, tmp_path, how):
    with pytest.raises(Mistake, match="does not identify the person of a file"):
        gather(asked(tmp_path, person_from=how))


def test_links_pipes_and_missing_files_are_refused_together(folder, tmp_path):
    (folder / "link.txt").symlink_to(folder / "b.txt")
    (folder / "far").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.txt")
    with pytest.raises(SourceError) as refused:
        gather(asked(tmp_path, folder, tmp_path / "nowhere"))
    said = str(refused.value)
    assert "4 problems" in said
    assert said.count("it is a link") == 2
    assert "no plain file" in said
    assert "No such file" in said


def test_a_file_named_twice_and_two_of_one_name_are_refused(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.txt").write_text("another", encoding="utf-8")
    with pytest.raises(SourceError) as refused:
        gather(asked(tmp_path, folder, folder / "b.txt", other))
    assert "it is named twice" in str(refused.value)
    assert "would have the same name, b.txt" in str(refused.value)


def test_the_target_is_not_in_the_source_nor_the_source_in_it(folder, tmp_path):
    with pytest.raises(SourceError, match="is in it"):
        gather(ScrubRequest(paths=(folder,), target=folder / "new"))
    with pytest.raises(SourceError, match="it is in the folder to write to"):
        gather(ScrubRequest(paths=(folder,), target=tmp_path))


def test_an_empty_folder_is_nothing_to_scrub(tmp_path):
    (tmp_path / "in").mkdir()
    with pytest.raises(SourceError, match="nothing to scrub"):
        gather(asked(tmp_path))


def test_of_many_problems_some_are_told(tmp_path):
    paths = tuple(tmp_path / f"{number}.txt" for number in range(MOST_TOLD + 5))
    with pytest.raises(SourceError, match="and 5 more"):
        gather(asked(tmp_path, *paths))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(folder, tmp_path):
    (folder / "b.txt").chmod(0)
    with pytest.raises(SourceError, match="Permission denied"):
        gather(asked(tmp_path))
