"""Expressions over the fields of a row: what DuckDB gives on the raw rows, judged as fields of their
own."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from gates import ANN, POLICY, a_gate, people

from sfumato.errors import NotAdmitted, NotAnswered
from sfumato.gate.settings import Audience, Budget, Mode, Terms

ROWS = people(800, seed=3)
BUDGET = Budget(query=50.0, person=900.0, table=900.0)
BOUNDS = {"cost": (0.0, 1000.0), "age": (0.0, 120.0), "test": (0.0, 1.0)}
TERMS = Terms(audience=Audience.PERSON, budget=BUDGET, bounds=BOUNDS)
EXACT = (
    "SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) AS n FROM people GROUP BY 1 ORDER BY 1",
    "SELECT CASE WHEN age >= 65 THEN 'old' ELSE 'young' END AS old, sex, COUNT(*) AS n FROM people GROUP BY 1, 2",
    "SELECT CASE WHEN age >= 50 THEN 'old' END AS old, COUNT(*) AS n FROM people GROUP BY 1",
    "SELECT SUM(CASE WHEN age >= 60 AND sex = 'F' THEN 1 ELSE 0 END) AS n FROM people",
    "SELECT COUNT(*) FILTER (WHERE age < 40) AS young, COUNT(*) AS n FROM people",
    "SELECT LOWER(SUBSTR(town, 1, 1)) AS letter, COUNT(*) AS n FROM people GROUP BY 1",
    "SELECT COUNT(*) AS n FROM people WHERE age + 1 > 50",
    "SELECT COUNT(*) AS n FROM people WHERE age * 2 > 80 AND UPPER(sex) = 'F'",
    "SELECT town, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS percent FROM people GROUP BY town",
    "SELECT town, RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM people GROUP BY town",
    "SELECT sex, AVG(cost * 2 + 1) AS mean, STDDEV(cost) AS deviation FROM people GROUP BY sex",
    "SELECT COUNT(*) AS n FROM people WHERE age >= 60 OR test = 1",
    "SELECT sex, SUM(CASE WHEN age >= 60 THEN cost END) AS total FROM people GROUP BY sex",
    "SELECT MOD(age, 2) AS odd, COUNT(*) AS n FROM people GROUP BY MOD(age, 2)",
    "SELECT CORR(age, cost) AS r FROM people",
    "SELECT cost, COUNT(*) AS n FROM people WHERE FLOOR(age / 10) >= 4 GROUP BY cost",
)  # fmt: skip


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    with a_gate(tmp_path_factory.mktemp("gate"), ROWS, terms=TERMS) as opened:
        yield opened


@pytest.fixture(scope="module")
def truth(gate):
    with duckdb.connect() as rows:
        source = gate.keeper.settings.tables["people"].source
        rows.execute(f"CREATE TABLE people AS SELECT * FROM read_csv('{source}')")
        yield rows


def fresh(gate):
    for table in ("exposures", "charged", "records"):
        gate.keeper.state.all(f"DELETE FROM {table}")
    gate.keeper.exact.__dict__.pop("standings", None)
    return gate.keeper


def plain(rows):
    return sorted(
        tuple(f"{cell:.9g}" if isinstance(cell, int | float) else str(cell) for cell in row)
        for row in rows
    )


@pytest.mark.parametrize("sql", EXACT)
def test_an_exact_answer_is_what_the_raw_rows_give(gate, truth, sql):
    """Where it is refused exactly, noise that is hardly any gives the same."""
    answer = fresh(gate).ask(ANN, sql)
    true = truth.execute(sql).fetchall()
    if answer.as_asked:
        assert plain(answer.rows) == plain(true)
        return
    assert answer.noise
    texts = [at for at, cell in enumerate(true[0]) if not isinstance(cell, int | float)]
    known = {tuple(str(row[at]) for at in texts): row for row in true}
    for row in answer.rows:
        for at, cell in enumerate(known[tuple(str(row[each]) for each in texts)]):
            if at not in texts:
                assert row[at] == pytest.approx(float(cell), rel=0.02, abs=0.02)


def test_one_cut_tells_less_than_its_field(gate):
    """A cut at 65 tells two classes apart, and not every age."""
    keeper = fresh(gate)
    keeper.ask(ANN, EXACT[1].replace(", sex", "").replace("1, 2", "1"))
    held = keeper.table("people")
    (standing,) = {
        id(each): each for each in keeper.exact.stand(ANN, _question(keeper)).values()
    }.values()
    assert len(set(standing.exposure.anyone.tolist())) == 2
    assert len(held.bins) > 100


def _question(keeper):
    from sfumato.gate.sql import admit

    return admit("SELECT COUNT(*) FROM people", keeper.catalogue(ANN))


def test_values_that_cannot_be_worked_out_are_null(gate):
    sql = "SELECT CAST(town AS INT) AS number, COUNT(*) AS n FROM people GROUP BY 1"
    assert fresh(gate).ask(ANN, sql).rows == [(None, 800)]


def test_kinds_that_do_not_fit_are_refused_before_any_row(gate):
    with pytest.raises(NotAdmitted, match="cannot be worked out"):
        fresh(gate).ask(ANN, "SELECT FLOOR(town) AS t, COUNT(*) AS n FROM people GROUP BY 1")


def test_an_expression_without_bounds_is_not_summed_with_noise(gate):
    sql = "SELECT SUM(cost / (age - 50)) AS s FROM people"
    with pytest.raises((NotAnswered, NotAdmitted)) as refused:
        fresh(gate).ask(ANN, sql, mode=Mode.NOISY)
    assert "cost" in str(refused.value) or "bounds" in str(refused.value)


def test_columns_without_a_name_have_one(gate):
    answer = fresh(gate).ask(ANN, "SELECT COUNT(*), COUNT(*) + 1, COUNT(age) FROM people")
    assert answer.columns == ("count", "column_2", "count_3")


@pytest.mark.parametrize(
    ("expression", "rel"),
    [("STDDEV(cost)", 0.01), ("VAR_POP(cost)", 0.01),
     ("AVG(cost * 1.19)", 0.01), ("AVG(CASE WHEN test = 1 THEN 1.0 ELSE 0.0 END)", 0.02)],
)  # fmt: skip
def test_noisy_statistics_come_from_noisy_sums(gate, truth, expression, rel):
    sql = f"SELECT {expression} AS x FROM people"
    answer = fresh(gate).ask(ANN, sql, mode=Mode.NOISY)
    ((value,),), ((true,),) = answer.rows, truth.execute(sql).fetchall()
    assert answer.noise
    assert value == pytest.approx(float(true), rel=rel, abs=1.0)


def test_groups_of_a_protected_field_pass_a_threshold(gate):
    sql = "SELECT test, COUNT(*) AS n FROM people GROUP BY test"
    answer = fresh(gate).ask(ANN, sql, mode=Mode.NOISY)
    assert answer.threshold
    assert {row[0] for row in answer.rows} == {0, 1}


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("by", ["", "town"])
def test_noisy_percentiles_are_near_the_true_ones(gate, truth, share, by):
    sql = f"SELECT {by + ', ' if by else ''}PERCENTILE_CONT({share}) WITHIN GROUP (ORDER BY cost) AS p FROM people"
    sql += f" GROUP BY {by}" if by else ""
    answer = fresh(gate).ask(ANN, sql, mode=Mode.NOISY)
    true = {row[:-1]: row[-1] for row in truth.execute(sql).fetchall()}
    assert {row[:-1] for row in answer.rows} == set(true)
    within = answer.marks.within[len(answer.columns) - 1]
    for row, off in zip(answer.rows, within, strict=True):
        assert row[-1] == pytest.approx(true[row[:-1]], abs=15)
        assert 0 < off < 200


def test_a_percentile_has_a_share(gate):
    sql = "SELECT PERCENTILE_CONT(1.5) WITHIN GROUP (ORDER BY cost) AS p FROM people"
    with pytest.raises(NotAdmitted, match="between 0 and 1"):
        fresh(gate).ask(ANN, sql, mode=Mode.NOISY)


def test_a_percentile_costs_what_a_question_costs(gate):
    """Also beside sums, and in groups that pass a threshold."""
    keeper = fresh(gate)
    whole = TERMS.budget.question_rho
    for more in ("", ", SUM(cost) AS s", ", COUNT(*) AS n, AVG(cost) AS m"):
        before = keeper.budget(ANN, "people").rho_spent
        sql = f"SELECT test, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY cost) AS p{more} FROM people GROUP BY test"
        assert keeper.ask(ANN, sql, mode=Mode.NOISY).threshold
        spent = keeper.budget(ANN, "people").rho_spent - before
        assert whole * 0.99 < spent <= whole


@pytest.mark.parametrize(
    "numbers",
    ["COUNT(*) AS n", "SUM(cost * 2) AS s, COUNT(*) AS n", "STDDEV(cost) AS d", "AVG(cost) AS m"],
)
@pytest.mark.parametrize("by", ["", "sex", "test"])
def test_a_look_gives_the_scale_of_the_noise_that_is_drawn(gate, numbers, by):
    keeper = fresh(gate)
    sql = f"SELECT {by + ', ' if by else ''}{numbers} FROM people" + (
        f" GROUP BY {by}" if by else ""
    )
    told = keeper.look(ANN, sql).cost.within
    drawn = keeper.ask(ANN, sql, mode=Mode.NOISY).noise
    assert {name: told[name] for name in drawn} == drawn


def test_a_refusal_names_kinds_and_expressions_as_they_were_written(gate):
    with pytest.raises(NotAdmitted, match="town is text") as caught:
        fresh(gate).ask(ANN, "SELECT SUM(town / 10) AS n FROM people")
    assert "CAST" in str(caught.value)
    with pytest.raises(NotAdmitted, match=r'MAX\(.*"cost".*\) is not released with noise'):
        fresh(gate).ask(ANN, "SELECT MAX(cost + 1) AS n FROM people", mode=Mode.NOISY)


def test_shares_of_groups_say_that_some_groups_are_withheld(tmp_path: Path) -> None:
    """The total of a window is that of the groups shown."""
    rows = [*people(400), *({**row, "town": "Elba"} for row in people(3))]
    policy = "membership = 'public'\n" + POLICY.replace('"Delphi"', '"Delphi", "Elba"')
    sql = "SELECT town, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM people GROUP BY town"
    with a_gate(tmp_path, rows, policy=policy) as gate:
        noisy = gate.keeper.ask(ANN, sql, mode=Mode.NOISY)
        assert noisy.withheld == 1
        assert noisy.marks is not None
        assert all("windows are over the groups shown" in note for note in noisy.marks.notes[:-1])
