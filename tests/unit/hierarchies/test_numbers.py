"""Numbers by widths, quantiles and named ranges."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError
from sfumato.hierarchies import FixedWidths, NamedRange, Quantiles, Ranges, hierarchy_from_table
from sfumato.hierarchies.decimals import whole_numbers


def numbers(**inner):
    return hierarchy_from_table({"numbers": inner})


def test_whole_numbers_are_named_by_first_and_last():
    assert FixedWidths((5, 10)).bind(["20", "24", "25"]).labels[1:3] == (
        ("20-24", "25-29"),
        ("20-29",),
    )


def test_width_one_is_the_number_itself():
    assert FixedWidths((1,)).bind(["7"]).labels[1] == ("7",)


def test_numbers_that_are_not_all_whole_are_named_as_half_open_intervals():
    assert FixedWidths((5,)).bind(["20", "24.9", "25"]).labels[1] == ("[20, 25)", "[25, 30)")


def test_decimal_widths_are_exact():
    hierarchy = FixedWidths((0.1, 0.3)).bind(["0.1", "0.3", "0.29", "0.7"])
    assert hierarchy.labels[1] == ("[0.1, 0.2)", "[0.3, 0.4)", "[0.2, 0.3)", "[0.7, 0.8)")
    assert hierarchy.labels[2] == ("[0, 0.3)", "[0.3, 0.6)", "[0.6, 0.9)")


def test_negative_numbers_fall_below_zero():
    assert FixedWidths((5,)).bind(["-5", "-1", "0"]).labels[1] == ("-5..-1", "0-4")


def test_top_and_bottom_coding_holds_from_level_one():
    hierarchy = FixedWidths((5, 10), bottom=20, top=90).bind(["3", "19", "20", "89", "90", "104"])
    assert hierarchy.labels[1] == ("<20", "20-24", "85-89", "≥90")
    assert hierarchy.labels[2] == ("<20", "20-29", "80-89", "≥90")


def test_an_interval_cut_by_a_bound_is_named_by_what_is_left():
    assert FixedWidths((10,), bottom=18, top=85).bind(["18", "84"]).labels[1] == ("18-19", "80-84")


def test_the_origin_moves_the_intervals():
    assert FixedWidths((5,), origin=3).bind(["3", "7", "2"]).labels[1] == ("3-7", "-2..2")


def test_two_ways_of_writing_a_number_fall_together():
    assert len(FixedWidths((5,)).bind(["20", "20.0", "2e1", "+20", " 20 "]).labels[1]) == 1


@pytest.mark.parametrize(
    "cell", ["Alice", "", "nan", "inf", "-Infinity", "1_000", "1,5", "٣", "1e9999", "0x10"]
)
def test_a_value_that_is_not_a_number_is_counted_and_not_told(cell):
    for spec in (FixedWidths((5,)), Quantiles((2,)), Ranges((NamedRange("all"),))):
        with pytest.raises(
            HierarchyError, match="1 of 2 distinct values are not plain decimal numbers"
        ) as caught:
            spec.bind(["5", cell])
        assert not cell or cell not in str(caught.value)


@pytest.mark.parametrize(
    "widths",
    [[5, 12], [10, 5], [5, 5], [0], [-5], [], "5", [True], [float("nan")], [float("inf")], None],
)
def test_widths_that_do_not_nest_or_are_not_numbers_are_refused(widths):
    with pytest.raises(HierarchyError):
        numbers(widths=widths)


def test_bottom_lies_below_top():
    with pytest.raises(HierarchyError, match="bottom must be less than top"):
        numbers(widths=[5], bottom=90, top=20)


def test_quantiles_hold_about_as_many_distinct_values_each():
    hierarchy = Quantiles((4, 2)).bind([str(n) for n in range(100)])
    assert hierarchy.leaves[1].tolist() == [25, 25, 25, 25]
    assert hierarchy.leaves[2].tolist() == [50, 50]


def test_quantiles_do_not_tell_the_lowest_and_the_highest_value():
    labels = Quantiles((2,)).bind(["17", "40", "60", "107"]).labels[1]
    assert labels == ("<60", "≥60")


def test_equal_numbers_are_in_one_quantile_however_they_are_written():
    hierarchy = Quantiles((2,)).bind(["1", "1.0", "1.00", "2"])
    assert hierarchy.up[1].tolist() == [0, 0, 0, 1]


def test_fewer_values_than_quantiles_stay_apart():
    assert Quantiles((20, 5)).bind(["1", "2"]).labels[1] == ("<2", "≥2")


def test_quantiles_of_one_value_tell_nothing():
    assert Quantiles((4, 2)).bind(["1", None]).labels == (
        ("1", None),
        ("*", None),
        ("*", None),
        ("*",),
    )


@pytest.mark.parametrize("groups", [[20, 6], [5, 20], [5, 5], [1], [2.5], [], [True]])
def test_quantiles_that_do_not_nest_are_refused(groups):
    with pytest.raises(HierarchyError):
        numbers(quantiles=groups)


PRESSURE = [{"name": "low", "below": 90}, {"name": "normal", "below": 120}, {"name": "high"}]


def test_named_ranges_take_what_lies_below_their_bound():
    assert numbers(ranges=PRESSURE).bind(["-3", "89.99", "90", "120"]).labels[1] == (
        "low",
        "normal",
        "high",
    )


def test_groups_join_named_ranges():
    spec = numbers(ranges=PRESSURE, groups=[{"usual": ["normal"], "unusual": ["low", "high"]}])
    assert spec.bind(["80", "100", "130"]).labels[2] == ("unusual", "usual")


def test_a_value_above_the_last_bound_is_a_hole():
    with pytest.raises(HierarchyError, match="1 of 2 distinct values"):
        numbers(ranges=PRESSURE[:2]).bind(["100", "120"])


@pytest.mark.parametrize(
    ("ranges", "complaint"),
    [
        ([], "a list of tables"),
        (["low"], "each of ranges must be a table"),
        ([{"below": 5}], "ranges.name must be a text"),
        ([{"name": "a", "under": 5}], 'no parameter "under"'),
        ([{"name": "a"}, {"name": "b"}], "all but the last"),
        ([{"name": "a", "below": 5}, {"name": "b", "below": 5}], "rising order"),
        ([{"name": "a", "below": 5}, {"name": "a"}], "distinct names"),
        ([{"name": "a", "below": "5"}], "ranges.below must be a finite number"),
    ],
)
def test_ranges_that_do_not_hold_together_are_refused(ranges, complaint):
    with pytest.raises(HierarchyError, match=re.escape(complaint)):
        numbers(ranges=ranges)


@pytest.mark.parametrize(
    "groups",
    [
        [{"x": ["low", "normal"]}],
        [{"x": ["low", "normal", "high", "other"]}],
        [{"x": ["low", "normal"], "y": ["high", "low"]}],
    ],
)
def test_groups_that_miss_or_repeat_a_name_are_refused(groups):
    with pytest.raises(HierarchyError, match="each once"):
        numbers(ranges=PRESSURE, groups=groups)


@pytest.mark.parametrize(
    ("inner", "complaint"),
    [
        ({}, "none of them"),
        ({"width": [5]}, 'Did you mean "widths"'),
        ({"widths": [5], "quantiles": [2]}, "widths and quantiles"),
        ({"widths": [5], "botom": 3}, 'Did you mean "bottom"'),
    ],
)
def test_numbers_names_one_way_of_grouping(inner, complaint):
    with pytest.raises(HierarchyError, match=re.escape(complaint)):
        numbers(**inner)


whole_or_decimal = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.decimals(-1000, 1000, places=3).map(lambda d: f"{d:f}"),
)


@given(
    st.sets(whole_or_decimal, max_size=30),
    st.sampled_from([(5, 10, 20), (0.1, 0.5), (1, 3), (7,)]),
    st.none() | st.integers(-50, 0),
    st.none() | st.integers(1, 50),
)
def test_widths_nest_and_cover_every_number(values, widths, bottom, top):
    hierarchy = FixedWidths(widths, bottom=bottom, top=top).bind([*values, None])
    assert hierarchy.ends_in_one_value
    assert hierarchy.height == len(widths) + 1


@given(st.sets(whole_or_decimal, max_size=30), st.sampled_from([(20, 5), (8, 4, 2), (3,)]))
def test_quantiles_nest_and_keep_to_their_number(values, groups):
    hierarchy = Quantiles(groups).bind([*values])
    assert hierarchy.ends_in_one_value
    assert all(
        len(names) <= most for names, most in zip(hierarchy.labels[1:], groups, strict=False)
    )


@given(
    st.lists(st.integers(-60, 60).map(str) | st.none(), min_size=1, unique=True, max_size=12),
    st.sampled_from([(5, 10, 20), (1, 3), (7,)]),
    st.sampled_from([0, 3, -40]),
    st.none() | st.sampled_from([-50, -7.5, 0]),
    st.none() | st.sampled_from([1, 8.5, 50]),
)
def test_whole_numbers_are_in_the_intervals_that_they_get_one_by_one(
    values, widths, origin, bottom, top
):
    """A hundred digits make the others be reckoned one by one, and change no label of them."""
    spec = FixedWidths(widths, origin=origin, bottom=bottom, top=top)
    together, slowly = spec.bind(values), spec.bind([*values, "9" * 100])
    for level in range(1, together.height + 1):
        for code in range(len(values)):
            assert (
                together.labels[level][together.up[level][code]]
                == slowly.labels[level][slowly.up[level][code]]
            )
    assert together.labels[1] == tuple(
        dict.fromkeys(together.labels[1][code] for code in together.up[1].tolist())
    )


@pytest.mark.parametrize("value", ["1_000", "\u0661", "1\n2", "", " 7", "1" * 19, "--1", "1.0"])
def test_other_texts_are_no_whole_numbers(value):
    assert whole_numbers(["3", value]) is None
