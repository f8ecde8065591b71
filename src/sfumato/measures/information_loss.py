"""What was lost: precision (Sweeney 2000, Fig. 32), loss by leaves, and the entropy of Sweeney 1997
section 4.2. From bins alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sfumato.bins import Bins, GlobalRecoding, LabelledRecoding, Recoding
from sfumato.hierarchies import Hierarchy, RaisedHierarchy


@dataclass(frozen=True, slots=True, kw_only=True)
class Utility:
    """How close the release is to the source, 1 being equal. `per_field` has the precision of each
    field."""

    precision: float
    loss: float
    entropy: float
    rows_released: int
    rows_suppressed: int
    per_field: Mapping[str, float]
    mean_level: Mapping[str, float]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def utility(bins: Bins, hierarchies: Mapping[str, Hierarchy], recoding: Recoding) -> Utility:
    """Measure a recoding against its source. A suppressed row counts as fully generalised in every
    field.

    Labels that are ranges, sets or means have no level: there precision is what their loss leaves.
    """
    if isinstance(recoding, LabelledRecoding):
        lost, rows = recoding.cell_losses()
        levels = lost * np.array(
            [max(_height(hierarchies[name]), 1) for name in bins.fields], np.float64
        )
    else:
        whole_levels, rows = recoding.cell_levels(bins)
        levels = whole_levels + np.array([float(hierarchies[name].start) for name in bins.fields])
    released, total = int(rows.sum()), bins.rows
    suppressed = total - released
    per_field: dict[str, float] = {}
    mean_level: dict[str, float] = {}
    losses: list[float] = []
    for column, name in enumerate(bins.fields):
        height = max(_height(hierarchies[name]), 1)
        climbed = float((levels[:, column] * rows).sum())
        per_field[name] = 1 - (climbed / height + suppressed) / total if total else 1.0
        mean_level[name] = climbed / released if released else float(height)
        losses.append(_loss(bins, hierarchies[name], recoding, column, suppressed))
    after = recoding.apply(bins, hierarchies)
    before_bits, after_bits = _bits_before(bins, hierarchies), entropy_bits(after)
    return Utility(
        precision=_mean(list(per_field.values()), empty=1.0),
        loss=_mean(losses, empty=0.0),
        entropy=after_bits / before_bits if before_bits else 1.0,
        rows_released=released,
        rows_suppressed=suppressed,
        per_field=per_field,
        mean_level=mean_level,
    )


def entropy_bits(bins: Bins) -> float:
    """001, section 4.2: the bits that account for all values in all fields in all records."""
    return sum(bins.rows * math.log2(bins.distinct(name)) for name in bins.fields if len(bins))


def _bits_before(bins: Bins, hierarchies: Mapping[str, Hierarchy]) -> float:
    """The bits of the source, whose values a raised hierarchy remembers."""
    out = 0.0
    for name in bins.fields if len(bins) else ():
        found = hierarchies[name]
        values = (
            int((found.counts > 0).sum())
            if isinstance(found, RaisedHierarchy)
            else bins.distinct(name)
        )
        out += bins.rows * math.log2(values)
    return out


def _height(hierarchy: Hierarchy) -> int:
    """The top level, as the policy's hierarchy counts it."""
    return hierarchy.height + hierarchy.start


def _loss(
    bins: Bins, hierarchy: Hierarchy, recoding: Recoding, column: int, suppressed: int
) -> float:
    """Mean over rows of (leaves under the released value - 1) / (leaves - 1); 1 for a suppressed
    row."""
    total = bins.rows
    if isinstance(recoding, LabelledRecoding):
        lost, rows = recoding.cell_losses()
        return (float(lost[:, column] @ rows) + suppressed) / total if total else 0.0
    leaves = hierarchy.values
    if leaves <= 1 or not total:
        return suppressed / total if total else 0.0
    if isinstance(recoding, GlobalRecoding):
        source, rows = bins.codes[~recoding.suppressed, column], bins.counts[~recoding.suppressed]
        level_of = np.full(len(rows), recoding.levels.get(bins.fields[column], 0))
    else:
        kept = ~recoding.suppressed
        source, rows = bins.codes[recoding.bin_of[kept], column], recoding.rows[kept]
        level_of = recoding.levels[kept, column]
    under = np.zeros(len(rows), np.int64)
    for level in range(hierarchy.height + 1):
        at = level_of == level
        under[at] = hierarchy.leaves[level][hierarchy.up[level][source[at]]]
    return float(((under - 1) / (leaves - 1) * rows).sum() + suppressed) / total


def _mean(values: list[float], *, empty: float) -> float:
    return sum(values) / len(values) if values else empty
