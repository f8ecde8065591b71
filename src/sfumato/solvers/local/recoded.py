"""From clusters to the recoding that is released."""

from __future__ import annotations

import numpy as np

from sfumato.bins import Bins, LabelledRecoding, LocalRecoding
from sfumato.hierarchies import Codes

from ..k_similar_ladders import Numbers, lowest_levels
from .clusters import Clusters
from .space import Space
from .widths import RangeWidths, SetWidths


def recoding_of(space: Space, clusters: Clusters) -> LocalRecoding | LabelledRecoding:
    """Each portion with the labels of its cluster; portions of one bin with the same labels are
    one."""
    portions = clusters.portions()
    if space.labels == "tree":
        levels = np.zeros((len(portions.rows), len(space.bins.fields)), np.int32)
        for f, (width, states) in enumerate(zip(space.widths, clusters.states(), strict=True)):
            assert not isinstance(width, RangeWidths | SetWidths)
            lowest = lowest_levels(space.hierarchies[space.bins.fields[f]])
            level = width.nodes(states)[0][portions.cluster]
            levels[:, f] = lowest[level, space.bins.codes[portions.bin_of, f]]
        bin_of, rows, levels = _together(portions.bin_of, portions.rows, levels)
        return LocalRecoding(
            bin_of=bin_of,
            rows=rows,
            levels=levels.astype(np.int16),
            suppressed=np.zeros(len(rows), bool),
        )
    named = [
        namer.name(states) for namer, states in zip(space.namers, clusters.states(), strict=True)
    ]
    codes = np.zeros((len(portions.rows), len(named)), np.int32)
    for f, found in enumerate(named):
        codes[:, f] = found.codes[portions.cluster]
    bin_of, rows, codes = _together(portions.bin_of, portions.rows, codes)
    return LabelledRecoding(
        bin_of=bin_of,
        rows=rows,
        labels=tuple(found.labels for found in named),
        codes=codes,
        losses=tuple(found.losses for found in named),
        suppressed=np.zeros(len(rows), bool),
    )


def no_rows(bins: Bins) -> LocalRecoding:
    """The recoding of a table without rows."""
    none = np.zeros(0, np.int64)
    levels = np.zeros((0, len(bins.fields)), np.int16)
    return LocalRecoding(bin_of=none, rows=none, levels=levels, suppressed=np.zeros(0, bool))


def _together(bin_of: Numbers, rows: Numbers, cells: Codes) -> tuple[Numbers, Numbers, Codes]:
    """Portions of one bin whose cells are the same, as one portion."""
    order = np.lexsort((*cells.T, bin_of))
    keys = np.concatenate([bin_of[order][:, None], cells[order]], axis=1)
    starts = np.ones(len(keys), bool)
    starts[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    first = np.flatnonzero(starts)
    added = np.add.reduceat(rows[order], first) if len(first) else rows[:0]
    return bin_of[order][first], added, cells[order][first]
