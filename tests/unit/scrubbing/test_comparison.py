"""The ways to scrub, compared on the holder's own letters."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.errors import Mistake
from sfumato.scrubbing import compare_ways
from sfumato.scrubbing.comparison import ALL, CUES, SEARCH

LETTER = "RE: Virginia Townsend, MRN: 32-841-09787.\nDear Dr. Hayes:\nshe was seen on 05/26/1994.\n"


def test_each_way_masks_a_share_of_what_any_masks(tmp_path):
    folder = tmp_path / "p17"
    folder.mkdir()
    (folder / "first.txt").write_text(LETTER)
    known = {"p17": {"name": ("Virginia Townsend",), "record number": ("32-841-09787",)}}
    done = compare_ways([tmp_path], known=known, person_from="folder")
    assert done.texts == 1
    assert done.share(ALL) == 1.0
    assert 0 < done.share(SEARCH) < done.share(CUES) <= 1.0
    assert done.share(SEARCH, "date") == 0.0
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["first.txt", "p17"]


def test_files_are_needed():
    with pytest.raises(Mistake):
        compare_ways([])


def test_without_a_register_search_finds_nothing(tmp_path):
    (tmp_path / "a.txt").write_text(LETTER)
    assert compare_ways([Path(tmp_path / "a.txt")]).share(SEARCH) == 0.0
