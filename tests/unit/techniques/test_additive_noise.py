"""Noise: the variance that is told is the one that was added, and what each method promises is
kept."""

from __future__ import annotations

import numpy as np
import pytest
from numbers_by_hand import normal, numbers, step, texts

from sfumato.errors import PolicyError
from sfumato.techniques.additive_noise import correlations

MANY = 20_000


def three_fields(count: int = MANY) -> dict[str, np.ndarray]:
    """Two that go together, and one that is nearly their sum."""
    first, second = normal(count, 50, 10), normal(count, 20, 4, seed=8)
    second = second + 0.3 * first
    return {
        "x": np.round(first),
        "y": np.round(second, 1),
        "z": np.round(first + second + normal(count, 0, 3, seed=9), 1),
    }


def noised(fields: dict[str, np.ndarray], **settings):
    columns = {name: texts(values, 0 if name == "x" else 1) for name, values in fields.items()}
    return step("noise", columns, fields=tuple(fields), real=True, **settings)


def test_uncorrelated_noise_has_the_variance_that_is_told():
    fields = three_fields()
    done = noised(fields, share=0.5)
    for name, values in fields.items():
        added = numbers(done, name) - values
        told = done.facts["noise_variance"][name]
        assert abs(added.mean()) < 5 * np.sqrt(told / MANY)
        assert added.var() == pytest.approx(told, rel=0.05)
        assert told == pytest.approx(
            0.25 * values.var(), rel=0.12
        )  # it is told with two digits, and made so
        assert abs(np.corrcoef(added, values)[0, 1]) < 0.04
    assert (
        abs(np.corrcoef(numbers(done, "x") - fields["x"], numbers(done, "y") - fields["y"])[0, 1])
        < 0.04
    )


def test_the_variance_that_is_told_corrects_a_regression():
    """Noise in a regressor draws its slope towards 0 (Garfinkel 2016, 4.3.2); the ratio of
    variances mends it (Fuller 1987)."""
    fields = three_fields()
    done = noised(fields, share=0.6)
    x, y = numbers(done, "x"), numbers(done, "y")
    true = np.polyfit(fields["x"], fields["y"], 1)[0]
    naive = np.polyfit(x, y, 1)[0]
    corrected = naive * x.var() / (x.var() - done.facts["noise_variance"]["x"])
    assert naive < 0.8 * true
    assert corrected == pytest.approx(true, rel=0.05)


def test_small_noise_on_whole_numbers_is_told_as_it_comes_out():
    """Noise of 0.4 on whole numbers: most stay, some change by one; the variance told is that of
    what is written."""
    values = np.round(normal(MANY, 50, 2))
    done = step("noise", {"x": texts(values)}, share=0.2)
    added = numbers(done) - values
    assert set(np.unique(added)) <= {-2.0, -1.0, 0.0, 1.0, 2.0}
    assert added.var() == pytest.approx(done.facts["noise_variance"]["x"], rel=0.06)
    assert any("rounding removes it" in warning for warning in done.warnings)


def test_correlated_noise_keeps_means_variances_and_correlations():
    fields = three_fields()
    done = noised(fields, share=0.7, method="correlated")
    before = np.stack(list(fields.values()), axis=1)
    after = np.stack([numbers(done, name) for name in fields], axis=1)
    assert np.abs(correlations(before) - correlations(after)).max() < 0.02
    for name, values in fields.items():
        found = numbers(done, name)
        assert found.mean() == pytest.approx(values.mean(), abs=5 * values.std() / np.sqrt(MANY))
        assert found.var() == pytest.approx(values.var(), rel=0.05)
        assert np.corrcoef(found, values)[0, 1] == pytest.approx(done.facts["shrunk_by"], abs=0.02)


def test_uncorrelated_noise_would_not_keep_correlations():
    """The control: the same share, each field by itself."""
    fields = three_fields()
    before = np.stack(list(fields.values()), axis=1)
    done = noised(fields, share=0.7)
    after = np.stack([numbers(done, name) for name in fields], axis=1)
    assert np.abs(correlations(before) - correlations(after)).max() > 0.2


def test_correlated_noise_corrects_the_mean_of_some_rows():
    """Kim's transformation draws parts of the table towards the mean of all; the factor that is
    told mends that."""
    fields = three_fields()
    done = noised(fields, share=0.7, method="correlated")
    part = fields["x"] > 60
    found = numbers(done, "x")
    corrected = found.mean() + (found[part].mean() - found.mean()) / done.facts["shrunk_by"]
    assert found[part].mean() < fields["x"][part].mean() - 2
    assert corrected == pytest.approx(fields["x"][part].mean(), abs=0.7)


def test_sums_of_fields_stay_sums_under_correlated_noise():
    """The noise of a field that is the sum of two others is the sum of theirs."""
    fields = three_fields(400)
    fields["z"] = fields["x"] + fields["y"]
    done = noised(fields, share=0.5, method="correlated")
    assert np.abs(numbers(done, "x") + numbers(done, "y") - numbers(done, "z")).max() < 1.0


def test_multiplicative_noise_keeps_means_signs_and_zeros():
    values = np.round(
        np.concatenate([np.exp(normal(MANY, 8, 0.8)), -np.exp(normal(500, 8, 0.8)), np.zeros(500)])
    )
    done = step("noise", {"x": texts(values)}, share=0.3, method="multiplicative")
    found = numbers(done)
    assert (np.sign(found) == np.sign(values)).all()
    factors = found[values > 100] / values[values > 100]
    assert factors.mean() == pytest.approx(1.0, abs=5 * 0.3 / np.sqrt(MANY))
    assert factors.var() == pytest.approx(done.facts["factor_variance"], rel=0.1)
    assert done.facts["factor_variance"] == pytest.approx(0.09)


def test_nulls_in_one_field_do_not_empty_the_others():
    fields = three_fields(300)
    fields["y"][::3] = np.nan
    done = noised(fields, share=0.3, method="correlated")
    assert np.isnan(numbers(done, "y")).sum() == 100
    assert not np.isnan(numbers(done, "x")).any()


def warned(values, words, **settings) -> bool:
    done = step("noise", {"x": texts(values)}, **settings)
    return any(words in warning for warning in done.warnings)


def test_a_person_is_warned_of_what_noise_does_not_hide():
    ages, incomes = np.round(normal(500, 50, 15)), np.round(normal(500, 60_000, 20_000), -3)
    assert warned(ages, "can be averaged", share=0.2)
    assert warned(incomes, "rounding removes it", share=0.01)
    assert not warned(incomes, "rounding removes it", share=0.2)
    assert warned(np.append(ages, 5000), "does not hide them", share=0.2)
    assert not warned(ages, "does not hide them", share=0.2)
    assert warned(np.arange(200), "below 0 and none was", share=0.3)
    assert warned(np.full(9, 7.0), "all its numbers are equal", share=0.3)


def test_a_person_is_warned_where_the_other_fields_give_the_noise_away():
    base = normal(500, 100, 20)
    alike = {
        name: np.round(base + normal(500, 0, 0.5, seed), 1)
        for seed, name in enumerate("xyz", start=20)
    }
    apart = {
        name: np.round(normal(500, 100, 20, seed), 1) for seed, name in enumerate("xyz", start=30)
    }
    words = "with the help of the step's other fields"
    assert sum(words in warning for warning in noised(alike, share=0.3).warnings) == 3
    assert not any(words in warning for warning in noised(apart, share=0.3).warnings)
    assert not any(
        words in warning for warning in noised(alike, share=0.3, method="correlated").warnings
    )


def test_no_noise_is_a_problem_of_the_policy():
    with pytest.raises(PolicyError, match="must be above 0"):
        step("noise", {"x": ["1"]}, share=0)
