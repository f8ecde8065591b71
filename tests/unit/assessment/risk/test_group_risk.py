"""Risk by group, against a count row by row."""

from __future__ import annotations

import random

import pytest

from sfumato.assessment.risk.group_risk import group_risks
from sfumato.bins import Bins
from sfumato.engines import open_source


@pytest.fixture
def rows():
    """A minority whose ages differ more, so that its people are easier to find."""
    draw = random.Random(8)
    return [
        {
            "origin": "north" if n % 6 else "south",
            "sex": draw.choice("fm"),
            "age": str(draw.randrange(20, 25) if n % 6 else draw.randrange(20, 90)),
        }
        for n in range(360)
    ]


def test_groups_are_counted_as_row_by_row(rows):
    with open_source(rows, engine="reference") as engine:
        found = group_risks(Bins.count(engine, ("origin", "sex", "age")))
    sizes = [sum(other == row for other in rows) for row in rows]
    assert found.average == pytest.approx(sum(1 / size for size in sizes) / len(rows))
    told = {(one.field, one.value): one for one in found.groups}
    for (field, value), one in told.items():
        own = [size for row, size in zip(rows, sizes, strict=True) if row[field] == value]
        assert one.rows == len(own) >= 30
        assert one.average == pytest.approx(sum(1 / size for size in own) / len(own))
        assert one.alone == pytest.approx(sum(size == 1 for size in own) / len(own))
    assert {field for field, _ in told} == {"origin", "sex"}  # Ages have too many values.
    assert [(one.field, one.value) for one in found.worse] == [("origin", "south")]


def test_a_small_group_is_not_named(rows):
    for n in range(12):
        rows[n]["sex"] = "x"
    with open_source(rows, engine="reference") as engine:
        found = group_risks(Bins.count(engine, ("origin", "sex")))
    assert "x" not in {one.value for one in found.groups}
