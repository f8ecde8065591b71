"""Bins of people over how many rows they have."""

import numpy as np

from sfumato.bins import Bins
from sfumato.releases.tables.row_counts import renumbered, row_numbers, with_none


def test_people_without_rows_are_those_who_have_none():
    found = Bins.of(("sex", "rows"), {("f", "1"): 2, ("f", "12"): 1, ("m", "1"): 4})
    everyone = Bins.of(("sex",), {("f",): 5, ("m",): 4, (None,): 2})
    counted = with_none(found, everyone)
    assert counted.sizes() == {
        ("f", "1"): 2,
        ("f", "12"): 1,
        ("m", "1"): 4,
        ("f", "0"): 2,
        (None, "0"): 2,
    }
    assert with_none(Bins.of(("rows",), {}), Bins.of((), {(): 7})).sizes() == {("0",): 7}


def test_numbers_are_numbers_and_not_texts():
    counted = Bins.of(("rows",), {("10",): 1, ("9",): 2, ("0",): 3})
    assert dict(zip(row_numbers(counted).tolist(), counted.counts.tolist(), strict=True)) == {
        10: 1,
        9: 2,
        0: 3,
    }
    assert row_numbers(Bins.of(("rows",), {})).tolist() == []


def test_who_gets_the_same_number_shares_a_bin():
    counted = Bins.of(("sex", "rows"), {("f", "1"): 2, ("f", "3"): 1, ("m", "3"): 4})
    kept = np.array([{"1": 1, "3": 1}[rows] if sex == "f" else 3 for sex, rows in counted.tuples()])
    assert renumbered(counted, kept).sizes() == {("f", "1"): 3, ("m", "3"): 4}
