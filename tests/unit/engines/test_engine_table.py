"""docs/engines.md names every file that is read, and its example runs."""

from __future__ import annotations

import doctest
from pathlib import Path

from sfumato.engines.duckdb.engine import DuckDBEngine
from sfumato.engines.duckdb.readers import READERS

PAGE = Path(__file__).parents[3] / "docs" / "engines.md"


def test_every_suffix_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [suffix for suffix in READERS if f"`{suffix}`" not in text and suffix != ".xlsx"] == []
    assert "Excel" in str(DuckDBEngine.abilities.reads)


def test_the_example_runs() -> None:
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert (failed, tried > 0) == (0, True)
