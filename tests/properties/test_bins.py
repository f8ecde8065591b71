"""Bins against their definitions: sums, roll-ups and matches, each beside the slow and obvious
way."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import FIELDS, bins_of, cells, levels_of, local_recodings, rows, tables

from sfumato.bins import (
    Bins,
    GlobalRecoding,
    group,
    match_counts,
    population,
    population_counts,
    wild_cells,
)
from sfumato.engines.reference.engine import ReferenceEngine
from sfumato.hierarchies import SUPPRESSED, Hierarchy, Label
from sfumato.policy import NullRule

quick = settings(max_examples=example_count(60), deadline=None)


@quick
@given(rows)
def test_bin_sizes_sum_to_rows(table: list[tuple[Label, ...]]) -> None:
    bins = bins_of(table)
    assert bins.rows == len(table)
    assert bins.sizes() == Counter(table)


@quick
@given(rows, st.lists(st.sampled_from(FIELDS), unique=True))
def test_projection_is_a_sum(table: list[tuple[Label, ...]], fields: list[str]) -> None:
    places = [FIELDS.index(name) for name in fields]
    expected = Counter(tuple(row[place] for place in places) for row in table)
    assert bins_of(table).project(fields).sizes() == expected


@quick
@given(st.data())
def test_a_global_recoding_is_a_sum(data: st.DataObject) -> None:
    bins, bounds = data.draw(tables())
    levels = data.draw(levels_of(bounds))
    expected: Counter[tuple[Label, ...]] = Counter()
    for found, size in bins.sizes().items():
        expected[
            tuple(
                _label(bounds[name], value, levels[name])
                for name, value in zip(FIELDS, found, strict=True)
            )
        ] += size
    assert bins.recode(bounds, levels).sizes() == expected


@quick
@given(st.data())
def test_a_coarser_recoding_never_shrinks_the_smallest_bin(data: st.DataObject) -> None:
    bins, bounds = data.draw(tables())
    low = data.draw(levels_of(bounds))
    high = {name: data.draw(st.integers(low[name], bounds[name].height)) for name in low}
    assert bins.recode(bounds, low).smallest <= bins.recode(bounds, high).smallest


@quick
@given(st.data())
def test_histograms_roll_up_with_their_bins(data: st.DataObject) -> None:
    """The counts of a sensitive field in a bin always sum to the bin's size."""
    table = data.draw(rows)
    engine = ReferenceEngine([dict(zip(FIELDS, row, strict=True)) for row in table], fields=FIELDS)
    bins = Bins.count(engine, ("a", "b"), sensitive=("c",))
    keep = np.array([data.draw(st.booleans()) for _ in range(len(bins))], bool)
    for found in (
        bins,
        bins.project(("a",)),
        bins.project(()),
        bins.only(keep),
        bins.only(keep).project(("b",)),
    ):
        histogram = found.histograms["c"]
        sums = np.bincount(histogram.bin_of, weights=histogram.counts, minlength=len(found))
        assert sums.tolist() == found.counts.tolist()
        assert list(histogram.bin_of) == sorted(histogram.bin_of)


@quick
@given(st.data())
def test_only_and_suppression_leave_out_whole_bins(data: st.DataObject) -> None:
    bins, bounds = data.draw(tables())
    levels = data.draw(levels_of(bounds))
    left_out = np.array([data.draw(st.booleans()) for _ in range(len(bins))], bool)
    recoding = GlobalRecoding(levels=levels, suppressed=left_out)
    assert recoding.apply(bins, bounds).rows + recoding.rows_suppressed(bins) == bins.rows
    assert recoding.cell_levels(bins)[1].sum() == recoding.apply(bins, bounds).rows


@quick
@given(st.data())
def test_a_local_recoding_conserves_rows(data: st.DataObject) -> None:
    bins, bounds = data.draw(tables(mixed=True))
    recoding = data.draw(local_recodings(bins, bounds))
    released = recoding.apply(bins, bounds)
    assert released.rows + recoding.rows_suppressed(bins) == bins.rows
    found = list(bins.tuples())
    expected: Counter[tuple[Label, ...]] = Counter()
    for portion in np.flatnonzero(~recoding.suppressed):
        labels = zip(
            FIELDS, found[recoding.bin_of[portion]], recoding.levels[portion].tolist(), strict=True
        )
        expected[tuple(_label(bounds[name], value, level) for name, value, level in labels)] += int(
            recoding.rows[portion]
        )
    assert released.sizes() == expected


@quick
@given(
    st.lists(st.tuples(*[st.integers(0, 2)] * 3), max_size=30),
    st.sampled_from([3, 2**21, 2**31 - 1]),
)
def test_group_agrees_with_a_dictionary(codes: list[tuple[int, ...]], size: int) -> None:
    """Also where the product of the sizes is far past 2**62."""
    matrix = np.array(codes, np.int32).reshape(len(codes), 3)
    if size > 3:
        matrix[matrix == 2] = size - 1
    groups, first = group(matrix, [size] * 3)
    ordered = sorted({tuple(row) for row in matrix.tolist()})
    assert groups.tolist() == [ordered.index(tuple(row)) for row in matrix.tolist()]
    assert [tuple(matrix[at].tolist()) for at in first] == ordered


@pytest.mark.parametrize("width", [1, 7, 40])
def test_group_of_wide_rows(width: int) -> None:
    """Forty fields of two thousand million values each."""
    random = np.random.default_rng(0)
    few = random.integers(0, 2**31 - 1, (5, width), dtype=np.int32)
    matrix = few[random.integers(0, 5, 200)]
    groups, first = group(matrix, [2**31 - 1] * width)
    assert len(first) == len({tuple(row) for row in matrix.tolist()})
    assert all((matrix[first[g]] == matrix[i]).all() for i, g in enumerate(groups))


@quick
@given(
    rows,
    st.booleans(),
    st.sampled_from(NullRule),
    st.lists(st.sampled_from([0, 1, 2]), unique=True),
)
def test_match_counts_by_definition(
    table: list[tuple[Label, ...]], suppressed: bool, nulls: NullRule, columns: list[int]
) -> None:
    table = [tuple(SUPPRESSED if cell == "s" else cell for cell in row) for row in table]
    bins = bins_of(table)
    found = match_counts(bins, wild_cells(bins, suppressed=suppressed, nulls=nulls), columns)

    def wild(cell: Label) -> bool:
        return (suppressed and cell == SUPPRESSED) or (
            cell is None and nulls is NullRule.MATCHES_ANYTHING
        )

    def alike(one: tuple[Label, ...], other: tuple[Label, ...]) -> bool:
        return all(one[c] == other[c] or wild(one[c]) or wild(other[c]) for c in columns)

    assert found.tolist() == [sum(alike(one, row) for row in table) for one in bins.tuples()]


@quick
@given(st.data())
def test_population_counts_by_definition(data: st.DataObject) -> None:
    """The population is counted apart, in another order, and may hold values that no hierarchy
    knows."""
    bins, bounds = data.draw(tables(mixed=True))
    stranger = st.one_of(cells, st.just("t"))
    people = data.draw(st.lists(st.tuples(stranger, stranger, stranger), max_size=20))
    released = bins.recode(bounds, data.draw(levels_of(bounds)))
    fields = tuple(data.draw(st.lists(st.sampled_from(FIELDS), unique=True)))
    known = {name: bounds[name] for name in bounds if data.draw(st.booleans())}
    by_bits = data.draw(st.booleans())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(population, "FEWEST_PATTERNS", -1 if by_bits else 1_000)
        found = population_counts(released, bins_of(people), fields, known)

    def covers(name: str, label: Label, value: Label) -> bool:
        level = known[name].level_of_label.get(label, 0) if name in known else 0
        if not level:
            return label == value
        return value in known[name].labels[0] and _label(known[name], value, level) == label

    for one, count in zip(released.project(FIELDS).tuples(), found.tolist(), strict=True):
        asked = {name: one[FIELDS.index(name)] for name in fields}
        assert count == sum(
            all(covers(name, label, person[FIELDS.index(name)]) for name, label in asked.items())
            for person in people
        )


@quick
@given(st.data())
def test_group_of_is_the_projection(data: st.DataObject) -> None:
    bins, _ = data.draw(tables())
    for size, fields in product(range(3), [FIELDS]):
        groups, sizes = bins.group_of(fields[:size])
        projected = bins.project(fields[:size]).sizes()
        for one, g in zip(bins.tuples(), groups.tolist(), strict=True):
            assert sizes[g] == projected[one[:size]]


def _label(hierarchy: Hierarchy, value: Label, level: int) -> Label:
    return hierarchy.labels[level][hierarchy.up[level][hierarchy.labels[0].index(value)]]


@given(rows, st.booleans())
def test_comparing_bins_counts_the_same_as_comparing_patterns(
    table: list[tuple[Label, ...]], suppressed: bool
) -> None:
    """Wide tables have nearly as many patterns of suppressed cells as bins: they are compared bin by
    bin."""
    bins = bins_of(table)
    wild = wild_cells(bins, suppressed=suppressed, nulls=NullRule.MATCHES_ANYTHING)
    found = []
    for price in (0, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sfumato.bins.matching.CELLS_PER_PAIR", price)
            found.append(match_counts(bins, wild, (0, 2)).tolist())
    assert found[0] == found[1]
