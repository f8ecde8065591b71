"""Private counts over a tree of areas: exact sums, whole numbers, honest errors."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from sfumato.accounting import PrivacyAccount, PrivacyLimit
from sfumato.errors import Mistake
from sfumato.tabulation import area_tree, measure_and_fit
from sfumato.tabulation.simplex import on_simplex, whole_with_sum, with_margins

LIMIT = PrivacyLimit(epsilon=1.0, delta=1e-9)
TREE = area_tree(
    ["state", "county"], [(f"s{i // 6}", f"c{i}") for i in range(18)] + [("alone", "c99")]
)


def made(leaves, *, tree=TREE, invariants=(), limit=LIMIT):
    account = PrivacyAccount(limit=limit)
    found = measure_and_fit(
        tree, leaves, account, rho=limit.rho(), fields=("sex",), invariants=invariants
    )
    return found, account


@pytest.fixture(scope="module")
def leaves():
    chance = np.random.default_rng(5)
    return chance.poisson(chance.lognormal(2, 1.5, (19, 8))).astype(np.int64)


def test_sums_are_exact_and_counts_are_whole_and_not_negative(leaves):
    found, _ = made(leaves)
    for level in (1, 2):
        assert found.counts[level].dtype == np.int64
        assert (found.counts[level] >= 0).all()
        assert (TREE.sums(found.counts[level], level) == found.counts[level - 1]).all()


def test_every_level_is_charged_and_nothing_more(leaves):
    _, account = made(leaves)
    assert account.rho <= LIMIT.rho()
    assert account.rho > LIMIT.rho() * Fraction(999, 1000)
    assert [line.what for line in account.lines] == [
        "counts of cells by area, level Total",
        "counts of cells by area, level state",
        "people by area, level state",
        "counts of cells by area, level county",
        "people by area, level county",
    ]


def test_invariants_are_exact_and_cost_no_measurement(leaves):
    found, account = made(leaves, invariants=("state",))
    exact = TREE.sums(leaves, 2).sum(axis=1)
    assert found.counts[1].sum(axis=1).tolist() == exact.tolist()
    assert found.counts[0].sum() == leaves.sum()
    assert "people by area, level state" not in [line.what for line in account.lines]


def test_the_top_is_no_worse_than_plain_noise(leaves, monkeypatch):
    """Mean squared errors of 40 runs: non-negativity and lower levels only help the whole."""
    monkeypatch.setattr("sfumato.tabulation.top_down._SIMULATED", 1)
    fitted, plain = [], []
    for _ in range(40):
        found, _ = made(leaves)
        fitted.append(((found.counts[0] - leaves.sum(axis=0)) ** 2).mean())
        plain.append(((found.noise[0].cells - leaves.sum(axis=0)) ** 2).mean())
    difference = np.array(fitted) - np.array(plain)
    assert difference.mean() < 3 * difference.std(ddof=1) / np.sqrt(len(difference))


def test_the_bias_of_non_negativity_is_shown_with_its_sign():
    chance = np.random.default_rng(2)
    leaves = np.where(chance.random((19, 8)) < 0.8, 0, 200).astype(np.int64)
    found, _ = made(leaves)
    at_leaves = {each.least: each for each in found.errors if each.level == "county"}
    assert at_leaves[0].bias > 0
    assert at_leaves[100].bias < 0
    true = found.counts[2] - leaves
    assert true[leaves == 0].mean() > 0
    assert true[leaves == 200].mean() < 0


def test_no_people_and_one_cell():
    found, _ = made(np.zeros((19, 1), np.int64))
    assert found.counts[0].shape == (1, 1)
    assert (found.counts[2] >= 0).all()


def test_crossing_hierarchies_are_refused_with_the_reason():
    with pytest.raises(Mistake, match=r"lies in several areas .* hierarchies cross"):
        area_tree(["state", "county"], [("A", "a"), ("B", "a")])


@pytest.mark.parametrize("name", [None, "", "Total"])
def test_an_area_without_a_name_is_refused(name):
    with pytest.raises(Mistake, match="no name"):
        area_tree(["state"], [("A",), (name,)])


def test_one_area_at_the_top_is_the_whole_already():
    with pytest.raises(Mistake, match="Total already"):
        area_tree(["country", "state"], [("N", "A"), ("N", "B")])


def test_whole_numbers_keep_both_margins():
    chance = np.random.default_rng(9)
    for _ in range(20):
        true = chance.poisson(3, (5, 7))
        noisy = true + chance.normal(0, 5, true.shape)
        found = with_margins(noisy, true.sum(axis=1), true.sum(axis=0))
        assert (found.sum(axis=1) == true.sum(axis=1)).all()
        assert (found.sum(axis=0) == true.sum(axis=0)).all()
        assert found.min() >= 0


def test_simplex_and_remainders():
    assert on_simplex(np.array([[1.0, 1.0]]), np.array([0.0])).tolist() == [[0.0, 0.0]]
    assert whole_with_sum(np.array([0.4, 0.4, 0.2]), 1).sum() == 1
    assert whole_with_sum(np.array([2.0, 2.0]), 3).tolist() in ([2, 1], [1, 2])
