"""The loss of each field by a recoding: the normalised certainty penalty (Xu et al. 2006)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Hierarchy

from .bins import Bins
from .recoding import GlobalRecoding, LabelledRecoding, Recoding


def field_losses(
    bins: Bins, hierarchies: Mapping[str, Hierarchy], recoding: Recoding
) -> NDArray[np.float64]:
    """Per field, the mean over rows of (values under the released label - 1) / (values - 1); 1 for a
    row that is left out.

    Example:
        >>> bins = Bins.of(("zip",), {("02138",): 1, ("02139",): 1, ("02141",): 2})
        >>> rows = [("02138", "0213*", "*"), ("02139", "0213*", "*"), ("02141", "0214*", "*")]
        >>> one = GlobalRecoding(levels={"zip": 1}, suppressed=np.zeros(3, bool))
        >>> field_losses(bins, {"zip": Hierarchy.from_rows(rows)}, one).tolist()
        [0.25]
    """
    total = bins.rows
    if not total:
        return np.zeros(len(bins.fields))
    suppressed = total - _released_rows(bins, recoding)
    if isinstance(recoding, LabelledRecoding):
        lost, rows = recoding.cell_losses()
        return np.asarray((lost.T @ rows + suppressed) / total, np.float64)
    out = [
        _loss(bins, hierarchies[name], recoding, column, suppressed)
        for column, name in enumerate(bins.fields)
    ]
    return np.array(out, np.float64)


def _released_rows(bins: Bins, recoding: Recoding) -> int:
    if isinstance(recoding, GlobalRecoding):
        return int(bins.counts[~recoding.suppressed].sum())
    return int(recoding.rows[~recoding.suppressed].sum())


def _loss(
    bins: Bins, hierarchy: Hierarchy, recoding: Recoding, column: int, suppressed: int
) -> float:
    assert not isinstance(recoding, LabelledRecoding)
    total, leaves = bins.rows, hierarchy.values
    if leaves <= 1:
        return suppressed / total
    kept = ~recoding.suppressed
    if isinstance(recoding, GlobalRecoding):
        source, rows = bins.codes[kept, column], bins.counts[kept]
        level = recoding.levels.get(bins.fields[column], 0)
        under = hierarchy.leaves[level][hierarchy.up[level]]
        rows = np.bincount(source, weights=rows, minlength=len(under))
    else:
        source, rows = bins.codes[recoding.bin_of[kept], column], recoding.rows[kept]
        level_of = recoding.levels[kept, column]
        under = np.zeros(len(rows), np.int64)
        for level in range(hierarchy.height + 1):
            at = level_of == level
            under[at] = hierarchy.leaves[level][hierarchy.up[level][source[at]]]
    return float(((under - 1) / (leaves - 1) * rows).sum() + suppressed) / total
