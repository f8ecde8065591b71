"""Which values lie under which labels: by hierarchy at every level, and as labels of local solvers
read."""

from __future__ import annotations

import numpy as np
import pytest
from village import everyone, hierarchies

from sfumato.bins import Bins
from sfumato.hierarchies import Hierarchy, Suppression
from sfumato.measures.label_coverage import covering
from sfumato.policy import NullRule
from sfumato.solvers.local import Local

NUMBERS = ("17", "20", "23", "24", "90", None)


@pytest.mark.parametrize(
    ("label", "covered"),
    [
        ("17..23", ["17", "20", "23"]),
        ("20-24", ["20", "23", "24"]),
        ("[20, 24)", ["20", "23"]),
        ("<20", ["17"]),
        ("≥24", ["24", "90"]),
        ("{17, 90, null}", ["17", "90", None]),
        ("23", ["23"]),
        ("2*", ["20", "23", "24"]),
        ("*", list(NUMBERS)),
        (None, [None]),
        ("nonsense", []),
    ],
)
def test_labels_are_read(label, covered):
    found = covering((label,), NUMBERS)[0]
    assert [value for value, under in zip(NUMBERS, found, strict=True) if under] == covered


@pytest.mark.parametrize(
    ("label", "covered"),
    [
        ("1965", [0, 1]),
        ("1965-03", [0]),
        ("1965-Q1", [0]),
        ("1965-1969", [0, 1, 2]),
        ("1965-01-01..1965-06-30", [0]),
    ],
)
def test_labels_of_dates_are_read(label, covered):
    dates = ("1965-03-31", "1965-12-31 23:00:00", "1969-01-01", "1970-01-01")
    assert np.flatnonzero(covering((label,), dates)[0]).tolist() == covered


def test_every_level_of_a_hierarchy_is_covered_as_the_hierarchy_says():
    for name, hierarchy in hierarchies().items():
        values = sorted({row[name] for row in everyone()})
        for level in range(hierarchy.height + 1):
            found = covering(hierarchy.labels[level], values, hierarchy)
            code = {value: number for number, value in enumerate(hierarchy.labels[0])}
            for column, value in enumerate(values):
                above = hierarchy.up[level][code[value]]
                assert np.flatnonzero(found[:, column]).tolist() == [above]


def test_a_hierarchy_has_the_last_word_on_its_own_labels():
    """A label that looks like a range may mean something else where the policy says so."""
    grades = Hierarchy.from_rows([("1", "1-2", "*"), ("3", "1-2", "*"), ("2", "others", "*")])
    assert covering(("1-2",), ("1", "2", "3"), grades).tolist() == [[True, False, True]]
    assert covering(("1-2",), ("1", "2", "1.5"), grades).tolist() == [[True, False, True]]


def test_a_star_that_is_a_value_covers_that_value_alone():
    """It was taken for a suppressed cell, which could be anybody's."""
    assert covering(("*", "a"), ("a", "*", None)).tolist() == [
        [False, True, False],
        [True, False, False],
    ]
    assert covering(("*",), ("a", "b")).tolist() == [[True, True]]


def test_a_star_is_a_suppressed_cell_where_the_hierarchy_leads_to_one():
    stars = Hierarchy.from_rows([("a", "any"), ("*", "any")])
    assert covering(("*", "any"), ("a", "*"), stars).tolist() == [[False, True], [True, True]]
    assert covering(("*",), ("a", "*"), Suppression().bind(("a", "*"))).tolist() == [[True, True]]


@pytest.mark.parametrize("labels", ["tree", "ranges"])
def test_what_the_local_solver_calls_its_cells_covers_what_is_in_them(labels):
    """Ranges of numbers, and sets of names that need quotes."""
    towns = ('a, "b"', "c", None, "d e", "null")
    sizes = {(str(10 + n), towns[n % 5]): 1 for n in range(40)}
    bins = Bins.of(("age", "town"), sizes)
    led = {name: Suppression().bind(bins.labels[at]) for at, name in enumerate(bins.fields)}
    recoding = Local(k=3, labels=labels, numeric=("age",)).solve(bins, led).recoding
    released, codes = recoding.cells(bins, led)
    for at, name in enumerate(bins.fields):
        found = covering(released[at], bins.labels[at], led[name])
        assert found[codes[:, at], bins.codes[recoding.bin_of, at]].all()
        assert labels == "tree" or not found.all()


def test_null_matches_anything_where_the_null_rule_says_so():
    found = covering((None, "a"), ("a", "b", None), nulls=NullRule.MATCHES_ANYTHING)
    assert found.tolist() == [[True, True, True], [True, False, True]]


def test_nothing_to_compare_is_an_empty_matrix():
    assert covering((), ("a",)).shape == (0, 1)
    assert covering(("a",), ()).shape == (1, 0)
