"""Average and maximum risk by hand; population uniqueness against other implementations and against
the truth."""

import math
from fractions import Fraction

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.bins import Bins
from sfumato.errors import Mistake
from sfumato.protection import AverageRisk, MaximumRisk, PopulationUniqueness
from sfumato.protection import uniqueness_estimators as estimators
from sfumato.protection.uniqueness_estimators import SampleSizes, pitman, pitman_parameters, zayatz

ZIP = ("zip",)
TOY = Bins.of(ZIP, {("021",): 5, ("946",): 3, ("100",): 2})


def test_average_risk_is_bins_over_rows():
    model = AverageRisk(threshold=0.3, fields=ZIP)
    assert model.risk(TOY) == 0.3
    assert not model.failing(TOY).any()
    assert AverageRisk(threshold=0.29, fields=ZIP).failing(TOY).all()


def test_average_risk_over_some_of_the_fields():
    bins = Bins.of(("sex", "zip"), {("f", "021"): 3, ("m", "021"): 2, ("m", "946"): 5})
    assert AverageRisk(threshold=0.3, fields=ZIP).risk(bins) == 0.2


@pytest.mark.parametrize("k", [1, 2, 3, 5, 7, 20])
def test_maximum_risk_is_k_anonymity(k):
    for size in (k - 1, k, k + 1):
        if size:
            bins = Bins.of(ZIP, {("021",): size})
            assert MaximumRisk(threshold=1 / k, fields=ZIP).failing(bins).tolist() == [size < k]


def test_maximum_risk_says_the_highest():
    verdict = MaximumRisk(threshold=0.4, fields=ZIP).judge(TOY)
    assert (
        verdict.reason
        == "1 of 3 bins over (zip) breaks it; it holds 2 of 10 rows; the highest risk is 0.5"
    )


# How often each bin size occurs over all nine fields of the Adult census extract (UCI), 30,162
# rows.
ADULT = [
    15512,
    2098,
    754,
    375,
    189,
    155,
    97,
    73,
    39,
    37,
    29,
    18,
    23,
    14,
    15,
    9,
    11,
    10,
    10,
    5,
    3,
    4,
    3,
    2,
    1,
    3,
    5,
]
ADULT_SIZES = [
    *enumerate(ADULT, start=1),
    (29, 1),
    (30, 2),
    (32, 1),
    (34, 1),
    (35, 1),
    (36, 1),
    (45, 1),
]
SAMPLE = SampleSizes(*(np.array(column, float) for column in zip(*ADULT_SIZES, strict=True)))


@pytest.mark.parametrize(
    ("population", "by_pitman", "by_zayatz"),
    [(301_620, 0.276850, 0.320740), (317_238_626, 0.038896, 0.264565)],
)
def test_adult_as_arx_estimates_it(population, by_pitman, by_zayatz):
    """ARX 3.9.2 takes the limit of Pitman's expectation for a large population; ours is exact, 0.3
    % below it here."""
    theta, alpha = pitman_parameters(SAMPLE)
    limit = math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha)) * population ** (
        alpha - 1
    )
    assert limit == pytest.approx(by_pitman, abs=5e-7)
    assert pitman(SAMPLE, population) == pytest.approx(by_pitman, rel=0.004)
    assert zayatz(SAMPLE, population) == pytest.approx(by_zayatz, abs=5e-7)


def test_newton_and_halving_find_the_same_fit(monkeypatch):
    expected = pitman_parameters(SAMPLE)
    monkeypatch.setattr(estimators, "_newton", lambda *given: None)
    assert pitman_parameters(SAMPLE) == pytest.approx(expected, rel=1e-9)


@settings(max_examples=example_count(30), deadline=None)
@given(
    st.lists(st.integers(1, 9), min_size=2, max_size=12).filter(
        lambda sizes: 1 in sizes and max(sizes) > 1
    )
)
def test_the_fit_is_the_most_likely(sizes):
    """Against the likelihood itself, written out: nothing near the fit is more likely."""

    def log_likelihood(theta, alpha):
        out = sum(math.log(theta + i * alpha) for i in range(1, len(sizes)))
        out -= sum(math.log(theta + i) for i in range(1, sum(sizes)))
        return out + sum(math.log(i - alpha) for size in sizes for i in range(1, size))

    theta, alpha = pitman_parameters(SampleSizes.of(np.array(sizes)))
    best = log_likelihood(theta, alpha)
    for near in (0.999, 1.001):
        assert log_likelihood((theta + alpha) * near - alpha, alpha) <= best + 1e-9
        if alpha > 1e-3:
            assert log_likelihood(theta, alpha * near) <= best + 1e-9


@settings(max_examples=example_count(30), deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=10), st.integers(2, 12))
def test_zayatz_with_exact_fractions(sizes, times):
    n, population = sum(sizes), sum(sizes) * times
    unique = sizes.count(1)
    chance = sum(
        Fraction(size * math.comb(population - size, n - 1), math.comb(population, n))
        for size in sizes
        if n - 1 <= population - size
    )
    expected = unique * Fraction(unique, population) / chance if unique else 0
    assert zayatz(SampleSizes.of(np.array(sizes)), population) == pytest.approx(
        float(min(expected, 1))
    )


def test_pitman_is_near_the_truth_where_its_model_holds():
    """A population drawn from Pitman's partition with theta = 200, alpha = 0.5; a tenth of it is
    the sample."""
    random = np.random.default_rng(5)
    sizes: list[int] = []
    of: list[int] = []
    for people in range(6000):
        if random.random() < (200 + 0.5 * len(sizes)) / (200 + people):
            of.append(len(sizes))
            sizes.append(1)
        else:
            while True:  # a bin in proportion to its size less alpha
                chosen = of[random.integers(people)]
                if random.random() < 1 - 0.5 / sizes[chosen]:
                    break
            of.append(chosen)
            sizes[chosen] += 1
    truth = sizes.count(1) / 6000
    sampled = np.unique(random.choice(of, 600, replace=False), return_counts=True)[1]
    model = PopulationUniqueness(threshold=0.1, fields=ZIP, population_size=6000)
    bins = Bins.of(ZIP, {(str(n),): int(size) for n, size in enumerate(sampled)})
    assert model.uniqueness(bins) == pytest.approx(truth, rel=0.25)


def test_a_sample_that_is_the_population_needs_no_estimate():
    bins = Bins.of(ZIP, {("021",): 1, ("946",): 3})
    model = PopulationUniqueness(threshold=0.2, fields=ZIP, sampling_fraction=1.0)
    assert model.uniqueness(bins) == 0.25
    assert (
        PopulationUniqueness(threshold=0.2, fields=ZIP, population_size=3).uniqueness(bins) == 0.25
    )


@pytest.mark.parametrize("estimator", ["pitman", "zayatz"])
def test_nobody_alone_in_the_sample_is_nobody_alone(estimator):
    model = PopulationUniqueness(
        threshold=0, fields=ZIP, sampling_fraction=0.1, estimator=estimator
    )
    assert not model.failing(TOY).any()


def test_where_there_is_no_estimate_the_rule_counts_as_broken():
    bins = Bins.of(ZIP, {("021",): 1, ("946",): 1})
    verdict = PopulationUniqueness(threshold=1, fields=ZIP, sampling_fraction=0.1).judge(bins)
    assert (verdict.outcome, verdict.bins_below) == ("fail", 2)
    assert verdict.reason.endswith("no estimate was possible")


def test_an_estimate_says_that_it_is_one():
    verdict = PopulationUniqueness(
        threshold=0.5, fields=ZIP, population_size=99, estimator="zayatz"
    ).judge(Bins.of(ZIP, {("021",): 1, ("946",): 3}))
    assert verdict.requirement == "at most 0.5 of 99 people, estimated with Zayatz"
    assert "estimated: 0." in verdict.reason


@pytest.mark.parametrize("given", [{}, {"population_size": 5, "sampling_fraction": 0.5}])
def test_the_population_is_given_once(given):
    with pytest.raises(Mistake, match="or the sampling fraction, and not both"):
        PopulationUniqueness(threshold=0.1, fields=ZIP, **given).failing(TOY)


def test_huge_populations_lose_no_digits():
    """From a million million people on, more of them make uniqueness fall by the power that the fit
    says."""
    _, alpha = pitman_parameters(SAMPLE)
    ratio = pitman(SAMPLE, 1e14) / pitman(SAMPLE, 1e12)
    assert ratio == pytest.approx(100 ** (alpha - 1), rel=1e-6)
