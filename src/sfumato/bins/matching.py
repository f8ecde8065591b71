"""How many rows each bin could be confused with when some cells match anything: null rule and
wildcard reading."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import SUPPRESSED
from sfumato.policy import NullRule

from .bins import Bins
from .tuple_groups import group

CELLS_PER_PAIR = 50_000
"""The number of cell comparisons that take as long as one pair of patterns."""
BLOCK = 4_000_000  # Compared pairs at a time.


def wild_cells(bins: Bins, *, suppressed: bool, nulls: NullRule) -> NDArray[np.bool_]:
    """Which cells match anything: suppressed ones if asked, null ones if the null rule allows
    it."""
    wild = np.zeros(bins.codes.shape, bool)
    for column, names in enumerate(bins.labels):
        is_wild = np.array(
            [
                (suppressed and n == SUPPRESSED)
                or (n is None and nulls is NullRule.MATCHES_ANYTHING)
                for n in names
            ],
            bool,
        )
        if is_wild.any():
            wild[:, column] = is_wild[bins.codes[:, column]]
    return wild


def match_counts(bins: Bins, wild: NDArray[np.bool_], columns: Sequence[int]) -> NDArray[np.int64]:
    """Rows compatible with each bin in `columns`: equal there, or wild on either side.

    Bins are taken by their pattern of wild cells; two patterns are compared on the fields where
    neither is wild, one keyed sum per pair of patterns. Without wild cells this is the size of the
    group. Where there are nearly as many patterns as bins, bins are compared with each other.

    Example:
        >>> bins = Bins.of(("zip", "sex"), {("02138", "f"): 2, ("*", "f"): 1, ("02141", "m"): 4})
        >>> match_counts(bins, wild_cells(bins, suppressed=True, nulls=NullRule.VALUE), (0, 1)).tolist()
        [3, 3, 4]
    """
    chosen = np.asarray(columns, np.int64)
    sizes = np.array([len(names) for names in bins.labels])
    patterns, pattern_of = np.unique(wild[:, chosen], axis=0, return_inverse=True)
    if len(patterns) ** 2 * CELLS_PER_PAIR > len(bins) ** 2 * len(chosen):
        return _compared(bins, wild, chosen)
    pattern_of = pattern_of.reshape(-1)
    members = [np.flatnonzero(pattern_of == p) for p in range(len(patterns))]
    out = np.zeros(len(bins), np.int64)
    for p, mine in enumerate(members):
        for q, theirs in enumerate(members):
            shared = chosen[~patterns[p] & ~patterns[q]]
            both = np.concatenate([mine, theirs])
            groups, _ = group(bins.codes[np.ix_(both, shared)], sizes[shared].tolist())
            totals = np.zeros(int(groups.max()) + 1, np.int64)
            np.add.at(totals, groups[len(mine) :], bins.counts[theirs])
            out[mine] += totals[groups[: len(mine)]]
    return out


def _compared(bins: Bins, wild: NDArray[np.bool_], columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same, bin by bin."""
    out = np.zeros(len(bins), np.int64)
    step = max(BLOCK // max(len(bins), 1), 1)
    for start in range(0, len(bins), step):
        here = slice(start, start + step)
        fits = np.ones((len(out[here]), len(bins)), bool)
        for column in columns:
            codes, silent = bins.codes[:, column], wild[:, column]
            fits &= (codes[here, None] == codes) | silent[here, None] | silent
        out[here] = fits @ bins.counts
    return out
