"""A released label is read as the values under it, whoever made it."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.assessment.utility import label_values
from sfumato.engines import FieldKind
from sfumato.hierarchies import Hierarchy
from sfumato.measures.label_forms import date_bounds, members_of, number_bounds


def under(found, label, labels):
    code = labels.index(label)
    return [
        found.values[place] for place in found.members[found.starts[code] : found.starts[code + 1]]
    ]


def test_labels_of_a_hierarchy_are_the_values_that_occur_under_them():
    towns = Hierarchy.from_rows(
        [("Ely", "east", "*"), ("Diss", "east", "*"), ("Bath", "west", "*"), ("Wem", "west", "*")]
    )
    labels = ("east", "west", "Ely", "*", None)
    found = label_values(
        "town", (("Bath", "Diss", "Ely"), np.ones(3)), labels, kind=FieldKind.TEXT, hierarchy=towns
    )
    assert under(found, "east", labels) == ["Diss", "Ely"]
    assert under(found, "west", labels) == ["Bath"]
    assert under(found, "Ely", labels) == ["Ely"]
    assert found.says.tolist() == [True, True, True, False, False]
    assert found.is_null.tolist() == [False, False, False, False, True]


def test_ranges_sets_and_prefixes_are_read_without_a_hierarchy():
    labels = ("20-24", "[24, 30)", "≥30", "20..30")
    ages = label_values(
        "age", (("20", "24", "29", "30"), np.ones(4)), labels, kind=FieldKind.INTEGER
    )
    assert [under(ages, label, labels) for label in labels[:3]] == [
        ["20", "24"],
        ["24", "29"],
        ["30"],
    ]
    assert not ages.says[3]  # it covers every value
    assert ages.middles[:2].tolist() == [22, 27]
    labels = ("{02138, 02139}", "021**", "0213*")
    zips = label_values(
        "zip", (("02138", "02139", "02141", "94601"), np.ones(4)), labels, kind=FieldKind.TEXT
    )
    assert zips.reading == "category"
    assert [len(under(zips, label, labels)) for label in labels] == [2, 3, 2]


def test_rows_are_spread_evenly_or_by_the_source():
    before = (("a", "b", "c"), np.array([9.0, 1.0, 5.0]))
    evenly = label_values("x", before, ("{a, b}", "c"), kind=FieldKind.TEXT)
    as_source = label_values("x", before, ("{a, b}", "c"), kind=FieldKind.TEXT, spread="as-source")
    assert evenly.after(np.array([10.0, 1.0])).tolist() == [5, 5, 1]
    assert np.allclose(as_source.after(np.array([10.0, 1.0])), [9, 1, 1])


def test_new_values_join_the_old_ones():
    numbers = label_values("x", (("1", "3"), np.ones(2)), ("2.5", "3"), kind=FieldKind.REAL)
    assert numbers.values == ("1", "2.5", "3")
    words = label_values("x", (("a", None), np.ones(2)), ("b", "a"), kind=FieldKind.TEXT)
    assert words.values == ("a", "b")
    assert words.value_of.tolist() == [0, -1]


@pytest.mark.parametrize(
    ("values", "kind", "reading"),
    [
        (("17", "39"), FieldKind.TEXT, "number"),
        (("02138", "94601"), FieldKind.TEXT, "category"),
        (("2001-05-06", "1999-12-31"), FieldKind.TEXT, "date"),
        (("true", "false"), FieldKind.BOOLEAN, "category"),
        ((), FieldKind.TEXT, "category"),
    ],
)
def test_what_a_field_is_read_as(values, kind, reading):
    assert label_values("x", (values, np.ones(len(values))), (), kind=kind).reading == reading


def test_digits_that_are_cut_short_are_a_code():
    found = label_values(
        "zip", (("94601", "94602", "10001"), np.ones(3)), ("9460*", "10001"), kind=FieldKind.TEXT
    )
    assert found.reading == "category"
    assert found.after(np.array([4.0, 1.0])).tolist() == [1, 2, 2]


def test_what_is_no_range_is_none():
    assert number_bounds("30-20") is None
    assert number_bounds("<b>") is None
    assert date_bounds("yesterday") is None
    assert date_bounds("9999") is None  # its last day cannot be told
    assert members_of("{") == ()


def test_a_repr_shows_no_value():
    found = label_values("town", (("Ely",), np.ones(1)), ("Ely",), kind=FieldKind.TEXT)
    assert "Ely" not in repr(found)
