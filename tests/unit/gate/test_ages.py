"""AGE in whole years, as PostgreSQL counts them."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from gates import ANN, a_gate

from sfumato.errors import NotAdmitted
from sfumato.gate.settings import Mode

POLICY = """
[fields.born]
role = "quasi"
hierarchy = { dates = ["month", "year"] }
[fields.test]
role = "sensitive"
[require]
k = 2
"""
BIRTHS = ("2000-02-29", "2000-03-01", "1999-12-31", "2001-01-01", "2030-06-15")
ROWS = [{"born": each, "test": place % 2} for each in BIRTHS for place in range(10)]


def years(later: date, earlier: date) -> int:
    if later < earlier:
        return -years(earlier, later)
    before = (later.month, later.day) < (earlier.month, earlier.day)
    return later.year - earlier.year - before


@pytest.mark.parametrize("day", ["2026-02-28", "2026-03-01", "1999-12-31"])
def test_years_are_counted_as_postgresql_does(tmp_path: Path, day: str) -> None:
    sql = (
        f"SELECT EXTRACT(YEAR FROM AGE(DATE '{day}', born)) AS years, COUNT(*) AS n "
        "FROM people GROUP BY 1 ORDER BY 1"
    )
    expected: dict[int, int] = {}
    for each in BIRTHS:
        found = years(date.fromisoformat(day), date.fromisoformat(each))
        expected[found] = expected.get(found, 0) + 10
    with a_gate(tmp_path, ROWS, policy=POLICY) as gate:
        answer = gate.keeper.ask(ANN, sql, mode=Mode.EXACT)
        assert {int(age): n for age, n in answer.rows} == expected


def test_one_date_counts_to_today(tmp_path: Path) -> None:
    with a_gate(tmp_path, ROWS, policy=POLICY) as gate:
        sql = "SELECT COUNT(*) FROM people WHERE date_part('year', age(born)) >= 18"
        assert gate.keeper.ask(ANN, sql, mode=Mode.EXACT).rows == [(40,)]


@pytest.mark.parametrize(
    "expression",
    ["AGE(born)", "EXTRACT(MONTH FROM AGE(born))", "EXTRACT(YEAR FROM AGE(born, born, born))"],
)
def test_other_spans_are_refused(tmp_path: Path, expression: str) -> None:
    with a_gate(tmp_path, ROWS, policy=POLICY) as gate, pytest.raises(NotAdmitted, match="AGE"):
        gate.keeper.ask(ANN, f"SELECT {expression}, COUNT(*) FROM people GROUP BY 1")
