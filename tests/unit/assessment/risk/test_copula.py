"""The copula model: shares against exact ones, uniqueness against counting a population drawn from
it."""

import math

import numpy as np
import pytest

from sfumato.assessment.risk.copula import (
    Copula,
    copula_uniqueness,
    fit_copula,
    individual_uniqueness,
)
from sfumato.assessment.risk.copula_fit import correlations, ordered
from sfumato.bins import Bins
from sfumato.errors import Mistake

FIELDS = ("a", "b", "c")


def bins_of(codes: np.ndarray, width: int = 10) -> Bins:
    found, counts = np.unique(codes, axis=0, return_counts=True)
    labels = tuple(tuple(str(value) for value in range(width)) for _ in FIELDS)
    return Bins(FIELDS, labels, found.astype(np.int32), counts)


def unique_share(codes: np.ndarray) -> float:
    return float(
        (np.unique(codes, axis=0, return_counts=True)[1] == 1).mean()
        * len(np.unique(codes, axis=0))
        / len(codes)
    )


def correlated(people: int, by: float) -> np.ndarray:
    chance = np.random.default_rng(8)
    normal = chance.standard_normal((people, 3))
    normal[:, 1] = by * normal[:, 0] + math.sqrt(1 - by * by) * normal[:, 1]
    return np.clip(np.floor(normal * 2 + 5), 0, 9).astype(int)


def test_independent_fields_have_the_product_of_their_shares():
    chance = np.random.default_rng(2)
    model = fit_copula(bins_of(chance.integers(0, 10, (5000, 3))), chance)
    shares = model.shares(np.array([[5, 5, 5], [0, 9, 3]]), chance)
    assert shares == pytest.approx([0.001, 0.001], rel=0.15)


def test_one_and_two_fields_exactly():
    half = np.array([-np.inf, 0.0, np.inf])
    model = Copula(edges=(half, half), root=np.linalg.cholesky(np.array([[1, 0.5], [0.5, 1]])))
    found = model.shares(np.array([[0, 0], [0, 1]]), np.random.default_rng(1), draws=20_000)
    assert found == pytest.approx([1 / 3, 1 / 6], abs=0.005)  # 1/4 + asin(0.5) / (2 pi)


def test_correlations_are_found_with_their_sign():
    codes = correlated(20_000, 0.7)
    found = correlations([codes[:, 0], codes[:, 1], 9 - codes[:, 1]])
    assert found[0, 1] == pytest.approx(0.7, abs=0.03)
    assert found[0, 2] == pytest.approx(-0.7, abs=0.03)


@pytest.mark.parametrize("by", [0.0, 0.8])
def test_uniqueness_of_a_population_from_a_tenth_of_it(by):
    people = correlated(2_000, by)
    sample = people[np.random.default_rng(3).permutation(len(people))[:600]]
    found = copula_uniqueness(bins_of(sample), len(people), np.random.default_rng(4))
    assert found.value == pytest.approx(unique_share(people), abs=0.03)
    assert found.interval[0] < found.value < found.interval[1]


def test_those_alone_are_told_from_those_who_are_not():
    """Rocher et al.: the chance of each person, not only their average."""
    people = correlated(2_000, 0.5)
    bins = bins_of(people)
    found = individual_uniqueness(bins, len(people), np.random.default_rng(5))
    alone = bins.counts == 1
    assert found[alone].mean() > 0.4
    assert found[bins.counts > 5].max() < 0.2
    assert ((found >= 0) & (found <= 1)).all()


def test_a_constant_field_changes_nothing_and_few_rows_are_refused():
    people = correlated(1_000, 0.5)
    people[:, 2] = 4
    found = copula_uniqueness(bins_of(people), 1_000, np.random.default_rng(6))
    assert found.value == pytest.approx(unique_share(people), abs=0.03)
    assert copula_uniqueness(bins_of(people[:5]), 1_000, np.random.default_rng(6)).value is None
    with pytest.raises(Mistake, match="empty"):
        fit_copula(bins_of(people[:0]), np.random.default_rng(6))


def test_numbers_are_ordered_as_numbers_and_names_as_they_stand():
    assert ordered(np.array([0, 1, 2]), ("100", "20", "3")).tolist() == [2, 1, 0]
    assert ordered(np.array([0, 1]), ("flu", None)).tolist() == [0, 1]
