"""Risk as ARX 3.9.2 and sdcMicro print it, and estimates against the truth on Adult
(peers.md of $SFUMATO_DATA).

The data is not carried by the project: it is looked for in $SFUMATO_DATA and the tests say so where
it is absent."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pytest

from sfumato.assessment.risk import individual_risks, measure_risks
from sfumato.assessment.risk.copula import copula_uniqueness
from sfumato.assessment.risk.intervals import ResampledBins
from sfumato.assessment.risk.population_uniques import estimate_uniqueness
from sfumato.bins import Bins
from sfumato.engines import open_source
from sfumato.measures.subject import Subject
from sfumato.protection.snb_estimator import slide_negative_binomial
from sfumato.protection.uniqueness_estimators import (
    SampleSizes,
    pitman_parameters,
    pitman_share,
    zayatz,
)

DATA = Path(os.environ.get("SFUMATO_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
needs_data = pytest.mark.skipif(
    not (DATA / "adult").exists(), reason="left out: SFUMATO_DATA has no data sets"
)
TRUE_UNIQUENESS = 0.514
DRAWS = 10

# tests/testthat/test_indivRisk.R of sdcMicro, method "exact": the rows of eight people over three
# keys, and weights.
KEYS = ["231", "333", "231", "232", "331", "331", "141", "231"]
WEIGHTS = [18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51.0]
EXACT = [
    0.01355297,
    0.08579129,
    0.01355297,
    0.17707583,
    0.01877883,
    0.01877883,
    0.03931625,
    0.01355297,
]


def test_individual_risk_as_sdcmicro_prints_it():
    rows = np.array([float(KEYS.count(key)) for key in KEYS])
    people = np.array(
        [sum(w for k, w in zip(KEYS, WEIGHTS, strict=True) if k == key) for key in KEYS]
    )
    assert individual_risks(rows, people) == pytest.approx(EXACT, abs=5e-9)


@pytest.fixture(scope="module")
def adult() -> Bins:
    with open_source(DATA / "adult" / "adult.parquet") as engine:
        return Bins.count(engine, [info.name for info in engine.fields()])


def drawn(bins: Bins, share: float, seed: int) -> Bins:
    """A random sample of the people of some bins."""
    chance = np.random.default_rng(seed)
    rows = chance.choice(bins.rows, size=int(bins.rows * share), replace=False, shuffle=False)
    found, counts = np.unique(
        np.searchsorted(np.cumsum(bins.counts), rows, side="right"), return_counts=True
    )
    return Bins(bins.fields, bins.labels, bins.codes[found], counts)


@needs_data
def test_the_raw_table_as_arx_prints_it():
    with open_source(DATA / "adult" / "adult.parquet") as engine:
        fields = tuple(info.name for info in engine.fields())
        found = measure_risks(
            Subject(release=engine, known=fields, sampling_fraction=0.1), copula=False
        ).after
    assert found.bins == 19_502
    assert found.unique_rows / found.rows == pytest.approx(0.514290, abs=5e-7)
    assert found.kirp.average == pytest.approx(0.6465751607983555, rel=1e-12)
    assert found.kirp.above[2] == pytest.approx(0.778131, abs=5e-7)
    by_name = {estimate.estimator: estimate.value for estimate in found.uniqueness}
    assert by_name["Zayatz"] == pytest.approx(0.320740, abs=5e-7)
    assert by_name["Pitman"] == pytest.approx(
        0.276850, rel=0.004
    )  # ARX takes a limit, see test_risks.py
    assert by_name["Dankar"] == by_name["Pitman"]


@needs_data
@pytest.mark.parametrize(
    ("share", "by_pitman", "by_snb", "by_zayatz"),
    [(0.05, 0.503, 0.776, 0.799), (0.1, 0.525, 0.646, 0.695), (0.2, 0.522, 0.539, 0.600)],
)
def test_means_over_samples_of_adult(adult, share, by_pitman, by_snb, by_zayatz):
    """Means over other draws than the peer's, so as near as ten draws let them be."""
    samples = [SampleSizes.of(drawn(adult, share, seed).counts) for seed in range(DRAWS)]
    pitman = [pitman_share(*pitman_parameters(sample), adult.rows) for sample in samples]
    snb = [slide_negative_binomial(sample, adult.rows) for sample in samples]
    assert np.mean(pitman) == pytest.approx(by_pitman, abs=0.04)
    assert np.mean(snb) == pytest.approx(by_snb, abs=0.03)
    assert np.mean([zayatz(sample, adult.rows) for sample in samples]) == pytest.approx(
        by_zayatz, abs=0.03
    )


@needs_data
def test_at_one_in_a_hundred_pitman_says_that_it_cannot_say(adult):
    """The peer's failed in 8 of 10 draws."""
    samples = [SampleSizes.of(drawn(adult, 0.01, seed).counts) for seed in range(DRAWS)]
    refused = [sample for sample in samples if not pitman_parameters(sample)[1]]
    assert len(refused) == 8
    found = estimate_uniqueness(ResampledBins(refused[0], np.random.default_rng(1)), adult.rows)
    by_name = {estimate.estimator: estimate for estimate in found}
    assert by_name["Pitman"].value is None
    assert "does not fit" in by_name["Pitman"].reason
    assert by_name["Dankar"].chose != "Pitman"


@pytest.mark.long("a population for each sample; one stays", every=2)
@needs_data
@pytest.mark.parametrize("share", [0.05, 0.2])
def test_the_copula_is_near_the_truth(adult, share):
    """Rocher et al. 2019: population uniqueness is estimated closely from small samples (Adult is
    one of theirs)."""
    found = copula_uniqueness(drawn(adult, share, 1), adult.rows, np.random.default_rng(1))
    assert found.value == pytest.approx(TRUE_UNIQUENESS, abs=0.05)
    assert found.interval[0] <= TRUE_UNIQUENESS <= found.interval[1]


@needs_data
def test_record_matching_from_a_sample_is_near_the_truth(adult, tmp_path):
    """A tenth of Adult, with the rest as a population that the intruder has: what is estimated
    without it."""

    sample = drawn(adult, 0.1, 2)
    path = tmp_path / "sample.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(sample.fields)
        for values, count in zip(sample.tuples(), sample.counts.tolist(), strict=True):
            writer.writerows([values] * count)
    with open_source(path) as engine, open_source(DATA / "adult" / "adult.parquet") as everyone:
        about = {"release": engine, "known": adult.fields}
        told = measure_risks(Subject(population=everyone, **about), copula=False).after
        guessed = measure_risks(Subject(population_size=adult.rows, **about), copula=False).after
    low, high = guessed.rmp.interval
    assert told.people.uncovered == 0
    assert guessed.rmp.average == pytest.approx(told.rmp.average, abs=0.05)
    assert low - 0.02 <= told.rmp.average <= high + 0.02
    assert guessed.uirp.average == pytest.approx(told.uirp.average)
    assert told.uniqueness[0].value == pytest.approx(TRUE_UNIQUENESS, abs=5e-4)
