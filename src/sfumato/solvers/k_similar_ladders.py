"""The distance of k-Similar (Sweeney 2000, section 6.4, Figs. 31 and 32): levels up to the lowest
common ancestor.

Departures: a field may weigh more or less than another. The distance may count the leaves under the
released label ("loss") where the paper counts levels ("precision"). A label at several consecutive
levels costs as much as at its lowest one. Null is such a label in a hierarchy that does not name
it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.hierarchies import Codes, Hierarchy

from .solver import Hierarchies

APART = -1
"""In a closure: the column below the level where all its bins have met."""

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ladders:
    """The labels of each bin on its way up: one column per field and level below the top.

    `codes[b, j]` is the code of bin b in column j and `steps[b, j]` what leaving that level costs
    one of its rows. Hierarchies are nested, so two bins differ in exactly the columns below the
    level where they meet. Recoding bin b to meet something else costs `(codes[b] != codes[other]) @
    steps[b]` per row. `spans[f]` are the columns of field `fields[f]`."""

    fields: tuple[str, ...]
    codes: Codes
    steps: Floats
    spans: tuple[slice, ...]

    @classmethod
    def of(
        cls, bins: Bins, hierarchies: Hierarchies, *, weights: Mapping[str, float], objective: str
    ) -> Ladders:
        codes: list[NDArray[np.int32]] = []
        steps: list[Floats] = []
        spans: list[slice] = []
        for column, name in enumerate(bins.fields):
            hierarchy = hierarchies[name]
            values = bins.codes[:, column]
            height = hierarchy.height
            codes.extend(hierarchy.up[level][values] for level in range(height))
            costs = weights.get(name, 1.0) * level_costs(hierarchy, objective=objective)[:, values]
            steps.extend(costs[level + 1] - costs[level] for level in range(height))
            spans.append(slice(len(codes) - height, len(codes)))
        if not codes:
            return cls(
                bins.fields,
                np.zeros((len(bins), 0), np.int32),
                np.zeros((len(bins), 0)),
                tuple(spans),
            )
        return cls(bins.fields, np.stack(codes, axis=1), np.stack(steps, axis=1), tuple(spans))

    def __len__(self) -> int:
        return len(self.codes)

    def only(self, at: Numbers) -> Ladders:
        """The ladders of some bins."""
        return Ladders(self.fields, self.codes[at], self.steps[at], self.spans)

    def meeting(self, members: Numbers) -> Codes:
        """The closure of some bins: their common codes, APART where they differ."""
        rungs = self.codes[members]
        return np.where((rungs == rungs[0]).all(axis=0), rungs[0], np.int32(APART))


def lowest_levels(hierarchy: Hierarchy) -> NDArray[np.int16]:
    """Per level and value: the lowest level from which on the label of that level is the same."""
    out = np.zeros((hierarchy.height + 1, len(hierarchy.up[0])), np.int16)
    for level in range(1, hierarchy.height + 1):
        below = np.array(hierarchy.labels[level - 1], object)[hierarchy.up[level - 1]]
        here = np.array(hierarchy.labels[level], object)[hierarchy.up[level]]
        out[level] = np.where(below == here, out[level - 1], level)
    return out


def level_costs(hierarchy: Hierarchy, *, objective: str) -> Floats:
    """Per level and value, what releasing it at that level costs, from 0 (as it is) to 1 (nothing
    is left). Every cell is raised at least to the finest level."""
    costs = _costs(hierarchy, objective=objective)
    costs[: hierarchy.finest] = costs[hierarchy.finest]
    return costs


def _costs(hierarchy: Hierarchy, *, objective: str) -> Floats:
    lowest = lowest_levels(hierarchy)
    if objective == "precision":
        return np.asarray(lowest / max(hierarchy.height, 1), np.float64)
    values = np.arange(lowest.shape[1])
    leaves = np.stack(
        [counts[codes] for counts, codes in zip(hierarchy.leaves, hierarchy.up, strict=True)]
    )
    under = leaves[lowest, values]
    return np.asarray((under - 1) / max(len(hierarchy.labels[0]) - 1, 1), np.float64)
