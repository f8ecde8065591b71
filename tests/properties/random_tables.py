"""Random small tables, hierarchies and recodings for the property tests."""

from __future__ import annotations

import dataclasses
from collections import Counter

import numpy as np
from hypothesis import strategies as st

from sfumato.bins import Bins, LocalRecoding
from sfumato.engines.engine import Histogram
from sfumato.hierarchies import SUPPRESSED, Hierarchy, Label

FIELDS = ("a", "b", "c")
VALUES = ("1", "2", "9")
cells: st.SearchStrategy[Label] = st.one_of(st.none(), st.sampled_from(["p", "q", "r", "s"]))
rows = st.lists(st.tuples(cells, cells, cells), max_size=20)
some_rows = st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=20)


few_cells = st.sampled_from(["p", "q", SUPPRESSED, None])
few_bins = st.dictionaries(
    st.tuples(few_cells, few_cells, few_cells), st.integers(1, 4), min_size=1, max_size=4
).map(lambda sizes: valued(Bins.of(FIELDS, sizes)))
"""Few and often large bins, in which a rule often holds; the source itself may hold a `*`."""


def bins_of(table: list[tuple[Label, ...]]) -> Bins:
    """The bins of rows, counted by hand."""
    sizes: dict[tuple[Label, ...], int] = {}
    for row in table:
        sizes[row] = sizes.get(row, 0) + 1
    return valued(Bins.of(FIELDS, sizes))


def valued(bins: Bins) -> Bins:
    """The bins with a sensitive field `value` inside them; how it is spread follows from bin number
    and size."""
    sizes = bins.counts.tolist()
    inside = [
        Counter((b + (j * j) // (1 + b % 3)) % len(VALUES) for j in range(n))
        for b, n in enumerate(sizes)
    ]
    entries = [
        (b, value, counts[value]) for b, counts in enumerate(inside) for value in sorted(counts)
    ]
    bin_of, value_of, counts = np.array(entries, np.int64).reshape(len(entries), 3).T
    histogram = Histogram(
        values=VALUES, bin_of=bin_of, value_of=value_of.astype(np.int32), counts=counts
    )
    return dataclasses.replace(bins, histograms={"value": histogram})


@st.composite
def hierarchies(
    draw: st.DrawFn, values: tuple[Label, ...], *, top: bool = True, mixed: bool = False
) -> Hierarchy:
    """A hierarchy over `values` of up to three levels; labels below the top may be anything, `*`
    and null too.

    With `mixed` a label may also stand at several levels with different meanings.
    """
    below: list[tuple[Label, ...]] = [(value,) for value in values]
    for level in range(1, draw(st.integers(0 if top else 1, 2)) + 1):
        parents = sorted({row[-1] for row in below} if level > 1 else set(values), key=str)
        names = (
            ["p", "q", "x", SUPPRESSED, None]
            if mixed
            else [f"{level}x", f"{level}y", SUPPRESSED, None]
        )
        parent = {label: draw(st.sampled_from(names)) for label in parents}
        below = [(*row, parent[row[-1]]) for row in below]
    if top:
        below = [(*row, SUPPRESSED) for row in below]
    return Hierarchy.from_rows(below or [(None, SUPPRESSED)])


@st.composite
def tables(
    draw: st.DrawFn, *, top: bool = True, mixed: bool = False
) -> tuple[Bins, dict[str, Hierarchy]]:
    """Bins and a hierarchy per field, bound to them."""
    bins = draw(st.one_of(some_rows.map(bins_of), few_bins))
    return bins, {
        name: draw(hierarchies(bins.labels[column], top=top, mixed=mixed))
        for column, name in enumerate(bins.fields)
    }


def levels_of(bounds: dict[str, Hierarchy]) -> st.SearchStrategy[dict[str, int]]:
    return st.fixed_dictionaries({name: st.integers(0, bounds[name].height) for name in bounds})


@st.composite
def local_recodings(draw: st.DrawFn, bins: Bins, bounds: dict[str, Hierarchy]) -> LocalRecoding:
    """Every bin cut into one or two portions, each with its own levels, some suppressed."""
    bin_of: list[int] = []
    portions: list[int] = []
    for number, size in enumerate(bins.counts.tolist()):
        first = draw(st.integers(1, size))
        for part in (first, size - first):
            if part:
                bin_of.append(number)
                portions.append(part)
    levels = [[draw(st.integers(0, bounds[name].height)) for name in bins.fields] for _ in bin_of]
    return LocalRecoding(
        bin_of=np.array(bin_of, np.int64),
        rows=np.array(portions, np.int64),
        levels=np.array(levels, np.int16),
        suppressed=np.array([draw(st.booleans()) for _ in bin_of], bool),
    )
