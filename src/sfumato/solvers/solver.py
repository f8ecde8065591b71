"""What every solver promises: bins and requirements in, a recoding out. A solver never sees a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, Recoding
from sfumato.policy.hierarchies import Hierarchy
from sfumato.protection import Model

Hierarchies = Mapping[str, Hierarchy]

DOWNCODING = (
    "Local recoding is minimal: a cell is coarse only because a row near it differs. Who knows the method may learn "
    "more from that than the labels say (downcoding, Cohen 2022); where that matters, take a global recoding."
)
MINIMALITY = (
    "Clusters are no wider than the models about sensitive values ask for. Who knows the method and everyone's "
    "quasi-identifiers may conclude which values made a cluster wide (minimality attack, Wong et al. 2007)."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One move of a solver, told in words: field names and counts, no values."""

    what: str
    levels: Mapping[str, int]
    bins: int
    rows_failing: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution:
    """What a solver found and how it got there. `notes` are for the report: departures, limits, warnings.

    `picture` is an SVG of what was searched, where there is one worth looking at.
    """

    solver: str
    recoding: Recoding
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    picture: str = ""


class Solver(Protocol):
    """Constructors store parameters and do nothing else; bins arrive in `solve`."""

    name: ClassVar[str]

    def solve(self, bins: Bins, hierarchies: Hierarchies) -> Solution:
        """A recoding whose released bins keep every requirement, or NoRecodingFound."""
        ...


def failing_rows(
    bins: Bins, hierarchies: Hierarchies, levels: Mapping[str, int], models: Sequence[Model]
) -> NDArray[np.bool_]:
    """Which source bins must be left out so that the rest, recoded to `levels`, keeps every model.

    Leaving bins out can make others fail where a model is not monotone under suppression, so this repeats
    until nothing more fails.
    """
    coarse, groups = bins.recoded(hierarchies, levels)
    out = np.ones(len(coarse), bool)
    kept = np.arange(len(coarse))
    while len(kept):
        failing = np.zeros(len(kept), bool)
        for model in models:
            failing |= model.failing(coarse)
        if not failing.any():
            break
        coarse = coarse.only(~failing)
        kept = kept[~failing]
    out[kept] = False
    return out[groups]
