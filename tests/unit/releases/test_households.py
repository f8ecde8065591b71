"""Households leave together, until nothing fails; and what is told about them."""

import csv
from collections import Counter

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.bins import LocalRecoding
from sfumato.engines import open_source
from sfumato.errors import Bug, NoRecodingFound
from sfumato.parts import Shape
from sfumato.policy import policy_from_table
from sfumato.releases import release, verify
from sfumato.releases.checks import outcome_of
from sfumato.releases.households import keep_together
from sfumato.releases.prepared_source import prepare
from sfumato.solvers import SOLVERS, Solution

# B is alone, so family 1 leaves; then A is alone, and family 2 leaves; C is left.
CHAIN = [
    ("A", "1", "flu"),
    ("A", "2", "cold"),
    ("B", "1", "flu"),
    *[("C", "3", "flu")] * 2,
    ("C", "4", "cold"),
]


def policy(*, family="direct", zip_="quasi", solve=None, **require):
    fields = {"zip": zip_, "family": family, "problem": "sensitive"}
    solve = solve or {"solver": "given", "levels": {}}
    return policy_from_table(
        {"household": "family", "fields": fields, "require": {"k": 2} | require, "solve": solve}
    )


@pytest.fixture(params=["duckdb", "reference"])
def released(request, tmp_path):
    def made(rows, decided):
        source = tmp_path / "people.csv"
        with source.open("w", newline="") as file:
            csv.writer(file).writerows([("zip", "family", "problem"), *rows])
        return release(source, decided, to=tmp_path / "out", engine=request.param)

    return made


def read(made):
    with made.table.open(newline="") as file:
        return Counter(tuple(row.values()) for row in csv.DictReader(file))


def test_a_row_that_must_leave_takes_its_household_along_and_so_on(released):
    made = released(CHAIN, policy(max_suppression=0.5))
    assert read(made) == {("C", "flu"): 2, ("C", "cold"): 1}
    assert (made.outcome, made.rows, made.rows_suppressed) == ("pass", 3, 3)
    assert made.manifest["utility"]["rows_suppressed"] == 3
    assert "Rows are left out with everyone of their family." in made.manifest["solver"]["notes"]
    assert all(check.outcome != "fail" for check in verify(made.folder))


def test_more_than_may_be_left_out_is_refused_with_numbers(released, tmp_path):
    with pytest.raises(NoRecodingFound) as caught:
        released(CHAIN, policy(max_suppression=0.2))
    assert str(caught.value) == (
        "Whole households (family) with at most 20.0% of rows suppressed were asked for.\n"
        "  The recoding of given leaves out 1 row. With everyone of their households, and "
        "what fails without these, "
        "it is 3 of 6 rows (50.0%) after 2 rounds.\n"
        "  Try a larger max_suppression, a smaller one that makes the solver recode more "
        "and leave out fewer, or a "
        "smaller k."
    )
    assert not (tmp_path / "out").exists()


def test_nothing_left_is_refused_too(released):
    with pytest.raises(NoRecodingFound, match=r"4 of 4 rows \(100\.0%\)"):
        released(
            [("A", "1", ""), ("A", "2", ""), ("B", "1", ""), ("B", "2", "")],
            policy(k=3, max_suppression=1.0),
        )


def test_where_nothing_is_left_out_households_change_nothing(released):
    made = released(CHAIN, policy(solve={"solver": "datafly2"}))
    assert (made.rows, made.outcome) == (6, "pass")


def test_rows_without_a_household_leave_alone(released):
    rows = [
        ("A", "1", "x"),
        ("A", "", "x"),
        ("B", "", "y"),
        ("C", "", "z"),
        ("C", "", "z"),
        ("A", "", "x"),
    ]
    made = released(rows, policy(max_suppression=0.2))
    assert read(made) == {("A", "x"): 3, ("C", "z"): 2}


def test_models_about_values_are_judged_again_without_the_household(released):
    """Without family 1, the bin A has one problem; k alone would keep it."""
    rows = [("A", "1", "flu"), ("A", "2", "cold"), ("A", "3", "cold"), ("B", "1", "flu")]
    rows += [
        ("C", str(n), problem) for n, problem in enumerate(["flu", "cold", "gout", "flu"], start=4)
    ]
    kept = read(released(rows, policy(max_suppression=0.6, l_diversity={"l": 2})))
    assert {zip_ for zip_, _ in kept} == {"C"}


def test_the_household_may_be_what_is_recoded(released):
    made = released(
        [("A", "11", "x"), ("A", "12", "x"), ("A", "21", "y"), ("A", "22", "y")],
        policy(
            family={"role": "quasi", "hierarchy": {"prefix": [1]}},
            zip_="insensitive",
            solve={"solver": "anytime"},
        ),
    )
    assert made.rows == 4


def test_the_risk_of_a_household_is_in_the_manifest(released):
    rows = [("A", "1", "x"), ("A", "1", "x"), ("A", "2", "x"), ("A", "", "x")]
    made = released(rows, policy())
    risk = 1 - (3 / 4) ** 2
    assert made.manifest["household"] == {
        "field": "family",
        "average_risk": pytest.approx((risk + 1 / 4 + 1 / 4) / 3),
        "maximum_risk": pytest.approx(risk),
    }
    assert not any("household" in line for line in made.manifest["warnings"])


def test_a_high_risk_and_a_released_household_are_warned_of(released):
    warnings = " ".join(
        released([("A", "1", "x")] * 2, policy(family="insensitive")).manifest["warnings"]
    )
    assert "somebody can be recognised with probability 75%" in warnings
    assert "family is released" in warnings


def test_without_a_household_nothing_is_said_of_it(released):
    plain = policy_from_table(
        {"fields": {"zip": "quasi", "family": "direct", "problem": "text"}, "require": {"k": 2}}
    )
    assert "household" not in released(CHAIN, plain).manifest


SOLVERS_OF_HOUSEHOLDS = [
    key for key in SOLVERS if Shape.HOUSEHOLDS in SOLVERS[key].abilities.shapes
]


def test_every_declared_solver_keeps_households_together():
    assert set(SOLVERS) == set(SOLVERS_OF_HOUSEHOLDS), (
        "say in docs/policy.md why its definition fails there"
    )


@pytest.mark.long("a release for each solver and engine; each third stays", every=3)
@pytest.mark.parametrize("solver", SOLVERS_OF_HOUSEHOLDS)
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_households_leave_together_with_every_solver(solver, engine, tmp_path):
    """Whoever is in the release is there with everyone of their household, and bins keep what is
    required."""
    ages = [90 if n in (0, 7) else 20 + n % 3 for n in range(60)]  # Two are alone with their age.
    rows = [(str(ages[n]), str(n % 2), str(n // 3), str(n)) for n in range(60)]
    with (tmp_path / "people.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("age", "sex", "family", "who"), *rows])
    fields = dict.fromkeys(("age", "sex"), "quasi") | {"family": "direct", "who": "insensitive"}
    require = {"k": 4, "max_suppression": 0.9}
    require |= {"combinations": {"k": 4, "sizes": [1, 2]}} if solver == "mu_argus" else {}
    table = {
        "household": "family",
        "fields": fields,
        "require": require,
        "solve": {"solver": solver},
    }
    made = release(
        tmp_path / "people.csv", policy_from_table(table), to=tmp_path / "out", engine=engine
    )
    with made.table.open(newline="") as file:
        released = list(csv.DictReader(file))
    there = {row["who"] for row in released}
    families = [{str(n), str(n + 1), str(n + 2)} for n in range(0, 60, 3)]
    assert there
    assert all(family <= there or not family & there for family in families)
    assert min(Counter((row["age"], row["sex"]) for row in released).values()) >= 4
    assert outcome_of(verify(made.folder)) == "pass"


def test_a_bin_that_is_cut_cannot_be_left_out_by_household():
    with open_source(
        [{"zip": "A", "family": "1", "problem": "x"}] * 2, engine="reference"
    ) as engine:
        prepared = prepare(engine, policy())
        levels, gone = np.zeros((2, 1), np.int16), np.zeros(2, bool)
        halves = LocalRecoding(
            bin_of=np.array([0, 0]), rows=np.array([1, 1]), levels=levels, suppressed=gone
        )
        with pytest.raises(Bug, match="cut bins"):
            keep_together(engine, prepared, Solution(solver="some", recoding=halves))


def what_stays(rows, k):
    """Row by row: leave out small bins, then their households, again and again."""
    homes = [row[1] or f"row {number}" for number, row in enumerate(rows)]
    kept = set(range(len(rows)))
    while True:
        sizes = Counter(rows[number][0] for number in kept)
        gone = {homes[number] for number in kept if sizes[rows[number][0]] < k}
        if not gone:
            return kept
        kept = {number for number in kept if homes[number] not in gone}


small = st.tuples(
    st.sampled_from(["A", "B", "C", None]),
    st.sampled_from(["1", "2", "3", "4", None]),
    st.just("x"),
)


@settings(deadline=None, max_examples=example_count(60))
@given(st.lists(small, min_size=2, max_size=14), st.integers(1, 2))
def test_what_stays_is_what_stays_row_by_row(rows, k):
    table = [dict(zip(("zip", "family", "problem"), row, strict=True)) for row in rows]
    expected = Counter((rows[number][0],) for number in what_stays(rows, k))
    with open_source(table, engine="reference") as engine:
        prepared = prepare(engine, policy(k=k, max_suppression=1.0))
        solution = prepared.solver.solve(prepared.bins, prepared.hierarchies)
        if not expected:
            with pytest.raises(NoRecodingFound):
                keep_together(engine, prepared, solution)
            return
        together = keep_together(engine, prepared, solution)
    kept = together.solution.recoding.apply(together.prepared.bins, prepared.hierarchies)
    assert kept.sizes() == expected
