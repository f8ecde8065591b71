"""The Datafly Multiple Records Algorithm on groups small enough to merge by eye."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import Mistake
from sfumato.policy.table_records import RowCountMerging
from sfumato.solvers.multiple_records import TOO_FEW, b_tabf, merge_row_counts

both = pytest.mark.parametrize("merging", list(RowCountMerging))


def kept(sizes: dict[int, int], *, b: int, merging: RowCountMerging) -> dict[int, int]:
    """What stays of each number of rows in one group, from how many people have it."""
    rows, people = np.array(list(sizes), np.int64), np.array(list(sizes.values()), np.int64)
    out = merge_row_counts(
        np.zeros(len(sizes), np.int64), rows, people, bin_size=b, merging=merging
    )
    return dict(zip(sizes, out.tolist(), strict=True))


def dropped(sizes: dict[int, int], stays: dict[int, int]) -> int:
    return sum(people * (rows - stays[rows]) for rows, people in sizes.items())


def test_the_smallest_bin_is_merged_first_and_with_the_fewest():
    """Fig. 2: one person has 9 visits and joins those with 3; the two with 2 then cost less with 1
    than with 3."""
    sizes = {1: 21, 2: 2, 3: 4, 9: 1}
    assert kept(sizes, b=5, merging=RowCountMerging.DATAFLY) == {1: 1, 2: 1, 3: 3, 9: 3}


def test_fewest_bins_may_drop_many_rows():
    """In the paper's way the one with 4 visits joins those with none; then there are not enough
    with 5 and 6 left."""
    sizes = {0: 5, 4: 1, 5: 3, 6: 1}
    paper = kept(sizes, b=5, merging=RowCountMerging.DATAFLY)
    ours = kept(sizes, b=5, merging=RowCountMerging.FEWEST_ROWS)
    assert paper == {0: 0, 4: 0, 5: 0, 6: 0}
    assert ours == {0: 0, 4: 4, 5: 4, 6: 4}
    assert (dropped(sizes, paper), dropped(sizes, ours)) == (25, 5)


def test_of_equally_few_bins_the_merger_that_drops_fewer_rows():
    assert kept({1: 6, 5: 1, 6: 6}, b=3, merging=RowCountMerging.DATAFLY) == {1: 1, 5: 1, 6: 6}
    assert kept({1: 6, 5: 1, 6: 2, 9: 6}, b=3, merging=RowCountMerging.DATAFLY) == {
        1: 1,
        5: 5,
        6: 5,
        9: 9,
    }


@both
def test_people_without_rows_are_a_number_too(merging):
    assert kept({0: 2, 1: 1, 7: 3}, b=3, merging=merging) == {0: 0, 1: 0, 7: 7}


@both
def test_what_is_shared_by_enough_stays_as_it_is(merging):
    assert kept({1: 5, 2: 7, 40: 5}, b=5, merging=merging) == {1: 1, 2: 2, 40: 40}
    assert kept({3: 1}, b=1, merging=merging) == {3: 3}
    assert kept({3: 1}, b=0, merging=merging) == {3: 3}


@both
def test_a_group_with_too_few_people_keeps_nothing(merging):
    assert kept({1: 2, 2: 2}, b=5, merging=merging) == {1: TOO_FEW, 2: TOO_FEW}
    groups, rows, people = np.array([7, 4, 7]), np.array([1, 1, 2]), np.array([1, 2, 3])
    assert merge_row_counts(groups, rows, people, bin_size=4, merging=merging).tolist() == [
        1,
        TOO_FEW,
        1,
    ]


@both
def test_groups_are_merged_each_by_itself_and_in_any_order(merging):
    groups = np.array([2, 1, 2, 1, 2])
    rows = np.array([9, 3, 1, 4, 2])
    people = np.array([1, 1, 5, 2, 2])
    assert merge_row_counts(groups, rows, people, bin_size=3, merging=merging).tolist() == [
        2,
        3,
        1,
        3,
        2,
    ]


@both
def test_nobody_at_all(merging):
    none = np.zeros(0, np.int64)
    assert merge_row_counts(none, none, none, bin_size=3, merging=merging).tolist() == []


@pytest.mark.parametrize(
    ("rows", "people"),
    [([1, 1], [3, 3]), ([-1, 2], [3, 3]), ([1, 2], [3, 0])],
    ids=["twice", "negative", "nobody"],
)
def test_entries_that_make_no_sense_are_refused_by_their_count(rows, people):
    with pytest.raises(Mistake, match="1 of 2 entries"):
        merge_row_counts(
            np.zeros(2, np.int64),
            np.array(rows),
            np.array(people),
            bin_size=2,
            merging=RowCountMerging.DATAFLY,
        )


def test_people_out_of_order_would_drop_fewer_rows():
    """Why adjacent bins are more than a way to search: the one with 3 rows could join the four with
    1."""
    sizes = {1: 4, 2: 5, 3: 1}
    assert kept(sizes, b=5, merging=RowCountMerging.FEWEST_ROWS) == {1: 1, 2: 1, 3: 1}
    assert dropped(sizes, {1: 1, 2: 2, 3: 1}) < dropped(sizes, {1: 1, 2: 1, 3: 1})


def test_b_tabf_is_not_weighted_and_rounded_down():
    """001, section 3.8; r2 = 30 is the sawtooth's for the 300 patients of the paper."""
    assert [b_tabf(a / 10, r1=0, r2=30) for a in range(1, 10)] == list(range(3, 28, 3))
    assert (b_tabf(0, r1=2, r2=10), b_tabf(1, r1=2, r2=10), b_tabf(0.5, r1=2, r2=9)) == (2, 10, 5)


@pytest.mark.parametrize(
    ("linking", "r1", "r2"), [(1.5, 0, 9), (-0.1, 0, 9), (0.5, 9, 9), (float("nan"), 0, 9)]
)
def test_b_tabf_of_numbers_that_are_none(linking, r1, r2):
    with pytest.raises(Mistake, match="b_tabf"):
        b_tabf(linking, r1=r1, r2=r2)
