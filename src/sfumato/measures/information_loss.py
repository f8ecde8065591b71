"""Information loss: precision (Sweeney 2000, Fig. 32), loss by leaves, and the entropy of Sweeney
1997 section 4.2. From bins alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sfumato.bins import Bins, LabelledRecoding, Recoding, field_losses
from sfumato.hierarchies import Hierarchy, RaisedHierarchy

from .field_use import field_uses


@dataclass(frozen=True, slots=True, kw_only=True)
class Utility:
    """How close the release is to the source, 1 being equal. `per_field` has the precision of each
    field; `lost` are the fields that can no longer be used."""

    precision: float
    loss: float
    entropy: float
    rows_released: int
    rows_suppressed: int
    per_field: Mapping[str, float]
    mean_level: Mapping[str, float]
    lost: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For the manifest, which the recipient reads: the loss compared with the source is for the
        holder alone."""
        return {key: value for key, value in asdict(self).items() if key != "lost"}


def utility(bins: Bins, hierarchies: Mapping[str, Hierarchy], recoding: Recoding) -> Utility:
    """Measure a recoding against its source. A suppressed row counts as fully generalised in every
    field.

    Labels that are ranges, sets or means have no level: there precision is one minus their loss.
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
    for column, name in enumerate(bins.fields):
        height = max(_height(hierarchies[name]), 1)
        climbed = float((levels[:, column] * rows).sum())
        per_field[name] = 1 - (climbed / height + suppressed) / total if total else 1.0
        mean_level[name] = climbed / released if released else float(height)
    after = recoding.apply(bins, hierarchies)
    before_bits, after_bits = _bits_before(bins, hierarchies), entropy_bits(after)
    return Utility(
        precision=_mean(list(per_field.values()), empty=1.0),
        loss=_mean(field_losses(bins, hierarchies, recoding).tolist(), empty=0.0),
        entropy=after_bits / before_bits if before_bits else 1.0,
        rows_released=released,
        rows_suppressed=suppressed,
        per_field=per_field,
        mean_level=mean_level,
        lost=tuple(use.name for use in field_uses(bins, hierarchies, recoding) if use.is_lost),
    )


def entropy_bits(bins: Bins) -> float:
    """Sweeney 1997, section 4.2: the bits that account for all values in all fields in all
    records."""
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


def _mean(values: list[float], *, empty: float) -> float:
    return sum(values) / len(values) if values else empty
