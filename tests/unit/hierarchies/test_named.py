"""Trees, ordered values and suppression, and the registry of builders."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError
from sfumato.hierarchies import (
    BUILDERS,
    HierarchySpec,
    Ordered,
    Suppression,
    Tree,
    hierarchy_from_table,
)

WORLD = {
    "Europe": ["France", "Spain"],
    "Asia": {"East": ["Japan"], "South": ["India"], "Nepal": []},
    "Antarctica": [],
}


def test_a_tree_of_uneven_depth_repeats_the_last_group():
    hierarchy = Tree(WORLD).bind(["France", "Japan", "Nepal", "Antarctica"])
    assert hierarchy.labels[1:] == (
        ("Europe", "East", "Asia", "Antarctica"),
        ("Europe", "Asia", "Antarctica"),
        ("*",),
    )


def test_a_group_in_the_data_stands_for_itself():
    assert Tree(WORLD).bind(["Japan", "East", "Asia"]).labels[1:3] == (("East", "Asia"), ("Asia",))


def test_a_tree_may_name_its_top():
    assert hierarchy_from_table({"tree": WORLD, "top": "World"}).bind(["Japan", None]).labels[
        -1
    ] == ("World",)


def test_a_tree_of_single_values_has_one_level():
    assert Tree({"a": [], "b": {}}).bind(["a", "b"]).labels[1:] == (("*",),)


def test_values_outside_the_tree_are_counted_and_not_told():
    with pytest.raises(
        HierarchyError, match="1 of 2 distinct values are not in the tree"
    ) as caught:
        Tree(WORLD).bind(["France", "Atlantis"])
    assert "Atlantis" not in str(caught.value)


@pytest.mark.parametrize(
    ("tree", "complaint"),
    [
        ({"A": ["x"], "B": ["x"]}, 'One value is there twice: under "A" and "B".'),
        ({"A": ["x", "x"]}, "One value is there twice"),
        (
            {"A": {"Other": ["x"]}, "B": {"Other": ["y"]}},
            'One group, "Other", is there twice: under "A" and "B".',
        ),
        ({"A": "x"}, "must be a table of groups"),
        ({"A": [1]}, "must be a table of groups"),
        ({}, "must be a table of groups"),
        (["x"], "must be a table of groups"),
    ],
)
def test_a_tree_that_is_no_tree_is_refused(tree, complaint):
    with pytest.raises(HierarchyError, match=re.escape(complaint)):
        hierarchy_from_table({"tree": tree})


SCHOOL = ("none", "primary", "secondary", "higher", "doctoral")


def test_neighbours_are_grouped_in_their_order():
    hierarchy = Ordered(SCHOOL, widths=(2, 4)).bind(["higher", "none", "doctoral"])
    assert hierarchy.labels[1] == ("secondary..higher", "none..primary", "doctoral")
    assert hierarchy.labels[2] == ("none..higher", "doctoral")


def test_values_that_are_not_in_the_order_are_counted():
    with pytest.raises(HierarchyError, match="1 of 1 distinct values are not in the order"):
        Ordered(SCHOOL, widths=(2,)).bind(["None"])


@pytest.mark.parametrize(
    "table",
    [
        {"ordered": list(SCHOOL)},
        {"ordered": list(SCHOOL), "widths": [2, 3]},
        {"ordered": list(SCHOOL), "widths": [4, 2]},
        {"ordered": list(SCHOOL), "widths": [1]},
        {"ordered": ["a", "a"], "widths": [2]},
        {"ordered": ["a", 1], "widths": [2]},
        {"ordered": [], "widths": [2]},
    ],
)
def test_an_order_that_makes_no_hierarchy_is_refused(table):
    with pytest.raises(HierarchyError):
        hierarchy_from_table(table)


@pytest.mark.parametrize(
    "table", [{"suppress": False}, {"suppress": ""}, {"suppress": 1}, {"suppress": True, "x": 1}]
)
def test_suppress_is_true_or_a_label(table):
    with pytest.raises(HierarchyError, match="suppress must be true"):
        hierarchy_from_table(table)


def test_suppress_may_have_a_label():
    assert hierarchy_from_table({"suppress": "hidden"}) == Suppression("hidden")


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({}, "It names none."),
        ({"date": ["year"]}, 'Did you mean "dates"?'),
        ({"dates": ["year"], "prefix": [3]}, "It names 2: dates, prefix."),
        ({"dates": ["year"], "fromat": "%Y"}, 'Did you mean "format"?'),
    ],
)
def test_a_table_names_one_builder_that_exists(table, complaint):
    with pytest.raises(HierarchyError, match=re.escape(complaint)):
        hierarchy_from_table(table)


EXAMPLES = [
    {"dates": ["month", "year"], "format": "%m/%d/%y", "last_year": 1999},
    {"numbers": {"widths": [5, 10], "origin": 2, "bottom": 20, "top": 90.5}},
    {"numbers": {"quantiles": [20, 5]}},
    {
        "numbers": {
            "ranges": [{"name": "low", "below": 90}, {"name": "high"}],
            "groups": [{"any": ["low", "high"]}],
        }
    },
    {"prefix": [4, 3]},
    {"prefix": {"keep": [4, 3], "fill": "", "length": 5}},
    {"icd": "10"},
    {"icd": "9", "unknown": "suppress"},
    {"us_states": True},
    {"tree": WORLD, "top": "World"},
    {"ordered": list(SCHOOL), "widths": [2, 4]},
    {"suppress": True},
    {"suppress": "hidden"},
]


@pytest.mark.parametrize("table", EXAMPLES, ids=lambda table: next(iter(table)))
def test_what_a_builder_describes_is_read_back_as_itself(table):
    spec = hierarchy_from_table(table)
    assert isinstance(spec, HierarchySpec)
    assert spec.describe() == table
    assert hierarchy_from_table(spec.describe()) == spec


@pytest.mark.parametrize("table", EXAMPLES, ids=lambda table: next(iter(table)))
@pytest.mark.parametrize("values", [[], [None]])
def test_every_builder_binds_to_no_values_and_to_null(table, values):
    hierarchy = hierarchy_from_table(table).bind(values)
    assert hierarchy.labels[0] == (None,)
    assert hierarchy.ends_in_one_value


def test_every_builder_has_an_example_here():
    assert {next(iter(table)) for table in EXAMPLES} == set(BUILDERS)


names = st.text(min_size=1, max_size=4)


@given(
    st.lists(names, min_size=1, max_size=12, unique=True), st.sampled_from([(2,), (2, 4), (3, 9)])
)
def test_ordered_groups_nest_where_labels_are_distinct(order, widths):
    plain = [f"{place} {name}" for place, name in enumerate(order)]
    assert Ordered(tuple(plain), widths).bind([*reversed(plain), None]).ends_in_one_value


branches = st.recursive(
    st.lists(st.integers(0, 9), max_size=3),
    lambda inner: st.lists(inner, min_size=1, max_size=3),
    max_leaves=8,
)


def _numbered(branch, prefix):
    """A tree with a distinct name for every place in a nested list."""
    if branch and isinstance(branch[0], list):
        return {
            f"{prefix}.{n}": _numbered(below, f"{prefix}.{n}") for n, below in enumerate(branch)
        }
    return [f"{prefix}:{n}" for n, _ in enumerate(branch)]


@given(st.lists(branches, min_size=1, max_size=3))
def test_trees_of_any_shape_nest(shape):
    tree = Tree({str(n): _numbered(branch, str(n)) for n, branch in enumerate(shape)})
    values = list(tree._chains())
    hierarchy = tree.bind(values)
    assert hierarchy.labels[0] == tuple(values)
    assert hierarchy.ends_in_one_value
