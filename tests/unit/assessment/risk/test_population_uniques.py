"""Estimators of population uniqueness: the decision rule, refusals, intervals, and truth where the
model holds."""

import math

import numpy as np
import pytest

from sfumato.assessment.risk.intervals import ResampledBins
from sfumato.assessment.risk.pitman_people import PitmanFit, expected_chances, fit_pitman
from sfumato.assessment.risk.population_uniques import (
    UniquesEstimate,
    counted_uniqueness,
    dankar,
    estimate_uniqueness,
)
from sfumato.bins import Bins, population_counts
from sfumato.hierarchies import Hierarchy
from sfumato.protection.snb_estimator import _fits, shlosser, slide_negative_binomial
from sfumato.protection.uniqueness_estimators import SampleSizes


def resampled(counts) -> ResampledBins:
    return ResampledBins(SampleSizes.of(np.asarray(counts)), np.random.default_rng(1))


def by_name(found) -> dict[str, UniquesEstimate]:
    return {estimate.estimator: estimate for estimate in found}


def estimate(name: str, value: float | None) -> UniquesEstimate:
    return UniquesEstimate(estimator=name, value=value, reason="" if value is not None else "no")


@pytest.mark.parametrize(
    ("fraction", "pitman", "snb", "zayatz", "chosen"),
    [
        (0.1, 0.5, 0.3, 0.4, "Pitman"),
        (0.05, None, 0.3, 0.4, "SNB"),
        (0.05, None, None, 0.4, "Zayatz"),
        (0.2, 0.5, 0.3, 0.4, "SNB"),
        (0.2, 0.1, 0.5, 0.4, "Zayatz"),
        (0.2, 0.1, None, 0.4, "Zayatz"),
        (0.2, None, None, None, ""),
    ],
)
def test_the_decision_rule(fraction, pitman, snb, zayatz, chosen):
    found = dankar(
        estimate("Pitman", pitman),
        estimate("SNB", snb),
        estimate("Zayatz", zayatz),
        fraction=fraction,
    )
    assert found.chose == chosen
    assert bool(found.reason) == (not chosen)


@pytest.mark.parametrize(
    ("alpha", "beta", "fraction"), [(0.8, 0.3, 0.2), (0.12, 0.2, 0.2), (0.05, 0.06, 0.1)]
)
def test_negative_binomial_finds_the_parameters_of_a_population(alpha, beta, fraction):
    """Numbers of bins as a population of the model would leave them in a sample: the fit gives its
    parameters back.

    Shlosser's number of bins is the weak part: it is told by rough size only, and the estimate with
    it."""
    bins, sizes = 5000, np.arange(1, 500)
    log = [math.lgamma(alpha + s - 1) - math.lgamma(alpha) - math.lgamma(s) for s in sizes]
    share = np.exp(np.array(log) + alpha * math.log(beta) + (sizes - 1) * math.log(1 - beta))
    seen = np.arange(1, 60)
    chance = [
        sum(
            share[s - 1] * math.comb(int(s), int(j)) * fraction**j * (1 - fraction) ** (s - j)
            for s in sizes
            if s >= j
        )
        for j in seen
    ]
    sample = SampleSizes(seen.astype(float), bins * np.array(chance))
    (found,) = _fits(sample.unique, float(sample.bins[1]), bins=bins, fraction=fraction)
    assert found == pytest.approx((alpha, beta), rel=1e-6)
    population = bins * float(share @ sizes)
    assert shlosser(sample, fraction) == pytest.approx(bins, rel=0.2)
    assert slide_negative_binomial(sample, population) == pytest.approx(
        bins * share[0] / population, abs=0.1
    )


def test_nobody_alone_in_the_sample_is_nobody_alone():
    found = by_name(estimate_uniqueness(resampled([5, 7, 9]), 1000))
    assert found["Dankar"].value == 0


def test_where_everyone_is_alone_nothing_is_said():
    found = by_name(estimate_uniqueness(resampled([1] * 200), 20_000))
    assert all(
        estimate.value is None and "unique" in estimate.reason
        for estimate in (found["Pitman"], found["Dankar"])
    )
    assert found["slide negative binomial"].value is None


def test_a_sample_that_is_everyone_is_counted():
    (found,) = estimate_uniqueness(resampled([1, 1, 2]), 4)
    assert (found.estimator, found.value) == ("counted", 0.5)


def test_a_tiny_sample_of_nearly_unique_rows_makes_pitman_refuse():
    """As on a hundredth of Adult, where its number would swing between 0.2 and 0.6."""
    found = by_name(estimate_uniqueness(resampled([1] * 290 + [2] * 5), 30_000))
    assert found["Pitman"].value is None
    assert "does not fit" in found["Pitman"].reason
    assert found["Dankar"].chose != "Pitman"


def test_an_interval_is_around_its_estimate_and_the_same_again():
    counts = [1] * 400 + [2] * 80 + [3] * 40 + [5] * 20 + [12] * 8 + [30] * 3
    found = by_name(estimate_uniqueness(resampled(counts), 12_000))
    for estimate in found.values():
        low, high = estimate.interval
        assert low < estimate.value < high
    assert found == by_name(estimate_uniqueness(resampled(counts), 12_000))


def test_people_of_a_bin_by_pitman_against_drawing_them():
    """1 over the people of a bin, from urns: the next person joins a bin of f with chance (f -
    alpha) / (theta + n)."""
    chance = np.random.default_rng(4)
    theta, alpha, rows, population = 30.0, 0.4, 200, 500
    found = expected_chances(
        np.array([1.0, 3.0]), PitmanFit(theta=theta, alpha=alpha), rows=rows, population=population
    )
    for size, expected in zip((1, 3), found, strict=True):
        people = np.full(20_000, size)
        for drawn in range(rows, population):
            people += chance.random(len(people)) < (people - alpha) / (theta + drawn)
        assert (1 / people).mean() == pytest.approx(expected, rel=0.02)


def test_pitman_refuses_where_most_rows_are_alone_and_nothing_bounds_them():
    assert "unique" in fit_pitman(SampleSizes.of(np.ones(50, np.int64))).reason
    assert fit_pitman(SampleSizes.of(np.array([5, 6, 7, 9]))).reason == ""


def test_who_is_alone_is_counted_with_what_is_told_and_not_with_what_was_collected():
    """Everybody is alone with their ZIP code, and nobody with the first three digits of it."""
    zips = Hierarchy.from_rows(
        [(f"021{n}", "021*") for n in range(10, 50)] + [(f"946{n}", "946*") for n in range(10, 50)]
    )
    everyone = Bins.of(("zip", "sex"), {(zip_code, "f"): 1 for zip_code in zips.labels[0]})
    coarse = Bins.of(("zip", "sex"), {("021*", "f"): 7, ("946*", "f"): 9})
    assert counted_uniqueness(everyone).value == 1
    assert counted_uniqueness(everyone, coarse, {"zip": zips}).value == 0


def test_a_value_that_the_hierarchy_does_not_know_stays_alone():
    zips = Hierarchy.from_rows([("02138", "021*"), ("02139", "021*")])
    everyone = Bins.of(("zip",), {("02138",): 1, ("02139",): 1, ("94110",): 1, (None,): 1})
    assert (
        counted_uniqueness(everyone, Bins.of(("zip",), {("021*",): 2}), {"zip": zips}).value == 0.5
    )


def test_where_levels_differ_those_count_who_alone_lie_under_a_bin():
    zips = Hierarchy.from_rows([("02138", "021*"), ("02139", "021*"), ("02141", "021*")])
    everyone = Bins.of(("zip",), {("02138",): 1, ("02139",): 4, ("02141",): 5})
    told = Bins.of(("zip",), {("02138",): 1, ("021*",): 6})
    people = population_counts(told, everyone, ("zip",), {"zip": zips}).astype(float)
    assert counted_uniqueness(everyone, told, {"zip": zips}, people=people).value == 0.1
