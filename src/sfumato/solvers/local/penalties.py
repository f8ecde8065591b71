"""The loss of a cell by its label: NCP and GCP for labels of a hierarchy, for ranges and for sets.

NCP (Xu et al. 2006): (leaves under the label - 1) / (leaves - 1), for ranges (high - low) /
(highest - lowest). GCP as peers report it: ranges alike; a label of several leaves costs leaves /
all leaves, one leaf nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

import numpy as np

from sfumato.hierarchies import Hierarchy, Label

from ..k_similar_ladders import Floats, level_costs, lowest_levels


@dataclass(frozen=True, kw_only=True)
class Penalty:
    """How cells are priced: by `kind`, fields of `numeric` as numbers, each field times its weight
    (default 1)."""

    kind: str = "ncp"
    numeric: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)

    def weight(self, name: str) -> float:
        return self.weights.get(name, 1.0)

    def of_levels(self, name: str, hierarchy: Hierarchy, values: tuple[Label, ...]) -> Floats:
        """Per level and value of level 0: the price of a cell released at that level. `values` are
        those that occur."""
        price = self._of_levels(name, hierarchy, values)
        price[: hierarchy.finest] = price[hierarchy.finest]  # every cell is raised at least so far
        return price

    def _of_levels(self, name: str, hierarchy: Hierarchy, values: tuple[Label, ...]) -> Floats:
        if self.kind == "ncp":
            return self.weight(name) * level_costs(hierarchy, objective="loss")
        under = self._widths(hierarchy, values) if name in self.numeric else _shares(hierarchy)
        lowest = lowest_levels(hierarchy)
        price: Floats = self.weight(name) * np.take_along_axis(
            under, lowest.astype(np.int64), axis=0
        )
        return price

    def of_sets(self, name: str, leaves: int) -> Floats:
        """The price of a cell whose label is a set of 0, 1, 2, ... up to all leaves."""
        sizes = np.arange(leaves + 1, dtype=np.float64)
        if self.kind == "ncp":
            return self.weight(name) * np.maximum(sizes - 1, 0) / max(leaves - 1, 1)
        return self.weight(name) * np.where(sizes > 1, sizes / max(leaves, 1), 0.0)

    def _widths(self, hierarchy: Hierarchy, values: tuple[Label, ...]) -> Floats:
        """By the numbers that occur under a label: (high - low) / (highest - lowest)."""
        places, span = places_of(hierarchy.labels[0])
        occurs = np.zeros(len(places), bool)
        occurs[: len(values)] = True
        numbers = places[occurs & (places < np.inf)]
        span = max(float(np.ptp(numbers)), 1e-12) if len(numbers) else span
        out = np.zeros((hierarchy.height + 1, len(places)))
        for level, (up, names) in enumerate(zip(hierarchy.up, hierarchy.labels, strict=True)):
            low, high = np.full(len(names), np.inf), np.full(len(names), -np.inf)
            counted = occurs & (places < np.inf)
            np.minimum.at(low, up[counted], places[counted])
            np.maximum.at(high, up[counted], places[counted])
            width = np.where(high >= low, high - low, 0.0) / span
            mixed = np.bincount(up[~np.isfinite(places)], minlength=len(names)) > 0
            width[mixed & (hierarchy.leaves[level] > 1)] = 1.0
            out[level] = np.minimum(width, 1.0)[up]
        return out


def _shares(hierarchy: Hierarchy) -> Floats:
    leaves = np.stack(
        [counts[codes] for counts, codes in zip(hierarchy.leaves, hierarchy.up, strict=True)]
    )
    return np.where(leaves > 1, leaves / len(hierarchy.labels[0]), 0.0)


def places_of(values: tuple[Label, ...]) -> tuple[Floats, float]:
    """Each value as a number (dates by their day), infinite where it is none; and highest less
    lowest."""
    places = np.array([_place(value) for value in values], np.float64)
    numbers = places[np.isfinite(places)]
    return places, max(float(np.ptp(numbers)), 1e-12) if len(numbers) else 1.0


def _place(value: Label) -> float:
    if value is None:
        return np.inf
    try:
        number = float(value)
    except ValueError:
        try:
            return float(date.fromisoformat(value).toordinal())
        except ValueError:
            return np.inf
    return number if np.isfinite(number) else np.inf
