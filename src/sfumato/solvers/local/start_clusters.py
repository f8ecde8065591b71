"""The start of `local`: the cheapest clusters first, by a walk over a lattice of the labels.

The walk is that of `k_similar_large`: nodes by what they cost one row, and wherever k rows meet
they become a cluster. For tree labels the lattice is that of the hierarchies. Ranges and sets have
no lattice, so one is made up whose nodes cost about the loss of k rows in them. It has windows of
growing width for numbers, and for sets a few values of those under a label. Only the walk uses
these prices; clusters are then priced by their true labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, group

from ..k_similar_ladders import Floats, Ladders, Numbers
from ..k_similar_large import cluster_large
from ..solver import Hierarchies
from .penalties import Penalty, places_of

WINDOWS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 64)
STEPS = 72
"""Widths of made-up windows, which need not be nested, in units; a span of more units than STEPS is
cut into STEPS."""
DISTINCT = 0.7
"""Of k rows under one label about this share differ in the value."""


def first_clusters(ladders: Ladders, counts: Numbers, k: int, *, component: Numbers) -> Numbers:
    """A cluster for each bin, of k rows at least where its component has as many; components do not
    mix."""
    out = np.zeros(len(counts), np.int64)
    numbers = 0
    order = np.argsort(component, kind="stable")
    for part in np.split(order, np.flatnonzero(np.diff(component[order])) + 1):
        alone = len(part) == 1
        found = (
            np.zeros(1, np.int64) if alone else cluster_large(ladders.only(part), counts[part], k)
        )
        out[part] = numbers + found
        numbers += int(found.max(initial=-1)) + 1
    return out


def components(bins: Bins, hierarchies: Hierarchies) -> Numbers:
    """A number for each bin, the same for bins that can meet: all, where every hierarchy ends in
    one value."""
    tops = [
        hierarchies[name].up[-1][bins.codes[:, column]] for column, name in enumerate(bins.fields)
    ]
    sizes = [len(hierarchies[name].labels[-1]) for name in bins.fields]
    return group(np.stack(tops, axis=1) if tops else np.zeros((len(bins), 0), np.int32), sizes)[0]


def tree_ladders(bins: Bins, hierarchies: Hierarchies, prices: list[Floats]) -> Ladders:
    """The hierarchies as they are, at the prices of their levels."""
    columns: list[NDArray[np.int32]] = []
    steps: list[Floats] = []
    spans: list[slice] = []
    for f, (name, price) in enumerate(zip(bins.fields, prices, strict=True)):
        first = len(columns)
        values = bins.codes[:, f]
        columns += [up[values] for up in hierarchies[name].up[:-1]]
        steps += list(np.diff(price[:, values], axis=0))
        spans.append(slice(first, len(columns)))
    return _ladders(bins, columns, steps, spans)


def free_ladders(bins: Bins, hierarchies: Hierarchies, penalty: Penalty, k: int) -> Ladders:
    """A lattice for ranges and sets."""
    columns: list[NDArray[np.int32]] = []
    steps: list[Floats] = []
    spans: list[slice] = []
    for f, name in enumerate(bins.fields):
        first = len(columns)
        values = bins.codes[:, f]
        hierarchy = hierarchies[name]
        if name in penalty.numeric:
            found, price = _windows(bins, f, k)
            price = penalty.weight(name) * price
        else:
            found = [up[values] for up in hierarchy.up[:-1]]
            sets = penalty.of_sets(name, len(hierarchy.labels[0]))
            leaves = np.stack(
                [counts[up] for counts, up in zip(hierarchy.leaves, hierarchy.up, strict=True)]
            )
            likely = np.minimum(leaves, max(round(DISTINCT * k), 2))
            price = np.where(leaves > 1, sets[likely], 0.0)[:, values]
        columns += found
        steps += list(np.diff(price, axis=0))
        spans.append(slice(first, len(columns)))
    return _ladders(bins, columns, steps, spans)


def _windows(bins: Bins, f: int, k: int) -> tuple[list[NDArray[np.int32]], Floats]:
    """Codes per window, the values themselves first; and per window and bin what k rows in one lose
    about."""
    places, span = places_of(bins.labels[f])
    finite = np.isfinite(places)
    lowest = float(places[finite].min()) if finite.any() else 0.0
    scale = (
        min(span, float(STEPS)) / span
    )  # numbers with many digits are counted in parts of the span
    place = np.where(
        finite, np.floor((np.where(finite, places, lowest) - lowest) * scale), 0
    ).astype(np.int64)
    apart = np.where(finite, 0, STEPS + 1 + np.arange(len(places)))
    of_value = [
        np.arange(len(places)),
        *(place // width + apart * finite.size for width in WINDOWS),
    ]
    inside = (k - 1) / (k + 1)
    prices = [
        0.0,
        *(min(inside * (width - 1) / max(span * scale, 1.0), 1.0) for width in WINDOWS),
        1.0,
    ]
    values = bins.codes[:, f]
    return [codes[values].astype(np.int32) for codes in of_value], np.repeat(
        np.array(prices)[:, None], len(bins), 1
    )


def _ladders(
    bins: Bins, columns: list[NDArray[np.int32]], steps: list[Floats], spans: list[slice]
) -> Ladders:
    if not columns:
        return Ladders(
            bins.fields, np.zeros((len(bins), 0), np.int32), np.zeros((len(bins), 0)), tuple(spans)
        )
    return Ladders(bins.fields, np.stack(columns, axis=1), np.stack(steps, axis=1), tuple(spans))
