"""Years, seasons, holidays, weekdays: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.years import Years

ARE = [
    ("born in 1925", "1925"),
    ("in summer of 1974", "summer of 1974"),
    ("Christmas 1995", "Christmas 1995"),
    ("last spring 1998", "last spring 1998"),
    ("between 1974 and 1983", "1974 and 1983"),
    ("from 1993-1995", "1993-1995"),
    ("Labor Day 2019", "Labor Day 2019"),
    ("Q3 2019", "Q3 2019"),
    ("Thanksgiving, 2012", "Thanksgiving, 2012"),
]
LOW = [
    ("he moved in 1993.", "1993"),
    ("the tax year 1996/97", "1996/97"),
    ("the year 1995/6", "1995/6"),
    ("the 1990s", "1990s"),
    ("the late 1980s", "late 1980s"),
    ("at the beginning of 1996", "the beginning of 1996"),
    ("on Tuesday morning", "Tuesday"),
    ("at Easter", "Easter"),
    ("on New Year's Eve", "New Year's Eve"),
]
ARE_NOT = [
    "1500 mg",
    "2000 units",
    "Law no. 1982",
    "room 2010",
    "12345",
    "1993/91",
    "the fall was painful",
    "sun and wed",
    "3000",
]


@pytest.mark.parametrize(("text", "year"), ARE)
def test_finds(found, text, year):
    assert found(Years(), text) == [year]


@pytest.mark.parametrize(("text", "year"), LOW)
def test_scores_low(found, text, year):
    assert found(Years(), text) == []
    assert found(Years(), text, least=0.3) == [year]


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Years(), text, least=0.1) == []
