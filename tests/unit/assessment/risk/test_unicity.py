"""Unicity against a count by hand: every set of m values of everybody, compared with everybody
else."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest

from sfumato.assessment.risk.person_facts import FactTable, person_facts
from sfumato.assessment.risk.unicity import unicity
from sfumato.engines import open_source

NEAR = 0.04
"""Four standard errors of 3,000 trials."""


def by_hand(people: list[set[tuple[str, ...]]], m: int) -> float:
    """The chance that m random facts of a random person are nobody else's."""
    everybody = set.intersection(*people)
    own = [facts - everybody for facts in people]
    chances = []
    for at, facts in enumerate(own):
        sets = list(combinations(sorted(facts), min(m, len(facts))))
        alone = [
            not any(set(known) <= other for n, other in enumerate(own) if n != at)
            for known in sets
            if known
        ]
        chances.append(sum(alone) / len(alone) if alone else 0.0)
    return sum(chances) / len(chances)


def measured(tables, knowable=(), *, m=2, trials=3_000):
    return unicity(
        person_facts(tables),
        known=knowable,
        knowable=knowable,
        m=m,
        m_is_named=False,
        chance=np.random.default_rng(3),
        trials=trials,
    )


@pytest.fixture
def town():
    draw = random.Random(4)
    return [
        {
            "sex": draw.choice("fm"),
            "age": str(draw.randrange(30, 45)),
            "job": draw.choice(["cook", "smith", "clerk", None]),
            "stay": draw.choice(["1", "2", "3", "*"]),
            "here": "yes",
        }
        for _ in range(60)
    ]


def facts_of(row):
    return {(name, value) for name, value in row.items() if value not in (None, "*")}


def test_one_row_each_is_counted_as_by_hand(town):
    with open_source(town, engine="reference") as table:
        found = measured([FactTable(engine=table, fields=tuple(town[0]))], ("sex", "age"))
    people = [facts_of(row) for row in town]
    for m, rate in enumerate(found.everything.rates, 1):
        assert rate.value == pytest.approx(by_hand(people, m), abs=NEAR)
    assert len(found.everything.rates) == 4  # `here` is the same for everybody
    some = [{fact for fact in facts if fact[0] in ("sex", "age")} for facts in people]
    for m, rate in enumerate(found.knowable.rates, 1):
        assert rate.value == pytest.approx(by_hand(some, m), abs=NEAR)
    assert found.knowable.rates[1].value == by_hand(some, 2)  # Two of two: nothing is by chance.
    assert not found.linked


def test_many_people_are_sampled_and_counted_as_by_hand():
    """More people than are tried, with common values (kept as bits) and rare ones."""
    draw = random.Random(5)
    rows = [
        {
            "a": draw.choice("xy"),
            "b": str(draw.randrange(3)),
            "c": str(int(draw.expovariate(0.1))),
            "d": str(draw.randrange(300)),
        }
        for _ in range(700)
    ]
    with open_source(rows, engine="reference") as table:
        found = measured([FactTable(engine=table, fields=("a", "b", "c", "d"))], trials=500)
    assert (found.people, found.sampled, found.trials) == (700, 500, 500)
    people = [facts_of(row) for row in rows]
    for m, rate in enumerate(found.everything.rates, 1):
        truth = by_hand(people, m)
        assert rate.low - 0.02 <= truth <= rate.high + 0.02


def test_readings_of_a_series_are_known_with_their_hour():
    draw = random.Random(6)
    rows = [
        {"who": str(n), "hour": str(hour), "rate": str(60 + draw.randrange(8))}
        for n in range(50)
        for hour in range(5)
    ]
    with open_source(rows, engine="reference") as table:
        found = measured([FactTable(engine=table, fields=("hour", "rate"), person="who")])
    people = [
        {("rate", row["hour"], row["rate"]) for row in rows if row["who"] == str(n)}
        for n in range(50)
    ]
    assert found.linked
    for m, rate in enumerate(found.everything.rates, 1):
        assert rate.value == pytest.approx(by_hand(people, m), abs=NEAR)


def test_readings_without_an_order_and_other_tables_count_as_values():
    draw = random.Random(7)
    people = [{"who": str(n), "sex": draw.choice("fm")} for n in range(40)]
    visits = [
        {"who": str(n), "ill": draw.choice(["flu", "gout", "cold", "rash", "burn"])}
        for n in range(40)
        for _ in range(draw.randrange(1, 5))
    ]
    with (
        open_source(people, engine="reference") as first,
        open_source(visits, engine="reference") as second,
    ):
        found = measured(
            [
                FactTable(engine=first, fields=("sex",), person="who", name="people"),
                FactTable(engine=second, fields=("ill",), person="who", name="visits"),
            ]
        )
    facts = [
        {("sex", people[n]["sex"])}
        | {("ill", row["ill"]) for row in visits if row["who"] == str(n)}
        for n in range(40)
    ]
    assert found.linked
    assert found.everything is found.knowable
    for m, rate in enumerate(found.everything.rates, 1):
        assert rate.value == pytest.approx(by_hand(facts, m), abs=NEAR)


def test_nobody_is_found_where_nothing_is_told():
    rows = [{"sex": "*", "age": None} for _ in range(5)]
    with open_source(rows, engine="reference") as table:
        found = measured([FactTable(engine=table, fields=("sex", "age"))])
    assert found.everything.at(10).value == 0
    assert found.as_dict()["everything"]["values_per_person"] == 0
