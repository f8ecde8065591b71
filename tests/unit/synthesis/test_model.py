"""The model against brute force over small domains: marginals, fit, sampling, bins."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from sfumato.accounting import PrivacyAccount, PrivacyLimit
from sfumato.synthesis import CodedTable, DomainField, synthesise
from sfumato.synthesis.coarsening import bins_of, least_people, on_simplex
from sfumato.synthesis.coded_table import counts_of
from sfumato.synthesis.count_denoising import denoise
from sfumato.synthesis.dual_fit import NoisyMarginal, fit_model
from sfumato.synthesis.junction_tree import tree_cells, tree_of
from sfumato.synthesis.model_sample import sample_rows, systematic

SIZES = (2, 3, 4, 2)


@pytest.mark.parametrize(
    "groups",
    [
        [(0,), (1,), (2,), (3,)],
        [(0, 1), (1, 2), (2, 3)],
        [(0, 1), (1, 2), (2, 3), (0, 3)],
        [(0, 1, 2), (2, 3)],
        [(0, 1), (2, 3)],
    ],
)
def test_marginals_of_the_tree_are_those_of_the_whole_table(groups):
    chance = np.random.default_rng(3)
    tree = tree_of(groups, SIZES)
    potentials = [chance.normal(size=[SIZES[n] for n in clique]) for clique in tree.cliques]
    whole = np.zeros(SIZES)
    for cell in product(*map(range, SIZES)):
        whole[cell] = np.exp(
            sum(
                each[tuple(cell[n] for n in clique)]
                for each, clique in zip(potentials, tree.cliques, strict=True)
            )
        )
    beliefs, log_total = tree.calibrate(potentials)
    assert log_total == pytest.approx(np.log(whole.sum()))
    for clique, belief in zip(tree.cliques, beliefs, strict=True):
        others = tuple(n for n in range(4) if n not in clique)
        assert np.exp(belief) == pytest.approx(whole.sum(axis=others) / whole.sum())


def test_cliques_hold_every_group_and_separators_run_through_the_tree():
    groups = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (1, 4)]
    tree = tree_of(groups, (2,) * 5)
    assert all(any(set(g) <= set(c) for c in tree.cliques) for g in groups)
    assert tree.cells == tree_cells(groups, (2,) * 5)
    for name in range(5):
        inside = [n for n, clique in enumerate(tree.cliques) if name in clique]
        roots = [
            n for n in inside if tree.parents[n] < 0 or name not in tree.cliques[tree.parents[n]]
        ]
        assert len(roots) == 1


def test_a_fit_without_noise_gives_the_marginals_back():
    chance = np.random.default_rng(5)
    rows = [chance.integers(0, size, 4_000) for size in SIZES]
    rows[1] = (rows[0] + chance.integers(0, 2, 4_000)) % 3
    groups = [(0, 1), (1, 2), (0, 2), (2, 3)]
    marginals = []
    for group in groups:
        counts = counts_of([rows[n] for n in group], [SIZES[n] for n in group]).astype(float)
        marginals.append(
            NoisyMarginal(fields=group, counts=counts, variance=np.full(counts.shape, 1e-6))
        )
    model = fit_model(marginals, SIZES, total=4_000)
    for each in marginals:
        assert model.marginal(each.fields) * 4_000 == pytest.approx(each.counts, abs=8)


def test_the_fit_is_the_optimum_of_its_dual_by_brute_force():
    """At the optimum of the dual, n * marginal - y + ridge * v * theta = 0 with log-linear theta;
    so y - n * marginal over ridge * v must be a theta that gives the same distribution."""
    counts = np.array([[60.0, 10.0, -5.0], [5.0, 20.0, 12.0]])
    given = NoisyMarginal(fields=(0, 1), counts=counts, variance=np.full(counts.shape, 30.0))
    model = fit_model([given], (2, 3), total=100.0, ridge=0.5)
    found = model.marginal((0, 1))
    theta = (counts - 100.0 * found) / (0.5 * 30.0)
    assert np.exp(theta) / np.exp(theta).sum() == pytest.approx(found, abs=1e-3)


def test_more_noise_brings_a_pair_nearer_to_independence():
    counts = np.array([[90.0, 10.0], [10.0, 90.0]])
    tight, loose = (
        fit_model(
            [NoisyMarginal(fields=(0, 1), counts=counts, variance=np.full((2, 2), variance))],
            (2, 2),
            total=200.0,
        ).marginal((0, 1))
        for variance in (1.0, 1e5)
    )
    assert tight[0, 0] > 0.44 > loose[0, 0] > 0.2


def test_a_combination_that_cannot_be_has_no_rows():
    counts = np.full((2, 2), 50.0)
    given = NoisyMarginal(fields=(0, 1), counts=counts, variance=np.full((2, 2), 4.0))
    where = np.array([[0.0, 1.0], [0.0, 0.0]])
    model = fit_model([given], (2, 2), total=200.0, impossible=[((0, 1), where)])
    rows = sample_rows(model, 5_000, np.random.default_rng())
    assert counts_of(rows, (2, 2))[0, 1] == 0


def test_rows_have_the_marginals_of_the_model_within_a_row_for_each_group():
    chance = np.random.default_rng(8)
    counts = chance.integers(1, 100, (2, 3, 4)).astype(float)
    model = fit_model(
        [
            NoisyMarginal(fields=(0, 1, 2), counts=counts, variance=np.full(counts.shape, 1e-3)),
            NoisyMarginal(
                fields=(3,), counts=counts.sum() * np.array([0.3, 0.7]), variance=np.full(2, 1e-3)
            ),
        ],
        SIZES,
        total=float(counts.sum()),
    )
    rows = sample_rows(model, 10_000, chance)
    for group in combinations(range(3), 2):
        drawn = counts_of([rows[n] for n in group], [SIZES[n] for n in group])
        assert np.abs(drawn - 10_000 * model.marginal(group)).max() < 30
    assert np.bincount(rows[3]).tolist() == pytest.approx([3_000, 7_000], abs=2)


def test_systematic_draws_never_take_a_column_without_weight():
    table = np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 5.0]])
    given = np.repeat([0, 2], 5_000)
    drawn = systematic(table, given, np.random.default_rng())
    assert np.bincount(drawn[:5_000], minlength=3).tolist() == pytest.approx([1667, 3333, 0], abs=1)
    assert set(drawn[5_000:].tolist()) == {2}


def test_bins_are_neighbours_and_large_enough():
    noisy = np.random.default_rng(1).gamma(1.0, 50.0, 60)
    bins = bins_of(DomainField(name="age", size=60, ordered=True), noisy, least=200.0)
    assert np.diff(bins).min() >= 0
    assert np.diff(bins).max() <= 1
    assert np.bincount(bins, weights=noisy).min() >= 200


def test_codes_that_a_rule_names_share_no_bin_with_others():
    spec = DomainField(name="sex", size=4, apart=(frozenset({1, 2}),))
    bins = bins_of(spec, np.array([1.0, 1.0, 1.0, 1.0]), least=100.0)
    assert set(bins[[1, 2]].tolist()).isdisjoint(bins[[0, 3]].tolist())


@pytest.mark.parametrize("noisy", [[-5.0, -3.0, -9.0], [0.0, 0.0], [7.0], [1e9, -1e9]])
def test_counts_on_the_simplex_are_whole_in_sum_and_never_below_zero(noisy):
    found = on_simplex(np.array(noisy), 10.0)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(10.0)


def test_denoising_halves_the_error_of_a_smooth_field_and_keeps_a_spike():
    truth = np.full(100, 390.0)
    truth[40] = 20_000.0
    noisy = truth + np.random.default_rng(2).normal(0, 200, 100)
    found = denoise(noisy, 200.0)
    assert np.abs(found - truth).sum() < np.abs(noisy - truth).sum() / 2
    assert abs(found[40] - 20_000) < 1_000


def test_bins_grow_with_the_noise():
    assert least_people(10_000, 1) < least_people(10_000, 20) < least_people(10_000, 500)
    assert least_people(100, 5_000) == 20_000


def test_no_pair_is_looked_at_where_fields_drown_in_noise():
    """The whole budget counts single fields: a look would cost more than it finds."""
    columns = tuple(np.random.default_rng(3).integers(0, 5, 200) for _ in range(6))
    fields = tuple(DomainField(name=f"f{n}", size=5) for n in range(6))
    limit = PrivacyLimit(epsilon=0.3, delta=1e-9)
    account = PrivacyAccount(limit=limit)
    made = synthesise(CodedTable(fields=fields, codes=columns), account, rho=limit.rho())
    assert made.groups == ()
    assert {line.what for line in account.lines} == {"counts of a field"}
    assert account.rho > limit.rho() * 999 / 1000
