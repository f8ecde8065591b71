"""Substitution: a value becomes another of its class, which is its label at some level of the
hierarchy (Sweeney 2000, 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Mistake
from sfumato.hierarchies import Hierarchy, Suppression
from sfumato.parts import parameter
from sfumato.policy import PolicyStep, TechniqueDeclaration
from sfumato.wording import counted

from .cells import Cells
from .keyed_random import KeyedRandom, Wholes
from .kinds import fits
from .step_result import StepContext, StepResult

Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Substitution:
    """Which classes values are drawn from, and how many are replaced."""

    level: int = parameter("classes are this level of its hierarchy", default=1, least=1)
    share: float = parameter("of cells that are replaced", default=1.0, above=0, most=1)


def substituted(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Cells get another value of their class, drawn by how many rows have each; the class stays
    true.

    Where no other value of the class occurs, one that only the hierarchy's file knows is taken;
    where there is none either, the cell keeps its own and is counted. Null stays null."""
    (name,), level, share = step.fields, step.whole("level"), step.number("share")
    codes, labels = cells.codes(name)
    present = [label for label in labels.tolist() if label is not None]
    if not present:
        return StepResult(cells=cells, words={name: "kept as it is: it has no value"})
    hierarchy = (around.policy.fields[name].hierarchy or Suppression()).bind(tuple(present))
    if level > hierarchy.height:
        raise Mistake(
            f"Replacement of {name} within classes of level {level} was asked for.",
            found=f"Its hierarchy has {counted(hierarchy.height, 'level')} above the values.",
            attempt=f"level = {hierarchy.height}.",
        )
    pool = _Pool(
        cells, name, hierarchy, level, np.bincount(codes, minlength=len(labels))[: len(present)]
    )
    there = np.flatnonzero(~cells.is_null(name))
    chosen = there[around.chance.permutation(len(there))[: round(share * len(there))]]
    new, kept = pool.others(codes[chosen], around.chance)
    out = cells.columns[name].copy()
    out[chosen] = new
    called = hierarchy.level_name(level)
    part = "values are" if share == 1.0 else f"{share:.3g} of values are"
    words = (
        f"{part} replaced by another of the same class ({called}); counts by {called} and "
        "coarser are unchanged"
    )
    warnings = (
        (
            f"{kept} of {len(chosen)} cells of {name} keep their value: no other value of "
            "their class is known.",
        )
        if kept
        else ()
    )
    facts = {"level": level, "classes": called, "share": share}
    return StepResult(
        cells=cells.with_texts(name, out), words={name: words}, facts=facts, warnings=warnings
    )


class _Pool:
    """The values of each class, weighed by rows; those that only the hierarchy knows count where no
    other occurs."""

    def __init__(
        self, cells: Cells, name: str, hierarchy: Hierarchy, level: int, counts: Wholes
    ) -> None:
        self._labels = np.array(hierarchy.labels[0], object)
        classes = hierarchy.up[level].astype(np.int64)
        weights = np.zeros(len(classes))
        weights[: len(counts)] = counts
        seen = np.bincount(classes, weights > 0, minlength=int(classes.max(initial=0)) + 1)
        spare = np.array(
            [
                label is not None and fits(cells.kinds.get(name), label)
                for label in hierarchy.labels[0]
            ]
        )
        weights[(weights == 0) & spare & (seen[classes] == 1)] = 1.0
        # A class with one value that occurs draws from the spare ones: the value itself is left out
        # anyway.
        self._order = np.lexsort((np.arange(len(classes)), classes))
        self._place = np.argsort(self._order)
        self._ends = np.cumsum(weights[self._order])
        self._weights = weights
        self._totals = np.bincount(classes, weights, minlength=len(seen))
        self._before = (np.cumsum(self._totals) - self._totals)[classes]
        self._of_class = self._totals[classes]

    def others(self, codes: Wholes, chance: KeyedRandom) -> tuple[NDArray[np.object_], int]:
        """Another value for each code, and how many have none and keep their own."""
        own = self._weights[codes]
        room = self._of_class[codes] - own
        drawn: Reals = chance.uniform(len(codes)) * room
        ahead = (
            self._ends[self._place[codes]] - own - self._before[codes]
        )  # weight of the class before the own value
        drawn = np.where(drawn >= ahead, drawn + own, drawn) + self._before[codes]
        found = self._order[
            np.minimum(np.searchsorted(self._ends, drawn, side="right"), len(self._order) - 1)
        ]
        stuck = room <= 0
        return self._labels[np.where(stuck, codes, found)], int(stuck.sum())


DECLARATION = TechniqueDeclaration(
    key="substitute",
    doc="values are replaced by others of their class",
    title="substitution",
    record=Substitution,
    apply=substituted,
    fields=(1, 1),
    by_hierarchy=True,
    trials=({"level": 1}, {"level": 1, "share": 0.5}),
)
