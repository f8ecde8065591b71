"""The remaining use of each field: how much it lost, and whether it can still be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sfumato.bins import Bins, Recoding, field_losses
from sfumato.hierarchies import Hierarchy

MOST_LOST = 0.5
"""A field that lost more of its information than this is lost."""
MOST_ALIKE = 0.8
"""So is a field of which one label has more than this share of the rows, if none had before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldUse:
    """One known field of a release beside its source. `alike` is the largest share of rows with one
    label, `alike_before` the same in the source; `labels` are the different labels.

    Example:
        >>> FieldUse(name="age", loss=0.2, alike=0.9, alike_before=0.1, labels=3, labels_before=60).is_lost
        True
    """

    name: str
    loss: float
    alike: float
    alike_before: float
    labels: int
    labels_before: int

    @property
    def is_lost(self) -> bool:
        return self.loss > MOST_LOST or self.alike > MOST_ALIKE >= self.alike_before

    @property
    def is_constant(self) -> bool:
        return self.labels < 2 <= self.labels_before


def field_uses(
    bins: Bins, hierarchies: Mapping[str, Hierarchy], recoding: Recoding
) -> tuple[FieldUse, ...]:
    """Each known field, in the order of the bins; a suppressed row counts as lost."""
    losses = field_losses(bins, hierarchies, recoding).tolist()
    after = recoding.apply(bins, hierarchies)
    return compare_uses(bins, after, losses=dict(zip(bins.fields, losses, strict=True)))


def compare_uses(before: Bins, after: Bins, *, losses: Mapping[str, float]) -> tuple[FieldUse, ...]:
    """Each field of `losses`, in their order, in the source and in a release of it."""
    return tuple(
        FieldUse(
            name=name,
            loss=loss,
            alike=_alike(after, name),
            alike_before=_alike(before, name),
            labels=after.distinct(name) if len(after) else 0,
            labels_before=before.distinct(name) if len(before) else 0,
        )
        for name, loss in losses.items()
    )


def _alike(bins: Bins, name: str) -> float:
    """The share of rows with the most frequent label."""
    if not bins.rows:
        return 0.0
    codes = bins.codes[:, bins.column(name)]
    return float(np.bincount(codes, weights=bins.counts).max()) / bins.rows
