"""Widths: tables and level-by-level comparison agree, sets hold more than one word, ranges know
what is no number."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.bins import Bins
from sfumato.hierarchies import Hierarchy
from sfumato.solvers.local import Local, widths
from sfumato.solvers.local.penalties import Penalty
from sfumato.solvers.local.widths import APART, RangeWidths, SetWidths, TreeLevels, TreeTable

TOWNS = Hierarchy.from_rows(
    [
        ("a1", "a", "x", "*"),
        ("a2", "a", "x", "*"),
        ("b1", "b", "x", "*"),
        ("c1", "c", "y", "*"),
        (None, None, "y", "*"),
    ]
)
PRICES = Penalty().of_levels("town", TOWNS, TOWNS.labels[0])
VALUES = np.arange(5, dtype=np.int32)


def test_a_table_and_levels_say_the_same_of_every_cluster():
    table, levels = TreeTable(TOWNS, PRICES), TreeLevels(TOWNS, PRICES)
    pairs = [(a, b) for a in VALUES for b in VALUES]
    left, right = (np.array(side, np.int32) for side in zip(*pairs, strict=True))
    for third in VALUES:
        one = table.joined(
            table.joined(table.start(left), right), np.full(len(left), third, np.int32)
        )
        two = levels.joined(
            levels.joined(levels.start(left), right), np.full(len(left), third, np.int32)
        )
        assert table.costs(one).tolist() == pytest.approx(levels.costs(two).tolist())
        assert [part.tolist() for part in table.nodes(one)] == [
            part.tolist() for part in levels.nodes(two)
        ]
        both = table.merged(
            table.joined(table.start(left), right), table.start(np.full(len(left), third, np.int32))
        )
        assert both.tolist() == one.tolist()
        also = levels.merged(
            levels.start(np.full(len(left), third, np.int32)),
            levels.joined(levels.start(left), right),
        )
        assert levels.costs(also).tolist() == pytest.approx(levels.costs(two).tolist())


@pytest.mark.parametrize(
    "width", [TreeTable(TOWNS, PRICES), TreeLevels(TOWNS, PRICES)], ids=["table", "levels"]
)
def test_the_state_over_a_run_is_that_of_joining_one_by_one(width):
    values = np.array([0, 1, 0, 2, 3, 4, 4], np.int32)
    over = width.over(values, np.array([0, 2, 4, 6]))
    assert width.costs(over).tolist() == pytest.approx([0.25, 0.5, 0.25, 0])


def test_values_without_a_common_ancestor_cost_more_than_anything():
    flat = Hierarchy.from_rows([("a", "x"), ("b", "y")])
    prices = Penalty().of_levels("town", flat, flat.labels[0])
    for width in (TreeTable(flat, prices), TreeLevels(flat, prices)):
        assert width.costs_with(
            width.start(np.array([0], np.int32)), np.array([1], np.int32)
        ).tolist() == [APART]


def test_sets_of_more_than_64_values():
    sets = SetWidths(Penalty().of_sets("x", 201), size=201)
    assert sets.words == 4
    states = sets.over(np.array([0, 63, 64, 200, 200], np.int32), np.array([0, 3]))
    assert sets.costs(states).tolist() == pytest.approx([2 / 200, 0])
    with_one = sets.costs_with(states, np.array([64, 1], np.int32))
    assert with_one.tolist() == pytest.approx([2 / 200, 1 / 200])
    assert sets.costs(sets.merged(states[:1], states[1:])).tolist() == pytest.approx([3 / 200])


def test_a_range_that_reaches_something_that_is_no_number_is_full():
    ranges = RangeWidths(("10", "20", "n/a", None), occurring=4, weight=1.0)
    start = ranges.start(np.array([0, 0, 2, 3], np.int32))
    assert ranges.costs_with(start, np.array([1, 2, 2, 2], np.int32)).tolist() == [1, 1, 0, 1]


def test_gcp_prices_ranges_by_years_and_labels_by_leaves():
    penalty = Penalty(kind="gcp", numeric=("age",))
    ages = Hierarchy.from_rows(
        [("17", "17-18", "*"), ("18", "17-18", "*"), ("27", "27-28", "*"), ("28", "27-28", "*")]
    )
    assert penalty.of_levels("age", ages, ("17", "18", "27"))[:, 0].tolist() == pytest.approx(
        [0, 0.1, 1]
    )
    assert penalty.of_levels("town", ages, ages.labels[0])[:, 0].tolist() == pytest.approx(
        [0, 0.5, 1]
    )
    assert penalty.of_sets("town", 4).tolist() == pytest.approx([0, 0, 0.5, 0.75, 1])


@pytest.mark.parametrize("labels", ["tree", "ranges"])
def test_many_values_and_many_rows(labels, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(widths, "MOST_TABLE", 0)
    random = np.random.default_rng(0)
    codes = random.integers(0, 150, (600, 2)).astype(np.int32)
    names = tuple(f"{number:03}" for number in range(150))
    bins = Bins(("a", "b"), (names, names), codes, np.ones(600, np.int64)).project(("a", "b"))
    tree = Hierarchy.from_rows([(name, name[:2], name[:1], "*") for name in names])
    bounds = {"a": tree, "b": tree}
    costs = []
    for rounds in (0, 20):
        recoding = (
            Local(k=5, labels=labels, numeric=("a",), rounds=rounds).solve(bins, bounds).recoding
        )
        released = recoding.apply(bins, bounds)
        assert released.smallest >= 5
        assert released.rows == 600
        levels = recoding.cell_losses()[0] if labels == "ranges" else recoding.levels
        costs.append(float(levels.sum(axis=1) @ recoding.rows))
    assert costs[1] < costs[0] or labels == "tree"


def _drawn(random: np.random.Generator, values: int) -> Hierarchy:
    """A hierarchy of some levels, without a common top now and then; values in any order."""
    columns, here, labels = [list(map(str, range(values)))], np.arange(values), values
    for level in range(int(random.integers(5))):
        fewer = int(random.integers(1, labels + 1))
        here, labels = random.integers(0, fewer, labels)[here], fewer
        columns.append([f"{level}: {code}" for code in here])
    order = random.permutation(values)
    return Hierarchy.from_columns([[column[i] for i in order] for column in columns])


@pytest.mark.parametrize("most", [62, 0], ids=["one number", "too long for one"])
def test_the_way_to_a_value_gives_the_level_at_which_two_meet(monkeypatch, most):
    monkeypatch.setattr(widths, "MOST_BITS", most)
    random = np.random.default_rng(4)
    for values in (1, 2, 7, 30, 90):
        towns = _drawn(random, values)
        levels = TreeLevels(towns, np.zeros((towns.height + 1, values)))
        one, two = (side.astype(np.int32) for side in np.indices((values, values)))
        meet = sum((up[one] != up[two]).astype(int) for up in towns.up)
        found = levels.joined(levels.start(one), two)
        assert found[..., 1].tolist() == np.asarray(meet).tolist()
