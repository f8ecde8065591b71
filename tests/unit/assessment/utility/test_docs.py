"""The examples in the pages about usefulness and the sweep run."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[4] / "docs" / "assess"


@pytest.mark.parametrize("page", ["usefulness.md", "sweep.md"])
def test_examples_run(page):
    found = doctest.testfile(
        str(DOCS / page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert found.attempted > 3
    assert found.failed == 0
