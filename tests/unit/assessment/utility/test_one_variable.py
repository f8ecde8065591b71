"""One field at a time, held against SciPy and against hand counts."""

from __future__ import annotations

import numpy as np
import pytest
from side_tables import in_decades, people, subject_of

from sfumato.assessment.utility import biases, field_changes, side_by_side
from sfumato.assessment.utility.one_variable import statistics_of


def changes(release, source, **given):
    with subject_of(release, source, **given) as subject:
        tables = side_by_side(subject)
        found = field_changes(tables)
        return {change.name: change for change in found}, biases(tables, found)


def test_a_copy_has_not_changed():
    table = people()
    found, bias = changes(table, table, known=("age", "sex", "town"), sensitive=("works",))
    assert [change.distance for change in found.values()] == [0, 0, 0, 0]
    assert found["age"].wasserstein == 0
    assert found["age"].before == found["age"].by_midpoint
    assert all(
        one.bias == 0 and one.overlap == pytest.approx(1) and not one.misleads for one in bias
    )


def test_numbers_against_scipy():
    stats = pytest.importorskip("scipy.stats")
    chance = np.random.default_rng(5)
    before, after = chance.normal(50, 9, 600).round(1), chance.normal(53, 7, 500).round(1)
    found, _ = changes({"x": after}, {"x": before}, known=("x",))
    change = found["x"]
    assert change.kolmogorov_smirnov == pytest.approx(stats.ks_2samp(before, after).statistic)
    assert change.wasserstein == pytest.approx(
        stats.wasserstein_distance(before, after) / before.std()
    )
    assert change.before.mean == pytest.approx(before.mean())
    assert change.after.sd == pytest.approx(after.std())
    assert change.before.quantiles["0.5"] == pytest.approx(np.sort(before)[295:305].mean())


def test_total_variation_of_categories_and_what_is_missing():
    source = {"x": ["a"] * 50 + ["b"] * 30 + [None] * 20}
    release = {"x": ["a"] * 60 + ["b"] * 20 + ["*"] * 10 + [None] * 10}
    change = changes(release, source, known=("x",))[0]["x"]
    assert change.total_variation == pytest.approx(60 / 80 - 50 / 80)
    assert change.missing_before == pytest.approx(0.2)
    assert change.missing_after == pytest.approx(0.1)
    assert change.says_nothing_after == pytest.approx(0.1)
    assert [(one.name, one.before) for one in change.classes] == [("a", 50 / 80), ("b", 30 / 80)]


def test_ranges_are_coarse_and_not_wrong():
    table = people(1000)
    release, hierarchies = in_decades(table)
    found, bias = changes(release, table, known=("age", "sex"), hierarchies=hierarchies)
    age = found["age"]
    assert age.total_variation_as_released == 0
    assert 0 < age.kolmogorov_smirnov < 0.1
    assert age.by_midpoint.mean == pytest.approx(age.before.mean, abs=1.5)
    assert age.by_midpoint.sd != age.before.sd
    assert next(one for one in bias if one.field == "sex").bias == 0


def test_suppressed_rows_bias_a_proportion_beyond_chance():
    source = {"x": ["a"] * 900 + ["b"] * 100}
    release = {"x": ["a"] * 900 + ["b"] * 20}
    bias = changes(release, source, known=("x",))[1]
    b = next(one for one in bias if one.value == "b")
    assert b.bias == pytest.approx(20 / 920 - 0.1)
    assert b.misleads
    assert b.high < 0
    assert b.overlap == 0


def test_a_quantile_is_never_one_persons_value():
    numbers = np.arange(1000.0) ** 2
    found = statistics_of(numbers, np.ones(1000))
    assert not set(found.quantiles.values()) & set(numbers.tolist())
    assert statistics_of(numbers[:9], np.ones(9)).quantiles == {}


def test_rows_of_one_person_do_not_make_ten_people():
    rows = {"person": [1] * 20 + [2] * 15, "x": ["rare"] * 20 + ["common"] * 15}
    found, bias = changes(rows, rows, known=("x",), person="person")
    assert "fewer than 10 people" in found["x"].reason
    assert bias == ()
