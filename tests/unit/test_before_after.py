"""How the comparison of two versions plans and prints: see benchmarks/before_after.py, which is run
by hand."""

import sys
from pathlib import Path

import pytest
from rich.console import Console

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.__main__ import main
from benchmarks.before_after import (
    CASES,
    NEEDED,
    SOURCES,
    Version,
    as_table,
    measure_in_turns,
    with_needed,
)


def test_a_case_that_reads_a_release_comes_after_it():
    order = list(CASES)
    for name, release in NEEDED.items():
        assert order.index(release) < order.index(name)
        assert with_needed([name]) == [release, name]


def test_every_case_has_a_source():
    written = set().union(*(readers for _, readers in SOURCES))
    assert {NEEDED.get(name, name) for name in CASES} == written


def test_the_side_that_starts_alternates(monkeypatch, tmp_path):
    runs = []
    monkeypatch.setitem(
        CASES, "survey", ("survey", lambda version, data: runs.append(version.tree.name) or 1.0)
    )
    sides = {side: Version(tmp_path / side, tmp_path) for side in ("before", "after")}
    measure_in_turns(sides, None, rounds=2, names=["survey"])
    assert runs == ["before", "after", "after", "before"]


def test_a_row_has_medians_and_their_ratio():
    spent = {("survey", "before"): [1.0, 2.0, 9.0], ("survey", "after"): [2.0, 3.0, 9.0]}
    console = Console(width=200)
    with console.capture() as printed:
        console.print(as_table(spent, ["survey"]))
    [line] = [line for line in printed.get().splitlines() if "2.00" in line]
    cells = [cell.strip() for cell in line.split("|") if cell.strip()]
    assert cells[1:] == ["2.00", "3.00", "1.50", "1.00 to 2.00"]


def test_it_needs_a_version_to_compare_with():
    with pytest.raises(SystemExit):
        main(["before-after"])
