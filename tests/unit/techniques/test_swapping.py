"""Swapping: values only move; near in rank, within groups, and no row keeps its own unit where that
can be."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from steps_by_hand import column, taken, tuples

from sfumato.engines import FieldKind
from sfumato.errors import PolicyError
from sfumato.techniques import KeyedRandom
from sfumato.techniques.swapping import deranged, rank_partners

MANY = 2_000


def swap(columns, **step):
    kinds = {name: FieldKind.INTEGER if name == "age" else FieldKind.TEXT for name in columns}
    return taken(columns, {"technique": "swap", **step}, kinds=kinds)


def spread(many=MANY):
    return [str(number) for number in np.random.default_rng(1).permutation(many)]


def test_rank_swapping_moves_every_value_and_none_far():
    before = spread()
    done = swap({"age": before}, fields=["age"], window=0.05)
    after = column(done, "age")
    assert sorted(before) == sorted(after)
    far = np.array([abs(int(a) - int(b)) for a, b in zip(before, after, strict=True)])
    assert far.min() > 0
    assert far.max() <= 0.05 * MANY
    # Moore's pairs reach over the whole window, the nearer half of it more often.
    assert 0.3 < far.mean() / (0.05 * MANY) < 0.55
    assert done.facts == {"share_unchanged": {"age": 0.0}}
    assert done.cells.given == {"age": None}


def test_ranks_are_those_of_numbers_and_not_of_texts():
    done = swap({"age": ["9", "10", "100", "99"]}, fields=["age"], window=0.25)
    assert column(done, "age") == ["10", "9", "99", "100"]


def test_rank_swapping_keeps_more_of_a_relation_the_smaller_the_window():
    ages = spread()
    pay = [str(int(age) * 3 + 7) for age in ages]

    def relation(window):
        done = swap({"age": ages, "pay": pay}, fields=["pay"], window=window)
        return np.corrcoef([float(a) for a in ages], [float(p) for p in column(done, "pay")])[0, 1]

    assert relation(0.02) > 0.99 > relation(0.3) > 0.6


def test_null_has_no_rank_and_stays():
    before = ["5", None, "7", None, "6"]
    after = column(swap({"age": before}, fields=["age"], window=1.0), "age")
    assert [cell is None for cell in after] == [cell is None for cell in before]
    assert Counter(before) == Counter(after)


def test_at_most_one_row_of_a_group_is_left_over():
    for many in range(1, 40):
        for window in (0.01, 0.1, 0.5, 1.0):
            partners = rank_partners(np.zeros(many, np.int64), window, KeyedRandom(bytes([many])))
            assert (partners[partners] == np.arange(many)).all()
            assert (partners == np.arange(many)).sum() == many % 2


def test_values_stay_within_their_group():
    columns = {"sex": ["f", "m"] * 500, "age": [str(number) for number in range(1000)]}
    for method in ("rank", "random", "unit"):
        done = swap(columns, fields=["age"], method=method, within=["sex"])
        moved = Counter(zip(columns["sex"], column(done, "age"), strict=True))
        assert all((int(age) % 2 == 0) == (sex == "f") for sex, age in moved)
        assert "equal in sex" in done.words["age"]


def test_a_share_takes_part():
    before = spread(1000)
    for method in ("rank", "random", "unit"):
        after = column(swap({"age": before}, fields=["age"], method=method, share=0.25), "age")
        changed = sum(a != b for a, b in zip(before, after, strict=True))
        assert 240 <= changed <= 250


def test_random_swapping_is_a_fair_deal():
    """Every value is as likely everywhere: a field of two values is right for half of the rows, no
    more and no less."""
    before = ["f", "m"] * 1000
    after = column(swap({"sex": before}, fields=["sex"], method="random"), "sex")
    assert Counter(after) == Counter(before)
    assert abs(sum(a == b for a, b in zip(before, after, strict=True)) - 1000) < 100


def test_units_stay_whole_and_nobody_keeps_theirs():
    columns = {
        "zip": [f"{number // 4:05d}" for number in range(400)],
        "sex": ["f", "m"] * 200,
        "ill": spread(400),
    }
    done = swap(columns, fields=["zip", "sex"], method="unit")
    before = list(zip(columns["zip"], columns["sex"], strict=True))
    after = tuples(done, ["zip", "sex"])
    assert Counter(before) == Counter(after)
    assert not any(a == b for a, b in zip(before, after, strict=True))
    assert column(done, "ill") == columns["ill"]
    assert done.warnings == ()
    assert "as a unit with sex" in done.words["zip"]


@given(
    st.lists(st.integers(0, 4), max_size=30), st.integers(1, 3), st.binary(min_size=1, max_size=4)
)
def test_as_few_as_can_be_keep_their_own(values, groups, secret):
    """In each group: none where the commonest has at most half of the rows, else 2 m - n."""
    own = np.array(values, np.int64)
    of = np.arange(len(own)) % groups
    giving = deranged(own, of, KeyedRandom(secret))
    assert sorted(giving.tolist()) == list(range(len(own)))
    assert (of[giving] == of).all()
    for group in range(groups):
        mine = own[of == group]
        most = np.bincount(mine).max() if len(mine) else 0
        kept = (own[giving][of == group] == mine).sum()
        assert kept == max(0, 2 * most - len(mine))


def test_a_derangement_of_different_values_is_random():
    """Each row gets every other row's value about as often."""
    many, draws = 6, 3000
    found = np.zeros((many, many))
    for number in range(draws):
        giving = deranged(
            np.arange(many), np.zeros(many, np.int64), KeyedRandom(number.to_bytes(4, "big"))
        )
        found[np.arange(many), giving] += 1
    expected = draws / (many - 1)
    apart = ~np.eye(many, dtype=bool)
    assert found[~apart].sum() == 0
    assert (np.abs(found[apart] - expected) < 6 * np.sqrt(expected)).all()


def test_rows_without_a_partner_are_counted():
    columns = {"zip": ["a", "b", "b", "c", "c", "c"], "age": ["1", "2", "3", "4", "5", "6"]}
    done = swap(columns, fields=["age"], method="unit", within=["zip"])
    assert column(done, "age")[:3] == ["1", "3", "2"]
    assert done.warnings[0] == "1 row has nobody to exchange values with, of 6."
    assert done.warnings[1].startswith("2 rows can exchange values with one other row only")


def test_rows_that_must_keep_their_own_are_counted():
    done = swap({"age": ["1"] * 7 + ["2", "3", "4"]}, fields=["age"], method="unit")
    assert sum(a == "1" == b for a, b in zip(["1"] * 7, column(done, "age"), strict=False)) == 4
    assert any(
        warning.startswith("4 rows still have their own values of (age)")
        for warning in done.warnings
    )


def test_two_different_tuples_tell_what_they_were():
    done = swap({"sex": ["f", "m"] * 5}, fields=["sex"], method="unit")
    assert column(done, "sex") == ["m", "f"] * 5
    assert any(
        "10 rows are in groups with two different tuples" in warning for warning in done.warnings
    )


@pytest.mark.parametrize("method", ["rank", "random", "unit"])
@pytest.mark.parametrize("values", [[], ["x"], [None, None], ["ü"] * 5])
def test_nothing_to_move(method, values):
    done = swap({"town": values}, fields=["town"], method=method)
    assert column(done, "town") == values
    assert any("No cell of town holds another value" in warning for warning in done.warnings)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({"window": 0.0}, "must be above 0"),
        ({"share": 0.0}, "must be above 0"),
        ({"method": "unit", "window": 0.2}, "about ranks"),
        ({"within": ["age"]}, "the rows cannot be grouped by it"),
    ],
)
def test_what_means_nothing_is_a_problem(step, said):
    with pytest.raises(PolicyError, match=said):
        swap({"age": ["1"]}, fields=["age"], **step)
