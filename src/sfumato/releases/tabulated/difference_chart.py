"""The chart of released less true values, for the holder's report."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.report import Html
from sfumato.report.charts import Bar, counts, lying_bars

_SHOWN = 9


def difference_chart(
    true: NDArray[np.int64], released: NDArray[np.int64], *, unit: int = 1
) -> Html:
    """How many cells were changed by how much; large changes are gathered."""
    changes = np.clip((released - true) // unit, -_SHOWN, _SHOWN)
    sizes = {
        int(change): int(n)
        for change, n in zip(*np.unique(changes, return_counts=True), strict=True)
    }
    bars = []
    for change in range(min(sizes, default=0), max(sizes, default=0) + 1):
        name = f"{change:+d}" if change else "unchanged"
        if abs(change) == _SHOWN:
            name += " and beyond"
        cells = sizes.get(change, 0)
        bars.append(Bar(place=name, value=cells, label=f"{cells:,}"))
    most = max((bar.value for bar in bars), default=1)
    return lying_bars(
        bars,
        title="Cells",
        label="Cells by the change of their value.",
        ticks=counts(max(1, most)),
        line=24,
    )
