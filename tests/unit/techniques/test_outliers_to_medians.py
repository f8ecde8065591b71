"""Outliers to medians: what is far from the others is gone, what is not stays, and medians are
never those of a few."""

from __future__ import annotations

import numpy as np
import pytest
from numbers_by_hand import normal, numbers, step, texts

from sfumato.errors import PolicyError


def test_outliers_become_the_median_and_the_others_stay():
    values = [*map(str, range(40, 61)), "50", "500", "-300", None]
    done = step("outliers", {"x": values})
    assert done.cells.columns["x"].tolist() == [*values[:-3], "50", "50", None]
    assert done.facts == {"rows_replaced": {"x": "fewer than 10"}}
    assert (
        done.words["x"]
        == "numbers more than 1.5 interquartile ranges beyond the quartiles became the median"
    )


def test_how_far_is_said_by_the_step():
    values = texts(normal(1000, 50, 10))
    near, far = (numbers(step("outliers", {"x": values}, beyond=beyond)) for beyond in (0.5, 3.0))
    assert near.std() < far.std()
    assert (far == np.array(values, float)).all()


def test_each_group_has_its_own_median_if_it_is_large_enough():
    columns = {
        "x": [
            *map(str, range(100, 120)),
            "900",
            *map(str, range(500, 520)),
            "900",
            "1",
            "2",
            "900",
        ],
        "group": ["a"] * 21 + ["b"] * 21 + ["c"] * 3,
    }
    found = numbers(step("outliers", columns, within=["group"]))
    assert found[20] == 110
    assert found[41] == 510
    assert found[42] == 1  # of all rows it is no outlier; its group of three has no say
    assert found[44] == 900


def test_where_most_numbers_are_equal_the_others_are_judged_among_themselves():
    """The interquartile range is 0: by the usual rule all who have anything else would be
    outliers."""
    values = ["0"] * 60 + [str(value) for value in range(10, 40)] + ["5000"]
    found = numbers(step("outliers", {"x": values}))
    assert (found[60:90] == np.arange(10, 40)).all()
    assert found[90] == 0


def test_a_few_others_among_equal_numbers_are_outliers():
    found = numbers(step("outliers", {"x": ["0"] * 60 + ["3", "4"]}))
    assert (found == 0).all()


def test_a_median_that_one_row_has_is_not_told():
    values = [
        *map(str, range(1000, 1500, 10)),
        "1504",
        *map(str, range(1510, 2010, 10)),
        "9000000",
        "9000001",
    ]
    found = numbers(step("outliers", {"x": values}))
    assert np.median(np.array(values, float)) == 1510
    assert found[-1] == found[-2] == round((1504 + 1510 + 1520) / 3)


def test_a_person_is_warned_where_medians_can_be_seen():
    """In numbers that are all different, the one that stands in several rows is where outliers
    were."""
    precise = np.append(np.round(normal(500, 5e6, 1e5)), [9e9, 9.1e9])
    coarse = np.append(np.round(normal(500, 50, 5)), [900, 910])
    assert any("show it" in warning for warning in step("outliers", {"x": texts(precise)}).warnings)
    assert step("outliers", {"x": texts(coarse)}).warnings == ()


def test_whole_numbers_get_a_whole_median():
    found = step(
        "outliers", {"x": ["1", "1", "1", "2", "2", "2", "1", "2", "1", "2", "77"]}
    ).cells.columns["x"]
    assert found[-1] in ("1", "2")


def test_the_rows_behind_a_median():
    with pytest.raises(PolicyError, match="3 or more"):
        step("outliers", {"x": ["1"]}, least=2)
    with pytest.raises(PolicyError, match="The step changes"):
        step("outliers", {"x": ["1"]}, within=["x"])
