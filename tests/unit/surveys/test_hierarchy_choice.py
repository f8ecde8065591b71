from __future__ import annotations

import pytest

from sfumato.hierarchies import hierarchy_from_table
from sfumato.surveys import hierarchy_choice
from sfumato.surveys.hierarchy_choice import if_it_were_quasi
from sfumato.surveys.records import LooksLike

SUPPRESS = {"suppress": True}


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("birth date", ["1965-09-20", None], {"dates": ["month", "year", "5 years", "10 years"]}),
        (
            "dob",
            ["9/20/1965"],
            {"dates": ["month", "year", "5 years", "10 years"], "format": "%m/%d/%Y"},
        ),
        ("admission date", ["2001-01-31", "2002-02-28"], {"dates": ["month", "quarter", "year"]}),
        ("visit time", ["2001-01-31 10:30:00"], {"dates": ["day", "month", "quarter", "year"]}),
        ("birth year", ["1965", "1966"], {"dates": ["5 years", "10 years", "20 years"]}),
        ("age", ["42", "93"], {"numbers": {"widths": [5, 10, 20], "top": 90}}),
        ("zip", ["02138", "02139"], {"prefix": [4, 3, 2]}),
        ("zip", ["02138", "unknown"], {"prefix": [4, 3, 2]}),
        ("zip", ["02138-1234", "02139-4321"], {"prefix": [5, 4, 3, 2]}),
        ("zip", ["2138", "90210"], {"prefix": {"keep": [4, 3, 2], "length": 5}}),
        ("postcode", ["1000", "9000"], {"prefix": [3, 2, 1]}),
        ("state", ["MA", "Texas"], {"us_states": True}),
        ("latitude", ["52.37021", "51.92442"], {"numbers": {"widths": [0.1, 1, 10]}}),
        ("sex", ["m", "f"], SUPPRESS),
        ("town", ["Ghent"], SUPPRESS),
    ],
)
def test_what_is_proposed_covers_every_value(survey_of, name, values, expected):
    found = survey_of({name: values}).field(name).proposal.hierarchy
    assert found == expected
    assert hierarchy_from_table(found).bind(values).ends_in_one_value


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("state", [*["MA", "NY", "TX", "CA"] * 5, "Ontario"]),
        ("age", [*map(str, range(20, 60)), "90+"]),
        ("dob", [*(f"1965-09-{day:02d}" for day in range(1, 29)), "Michaelmas"]),
    ],
)
def test_one_value_that_does_not_fit_means_suppression_and_a_reason(survey_of, name, values):
    proposal = survey_of({name: values}).field(name).proposal
    assert proposal.hierarchy == SUPPRESS
    assert "does not cover every value" in proposal.reasons[1]


def test_a_format_is_chosen_by_all_values_and_not_by_the_sample(survey_of):
    """Day and month change places from the one thousandth value on, so the sample alone may not
    show it."""
    usual = [
        f"{month:02d}/{day:02d}/{year}"
        for year in range(1900, 2000)
        for month in range(1, 13)
        for day in (5, 9)
    ]
    found = survey_of({"dob": [*usual, "25/12/1999"]}).field("dob").proposal.hierarchy
    assert found["format"] == "%d/%m/%Y"


@pytest.mark.parametrize(
    ("values", "widths"),
    [
        ([str(n) for n in range(0, 1000, 7)], [10, 50, 100, 500]),
        ([str(n) for n in range(30)], [5, 10, 50]),
        ([str(n) for n in range(1, 15)], [2, 4, 8]),
        ([str(n) for n in range(8)], [2, 4]),
        ([f"{n / 2}" for n in range(120)] + ["70.5", "90.5", "510.5"], [1, 5, 10, 50, 100, 500]),
        ([f"{n / 100}" for n in range(100)], [0.01, 0.05, 0.1, 0.5]),
        ([str(1000 * n) for n in range(900)], [10_000, 50_000, 100_000, 500_000]),
    ],
)
def test_numbers_of_no_known_meaning_get_widths_by_their_spread(evidence, values, widths):
    planned = list(hierarchy_choice.PLANNERS[LooksLike.NUMBER](evidence("x", values)))
    assert [table for table, _ in planned] == [{"numbers": {"widths": widths}}]


def test_odd_numbers_get_no_widths(evidence):
    for values in (["7"], ["nan", "inf"], ["1", "x"], ["1e300", "-1e300"]):
        assert list(hierarchy_choice.PLANNERS[LooksLike.NUMBER](evidence("x", values))) == []


def test_too_many_values_are_judged_by_the_counts(survey_of, monkeypatch):
    monkeypatch.setattr(hierarchy_choice, "MOST_DISTINCT", 3)
    ages = survey_of({"age": ["1", "2", "3", "4"]}).field("age")
    dates = survey_of({"dob": [f"1965-09-{day}" for day in range(10, 20)]}).field("dob")
    mixed = survey_of({"dob": [f"{day}.09.1965" for day in range(10, 20)]}).field("dob")
    assert "numbers" in ages.proposal.hierarchy
    assert "dates" in dates.proposal.hierarchy
    assert mixed.proposal.hierarchy == SUPPRESS


def test_a_diagnosis_comes_with_a_hint_that_covers_unknown_codes(evidence, monkeypatch):
    ten, nine = evidence("dx", ["J45.20", "I10"]), evidence("dx", ["250.00", "401"])
    assert '{ icd = "10", unknown = "suppress" }' in if_it_were_quasi(ten, LooksLike.DIAGNOSIS)
    assert '{ icd = "9", unknown = "suppress" }' in if_it_were_quasi(nine, LooksLike.DIAGNOSIS)
    monkeypatch.setattr(hierarchy_choice, "find_spec", lambda name: None)
    assert "{ prefix = [3] }" in if_it_were_quasi(ten, LooksLike.DIAGNOSIS)
    assert if_it_were_quasi(ten, LooksLike.AMOUNT) == ""
