"""The smallest sets of fields that single rows out, against a count of every set by hand."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from sfumato.assessment.risk.identifying_sets import identifying_sets
from sfumato.assessment.risk.person_facts import FactTable
from sfumato.engines import open_source

SIZES = {"a": 2, "b": 3, "c": 5, "d": 9, "e": 12, "f": 1}


def minimal_by_hand(rows: list[dict[str, str | None]]) -> dict[tuple[str, ...], set[int]]:
    """For each set of up to three fields the rows alone with it, and with no set inside it."""
    alone = {}
    for size in (1, 2, 3):
        for chosen in combinations(rows[0], size):
            alone[chosen] = {
                n
                for n, row in enumerate(rows)
                if not any(row[name] in (None, "*") for name in chosen)
                and sum(all(other[name] == row[name] for name in chosen) for other in rows) == 1
            }
    return {
        chosen: found
        - {
            n
            for size in range(1, len(chosen))
            for fewer in combinations(chosen, size)
            for n in alone[fewer]
        }
        for chosen, found in alone.items()
    }


@pytest.mark.parametrize("seed", range(4))
def test_rows_are_counted_as_by_hand(seed):
    draw = random.Random(seed)
    rows = [
        {
            name: draw.choice([None, "*"]) if draw.random() < 0.1 else str(draw.randrange(many))
            for name, many in SIZES.items()
        }
        for _ in range(50)
    ]
    for row in rows:
        row["f"] = "same"
    with open_source(rows, engine="reference") as engine:
        found = identifying_sets(FactTable(engine=engine, fields=tuple(SIZES)))
    truth = minimal_by_hand(rows)
    assert found.sets
    for one in found.sets:
        assert one.rows == len(truth[one.fields])
    for size, alone in enumerate(found.alone, 1):
        rows_found = {n for chosen, rows in truth.items() if len(chosen) <= size for n in rows}
        assert alone == len(rows_found)
    assert found.is_whole
    assert found.possible == (5, 10, 10)
    best = max(len(rows) for chosen, rows in truth.items() if len(chosen) == 2)
    assert max(one.rows for one in found.sets if len(one.fields) == 2) == best


def test_work_is_bounded_and_told():
    rows = [{name: str(n % (at + 2)) for at, name in enumerate("abcdefgh")} for n in range(40)]
    with open_source(rows, engine="reference") as engine:
        found = identifying_sets(FactTable(engine=engine, fields=tuple("abcdefgh")), work=800)
    assert found.counted == (8, 12, 0)
    assert found.possible == (8, 28, 56)
    assert not found.is_whole
