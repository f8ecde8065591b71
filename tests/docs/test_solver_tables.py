"""The tables of the docs about solvers are those of the declarations."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sfumato.errors import Bug
from sfumato.parts import fill_tables
from sfumato.solvers import SOLVERS
from sfumato.solvers.reference_tables import page_of, solver_tables

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from declared_pages import tables as declared_tables

DOCS = Path(__file__).parents[2] / "docs"
SHOWN = {page: page.read_text(encoding="utf-8") for page in DOCS.glob("**/*.md")}


def test_tables_are_as_declared() -> None:
    tables = declared_tables()
    known = [page for page, text in SHOWN.items() if "<!-- declared: solve" in text]
    stale = [
        page.relative_to(DOCS).as_posix()
        for page in known
        if fill_tables(SHOWN[page], tables) != SHOWN[page]
    ]
    assert not stale, "python tools/declared_pages.py writes them"


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_has_its_page_with_its_settings(name: str) -> None:
    page = DOCS / page_of(SOLVERS[name])
    assert f"<!-- declared: solver {name} -->" in SHOWN[page]
    assert f"](solvers/{page.name}) |" in SHOWN[DOCS / "policy.md"]


def test_a_marker_that_nothing_declares_is_noticed() -> None:
    with pytest.raises(Bug, match="solver nonsense"):
        fill_tables("<!-- declared: solver nonsense -->\n<!-- end -->", solver_tables())
