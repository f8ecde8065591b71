"""What declarations say of each pair of parts is what a run does; `make matrix` runs all pairs,
this a part of them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from tests.golden_releases.matrix import (
    ERROR,
    REFUSED,
    UNMET,
    WORKS,
    Outcome,
    as_text,
    covering,
    scratch_folder,
    try_pair,
    unlike_reference,
)
from tests.golden_releases.matrix_pairs import (
    Pair,
    all_pairs,
    key_of,
    requirement_in,
    requirement_with,
    shape_of,
    source_of,
)
from tests.golden_releases.matrix_parts import (
    REQUIREMENTS,
    SHAPES,
    SOLVERS,
    STEPS,
    TECHNIQUES,
    policy_of,
)
from tests.golden_releases.matrix_servers import on_its_engine

from sfumato.parts import Shape
from sfumato.policy import MODELS
from sfumato.policy import SOLVERS as DECLARED_SOLVERS
from sfumato.policy import TECHNIQUES as DECLARED_TECHNIQUES
from sfumato.policy.compatibility import (
    NOT_YET,
    SETTINGS_OF_REQUIRE,
    Compatibility,
    PairState,
    solver_in,
)
from sfumato.policy.compatibility import WORKS as DECLARED

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from compatibility_tables import grids

NO_MEANING = Compatibility(PairState.NO_MEANING, "the definition fails")
PAIRS = list(all_pairs())
DRAWN = 20
TABLES = list(dict.fromkeys(one.table for one in PAIRS))


@pytest.fixture(scope="module")
def _sources(tmp_path_factory: pytest.TempPathFactory):
    with scratch_folder(tmp_path_factory.mktemp("matrix")):
        yield


def contradictions(pairs: Iterable[Pair]) -> list[str]:
    """What runs of these pairs do otherwise than declared. A red line names the pair: mend the part,
    or declare it."""
    outcomes = [try_pair(pair) for pair in pairs]
    return [f"{each.pair.name}: {each.contradiction}" for each in outcomes if each.contradiction]


def part_of(table: str, *, works: bool) -> list[Pair]:
    pairs = covering(pair for pair in PAIRS if pair.table == table)
    return [pair for pair in pairs if (pair.declared.state is PairState.WORKS) is works]


@pytest.mark.usefixtures("_sources")
@pytest.mark.parametrize("table", TABLES)
def test_every_refusal_is_as_declared(table: str) -> None:
    assert contradictions(part_of(table, works=False)) == []


@pytest.mark.long(
    "a release for each row and column of a table; one table stays",
    but=("engine *shape",),
)
@pytest.mark.usefixtures("_sources")
@pytest.mark.parametrize("table", TABLES)
def test_each_row_and_column_of_what_works_is_as_declared(table: str) -> None:
    assert contradictions(part_of(table, works=True)) == []


@pytest.mark.long("every shape on each engine; tests/contracts/test_releases.py stays")
@pytest.mark.usefixtures("_sources")
@pytest.mark.parametrize(
    ("engine", "columns"),
    [
        ("duckdb", SHAPES),
        ("postgres", SHAPES),
        pytest.param(
            "spark",
            (Shape.ACROSS_TABLES.value,),
            marks=pytest.mark.all_cells("people-spark in contracts/test_releases.py sees the same"),
        ),
    ],
    ids=["duckdb", "postgres", "spark"],
)
def test_an_engine_releases_the_rows_of_the_reference_engine(
    engine: str, columns: Iterable[str]
) -> None:
    pairs = [
        one for one in all_pairs(engines=("reference", engine)) if one.table == "engine × shape"
    ]
    outcomes = [try_pair(on_its_engine(one)) for one in pairs if one.column in columns]
    assert [
        f"{each.pair.name}: {each.contradiction}" for each in outcomes if each.contradiction
    ] == []
    assert unlike_reference(outcomes) == []
    assert all(each.rows for each in outcomes)


@pytest.mark.long("a large release on each engine; one stays", but=("duckdb",))
@pytest.mark.usefixtures("_sources")
@pytest.mark.parametrize("engine", ["duckdb", "postgres", "spark"])
def test_an_engine_recodes_linked_tables_bin_by_bin_as_the_reference_engine(engine: str) -> None:
    """Whoever looks rows up by released cells of the table above finds the same ones."""
    pair = next(one for one in PAIRS if one.name == f"local × {Shape.ACROSS_TABLES.value}")
    rows = []
    for name in ("reference", engine):
        told = replace(pair, engine=name, options=("--format", "csv"))
        found = try_pair(on_its_engine(told))
        assert found.state == WORKS, found.errors
        rows.append([row for row in found.rows if row[0] == "visits"])
    assert rows[0] == rows[1]
    assert rows[0]


@pytest.mark.long("twenty releases; each part stays by itself")
@pytest.mark.usefixtures("_sources")
def test_parts_drawn_at_random_do_together_what_their_cells_say(
    request: pytest.FixtureRequest,
) -> None:
    """A requirement, a solver and a shape: refused beforehand where one of their three cells is, and
    released, or honestly not met, where all three work."""
    chance = request.config.getoption("--chance")
    draw = Random(None if chance else 15)
    drawn = [draw_triple(draw) for _ in range(DRAWN * (10 if chance else 1))]
    found = [(pair, try_pair(pair)) for pair in drawn]
    assert [
        f"{pair.name}: {each.contradiction}"
        for pair, each in found
        if each.contradiction
        and not (pair.declared.state is PairState.WORKS and each.state == UNMET)
    ] == []


def draw_triple(draw: Random) -> Pair:
    """Three parts and what the matrix says of each two of them. Requirements beside the drawn one
    may be refused too, so a reason is not compared."""
    row, solver = draw.choice(list(REQUIREMENTS)), draw.choice(list(SOLVERS))
    shape = draw.choice([name for name in SHAPES if name != STEPS])
    cells = (
        requirement_in(row, shape),
        requirement_with(row, solver),
        solver_in(DECLARED_SOLVERS[solver], shape_of(shape)),
    )
    works = all(cell.state is PairState.WORKS for cell in cells)
    return Pair(
        table="drawn",
        row=row,
        column=f"{solver} × {shape}",
        policy=policy_of(shape, REQUIREMENTS[row], SOLVERS[solver]),
        declared=DECLARED if works else NOT_YET,
        source=source_of(shape),
    )


def test_every_part_is_tried() -> None:
    assert {key_of(row) for row in REQUIREMENTS} == {*MODELS} | {*SETTINGS_OF_REQUIRE}
    assert {*SOLVERS} == {*DECLARED_SOLVERS}
    assert {*TECHNIQUES} == {*DECLARED_TECHNIQUES}
    assert {*grids()} == {*TABLES}


def test_the_part_that_is_run_has_each_row_and_column_and_every_refusal() -> None:
    part = covering(PAIRS)
    for table in TABLES:
        every, run = ([one for one in pairs if one.table == table] for pairs in (PAIRS, part))
        works, tried = (
            [one for one in pairs if one.declared.state is PairState.WORKS]
            for pairs in (every, run)
        )
        assert {one.row for one in works} == {one.row for one in tried}
        assert {one.column for one in works} == {one.column for one in tried}
        assert {one.name for one in every} - {one.name for one in works} <= {
            one.name for one in run
        }


# -------------------------------------------------------------------------------------------------
# what is noticed


def pair(declared: Compatibility) -> Pair:
    return Pair(
        table="t", row="k", column="steps", policy="", declared=declared, source="people.csv"
    )


@pytest.mark.parametrize(
    ("declared", "state", "errors", "noticed"),
    [
        (DECLARED, WORKS, "", ""),
        (DECLARED, REFUSED, "PolicyError: no.", "declared: works; found: refused"),
        (DECLARED, "not met", "NoRecodingFound: none.", "found: not met"),
        (DECLARED, ERROR, "Bug", "found: error"),
        (NOT_YET, REFUSED, "PolicyError: no.", ""),
        (NOT_YET, WORKS, "", "declared: not yet; found: works"),
        (NOT_YET, REFUSED, "SourceError: no.", "not beforehand"),
        (NO_MEANING, REFUSED, "PolicyError: 1. k: the definition\n  fails.", ""),
        (NO_MEANING, REFUSED, "PolicyError: 1. k: another.", "refused for another reason"),
        (NO_MEANING, WORKS, "", "declared: no meaning; found: works"),
    ],
)
def test_a_run_that_is_not_as_declared_is_noticed(declared, state, errors, noticed) -> None:
    found = Outcome(pair=pair(declared), state=state, errors=errors).contradiction
    assert (noticed in found) if noticed else found == ""


def test_the_text_has_totals_and_shares() -> None:
    outcomes = [
        Outcome(pair=pair(DECLARED), state=WORKS),
        Outcome(
            pair=Pair(table="t", row="l", column="steps", policy="", declared=NOT_YET, source=""),
            state=WORKS,
        ),
    ]
    assert "2 cells: 2 work, 0 have no meaning, 0 do not work yet; 100 %" in as_text(outcomes)
    assert "1 contradictions\nl × steps: declared: not yet; found: works" in as_text(outcomes)


@pytest.mark.usefixtures("_sources")
def test_an_error_in_a_run_is_told_apart_from_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.golden_releases.matrix.run_command", lambda words: 1 / 0)
    assert try_pair(PAIRS[0]).state == ERROR
