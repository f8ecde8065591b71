"""Dates of files without types: the hierarchy of the policy says which texts are dates, and how they
are written."""

from __future__ import annotations

from pathlib import Path

import pytest
from gates import ANN, POLICY, a_gate, people

from sfumato.errors import NotAdmitted

DATED = POLICY.replace(
    "[fields.sex]\n",
    """[fields.born]
role = "quasi"
hierarchy = { dates = ["year", "10 years"], format = "%m/%d/%Y" }
[fields.seen]
role = "quasi"
hierarchy = { dates = ["month", "year"] }
[fields.sex]
""",
)
ROWS = [
    {**row, "born": f"{n % 12 + 1}/{n % 28 + 1}/{1960 + n % 4 * 10}", "seen": f"202{n % 3}-02-15"}
    for n, row in enumerate(people(240))
]


def test_expressions_read_texts_as_dates(tmp_path: Path) -> None:
    with a_gate(tmp_path, ROWS, policy=DATED) as gate:

        def rows(sql: str) -> list[tuple[object, ...]]:
            answer = gate.keeper.ask(ANN, sql)
            assert answer.as_asked
            return answer.rows

        found = rows("SELECT EXTRACT(YEAR FROM born) AS y, COUNT(*) FROM people GROUP BY y")
        assert sorted(found) == [(1960, 60), (1970, 60), (1980, 60), (1990, 60)]
        found = rows("SELECT DATE_TRUNC('year', seen) AS y, COUNT(*) FROM people GROUP BY y")
        assert [count for _, count in found] == [80, 80, 80]
        assert rows("SELECT COUNT(*) FROM people WHERE CAST(born AS DATE) > DATE '1975-01-01'") == [
            (120,)
        ]
        older = "EXTRACT(YEAR FROM AGE(DATE '2020-12-31', born)) >= 50"
        assert rows(f"SELECT COUNT(*) FROM people WHERE {older}") == [(120,)]
        assert len(rows("SELECT LEFT(seen, 4) AS y, COUNT(*) FROM people GROUP BY y")) == 3


def test_dates_in_another_order_are_not_compared_as_texts(tmp_path: Path) -> None:
    with a_gate(tmp_path, ROWS, policy=DATED) as gate:
        with pytest.raises(NotAdmitted, match="not that of dates") as refused:
            gate.keeper.ask(ANN, "SELECT COUNT(*) FROM people WHERE born > '1975-01-01'")
        assert "CAST(born AS DATE)" in (refused.value.attempt or "")
        iso = gate.keeper.ask(ANN, "SELECT COUNT(*) FROM people WHERE seen >= DATE '2021-01-01'")
        assert iso.rows == [(160,)]
