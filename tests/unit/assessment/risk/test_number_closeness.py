"""Closeness of sensitive numbers over several sets of known fields: what is found, and at what
cost."""

from __future__ import annotations

import random

import pytest

from sfumato.assessment.closeness_verdict import about_closeness
from sfumato.assessment.risk.number_closeness import measure_closeness
from sfumato.engines import open_source

SETS = [("town", "sex"), ("town", "job"), ("sex", "job")]


@pytest.fixture
def table():
    draw = random.Random(3)
    rows = []
    for n in range(240):
        town = n % 6
        rows.append(
            {
                "town": f"t{town}",
                "sex": draw.choice("fm"),
                "job": draw.choice("xyz"),
                "pay": str(10_000 * town + n),
                "debt": str(draw.randrange(100_000)),
                "word": draw.choice(["a", "b"]),
            }
        )
    with open_source(rows, engine="reference") as source:
        yield source


def test_several_sets_are_counted_once(table, monkeypatch):
    """One count for each field and set took longer than the rest of an assessment of 50 fields."""
    numbers = ["pay", "debt", "word"]
    apart = [measure_closeness(table, numbers, known=[one], person=None) for one in SETS]
    asked, real = [], type(table).frequencies
    monkeypatch.setattr(
        type(table),
        "frequencies",
        lambda self, *given, **named: asked.append(given) or real(self, *given, **named),
    )
    found = measure_closeness(table, numbers, known=SETS, person=None)
    assert len(asked) == 1
    for name in ("pay", "debt"):
        most = max(one.fields[name].close for one in apart)
        assert found.fields[name].close == most
    assert found.fields["pay"].close > 0.9
    assert "word" not in found.fields


def test_a_number_that_most_people_share_is_named_and_not_judged():
    rows = [
        {"sex": "fm"[n % 2], "pay": str(100 * n), "gain": str(n if n > 35 else 0)}
        for n in range(60)
    ]
    with open_source(rows, engine="reference") as source:
        found = measure_closeness(source, ["pay", "gain"], known=[("sex",)], person=None)
    assert (set(found.fields), found.not_judged) == ({"pay"}, ("gain",))
    (said,) = about_closeness(found)
    assert "Not judged: gain" in said.answer
