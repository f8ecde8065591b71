"""Numbers of rows after merging are shared; the fewest rows are dropped, by brute force; Fig. 2 is
followed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.policy.table_records import RowCountMerging
from sfumato.solvers.multiple_records import TOO_FEW, merge_row_counts

Sizes = dict[int, int]
sizes_of_a_group = st.dictionaries(st.integers(0, 7), st.integers(1, 6), min_size=1, max_size=6)
several = st.lists(
    st.dictionaries(st.integers(0, 40), st.integers(1, 9), min_size=1, max_size=25), max_size=6
)


def merged(groups: list[Sizes], *, b: int, merging: RowCountMerging, turn: int = 0) -> list[Sizes]:
    """For each group what stays of each number of rows; entries are given in an order of their
    own."""
    entries = [
        (g, rows, people) for g, sizes in enumerate(groups) for rows, people in sizes.items()
    ]
    entries = entries[turn % max(len(entries), 1) :] + entries[: turn % max(len(entries), 1)]
    columns = np.array(entries, np.int64).reshape(len(entries), 3).T
    kept = merge_row_counts(*columns, bin_size=b, merging=merging)
    out: list[Sizes] = [{} for _ in groups]
    for (group, rows, _), stays in zip(entries, kept.tolist(), strict=True):
        out[group][rows] = stays
    return out


def people_with(sizes: Sizes, stays: Sizes) -> Sizes:
    out: Sizes = {}
    for rows, people in sizes.items():
        out[stays[rows]] = out.get(stays[rows], 0) + people
    return out


def dropped(sizes: Sizes, stays: Sizes) -> int:
    return sum(people * (rows - stays[rows]) for rows, people in sizes.items())


@settings(max_examples=example_count(150), deadline=None)
@pytest.mark.parametrize("merging", list(RowCountMerging))
@given(groups=several, b=st.integers(0, 12), turn=st.integers(0, 50))
def test_every_number_that_stays_is_that_of_enough_people(merging, groups, b, turn):
    for sizes, stays in zip(groups, merged(groups, b=b, merging=merging, turn=turn), strict=True):
        if sum(sizes.values()) < b:
            assert set(stays.values()) == {TOO_FEW}
            continue
        assert all(stays[rows] <= rows for rows in sizes)
        assert min(people_with(sizes, stays).values()) >= b
        in_order = [stays[rows] for rows in sorted(sizes)]
        assert in_order == sorted(in_order), "who had more rows has no fewer"
        assert set(in_order) <= set(sizes)
        if min(sizes.values()) >= b:
            assert all(stays[rows] == rows for rows in sizes)


@settings(max_examples=example_count(200), deadline=None)
@given(sizes=sizes_of_a_group, b=st.integers(1, 9))
def test_no_way_that_keeps_the_order_drops_fewer_rows(sizes, b):
    """Against every function from numbers to smaller numbers, of rows that nobody has too, that
    keeps the order."""
    (stays,) = merged([sizes], b=b, merging=RowCountMerging.FEWEST_ROWS)
    numbers = sorted(sizes)
    fewest = None
    for choice in itertools.product(*(range(rows + 1) for rows in numbers)):
        other = dict(zip(numbers, choice, strict=True))
        if list(choice) == sorted(choice) and min(people_with(sizes, other).values()) >= b:
            fewest = dropped(sizes, other) if fewest is None else min(fewest, dropped(sizes, other))
    if fewest is None:
        assert set(stays.values()) == {TOO_FEW}
    else:
        assert dropped(sizes, stays) == fewest


@settings(max_examples=example_count(150), deadline=None)
@given(groups=several, b=st.integers(1, 20))
def test_it_is_the_best_of_all_adjacent_mergers(groups, b):
    """Against a plain dynamic program over all cuts, on groups too large to try all functions."""
    for sizes, stays in zip(
        groups, merged(groups, b=b, merging=RowCountMerging.FEWEST_ROWS), strict=True
    ):
        numbers = sorted(sizes)
        least = [0.0] + [np.inf] * len(numbers)
        for last in range(1, len(numbers) + 1):
            for first in range(last):
                part = {rows: sizes[rows] for rows in numbers[first:last]}
                if sum(part.values()) >= b:
                    cost = dropped(part, dict.fromkeys(part, numbers[first]))
                    least[last] = min(least[last], least[first] + cost)
        assert (
            dropped(sizes, stays) == least[-1]
            if np.isfinite(least[-1])
            else set(stays.values()) == {TOO_FEW}
        )


def figure_2(sizes: Sizes, b: int) -> Sizes:
    """The printed algorithm, word by word, with lists of numbers as bins."""
    bins = [[rows] for rows in sorted(sizes)]
    size = lambda part: sum(sizes[rows] for merged in part for rows in merged)  # noqa: E731
    while min(size([one]) for one in bins) < b:
        outset = sorted((one for one in bins if size([one]) < b), key=lambda one: size([one]))
        for outlier in outset:
            if outlier not in bins:  # It was merged already.
                continue
            at = bins.index(outlier)
            ways = []
            for low, high in itertools.product(range(at + 1), range(at, len(bins))):
                part = bins[low : high + 1]
                cost = sum(size([one]) * (one[0] - part[0][0]) for one in part)
                if size(part) >= b:
                    ways.append((high - low, cost, low, high))
            _, _, low, high = min(ways)
            bins[low : high + 1] = [[rows for one in bins[low : high + 1] for rows in one]]
    return {rows: one[0] for one in bins for rows in one}


@settings(max_examples=example_count(200), deadline=None)
@given(groups=several, b=st.integers(1, 15))
def test_the_paper_is_followed(groups, b):
    enough = [sizes for sizes in groups if sum(sizes.values()) >= b]
    assert merged(enough, b=b, merging=RowCountMerging.DATAFLY) == [
        figure_2(sizes, b) for sizes in enough
    ]


@settings(max_examples=example_count(100), deadline=None)
@given(groups=several, b=st.integers(1, 15))
def test_the_paper_never_drops_fewer_rows_than_ours(groups, b):
    enough = [sizes for sizes in groups if sum(sizes.values()) >= b]
    ways = [
        merged(enough, b=b, merging=merging)
        for merging in (RowCountMerging.FEWEST_ROWS, RowCountMerging.DATAFLY)
    ]
    for sizes, ours, paper in zip(enough, *ways, strict=True):
        assert dropped(sizes, ours) <= dropped(sizes, paper)
