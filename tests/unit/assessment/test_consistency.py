"""Tables that do not fit together are refused before anything is measured, with names of fields and
no value."""

from __future__ import annotations

from datetime import datetime

import pandas as pd
import pytest

from sfumato.assessment.consistency import check_others, check_written_alike, telling_much
from sfumato.engines import open_source
from sfumato.errors import SourceError

NUMBERS = [31.0, 47.0, 58.0]
DAYS = [datetime(1947, 3, 1), datetime(1951, 12, 24), datetime(1962, 6, 17)]
TRUTHS = [True, False, True]


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ([31, 47, 58], NUMBERS),
        (["31", "47", "58"], NUMBERS),
        ([f"{day:%Y-%m-%d}" for day in DAYS], DAYS),
        ([1, 0, 1], TRUTHS),
        (["31.00", "47.00", "58.00"], NUMBERS),
    ],
    ids=["whole and real", "text and real", "days and moments", "truths and numbers", "digits"],
)
def test_the_same_values_written_in_another_way(mine, theirs):
    with (
        open_source(pd.DataFrame({"x": mine})) as release,
        open_source(pd.DataFrame({"x": theirs})) as source,
        pytest.raises(SourceError, match="written in different ways") as raised,
    ):
        check_written_alike(release, source, ("x",), what="the source")
    assert not any(
        value in str(raised.value) for value in ("31", "47", "58", "1947", "1951", "1962")
    )


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (["30-39", "40-49", "50-59"], NUMBERS),
        ([31.4, 46.2, 58.9], NUMBERS),
        (["31.0", "47.0", "58.0"], NUMBERS),
        (["*", "*", "*"], NUMBERS),
        (["1947", "1951", "1962"], DAYS),
        (["n", "n", "y"], ["no", "yes", "yes"]),
        ([None, None, None], NUMBERS),
    ],
    ids=["ranges", "noise", "the same text", "suppressed", "years", "other words", "nothing"],
)
def test_labels_that_say_less_or_something_else_are_no_mistake(mine, theirs):
    with (
        open_source(pd.DataFrame({"x": mine})) as release,
        open_source(pd.DataFrame({"x": theirs})) as source,
    ):
        check_written_alike(release, source, ("x",), what="the source")


def test_a_field_that_would_find_most_rows_is_named_though_nobody_is_counted_as_knowing_it():
    table = pd.DataFrame({"charges": [100.5 + n for n in range(30)], "ward": ["a", "b", "c"] * 10})
    with open_source(table) as release:
        (said,) = telling_much(release, ("charges", "ward", "not released"))
    assert "charges" in said
    assert "ward" not in said
    assert "100" not in said


def ages(first: int, *, names: str = "") -> pd.DataFrame:
    table = pd.DataFrame({"age": [first + n for n in range(40)], "ill": ["flu", "gout"] * 20})
    return table.assign(name=[f"{names}{n}" for n in range(40)]) if names else table


@pytest.mark.parametrize("names", ["", "person "])
def test_a_control_group_of_the_same_people_is_none(names):
    with (
        open_source(ages(20)) as release,
        open_source(ages(20, names=names)) as source,
        open_source(ages(20, names=names)) as control,
        pytest.raises(SourceError, match="has people of the source"),
    ):
        check_others(source, control, release, ("age",))


@pytest.mark.parametrize(
    ("of_source", "of_control"),
    [
        (ages(20), ages(40)),
        (ages(20, names="person "), ages(20, names="somebody else ")),
        (ages(20).assign(age=30), ages(20).assign(age=30)),
    ],
    ids=["others", "others who look the same", "nobody is told apart"],
)
def test_a_control_group_of_others_may_look_alike(of_source, of_control):
    with (
        open_source(ages(20)) as release,
        open_source(of_source) as source,
        open_source(of_control) as control,
    ):
        check_others(source, control, release, ("age",))
