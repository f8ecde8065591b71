"""The examples on surrogates run, in a folder of their own."""

from __future__ import annotations

import doctest
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs" / "text"


def test_examples_of_surrogates_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    found = doctest.testfile(str(DOCS / "surrogates.md"), module_relative=False, optionflags=options)
    assert found.attempted > 10
    assert found.failed == 0
