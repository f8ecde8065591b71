from __future__ import annotations

import doctest
from pathlib import Path

from sfumato.surveys.combinations import MOST_FIELDS, MOST_GROUP_BYS
from sfumato.surveys.date_formats import FORMATS
from sfumato.surveys.hierarchy_choice import MOST_DISTINCT

PAGE = Path(__file__).parents[3] / "docs" / "survey.md"


def test_the_example_runs():
    assert doctest.testfile(str(PAGE), module_relative=False).failed == 0


def test_the_numbers_on_the_page_are_those_of_the_code():
    text = PAGE.read_text(encoding="utf-8")
    assert f"{MOST_FIELDS} fields or {MOST_GROUP_BYS} counts" in text
    assert f"{MOST_DISTINCT:,} different ones" in text
    assert f"{len(FORMATS)} ways to write a date" in text
