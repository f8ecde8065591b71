"""What can be inferred about a sensitive value, on toy tables."""

import pytest

from sfumato.assessment.risk import attribute_disclosure
from sfumato.assessment.risk.attribute_disclosure import GAINS
from sfumato.bins import Bins
from sfumato.bins.toy_bins import bins_of_rows

ROWS = [
    ("021", "flu"),
    ("021", "flu"),
    ("021", "cold"),
    ("021", "cold"),
    ("946", "flu"),
    ("946", "flu"),
    ("100", "measles"),
    ("100", None),
]


def found_in(rows, prior=None):
    return attribute_disclosure(
        bins_of_rows(("zip",), rows, sensitive=("problem",)), "problem", prior=prior
    )


def test_confidence_against_guessing_without_the_table():
    found = found_in(ROWS)
    assert found.baseline == 0.5
    assert found.per_bin.tolist() == [0.5, 1.0, 0.5]
    assert found.average == pytest.approx((4 * 0.5 + 2 * 1 + 2 * 0.5) / 8)
    assert found.maximum == 1
    assert found.one_value == found.one_value_of_several == 0.25
    assert found.values == 4


def test_rows_where_some_value_is_surer_than_before():
    """Cold rises from 2/8 to 1/2, flu from 4/8 to 1, measles from 1/8 to 1/2."""
    found = dict(zip(GAINS, found_in(ROWS).exceeding, strict=True))
    assert found == {0.1: 1.0, 0.25: 1.0, 0.5: 0.25}


def test_a_prior_from_elsewhere():
    found = found_in(ROWS[4:6], prior={"flu": 0.99, "cold": 0.01})
    assert found.baseline == 0.99
    assert found.exceeding == (0.0, 0.0, 0.0)
    assert found.one_value == 1


def test_a_row_that_is_alone_tells_its_value():
    found = found_in([("021", "flu"), ("946", "cold")])
    assert found.one_value == 1
    assert found.one_value_of_several == 0


def test_a_constant_field_teaches_nothing():
    found = found_in([("021", "flu"), ("946", "flu")])
    assert found.exceeding == (0.0, 0.0, 0.0)
    assert "same value" in found.reason


def test_only_nulls():
    found = found_in([("021", None), ("021", None)])
    assert found.values == 1
    assert found.maximum == 1
    assert "same value" in found.reason


def test_no_rows():
    empty = bins_of_rows(("zip",), [], sensitive=("problem",))
    found = attribute_disclosure(
        Bins(empty.fields, empty.labels, empty.codes, empty.counts, empty.histograms), "problem"
    )
    assert found.reason == "the table is empty"
    assert found.as_dict()["average_confidence"] == 0
