"""Sweeney 1997: Tables 4 to 6, the bin sizes of sections 3.1 to 3.4, and the gender examples of
section 3.9."""

from __future__ import annotations

import pytest
import tables

from sfumato.bins import Bins
from sfumato.hierarchies import Hierarchy
from sfumato.protection.anonymity_level import overall_bin_size, sawtooth, upper_bin_size
from sfumato.solvers import Datafly


def solved():
    bins = tables.bins_of(tables.rows("datafly_table4.csv"))
    levels = tables.hierarchies(bins, zips=tables.zip_1997)
    return bins, levels, Datafly(level=0.0, e=2, loss=0.10).solve(bins, levels)


def printed(name: str, *, released: bool = False) -> dict[tuple[str, ...], int]:
    return {
        tuple(row[field] for field in tables.QUASI): int(row["bin_size"])
        for row in tables.rows(name)
        if not released or row["released"] == "yes"
    }


def test_table_5_is_the_state_after_birth_reached_the_year():
    bins, levels, solution = solved()
    state = next(step for step in solution.steps if step.levels["birth"] == 2)
    assert bins.recode(levels, state.levels).sizes() == printed("datafly_table5_bins.csv")


def test_table_6_is_the_end_and_the_caucasian_female_is_not_released():
    bins, levels, solution = solved()
    assert bins.recode(levels, solution.recoding.levels).sizes() == printed(
        "datafly_table6_bins.csv"
    )
    assert solution.recoding.apply(bins, levels).sizes() == printed(
        "datafly_table6_bins.csv", released=True
    )


def test_sawtooth_gives_bins_of_3_to_27_for_300_patients():
    assert sawtooth(300) == 30
    assert [overall_bin_size(a / 10, r1=0, r2=sawtooth(300)) for a in range(1, 10)] == list(
        range(3, 28, 3)
    )


def test_figure_27_is_a_hundredth_of_the_voters_rounded_down():
    r2 = upper_bin_size(54_805, "N/100")
    sizes = [overall_bin_size(a / 10, r1=0, r2=r2) for a in range(1, 10)]
    assert sizes == [54, 109, 164, 219, 274, 328, 383, 438, 493]


@pytest.mark.parametrize(
    ("rows", "r2"),
    [(99, 9.9), (100, 10.0), (101, 10.1), (1_000, 100.0), (1_001, 10.01), (54_805, 54.805)],
)
def test_sawtooth_falls_after_each_power_of_ten(rows, r2):
    assert sawtooth(rows) == pytest.approx(r2)


def test_bin_size_per_field_adds_the_linking_likelihood():
    sizes = Datafly(level=0.5, r1=0, r2=100, e=80, linking={"a": 0.0, "b": 0.25}).sizes(
        ("a", "b", "c"), 1_000
    )
    assert sizes.per_field == {"a": 50, "b": 75}
    assert (sizes.concatenated, sizes.together) == (("c",), 80)


def test_effort_is_r2_where_it_is_not_given_and_never_below_b():
    assert Datafly(level=0.5, r2=100).sizes(("a",), 1_000).together == 100
    assert Datafly(level=0.5, r2=100, e=2).sizes(("a",), 1_000).together == 50


def gender(sizes: dict[tuple[str | None, ...], int]) -> tuple[Bins, dict[str, Hierarchy]]:
    bins = Bins.of(("sex",), sizes)
    return bins, {"sex": Hierarchy.from_rows([(value, "*") for value in bins.labels[0]])}


def test_one_unspecified_gender_among_300_is_dropped():
    bins, levels = gender({("m",): 150, ("f",): 149, (None,): 1})
    solution = Datafly(level=0.1, linking={"sex": 0.0}).solve(bins, levels)
    assert solution.recoding.apply(bins, levels).sizes() == {("m",): 150, ("f",): 149}


def test_a_field_that_cannot_reach_its_bin_size_within_the_loss_is_suppressed_whole():
    bins, levels = gender({("m",): 80, ("f",): 20})
    solution = Datafly(level=0.25, r2=100, linking={"sex": 0.0}, loss=0.10).solve(bins, levels)
    assert solution.recoding.apply(bins, levels).sizes() == {("*",): 100}


def test_fields_that_drop_different_rows_are_generalised_until_twice_the_loss_holds():
    sizes = (
        {(f"a{i}", f"b{i}", f"c{i}"): 1 for i in range(3)}
        | {("a", "b", f"c{i}"): 1 for i in range(3, 4)}
        | {("a", "b", "c"): 6}
    )
    bins = Bins.of(("x", "y", "z"), sizes)
    levels = {
        name: Hierarchy.from_rows([(value, "*") for value in labels])
        for name, labels in zip(bins.fields, bins.labels, strict=True)
    }
    solver = Datafly(level=0.2, r2=10, linking={"x": 0.0, "y": 0.0, "z": 0.0}, loss=0.15)
    solution = solver.solve(bins, levels)
    assert solution.recoding.rows_suppressed(bins) <= 0.30 * bins.rows
