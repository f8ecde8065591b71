"""The rule by closeness that a survey names for a sensitive number can be pasted into a policy."""

from __future__ import annotations

import re
import tomllib

import pytest

from sfumato.engines import open_source
from sfumato.policy import policy_from_table
from sfumato.surveys import propose_policy, survey


def reasons(values, name="salary"):
    rows = [{"sex": "fm"[n % 2], name: value} for n, value in enumerate(values)]
    with open_source(rows, engine="reference") as source:
        return " ".join(survey(source).field(name).proposal.reasons)


@pytest.mark.parametrize(
    ("step", "width"), [(1000, 5000), (0.001, 0.005), (13, 50)], ids=["pay", "small", "odd"]
)
def test_the_rule_fits_the_numbers_and_reads_as_a_policy(step, width):
    said = reasons([str(round(n * step, 4)) for n in range(1, 121)])
    written = re.search(r"value_spread = \{[^}]*\}", said)
    assert written is not None
    asked = tomllib.loads(written[0])["value_spread"]
    assert asked["width"] == pytest.approx(width)
    fields = {"sex": "quasi", "salary": "sensitive"}
    assert policy_from_table({"fields": fields, "require": {"value_spread": asked}})


@pytest.mark.parametrize("values", [["1", "2"] * 60, ["high"] * 60 + [str(n) for n in range(60)]])
def test_few_values_and_words_get_none(values):
    assert "value_spread" not in reasons(values)


def required(rows):
    with open_source(rows, engine="reference") as source:
        return propose_policy(survey(source)).require


def people(pay):
    return [
        {"age": 20 + n % 50, "sex": "fm"[n % 2], "salary": value} for n, value in enumerate(pay)
    ]


def test_a_sensitive_number_is_proposed_to_be_spread_in_every_bin():
    require = required(people([str(1000 * n) for n in range(120)]))
    (asked,) = (one for declared, one in require.items() if declared.key == "value_spread")
    assert (asked.width, asked.share, asked.fields) == (5000, 0.8, ("salary",))


def test_numbers_that_most_people_share_are_not_proposed_to_be_spread():
    mostly_none = ["0"] * 80 + [str(1000 * n) for n in range(40)]
    assert "value_spread" not in required(people(mostly_none)).keys


def test_of_several_rows_per_person_no_spread_is_proposed():
    rows = people([str(1000 * n) for n in range(120)])
    for n, row in enumerate(rows):
        row["patient_id"] = f"P{n // 3}"
    assert "value_spread" not in required(rows).keys
