"""docs/engines.md says what the engines say, and its example runs."""

from __future__ import annotations

import doctest
from pathlib import Path

from sfumato.sources import ENGINES
from sfumato.sources.engine_table import engine_table
from sfumato.sources.engines.duckdb import DuckDBEngine
from sfumato.sources.engines.duckdb_readers import READERS

PAGE = Path(__file__).parents[3] / "docs" / "engines.md"


def test_the_page_shows_the_table_of_today() -> None:
    shown = PAGE.read_text(encoding="utf-8").split("<!-- engines: begin -->\n")[1].split("<!-- engines: end -->")[0]
    assert shown == engine_table()


def test_every_engine_is_in_the_table() -> None:
    assert all(f"| `{name}` |" in engine_table() for name in ENGINES)


def test_every_suffix_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [suffix for suffix in READERS if f"`{suffix}`" not in text and suffix != ".xlsx"] == []
    assert "Excel" in str(DuckDBEngine.abilities.reads)


def test_the_example_runs() -> None:
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert (failed, tried > 0) == (0, True)
