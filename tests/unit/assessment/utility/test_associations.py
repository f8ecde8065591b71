"""How fields go together, held against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from side_tables import in_decades, people, subject_of

from sfumato.assessment.utility import associations, side_by_side
from sfumato.assessment.utility.associations import cramers_v


def measured(release, source, **given):
    with subject_of(release, source, **given) as subject:
        return associations(side_by_side(subject))


def numbers(rows=500):
    chance = np.random.default_rng(8)
    x = chance.integers(0, 40, rows)
    return {"x": x.tolist(), "y": (2 * x + chance.normal(0, 20, rows).round()).astype(int).tolist()}


def test_pearson_and_spearman():
    stats = pytest.importorskip("scipy.stats")
    table = numbers()
    found = measured(table, table, known=("x", "y"))
    assert found.before[0, 1] == pytest.approx(stats.pearsonr(table["x"], table["y"]).statistic)
    assert found.spearman_before[0, 1] == pytest.approx(
        stats.spearmanr(table["x"], table["y"]).statistic
    )
    assert np.allclose(found.difference, 0)
    assert found.mean_change == 0


def test_cramer_is_corrected_as_bergsma_says():
    contingency = pytest.importorskip("scipy.stats.contingency")
    chance = np.random.default_rng(1)
    table = chance.integers(1, 40, (4, 3)).astype(float)
    total = table.sum()
    phi = (
        contingency.association(table.astype(int), method="cramer") ** 2 * 2
    )  # times min(rows, columns) - 1
    corrected = max(0, phi - 3 * 2 / (total - 1)) / (
        min(4 - 9 / (total - 1), 3 - 4 / (total - 1)) - 1
    )
    assert cramers_v(table) == pytest.approx(np.sqrt(corrected))


def test_independent_categories_have_none_however_many_they_are():
    chance = np.random.default_rng(2)
    table = {
        "a": [f"a{n}" for n in chance.integers(0, 20, 800)],
        "b": [f"b{n}" for n in chance.integers(0, 20, 800)],
    }
    assert measured(table, table, known=("a", "b")).before[0, 1] < 0.05


def test_correlation_ratio_of_a_number_and_a_category():
    table = people()
    found = measured(table, table, known=("age", "town"))
    ages, towns = np.array(table["age"]), np.array(table["town"])
    between = sum(
        (towns == t).sum() * (ages[towns == t].mean() - ages.mean()) ** 2
        for t in set(table["town"])
    )
    assert found.measures[0][1] == "eta"
    assert found.before[0, 1] == pytest.approx(np.sqrt(between / ((ages - ages.mean()) ** 2).sum()))


def test_coarse_labels_weaken_an_association_and_never_invent_one():
    table = people(1500)
    release, hierarchies = in_decades(table)
    release["works"] = table["works"]
    found = measured(release, table, known=("age",), sensitive=("works",), hierarchies=hierarchies)
    assert 0.5 * found.before[0, 1] < found.after[0, 1] < found.before[0, 1] + 0.02


def test_sets_are_spread_over_their_values():
    source = {"a": ["x", "y"] * 50, "b": ["p", "q"] * 50}
    release = {"a": ["{x, y, z}"] * 100, "b": source["b"]}
    source = {"a": [*source["a"], "z"], "b": [*source["b"], "p"]}
    found = measured(release, source, known=("a", "b"))
    assert found.before[0, 1] > 0.9
    assert np.isnan(found.after[0, 1])  # the set says nothing


def test_constant_and_empty_fields_cannot_be_said():
    table = {"x": [1, 2, 3, 4] * 5, "same": ["a"] * 20, "none": [None] * 20}
    found = measured(table, table, known=("x", "same", "none"))
    assert np.isnan(found.before[0, 1])
    assert np.isnan(found.before[0, 2])
    assert found.as_dict()["before"][0][1] is None
    assert found.mean_change is None
