"""SUDA and DIS scores that others print: sdcMicro's own tests, and the IHSN's practice guide.

- sdcMicro, tests/testthat/test_suda2.R: scores of the guide's table and of the table in Templ's
  book (2017, "Statistical Disclosure Control for Microdata"), and contributions of a table with
  three rows.
- Benschop, Machingauta and Welch, "Statistical Disclosure Control: A Practice Guide", table 4.5:
  SUDA scores after Elliot, and DIS scores (to four decimals), which are those of the IHSN's
  program.
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest

from sfumato.assessment.risk.suda2 import suda2
from sfumato.bins import Bins

GUIDE_FIELDS = ("residence", "gender", "education", "labour")
GUIDE = [
    ("Urban", "Female", "Secondary incomplete", "Employed"),
    ("Urban", "Female", "Secondary incomplete", "Employed"),
    ("Urban", "Female", "Primary incomplete", "Non-LF"),
    ("Urban", "Male", "Secondary complete", "Employed"),
    ("Rural", "Female", "Secondary complete", "Unemployed"),
    ("Urban", "Male", "Secondary complete", "Employed"),
    ("Urban", "Female", "Primary complete", "Non-LF"),
    ("Urban", "Male", "Post-secondary", "Unemployed"),
    ("Urban", "Female", "Secondary incomplete", "Non-LF"),
    ("Urban", "Female", "Secondary incomplete", "Non-LF"),
]
BOOK = [
    ("20s", "male", "50k+", "highschool"),
    ("20s", "male", "50k+", "highschool"),
    ("20s", "male", "50k-", "highschool"),
    ("20s", "male", "50k-", "highschool"),
    ("20s", "female", "50k-", "university"),
    ("20s", "female", "50k-", "highschool"),
    ("20s", "female", "50k-", "middleschool"),
    ("60s", "male", "50k-", "university"),
]
THREE = {"a": (2, 1, 1), "b": (0, 3, 0), "c": (0, 6, 0)}


def bins_of(fields, rows) -> tuple[Bins, list[int]]:
    """The bins, and for each row the number of its bin."""
    bins = Bins.of(fields, Counter(rows))
    place = {values: number for number, values in enumerate(bins.tuples())}
    return bins, [place[row] for row in rows]


def per_row(of, places) -> list[float]:
    return [float(of[place]) for place in places]


def test_the_practice_guide_prints_these_scores():
    bins, places = bins_of(GUIDE_FIELDS, GUIDE)
    assert per_row(suda2(bins).scores, places) == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]


def test_and_names_the_minimal_uniques_of_its_fifth_record():
    bins, places = bins_of(GUIDE_FIELDS, GUIDE)
    assert set(suda2(bins).fields_of(places[4])) == {
        ("residence",),
        ("education", "labour"),
        ("gender", "labour"),
        ("gender", "education"),
    }


def test_a_limit_of_three_fields_gives_the_same_scores_as_the_guide_says():
    bins, places = bins_of(GUIDE_FIELDS, GUIDE)
    assert per_row(suda2(bins, largest=3).scores, places) == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]


def test_its_dis_scores_are_those_of_the_program_of_the_ihsn():
    bins, places = bins_of(GUIDE_FIELDS, GUIDE)
    printed = [0.0, 0.0, 0.0051, 0.0, 0.0107, 0.0, 0.0051, 0.0088, 0.0, 0.0]
    assert [
        round(score, 4) for score in per_row(suda2(bins, scoring="ihsn").dis, places)
    ] == printed


def test_dis_scores_after_elliot_by_the_same_formula():
    """Worked out by hand: odds are score^1.2 times the sum of score^-1.2, over 6 records in pairs
    times 99."""
    bins, places = bins_of(GUIDE_FIELDS, GUIDE)
    adjusted = 2 / 6**1.2 + 1 / 12**1.2 + 1 / 10**1.2
    expected = [1 / (1 + 594 / (score**1.2 * adjusted)) for score in (6, 12, 6, 10)]
    found = per_row(suda2(bins).dis, places)
    assert [found[at] for at in (2, 4, 6, 7)] == pytest.approx(expected, rel=1e-12)


def test_the_book_prints_these_scores():
    bins, places = bins_of(("age", "gender", "income", "education"), BOOK)
    assert per_row(suda2(bins).scores, places) == [0, 0, 0, 0, 4, 2, 6, 8]


@pytest.mark.parametrize("fields", list(permutations("abc")))
def test_contributions_of_three_rows_in_any_order_of_the_fields(fields):
    bins, _ = bins_of(
        fields, list(zip(*([str(v) for v in THREE[name]] for name in fields), strict=True))
    )
    assert suda2(bins).contributions == {"a": 50.0, "b": 37.5, "c": 37.5}
