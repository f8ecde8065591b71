"""Constants that are too large, and keys of people that are counted, are refused by the query
alone, with an offer."""

from __future__ import annotations

import time

import pytest

from sfumato.errors import NotAdmitted
from sfumato.gate.sql import admit
from sfumato.gate.sql.admission import QueryableTable

PEOPLE = {"people": QueryableTable(known=("age", "town"), unknown=("test",), never=("patient_id",))}


@pytest.mark.parametrize(
    "large", ["COUNT(*) * 9000000000000000000", "COUNT(*) * 100000 * 100000", "9e18 + COUNT(*)"]
)
def test_a_constant_that_is_too_large_is_refused_before_any_row_is_read(large):
    with pytest.raises(NotAdmitted, match="too large") as refused:
        admit(f"SELECT {large} AS n FROM people", PEOPLE)
    assert refused.value.code == "too-large"


def test_usual_constants_are_admitted():
    assert admit(
        "SELECT town, ROUND(100.0 * COUNT(*) + 1000000, 2) AS n FROM people GROUP BY town", PEOPLE
    )


@pytest.mark.parametrize(
    "large",
    [
        "COUNT(*) * COUNT(*) * COUNT(*)",
        "*".join(["COUNT(*)"] * 50),
        "(COUNT(*) + 1) * (COUNT(*) * COUNT(*) - 1)",
        "4 * COUNT(*) * COUNT(*)",
        "SUM(age * age * age)",
        "ABS(SUM(age) * AVG(age)) * MAX(age)",
    ],
)
def test_a_product_that_may_overflow_is_refused_before_any_row_is_read(large):
    with pytest.raises(NotAdmitted, match="too large") as refused:
        admit(f"SELECT {large} AS n FROM people", PEOPLE)
    assert refused.value.code == "too-large"


def test_small_products_are_admitted():
    assert admit(
        "SELECT town, COUNT(*) * 100 AS n, 2 * AVG(age) AS s FROM people GROUP BY town", PEOPLE
    )
    assert admit("SELECT COUNT(*) * SUM(age) AS n FROM people", PEOPLE)
    assert admit("SELECT SUM((age - 50) * (age - 50)) AS n FROM people", PEOPLE)
    with pytest.raises(NotAdmitted, match="too large"):
        admit("SELECT SUM((age + age) * (age + age)) AS n FROM people", PEOPLE)


@pytest.mark.parametrize("sign", ["(", "-(", "NOT ("])
def test_deep_expressions_are_refused_before_they_are_parsed(sign):
    deep = 9_000 // len(sign)
    start = time.process_time()
    with pytest.raises(NotAdmitted) as refused:
        admit(f"SELECT {sign * deep}1{')' * deep} AS n FROM people", PEOPLE)
    assert refused.value.code == "too-deep"
    assert time.process_time() - start < 1


def test_whoever_counts_the_key_of_people_is_told_how_people_are_counted():
    with pytest.raises(NotAdmitted) as refused:
        admit("SELECT COUNT(DISTINCT patient_id) FROM people", PEOPLE)
    assert refused.value.attempt == "COUNT(DISTINCT person)."
