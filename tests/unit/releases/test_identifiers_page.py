"""Every example on docs/identifiers.md runs and prints what the page says."""

from __future__ import annotations

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "identifiers.md"


def test_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert ran.attempted > 10
    assert ran.failed == 0
