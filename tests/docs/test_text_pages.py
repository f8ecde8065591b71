"""The examples on surrogates and reviews run, in a folder of their own."""

from __future__ import annotations

import doctest
from pathlib import Path

from sfumato.scrubbing.review import review_reader

DOCS = Path(__file__).parents[2] / "docs" / "text"


def test_examples_of_reviews_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(str(DOCS / "review.md"), module_relative=False)
    assert found.attempted > 10
    assert found.failed == 0


def test_every_name_of_a_review_file_is_told():
    page = (DOCS / "review.md").read_text(encoding="utf-8")
    told = {name for line in page.splitlines() for name in line.split("`")[1::2]}
    assert {*review_reader.TOP, *review_reader.ABOUT, *review_reader.FINDING} - told <= {
        "format",
        "holds",
        "purpose",
        "documents",
    }


def test_examples_of_surrogates_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    found = doctest.testfile(
        str(DOCS / "surrogates.md"), module_relative=False, optionflags=options
    )
    assert found.attempted > 10
    assert found.failed == 0
