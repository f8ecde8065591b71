"""The matrix of what works with what knows every part that the docs name, and tells works from refused from errors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.golden_releases.execution import without_charts, write_key
from tests.golden_releases.matrix import ERROR, REFUSED, WORKS, as_text, totals_of, try_cell
from tests.golden_releases.matrix_parts import REQUIREMENTS, SHAPES, SOLVERS, TECHNIQUES, Part, write_sources

POLICY_PAGE = (Path(__file__).parents[2] / "docs" / "policy.md").read_text(encoding="utf-8")


def test_every_requirement_of_the_docs_is_tried() -> None:
    section = POLICY_PAGE.split("## `[require]`")[1].split("### What may be left out")[0]
    named = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))
    assert named - {"max_suppression"} == {name.split(" ")[0] for name in REQUIREMENTS} - {"nulls"}


def test_every_solver_of_the_docs_is_tried() -> None:
    assert set(re.findall(r"^\| \[`(\w+)`\]\(solvers/", POLICY_PAGE, re.MULTILINE)) == set(SOLVERS)


def test_every_technique_of_the_docs_is_tried() -> None:
    lines = POLICY_PAGE.split("| technique | what it does | page |")[1].split("\n\n")[0].splitlines()[2:]
    assert {name for line in lines for name in line.split("|")[1].strip().split(", ")} == set(TECHNIQUES)


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_sources(Path())
    write_key(Path("golden.key"))


@pytest.mark.usefixtures("sources")
def test_a_cell_works_is_refused_with_its_reason_or_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with without_charts():
        works = try_cell(REQUIREMENTS["k"], "several rows", SHAPES["several rows"], engine="reference")
        refused = try_cell(Part(require="k_mop = 2"), "households", SHAPES["households"], engine="reference")
        monkeypatch.setattr("tests.golden_releases.matrix.run_command", lambda words: 1 / 0)
        broken = try_cell(REQUIREMENTS["k"], "steps", SHAPES["steps"], engine="reference")
    assert (works["state"], refused["state"], broken["state"]) == (WORKS, REFUSED, ERROR)
    assert "no such key" in refused["reason"]
    grid = {"requirement × shape": {"k": {"steps": works, "households": refused}}}
    assert totals_of(grid) == {"requirement × shape": {WORKS: 1, REFUSED: 1}}
    assert "2 cells: 1 works, 1 refused" in as_text(grid)
