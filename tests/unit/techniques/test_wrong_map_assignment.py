"""Units to others: nobody gets their own unit or value, the fewest rows go, every way is as likely."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from steps_by_hand import taken, tuples

from sfumato.errors import NoRecodingFound, PolicyError
from sfumato.protection import wrong_value_gain
from sfumato.techniques import KeyedRandom
from sfumato.techniques.derangement import fewest_left_out, random_derangement


def assign(units, values, **step):
    columns = {"birth": units, "illness": values}
    step = {"technique": "wrong_map", "fields": ["birth"], "outside": ["illness"], **step}
    return taken(columns, step)


def in_turn(*counts):
    """Each value as often as asked, in a mixed order."""
    values = [str(value) for value, count in enumerate(counts) for _ in range(count)]
    return [values[place] for place in np.random.default_rng(1).permutation(len(values))]


def ways(values):
    many = len(values)
    return [
        way
        for way in permutations(range(many))
        if all(values[way[row]] != values[row] for row in range(many))
    ]


def test_no_row_is_lost_where_no_value_has_more_than_half():
    values = in_turn(989, 601, 410)
    units = [str(number) for number in range(2_000)]
    done = assign(units, values)
    assert done.facts["rows_left_out"] == {"shared_unit": 0, "commonest_values": 0, "gain": 0}
    own = dict(zip(units, values, strict=True))
    given_units = tuples(done, ("birth", "illness"))
    assert sorted(unit for unit, _ in given_units) == sorted(units)
    assert all(own[unit] != value for unit, value in given_units)


@given(st.lists(st.integers(0, 3), min_size=3, max_size=5))
def test_fewest_left_out_is_what_trying_every_way_finds(values):
    """The largest set of rows that can exchange values with nobody keeping theirs."""
    many = len(values)

    def can(rows):
        return bool(ways([values[row] for row in rows])) if rows else True

    largest = max(
        (
            [row for row in range(many) if mask >> row & 1]
            for mask in range(2**many)
            if can([row for row in range(many) if mask >> row & 1])
        ),
        key=len,
    )
    assert fewest_left_out(np.bincount(values)) == many - len(largest)


@pytest.mark.long("thousands of draws for each size; one size stays", every=3)
@pytest.mark.parametrize("values", [(0, 0, 1, 2, 3), (0, 1, 2), (0, 0, 0, 1, 1, 2)])
def test_every_way_is_as_likely(values):
    """Chi squared of 1,000 draws stays below its 0.9999 quantile, about."""
    every = ways(values)
    codes, draws = np.array(values), 1_000
    seen = Counter(
        tuple(random_derangement(codes, KeyedRandom(b"%d" % number)).tolist())
        for number in range(draws)
    )
    expected = draws / len(every)
    chi = sum((seen[way] - expected) ** 2 / expected for way in every)
    assert set(seen) <= set(every)
    freedom = len(every) - 1
    assert chi < freedom + 4 * np.sqrt(2 * freedom) + 5


@pytest.mark.parametrize("values", [(0, 0, 1, 2, 3), (0, 0, 1, 1, 2, 2), (0, 0, 0, 1, 1, 2, 2)])
def test_the_gain_is_that_of_one_who_tries_every_way(values):
    every, counts = ways(values), np.bincount(values)
    prior, gains = counts / len(values), []
    for shown, true in permutations(range(len(counts)), 2):
        pairs = sum(
            values[row] == true and values[way[row]] == shown
            for way in every
            for row in range(len(values))
        )
        belief = pairs / len(every) / counts[shown]
        gains.append((belief - prior[true]) / (1 - prior[true]))
    assert wrong_value_gain(counts, prior) == pytest.approx(max(gains), abs=0.02)


def test_a_value_of_more_than_half_forces_rows_out_and_the_number_is_said():
    values, units = in_turn(12, 4, 4), [str(number) for number in range(20)]
    with pytest.raises(NoRecodingFound, match="At least 4 of 20 must be") as refused:
        assign(units, values)
    assert "leave_out = 0.2" in refused.value.attempt
    done = assign(units, values, leave_out=0.2)
    assert len(done.cells) == 16
    assert done.facts["fewest_left_out"] == 4
    assert any("infers the right one" in warning for warning in done.warnings)


def test_no_value_is_certain_where_the_policy_requires_wrong_map():
    """With 8 of 16 rows, everybody who is given another value has the commonest one."""
    values, units = in_turn(12, 4, 4), [str(number) for number in range(20)]
    done = taken(
        {"birth": units, "illness": values},
        {
            "technique": "wrong_map",
            "fields": ["birth"],
            "outside": ["illness"],
            "leave_out": 0.25,
        },
        fields={"birth": "quasi", "illness": "sensitive"},
        require={"wrong_map": {"outside": ["illness"]}},
    )
    assert done.facts["rows_left_out"] == {"shared_unit": 0, "commonest_values": 4, "gain": 1}
    assert done.facts["gain"] < 1


def test_less_gain_leaves_out_more_rows():
    values, units = in_turn(60, 20, 20), [str(number) for number in range(100)]
    done = assign(units, values, leave_out=0.9, gain=0.5)
    assert done.facts["gain"] <= 0.5
    assert 20 < sum(done.facts["rows_left_out"].values()) < 90
    assert not done.facts["fewest_left_out"] > sum(done.facts["rows_left_out"].values())


def test_the_gain_that_the_policy_requires_is_kept_without_repeating_it():
    units, values = [str(n) for n in range(100)], in_turn(49, 30, 21)
    require = {"wrong_map": {"outside": ["illness"], "gain": 0.5}, "max_suppression": 0.9}
    assert assign(units, values, leave_out=0.9).facts["gain"] > 0.5
    columns = {"birth": units, "illness": values}
    step = {"technique": "wrong_map", "fields": ["birth"], "outside": ["illness"]}
    assert taken(columns, step | {"leave_out": 0.9}, require=require).facts["gain"] <= 0.5
    with pytest.raises(NoRecodingFound, match=r"too many for gain = 0\.5"):
        taken(columns, step, require=require)


def test_rows_that_share_their_unit_are_left_out_and_counted():
    done = assign(["a", "a", "b", "c", "d"], ["1", "2", "1", "2", "3"], leave_out=0.4)
    assert done.facts["rows_left_out"]["shared_unit"] == 2
    assert sorted(unit for unit, _ in tuples(done, ("birth", "illness"))) == ["b", "c", "d"]


def test_two_rows_cannot_be_each_others():
    with pytest.raises(NoRecodingFound, match="3 rows or more"):
        assign(["a", "b"], ["1", "2"], leave_out=1)


def test_without_outside_only_units_differ():
    done = assign(list("abc"), ["1", "1", "1"], outside=[])
    assert all(
        unit != own
        for (unit, _), own in zip(tuples(done, ("birth", "illness")), "abc", strict=True)
    )


def test_a_field_of_the_unit_cannot_be_outside_it():
    with pytest.raises(PolicyError, match="part of the unit"):
        assign(list("abc"), ["1", "2", "3"], outside=["birth"])
