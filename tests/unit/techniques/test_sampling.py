"""Sampling: exact sizes, the same chance for every row, people with all their rows, weights that
still add up."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from steps_by_hand import column, taken

from sfumato.engines import FieldKind
from sfumato.errors import Mistake, PolicyError

STRATA = ["a"] * 500 + ["b"] * 250 + ["ç"] * 3 + [None] * 47


def sample(columns, *, kinds=None, secret=b"secret", **more):
    step = {key: more.pop(key) for key in ("share", "within", "weight") if key in more}
    return taken(columns, {"technique": "sample", **step}, kinds=kinds, secret=secret, **more)


def test_so_many_rows_stay():
    done = sample({"town": STRATA}, share=0.25)
    assert len(done.cells) == 200
    assert len(set(done.cells.rows.tolist())) == 200
    assert done.facts == {"share": 0.25, "each_stands_for": 4.0, "drawn": "rows"}
    assert done.cells.given == {}


def test_strata_get_their_share_up_to_one_row():
    done = sample({"town": STRATA}, share=0.3, within=["town"])
    found = Counter(column(done, "town"))
    assert {
        name: abs(found[name] - 0.3 * size) < 1 for name, size in Counter(STRATA).items()
    } == dict.fromkeys(Counter(STRATA), True)
    assert len(done.cells) == 240


def test_every_row_has_the_same_chance():
    """Also in strata whose share is no whole number, and in the smallest."""
    towns = ["a"] * 7 + ["b"] * 2 + ["c"]
    stayed = np.zeros(len(towns))
    for number in range(1000):
        done = sample({"town": towns}, share=0.3, within=["town"], secret=number.to_bytes(4, "big"))
        stayed[done.cells.rows] += 1
        assert len(done.cells) == 3
    assert np.abs(stayed / 1000 - 0.3).max() < 0.07


def test_a_stratum_with_no_row_left_is_counted():
    done = sample({"town": [str(number) for number in range(10)]}, share=0.5, within=["town"])
    assert len(done.cells) == 5
    assert done.warnings == ("5 groups of rows have no row left in the sample.",)


def test_people_stay_with_all_their_rows():
    people = [str(number // 3) for number in range(300)] + [None] * 10
    fields = {"person": {"role": "direct", "replace": "hash"}}
    done = sample({"person": people, "ill": ["x"] * 310}, share=0.5, fields=fields, entity="person")
    found = Counter(column(done, "person"))
    assert {rows for person, rows in found.items() if person is not None} == {3}
    assert len(found) - 1 + found[None] == 55
    assert done.facts["drawn"] == "people"


def test_weights_grow_so_that_they_still_add_up():
    columns = {"town": ["a"] * 100 + ["b"] * 33, "weight": ["10"] * 100 + ["20"] * 33}
    done = sample(
        columns, share=0.4, within=["town"], weight=["weight"], kinds={"weight": FieldKind.INTEGER}
    )
    weights = done.cells.numbers("weight")
    towns = np.array(column(done, "town"))
    assert weights[towns == "a"].sum() == pytest.approx(1000)
    assert weights[towns == "b"].sum() == pytest.approx(660)
    assert done.cells.given == {"weight": FieldKind.REAL}


def test_weights_that_are_forgotten_are_told():
    require = {"k_map": {"k": 2, "weight": "weight"}}
    columns = {"town": ["a"] * 10, "weight": ["3"] * 10}
    kinds = {"weight": FieldKind.INTEGER}
    done = sample(columns, share=0.5, kinds=kinds, fields={"town": "quasi"}, require=require)
    assert 'Name them: weight = ["weight"]' in done.warnings[0]
    told = sample(
        columns,
        share=0.5,
        weight=["weight"],
        kinds=kinds,
        fields={"town": "quasi"},
        require=require,
    )
    assert told.warnings == ()


def test_one_row_and_all_rows():
    assert len(sample({"town": ["x"]}, share=1.0).cells) == 1
    assert len(sample({"town": [None, None]}, share=1.0, within=["town"]).cells) == 2


def test_a_sample_of_no_row_is_refused():
    with pytest.raises(Mistake, match="It has no row"):
        sample({"town": ["x"]}, share=0.000001)
    with pytest.raises(PolicyError, match="must be above 0"):
        sample({"town": ["x"]}, share=0.0)
    with pytest.raises(PolicyError, match="weights are numbers"):
        sample(
            {"town": ["x"]}, share=0.5, weight=["town"], fields={"town": "quasi"}, require={"k": 2}
        )
