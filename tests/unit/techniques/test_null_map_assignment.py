"""Combinations that nobody has: values only move, the fewest rows go, and it is said whether fewer
could."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from steps_by_hand import column, taken, tuples

from sfumato.errors import NoRecodingFound


def deal(rows, **step):
    names = [f"f{number}" for number in range(len(rows[0]))]
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    step = {"technique": "null_map", "fields": names, **step}
    return taken(columns, step), names


def test_no_combination_is_anybodys_and_values_only_move():
    rows = [(str(n % 50), str(n % 37), "fm"[n % 2]) for n in range(400)]
    done, names = deal(rows)
    assert not set(tuples(done, names)) & set(rows)
    for place, name in enumerate(names):
        assert Counter(column(done, name)) == Counter(row[place] for row in rows)
    assert done.facts == {"rows_left_out": 0, "fewest_left_out": 0}


pairs = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=2, max_size=6)


@given(pairs)
def test_with_two_fields_the_fewest_rows_are_left_out(rows):
    """Held against every way of dealing the second field out."""
    held = set(rows)
    left, right = zip(*rows, strict=True)
    fewest = min(
        sum((a, b) in held for a, b in zip(left, way, strict=True)) for way in permutations(right)
    )
    if fewest == len(rows):
        with pytest.raises(NoRecodingFound):
            deal(rows, leave_out=1)
        return
    done, names = deal(rows, leave_out=1)
    assert done.facts == {"rows_left_out": fewest, "fewest_left_out": fewest}
    assert not set(tuples(done, names)) & held


def test_where_every_combination_is_held_it_is_refused():
    with pytest.raises(NoRecodingFound, match="At least 4 of 4"):
        deal(list(product("ab", "xy")), leave_out=1)


def test_a_limit_that_is_too_small_is_told_with_the_number():
    rows = [("a", "x"), ("a", "y"), ("a", "z"), ("b", "x"), ("b", "y")]
    with pytest.raises(NoRecodingFound, match="At least 4 of 5 must be"):
        deal(rows)
