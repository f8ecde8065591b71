"""The smallest sets of fields that single rows out, against a count of every set by hand."""

from __future__ import annotations

import random
from collections import defaultdict
from contextlib import ExitStack
from itertools import combinations

import pytest

from sfumato.assessment.risk.identifying_sets import identifying_sets, linked_identifying_sets
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


def test_linked_rows_are_counted_by_people_and_by_hand():
    """People with several rows in two tables, and one row of their own: a set singles a person out
    where a row of theirs, with their own fields, is like no other person's."""
    draw = random.Random(5)
    own = [
        {"who": f"{n}", "sex": draw.choice("fm"), "town": f"t{draw.randrange(9)}"}
        for n in range(60)
    ]
    visits = [
        {
            "who": f"{draw.randrange(60)}",
            "ward": f"w{draw.randrange(6)}",
            "month": f"{draw.randrange(12)}",
        }
        for _ in range(150)
    ]
    drugs = [{"who": f"{draw.randrange(60)}", "drug": f"d{draw.randrange(30)}"} for _ in range(90)]
    with ExitStack() as opened:
        tables = [
            FactTable(
                engine=opened.enter_context(open_source(rows, engine="reference")),
                fields=tuple(name for name in rows[0] if name != "who"),
                person="who",
                name=called,
            )
            for called, rows in (("own", own), ("visits", visits), ("drugs", drugs))
        ]
        found = linked_identifying_sets(tables)
    people = {row["who"]: row for row in own}
    by_hand = {}
    for rows, names in ((own, ()), (visits, ("ward", "month")), (drugs, ("drug",))):
        wide = [{**people[row["who"]], **row} for row in rows]
        for size in (1, 2, 3):
            for chosen in combinations(("sex", "town", *names), size):
                held = defaultdict(set)
                for row in wide:
                    held[tuple(row[name] for name in chosen)].add(row["who"])
                alone = {who for owners in held.values() if len(owners) == 1 for who in owners}
                by_hand.setdefault(chosen, alone)
    fewer = {
        chosen: alone
        - set().union(
            *(
                by_hand[part]
                for size in range(1, len(chosen))
                for part in combinations(chosen, size)
            )
        )
        for chosen, alone in by_hand.items()
    }
    told = {tuple(name.split(".")[1] for name in one.fields): one.rows for one in found.sets}
    assert told
    assert all(len(fewer[chosen]) == count for chosen, count in told.items())
    assert found.rows == 60
    assert found.unit == "person"
    assert not found.is_whole  # No row has a ward and a drug.
    everyone = set().union(*by_hand.values())
    assert found.alone[-1] == len(everyone)
