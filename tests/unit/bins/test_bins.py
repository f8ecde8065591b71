"""Bins on toy tables; the properties are in tests/properties/test_bins.py."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.bins import Bins, GlobalRecoding, LocalRecoding
from sfumato.engines.reference.engine import ReferenceEngine
from sfumato.hierarchies import Hierarchy

ROWS = [
    {"zip": "02138", "sex": "f", "ill": "flu"},
    {"zip": "02138", "sex": "f", "ill": "gout"},
    {"zip": "02139", "sex": "f", "ill": "flu"},
    {"zip": None, "sex": "m", "ill": None},
]
ZIPS = Hierarchy.from_rows([("02138", "0213*", "*"), ("02139", "0213*", "*"), (None, None, "*")])
SEXES = Hierarchy.from_rows([("f", "*"), ("m", "*")])
BOUNDS = {"zip": ZIPS, "sex": SEXES}


def counted() -> Bins:
    return Bins.count(ReferenceEngine(ROWS), ("zip", "sex"), sensitive=("ill",))


def test_counted_from_an_engine() -> None:
    assert counted().sizes() == {("02138", "f"): 2, ("02139", "f"): 1, (None, "m"): 1}
    assert (counted().rows, counted().smallest, len(counted()), counted().distinct("zip")) == (
        4,
        1,
        3,
        3,
    )


def test_repr_has_no_value() -> None:
    assert repr(counted()) == "Bins(fields=('zip', 'sex'), bins=3, rows=4, smallest=1)"


def test_nothing_at_all() -> None:
    empty = Bins.of(("a",), {})
    assert (empty.rows, empty.smallest, empty.sizes(), empty.project(()).sizes()) == (0, 0, {}, {})


def test_projecting_sums_histograms() -> None:
    found = counted().project(("sex",))
    assert found.sizes() == {("f",): 3, ("m",): 1}
    histogram = found.histograms["ill"]
    assert (histogram.bin_of.tolist(), histogram.counts.tolist()) == ([0, 0, 1], [2, 1, 1])
    assert [histogram.values[v] for v in histogram.value_of] == ["flu", "gout", None]


def test_null_climbs_its_own_ladder() -> None:
    assert counted().recode(BOUNDS, {"zip": 1}).sizes() == {("0213*", "f"): 3, (None, "m"): 1}
    assert counted().recode(BOUNDS, {"zip": 2, "sex": 1}).sizes() == {("*", "*"): 4}


def test_an_unknown_field() -> None:
    with pytest.raises(ValueError, match="not in tuple"):
        counted().project(("age",))


def test_a_global_recoding_leaves_rows_out() -> None:
    recoding = GlobalRecoding(levels={"zip": 1}, suppressed=np.array([False, False, True]))
    assert recoding.apply(counted(), BOUNDS).sizes() == {("0213*", "f"): 3}
    assert recoding.rows_suppressed(counted()) == 1
    levels, rows = recoding.cell_levels(counted())
    assert (levels.tolist(), rows.tolist()) == ([[1, 0]], [3])


def test_a_global_recoding_leaves_a_part_of_a_coarser_bin_out() -> None:
    recoding = GlobalRecoding(levels={"zip": 1}, suppressed=np.array([True, False, False]))
    assert recoding.apply(counted(), BOUNDS).sizes() == {("0213*", "f"): 1, (None, "m"): 1}


def test_a_recoding_is_remembered_for_its_levels_and_hierarchies_alone() -> None:
    bins = counted()
    first = bins.recode(BOUNDS, {"zip": 1})
    assert bins.recode(BOUNDS, {"zip": 1, "sex": 0}) is first
    assert bins.recode(BOUNDS, {"zip": 2}).sizes() == {("*", "f"): 3, ("*", "m"): 1}
    other = Hierarchy.from_rows([("02138", "a", "*"), ("02139", "b", "*"), (None, None, "*")])
    assert bins.recode(BOUNDS | {"zip": other}, {"zip": 1}).sizes() == {
        ("a", "f"): 2,
        ("b", "f"): 1,
        (None, "m"): 1,
    }


def test_a_local_recoding_cuts_a_bin_and_joins_equal_labels() -> None:
    """One of the two rows of 02138 is raised and meets 02139 at 0213*; the null row is left out."""
    recoding = LocalRecoding(
        bin_of=np.array([0, 0, 1, 2]),
        rows=np.array([1, 1, 1, 1]),
        levels=np.array([[0, 0], [1, 0], [1, 0], [0, 0]], np.int16),
        suppressed=np.array([False, False, False, True]),
    )
    assert recoding.apply(counted(), BOUNDS).sizes() == {("02138", "f"): 1, ("0213*", "f"): 2}
    assert recoding.rows_suppressed(counted()) == 1
