"""UNION ALL: several questions, each decided by itself, in one answer or none."""

from __future__ import annotations

from pathlib import Path

import pytest
from gates import ANN, a_gate, people

from sfumato.errors import NotAdmitted, NotAnswered
from sfumato.gate.settings import Budget, Mode, Terms

EXACT = Terms(mode=Mode.EXACT)
PARTS = (
    "SELECT 'women' AS who, COUNT(*) AS n FROM people WHERE sex = 'F'",
    "SELECT 'men', COUNT(*) FROM people WHERE sex = 'M'",
)


def test_parts_are_put_one_below_the_other(tmp_path: Path) -> None:
    rows = people(400)
    with a_gate(tmp_path, rows, terms=EXACT) as gate:
        answer = gate.keeper.ask(ANN, " UNION ALL ".join(PARTS))
        women = sum(row["sex"] == "F" for row in rows)
        assert answer.columns == ("who", "n")
        assert answer.rows == [("women", women), ("men", 400 - women)]
        assert answer.as_asked


def test_one_refused_part_refuses_all_and_shows_nothing(tmp_path: Path) -> None:
    row = people(400)[0]
    alone = (
        f"SELECT 'one', COUNT(*) FROM people WHERE age = {row['age']} "
        f"AND town = '{row['town']}' AND sex = '{row['sex']}'"
    )
    with a_gate(tmp_path, people(400), terms=EXACT) as gate:
        with pytest.raises(NotAnswered):
            gate.keeper.ask(ANN, f"{PARTS[0]} UNION ALL {alone}")
        assert gate.state.exposure("everyone", "people") is None


def test_noise_is_paid_for_all_parts_or_none(tmp_path: Path) -> None:
    terms = Terms(mode=Mode.NOISY, budget=Budget(query=0.1, person=0.15, table=0.15), least=5)
    with a_gate(tmp_path, people(400), terms=terms) as gate:
        with pytest.raises(NotAdmitted, match="used up"):
            gate.keeper.ask(ANN, " UNION ALL ".join(PARTS))
        assert gate.keeper.budget(ANN, "people").rho_spent == 0
        one = gate.keeper.ask(ANN, PARTS[0])
        both = gate.keeper.ask(ANN, f"{PARTS[0]} UNION ALL {PARTS[0]}")
        assert both.rows == one.rows * 2
        assert both.marked()[0] == ("who", "n", "n_within", "answered_as")


@pytest.mark.parametrize(
    "sql",
    [
        " UNION ".join(PARTS),
        " UNION ALL ".join(PARTS) + " ORDER BY 1",
        " UNION ALL ".join(PARTS) + " LIMIT 1",
        " INTERSECT ".join(PARTS),
        f"{PARTS[0]} UNION ALL SELECT COUNT(*) FROM people",
        " UNION ALL ".join([PARTS[0]] * 11),
        f"{PARTS[0]} UNION ALL SELECT name, 1 FROM people",
        f"{PARTS[0]} UNION ALL VALUES (1, 2)",
    ],
)
def test_what_is_not_on_the_list_is_refused(tmp_path: Path, sql: str) -> None:
    with a_gate(tmp_path, people(100), terms=EXACT) as gate, pytest.raises(NotAdmitted):
        gate.keeper.ask(ANN, sql)
