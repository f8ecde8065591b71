"""A recoding: the decision of a solver. Global: one level per field. Local: one level per cell of
each bin.

Labelled: one label per cell of each bin, which no hierarchy needs to have: a range, a set, a mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Bug
from sfumato.hierarchies import Codes, Hierarchy, Label

from .bins import Bins
from .tuple_groups import group


@dataclass(frozen=True, eq=False, kw_only=True)
class GlobalRecoding:
    """Every value of a field is raised to the field's level; the rows of `suppressed` source bins
    are left out."""

    levels: Mapping[str, int]
    suppressed: NDArray[np.bool_]

    def apply(self, bins: Bins, hierarchies: Mapping[str, Hierarchy]) -> Bins:
        """The bins of the release, if the engine applies the recoding exactly.

        Where whole coarser bins are left out, as solvers do, the others stay as they were."""
        coarse, groups = bins.recoded(hierarchies, self.levels)
        gone = np.zeros(len(coarse), bool)
        gone[groups[self.suppressed]] = True
        if not gone.any():
            return coarse
        if bool((gone[groups] == self.suppressed).all()):
            return coarse.only(~gone)
        return bins.only(~self.suppressed).recode(hierarchies, self.levels)

    def rows_suppressed(self, bins: Bins) -> int:
        return int(bins.counts[self.suppressed].sum())

    def cell_levels(self, bins: Bins) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """Released cells as (levels per portion and field, rows per portion): all rows are one
        portion."""
        levels = np.array([[self.levels.get(name, 0) for name in bins.fields]], np.int16)
        return levels, np.array([bins.counts[~self.suppressed].sum()], np.int64)


@dataclass(frozen=True, eq=False)
class ValueSplit:
    """The field outside the bins by whose values their rows are divided: the rows of portion p have
    `labels[value_of[p]]`."""

    name: str
    labels: tuple[Label, ...] = field(repr=False)
    value_of: NDArray[np.int64] = field(repr=False)


@dataclass(frozen=True, eq=False, kw_only=True)
class LocalRecoding:
    """Each portion of a source bin gets its own level per field; `rows[p]` rows of bin `bin_of[p]`
    are portion p.

    A bin may be cut into several portions: at random, or by the values of another field where there
    is a `split`. Portions with `suppressed` set are left out of the release."""

    bin_of: NDArray[np.int64]
    rows: NDArray[np.int64]
    levels: NDArray[np.int16]
    suppressed: NDArray[np.bool_]
    split: ValueSplit | None = None

    def apply(self, bins: Bins, hierarchies: Mapping[str, Hierarchy]) -> Bins:
        """The bins of the release: cells with the same label are the same value at any level."""
        return _released(bins, self, *self.cells(bins, hierarchies))

    def changed(self, bins: Bins) -> NDArray[np.bool_]:
        """Per portion and field: whether the cell is released as something else."""
        return self.levels > 0

    def cells(
        self, bins: Bins, hierarchies: Mapping[str, Hierarchy]
    ) -> tuple[tuple[tuple[Label, ...], ...], Codes]:
        """Per field the labels of all levels, and per portion and field the code of its label among
        them."""
        all_labels: list[tuple[Label, ...]] = []
        codes = np.zeros((len(self.bin_of), len(bins.fields)), np.int32)
        for column, name in enumerate(bins.fields):
            hierarchy = hierarchies[name]
            index: dict[Label, int] = {}
            source = bins.codes[self.bin_of, column]
            for level in range(hierarchy.height + 1):
                here = np.array(
                    [index.setdefault(label, len(index)) for label in hierarchy.labels[level]],
                    np.int32,
                )
                at = self.levels[:, column] == level
                codes[at, column] = here[hierarchy.up[level][source[at]]]
            all_labels.append(tuple(index))
        return tuple(all_labels), codes

    def rows_suppressed(self, bins: Bins) -> int:
        return int(self.rows[self.suppressed].sum())

    def cell_levels(self, bins: Bins) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """Released cells as (levels per portion and field, rows per portion)."""
        return self.levels[~self.suppressed], self.rows[~self.suppressed]


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelledRecoding:
    """Each portion of a source bin gets its own label per field: `labels[f][codes[p, f]]`; else as
    LocalRecoding.

    `losses[f][code]` is the share of the field's information that a cell with the label has lost: 0
    where the label is the value itself, 1 where it carries no information."""

    bin_of: NDArray[np.int64]
    rows: NDArray[np.int64]
    labels: tuple[tuple[Label, ...], ...] = field(repr=False)
    codes: Codes
    losses: tuple[NDArray[np.float64], ...]
    suppressed: NDArray[np.bool_]

    def apply(self, bins: Bins, hierarchies: Mapping[str, Hierarchy]) -> Bins:
        """The bins of the release. Hierarchies are not used."""
        return _released(bins, self, self.labels, self.codes)

    def cells(
        self, bins: Bins, hierarchies: Mapping[str, Hierarchy]
    ) -> tuple[tuple[tuple[Label, ...], ...], Codes]:
        """Per field its labels, and per portion and field the code of its label among them."""
        return self.labels, self.codes

    def changed(self, bins: Bins) -> NDArray[np.bool_]:
        """Per portion and field: whether the cell is released as something else."""
        out = np.zeros(self.codes.shape, bool)
        for column, (old, new) in enumerate(zip(bins.labels, self.labels, strict=True)):
            place = {label: code for code, label in enumerate(new)}
            same = np.array([place.get(label, -1) for label in old], np.int64)
            out[:, column] = self.codes[:, column] != same[bins.codes[self.bin_of, column]]
        return out

    def rows_suppressed(self, bins: Bins) -> int:
        return int(self.rows[self.suppressed].sum())

    def cell_levels(self, bins: Bins) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """Released cells as (0 where a cell is as it was, else 1; rows per portion): labels have no
        level."""
        kept = ~self.suppressed
        return self.changed(bins)[kept].astype(np.int16), self.rows[kept]

    def cell_losses(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Released cells as (share lost per portion and field, rows per portion)."""
        kept = ~self.suppressed
        lost = [losses[self.codes[kept, f]] for f, losses in enumerate(self.losses)]
        return np.stack(lost, axis=1) if lost else np.zeros((int(kept.sum()), 0)), self.rows[kept]


def _released(
    bins: Bins,
    recoding: LocalRecoding | LabelledRecoding,
    labels: tuple[tuple[Label, ...], ...],
    codes: Codes,
) -> Bins:
    kept = ~recoding.suppressed
    if not bins.adds_up:
        return _whole(bins, recoding, labels, codes).only(kept).recode({}, {})
    codes = codes[kept]
    groups, first = group(codes, [len(names) for names in labels])
    counts = np.zeros(len(first), np.int64)
    np.add.at(counts, groups, recoding.rows[kept])
    return Bins(bins.fields, labels, codes[first], counts)


def _whole(
    bins: Bins,
    recoding: LocalRecoding | LabelledRecoding,
    labels: tuple[tuple[Label, ...], ...],
    codes: Codes,
) -> Bins:
    """The bins under their new labels. The people in each part of a bin that is cut are not
    known."""
    if not np.array_equal(recoding.bin_of, np.arange(len(bins))):
        raise Bug("a recoding cut bins of people")
    return bins.with_cells(labels, codes)


Recoding = GlobalRecoding | LocalRecoding | LabelledRecoding
