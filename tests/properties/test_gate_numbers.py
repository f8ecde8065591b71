"""Every number of an aggregate is the true one, or marked noisy with its scale, or absent: whatever
was asked before.

DuckDB works out the truth on the raw file, from the text of the query, by code that shares nothing
with the gate."""

from __future__ import annotations

import math
import sys
from collections import Counter
from pathlib import Path

import duckdb
import pytest
from example_counts import example_count
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("opendp", reason="the extra 'gate' is not installed")
sys.path[:0] = [str(Path(__file__).parents[1] / "unit" / "gate")]

# ruff: noqa: E402 - small gates are made with what stands with the gate's own tests
from gates import ANN, BOB, a_gate, people

from sfumato.errors import Mistake, Refused
from sfumato.gate.noise.noisy_rows import SUPPRESSED
from sfumato.gate.result_marks import NOTE
from sfumato.gate.settings import Audience, Budget, Mode, Terms

ROWS = people(600, seed=7)
KNOWN = ("age", "town", "sex")
CONDITIONS = (
    "age >= 60", "age BETWEEN 40 AND 59", "age = 37", "age >= 20 AND age < 40", "town = 'Cadiz'", "NOT town = 'Bergen'",
    "town IN ('Aberdeen', 'Bergen')", "sex = 'F'", "NOT (age = 50 AND sex = 'M')", "test = 1", "cost < 500",
    "test <> 1", "age / 10 >= 5", "FLOOR(age / 10) = 4", "age >= 60 OR test = 1", "LOWER(sex) = 'f'",
    "CASE WHEN age < 40 THEN cost ELSE 1 END > 500", "MOD(age, 2) = 0",
    "town NOT LIKE '%e%'", "town NOT IN ('Cadiz')", "age NOT BETWEEN 30 AND 50",
)  # fmt: skip
NUMBERS = (
    "COUNT(*)", "COUNT(DISTINCT age)", "COUNT(DISTINCT town)", "COUNT(DISTINCT person)", "SUM(cost)", "AVG(cost)",
    "MIN(age)", "MAX(age)", "MIN(cost)", "COUNT(cost)", "2 * COUNT(*)", "SUM(test)", "AVG(age)",
    "SUM(CASE WHEN age >= 60 THEN 1 ELSE 0 END)", "COUNT(*) FILTER (WHERE test = 1)", "STDDEV(cost)",
    "AVG(cost * 1.19)", "SUM(CASE WHEN sex = 'F' THEN cost ELSE 0 END)", "CORR(age, cost)",
    "VAR_POP(cost + test)", "PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY cost)",
    "COUNT(CASE WHEN cost > 500 OR age < 30 THEN 1 END)",
)  # fmt: skip
TERMS = {
    mode: Terms(
        mode=mode, audience=Audience.PERSON, budget=Budget(query=0.5, person=1.0, table=50.0),
        bounds={"cost": (0.0, 1000.0), "test": (0.0, 1.0), "age": (0.0, 120.0)},
    )
    for mode in Mode
}  # fmt: skip

queries = st.builds(
    lambda shown, where, groups, having, order: (
        f"SELECT {', '.join((*groups, *(f'{each} AS n{place}' for place, each in enumerate(shown))))} FROM people"
        + (f" WHERE {' AND '.join(where)}" if where else "")
        + (f" GROUP BY {', '.join(groups)}" if groups else "")
        + (" HAVING COUNT(*) > 40" if having and groups else "")
        + (" ORDER BY n0 DESC LIMIT 3" if order and groups else "")
    ),
    st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=2, unique=True),
    st.lists(st.sampled_from(CONDITIONS), max_size=2, unique=True),
    st.sampled_from(
        (
            (),
            (),
            ("town",),
            ("sex",),
            ("age",),
            ("town", "sex"),
            ("FLOOR(age / 10) * 10",),
            ("UPPER(town)", "sex"),
            ("CASE WHEN age >= 65 THEN 'old' ELSE town END",),
            ("test",),
            ("test + 1",),
        )
    ),
    st.booleans(),
    st.booleans(),
)
steps = st.tuples(
    queries, st.sampled_from((ANN, BOB)), st.sampled_from((None, Mode.EXACT, Mode.NOISY))
)
seen_rows = st.sampled_from(
    ("", "SELECT age, town, test FROM people", "SELECT age, sex FROM people WHERE town = 'Cadiz'")
)


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    """The raw rows in a database of their own."""
    folder = tmp_path_factory.mktemp("truth")
    with a_gate(folder, ROWS):
        pass
    with duckdb.connect() as rows:
        rows.execute(
            "CREATE TABLE people AS SELECT *, name AS person FROM "
            f"read_csv('{folder / 'people.csv'}')"
        )
        yield rows


def true_rows(rows, sql):
    """What the query gives on the raw table, without its order and its limit."""
    return rows.execute(sql.partition(" ORDER BY ")[0]).fetchall()


def is_true(row, truths):
    return any(
        all(_same(cell, true) for cell, true in zip(row, each, strict=True)) for each in truths
    )


def _same(cell, true):
    if isinstance(cell, float) and isinstance(true, int | float):
        return math.isclose(cell, true, rel_tol=1e-9, abs_tol=1e-9)
    return cell == true


def check(answer, truths, rows_in_the_end):
    """Hold an answer against the truth."""
    columns, rows = answer.marked()
    if NOTE not in columns:  # Then it is the answer to what was asked, whole.
        assert all(is_true(row, truths) for row in rows)
        assert len(rows) == min(len(truths), rows_in_the_end)
        return "exact"
    assert answer.noise
    shown = len(answer.columns)
    numbers = [place for place, name in enumerate(answer.columns) if name.startswith("n")]
    assert [name for name in columns[shown:]] == [
        f"{answer.columns[place]}_within" for place in numbers
    ] + [NOTE]
    for row in rows:
        if row[-1].startswith("no group has a noisy count"):  # Then no group is shown beside it.
            assert len(rows) == 1
            assert all(
                row[place] is None if place in numbers else row[place] == SUPPRESSED
                for place in range(shown)
            )
            continue
        assert row[-1].startswith(("noisy", "groups withheld"))
        for mark, place in enumerate(numbers):
            assert row[place] is None or row[shown + mark] > 0
    return "noisy"


@pytest.mark.long(
    "forty gates in each mode; the mode that answers both ways stays", but=("either",)
)
@pytest.mark.parametrize("mode", list(Mode))
def test_a_number_is_true_or_marked_or_absent(tmp_path_factory, truth, mode):
    became: Counter[str] = Counter()

    @settings(
        max_examples=example_count(40),
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(seen_rows, st.lists(steps, min_size=1, max_size=8))
    def run(first, asked):
        with a_gate(tmp_path_factory.mktemp("gate"), ROWS, terms=TERMS[mode]) as gate:
            if first and mode is not Mode.NOISY:
                gate.keeper.ask(ANN, first)
            for sql, who, wanted in asked:
                try:
                    answer = gate.keeper.ask(who, sql, mode=wanted)
                except (Refused, Mistake) as refused:
                    became[type(refused).__name__] += 1
                    continue
                limit = 3 if "LIMIT" in sql else 10_000
                became[check(answer, true_rows(truth, sql), limit)] += 1

    run()
    assert (
        became["noisy" if mode is Mode.NOISY else "exact"] > 10
    )  # The test has seen what it is about.
    assert mode is Mode.NOISY or became["NotAnswered"] > 10


def test_a_widened_number_would_be_noticed(truth):
    """The question of the report: what the gate gave before is not among the true answers."""
    (true,) = true_rows(truth, "SELECT COUNT(*) FROM people WHERE test = 1 AND age >= 60")
    (widened,) = true_rows(truth, "SELECT COUNT(*) FROM people WHERE test = 1")
    assert not is_true(widened, [true])
