"""Risk by group where rows are linked: the most telling row of each person counts."""

from __future__ import annotations

import pytest

from sfumato.assessment.risk.linked_group_risk import linked_group_risks
from sfumato.assessment.risk.person_facts import FactTable
from sfumato.engines import open_source


def risks(tables, knowable):
    """Of tables by name, with whose each row is in `who`."""
    engines = {name: open_source(rows, engine="reference") for name, rows in tables.items()}
    facts = [
        FactTable(
            engine=engine,
            fields=tuple(field for field in tables[name][0] if field != "who"),
            person="who",
            name=name,
        )
        for name, engine in engines.items()
    ]
    try:
        return linked_group_risks(facts, knowable)
    finally:
        for engine in engines.values():
            engine.close()


def people(sex):
    return [{"who": str(n), "sex": sex(n)} for n in range(100)]


def test_rows_of_another_table_make_a_group_worse_protected():
    wards = [{"who": str(n), "ward": "east" if n < 60 else f"ward {n}"} for n in range(100)]
    found = risks(
        {"people": people(lambda n: "f" if n < 60 else "m"), "visits": wards},
        ("people.sex", "visits.ward"),
    )
    assert [(one.field, one.value, one.rows) for one in found.worse] == [("people.sex", "m", 40)]
    assert found.worse[0].average == found.worse[0].alone == 1
    assert found.average == pytest.approx((60 / 60 + 40) / 100)


def test_what_nobody_knows_raises_no_risk():
    wards = [{"who": str(n), "ward": f"ward {n}"} for n in range(100)]
    found = risks({"people": people(lambda n: "fm"[n % 2]), "visits": wards}, ("people.sex",))
    assert (found.worse, found.average) == ((), pytest.approx(1 / 50))


def test_a_person_with_many_rows_counts_once():
    rows = [{"who": str(n % 40), "sex": "fm"[n % 2], "day": "1"} for n in range(400)]
    found = risks({"visits": rows}, ("visits.sex",))
    assert found.rows == 40
    assert found.groups == ()  # 20 people each are too few to compare
