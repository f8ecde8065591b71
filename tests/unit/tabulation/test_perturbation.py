"""Rounding, swapping and cell keys on small tables: what each keeps, and what it changes."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.tabulation import (
    AttackShare,
    LinkedCells,
    RoundingAudit,
    area_tree,
    cell_keys,
    noise_chances,
    round_cells,
    swap_areas,
)

WHOLE = area_tree((), ())


def cube(inner) -> LinkedCells:
    """A table of several fields from its inner counts, with all totals."""
    inner = np.array(inner)
    keys = cell_keys(WHOLE, inner.shape, [range(inner.ndim)])
    values = np.array(
        [inner[tuple(slice(None) if code < 0 else code for code in key[2:])].sum() for key in keys]
    )
    none = np.zeros((len(keys), 0), np.int64)
    return LinkedCells(
        tree=WHOLE,
        fields=tuple("abc"[: inner.ndim]),
        labels=tuple(tuple(map(str, range(size))) for size in inner.shape),
        keys=keys,
        values=values,
        people=values,
        largest=none,
        who=none,
    )


@pytest.mark.parametrize("shape", [(4, 5), (3, 3, 3)])
@pytest.mark.parametrize("base", [3, 10])
def test_rounded_values_are_near_multiples_with_exact_sums(shape, base):
    cells = cube(np.random.default_rng(1).poisson(6, shape))
    found = round_cells(cells, base)
    assert (found.values % base == 0).all()
    assert (found.values >= 0).all()
    assert np.abs(found.values - cells.values).max() <= found.largest_step
    for total, parts in cells.equations:
        assert found.values[total] == found.values[list(parts)].sum()
    assert found.fewest <= found.against + 1e-6


def test_zeros_stay_and_rounding_is_unbiased():
    cells = cube([[0, 1, 7], [2, 4, 9]])
    inner = [n for n, key in enumerate(cells.keys) if min(key[2:]) >= 0]
    runs = np.array([round_cells(cells, 5).values[inner] for _ in range(150)])
    true = cells.values[inner]
    assert (runs[:, true == 0] == 0).all()
    assert np.abs(runs.mean(axis=0) - true).max() < 1.5
    assert len({tuple(run) for run in runs.tolist()}) > 3


def test_the_attacker_of_rounding_sees_a_table_that_is_not_rounded_at_random():
    """With a step of 1 in place of the base, an interval is narrower: the attack can win."""
    cells = cube([[12, 7], [3, 9]])
    values = round_cells(cells, 5).values.tolist()
    widths = [
        min(
            round(found.most - found.least)
            for found in map(RoundingAudit(values, cells.equations, step=step).bounds, range(9))
        )
        for step in (4, 0)
    ]
    assert widths[0] >= 4
    assert widths[1] == 0


def test_swapping_keeps_groups_by_area_and_moves_the_others():
    chance = np.random.default_rng(2)
    areas, groups = chance.integers(0, 5, 500), chance.integers(0, 3, 500)
    found = swap_areas(areas, groups, rate=0.5)
    before = np.bincount(areas * 3 + groups, minlength=15)
    assert np.bincount(found * 3 + groups, minlength=15).tolist() == before.tolist()
    assert 100 < (found != areas).sum() < 300


def test_nobody_to_swap_with():
    areas = np.zeros(10, np.int64)
    assert swap_areas(areas, areas, rate=1.0).tolist() == areas.tolist()


@pytest.mark.parametrize("fewest", [0, 2])
def test_chances_of_noise_are_unbiased_and_show_no_small_count(fewest):
    found = noise_chances(largest=5, variance=2.0, fewest_shown=fewest)
    chances = np.diff(found.cumulative, axis=1, prepend=0)
    assert np.allclose(chances.sum(axis=1), 1)
    assert np.allclose(chances @ found.noises, 0, atol=1e-6)
    for count, row in enumerate(chances[1:], start=1):
        shown = count + found.noises[row > 1e-9]
        assert shown.min() >= 0
        assert not ((shown > 0) & (shown <= fewest)).any()
    assert found.variances[-1] == pytest.approx(2.0, abs=1e-3)


def test_the_same_key_has_the_same_noise_and_zeros_stay():
    found = noise_chances(largest=5, variance=2.0, fewest_shown=2)
    keys = np.arange(0, 2**32, 2**26, dtype=np.uint64)
    once, again = (found.noise(np.full(len(keys), 9), keys) for _ in range(2))
    assert once.tolist() == again.tolist()
    assert len(set(once.tolist())) > 5
    assert not found.noise(np.zeros(len(keys), np.int64), keys).any()


def test_an_interval_holds_its_share():
    share = AttackShare(right=9, claims=10, baseline=0.5)
    low, high = share.interval
    assert low < 0.9 < high <= 1
    assert AttackShare(right=0, claims=0, baseline=0.0).words() == "nothing to claim"
