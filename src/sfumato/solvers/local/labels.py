"""The labels of a cluster's cells: a label of the hierarchy, a range such as 17..23, or a set such
as {a, b}."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import SUPPRESSED, Codes, Hierarchy, Label

from ..k_similar_ladders import Floats
from .widths import RangeWidths, SetWidths, States, Tree


@dataclass(frozen=True, eq=False)
class ClusterLabels:
    """`labels[codes[c]]` is the label of cluster c, and `losses` the share that a cell with each
    label has lost."""

    labels: tuple[Label, ...]
    codes: Codes
    losses: Floats


class Namer(Protocol):
    def name(self, states: States) -> ClusterLabels: ...


class TreeNamer:
    """Labels of a hierarchy; a label at several levels is one label, as a recipient reads it."""

    def __init__(self, width: Tree, hierarchy: Hierarchy) -> None:
        self.width, self.hierarchy = width, hierarchy
        index: dict[Label, int] = {}
        self.code = [
            np.array([index.setdefault(label, len(index)) for label in names], np.int32)
            for names in hierarchy.labels
        ]
        self.labels = tuple(index)

    def name(self, states: States) -> ClusterLabels:
        levels, nodes = self.width.nodes(states)
        codes = np.zeros(len(levels), np.int32)
        for level, code in enumerate(self.code):
            at = levels == level
            codes[at] = code[nodes[at]]
        return ClusterLabels(self.labels, codes, np.zeros(len(self.labels)))


class RangeNamer:
    """The lowest and the highest value; one value stays as it is; `*` where something that is no
    number is among them.

    Values that differ as text and not as numbers, such as 7 and 07, are one range.
    """

    def __init__(self, width: RangeWidths, values: tuple[Label, ...]) -> None:
        shares = width.shares[: len(values)]
        order = np.argsort(shares, kind="stable")
        self.shares = shares[order]
        self.values: list[Label] = [values[at] for at in order.tolist()]
        self.numbers = int((shares <= 1).sum())

    def name(self, states: States) -> ClusterLabels:
        low = np.searchsorted(self.shares, states[:, 0], side="left")
        high = np.searchsorted(self.shares, states[:, 1], side="right") - 1
        pairs, codes = np.unique(np.stack([low, high], axis=1), axis=0, return_inverse=True)
        labels = [self._label(int(first), int(last)) for first, last in pairs]
        spans = np.array([self._lost(int(first), int(last)) for first, last in pairs], np.float64)
        return _merged(labels, codes.reshape(-1).astype(np.int32), spans)

    def _label(self, low: int, high: int) -> Label:
        if low == high:
            return self.values[low]
        return SUPPRESSED if high >= self.numbers else f"{self.values[low]}..{self.values[high]}"

    def _lost(self, low: int, high: int) -> float:
        if low == high:
            return 0.0
        return 1.0 if high >= self.numbers else float(self.shares[high] - self.shares[low])


class SetNamer:
    """The values in their order, in braces; one value stays as it is, and all of them are `*`."""

    def __init__(self, width: SetWidths, values: tuple[Label, ...]) -> None:
        self.width, self.values = width, values
        self.order = sorted(
            range(len(values)), key=lambda code: (values[code] is None, values[code] or "")
        )

    def name(self, states: States) -> ClusterLabels:
        found, codes = np.unique(states, axis=0, return_inverse=True)
        bits = np.unpackbits(
            found.view(np.uint8).reshape(len(found), -1), axis=1, bitorder="little"
        )
        held = (
            bits[:, self.order].astype(bool) if len(found) else np.zeros((0, len(self.order)), bool)
        )
        ordered = [self.values[code] for code in self.order]
        labels = [self._label([ordered[at] for at in np.flatnonzero(row).tolist()]) for row in held]
        lost = np.maximum(held.sum(axis=1) - 1, 0) / max(len(self.values) - 1, 1)
        return _merged(labels, codes.reshape(-1).astype(np.int32), lost)

    def _label(self, held: list[Label]) -> Label:
        if len(held) == 1:
            return held[0]
        if len(held) == len(self.values):
            return SUPPRESSED
        return "{" + ", ".join("null" if value is None else _quoted(value) for value in held) + "}"


def _quoted(value: str) -> str:
    """A value that could be misread inside braces is in quotes."""
    plain = value and value != "null" and not set(value) & set(',{}"') and value == value.strip()
    return value if plain else '"' + value.replace('"', '""') + '"'


def _merged(labels: list[Label], codes: NDArray[np.int32], losses: Floats) -> ClusterLabels:
    """Labels that read alike are one label, at the greatest loss of them."""
    index: dict[Label, int] = {}
    place = np.array([index.setdefault(label, len(index)) for label in labels], np.int32)
    worst = np.zeros(len(index))
    np.maximum.at(worst, place, losses)
    return ClusterLabels(tuple(index), place[codes] if len(place) else codes, worst)


def namer_for(
    width: Tree | RangeWidths | SetWidths, hierarchy: Hierarchy, values: tuple[Label, ...]
) -> Namer:
    """`values` are those that occur; they are first in the hierarchy."""
    if isinstance(width, RangeWidths):
        return RangeNamer(width, values)
    if isinstance(width, SetWidths):
        return SetNamer(width, hierarchy.labels[0])
    return TreeNamer(width, hierarchy)
