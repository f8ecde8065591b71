"""2- and 3-combinations: each value of each chosen combination of fields occurs at least k times
(Sweeney 2000, 6.3)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, wild_cells
from sfumato.errors import Problem
from sfumato.parts import ParameterKind, Shape, parameter
from sfumato.policy import ROWS, CellReading, NullRule, Policy, Role

from .declaration import ModelContext, ModelDeclaration
from .model import Model, verdict_of
from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinationRequirement:
    """Every combination of `sizes` quasi-identifiers occurs at least `k` times."""

    k: int = parameter("rows that each combination of values must have", least=1, example="3")
    sizes: tuple[int, ...] = parameter(
        "how many fields are combined",
        default=(2, 3),
        least=1,
        kind=ParameterKind.WHOLES,
        example="[2, 3]",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Combinations:
    """Each value of each of `combinations` occurs in at least `k` released rows.

    With the wildcard reading, as mu-Argus counts, a combination with a suppressed cell is not
    counted.

    Assumes: a recipient links on no more fields at once than the combinations hold. Does not
    protect: a row that is unique over more fields (Sweeney 2000, Fig. 30 keeps one such row).
    Reference: Sweeney 2000, section 6.3; docs/protection/combinations.md.

    Example:
        >>> bins = Bins.of(("zip", "sex"), {("02138", "f"): 2, ("02139", "f"): 1})
        >>> Combinations(k=2, combinations=(("sex",), ("zip", "sex"))).judge(bins).outcome
        'fail'
    """

    k: int
    combinations: tuple[tuple[str, ...], ...]
    reading: CellReading = CellReading.WILDCARD

    name: ClassVar[str] = "combinations"
    monotone_suppression: ClassVar[bool] = False
    bin_monotone: ClassVar[bool] = False
    monotone_rows: ClassVar[bool] = True

    @property
    def monotone_generalisation(self) -> bool:
        """False where suppressed cells are not counted: a hierarchy may give `*` a label that is
        counted."""
        return self.reading is CellReading.STRICT

    @property
    def fields(self) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(name for combination in self.combinations for name in combination)
        )

    @property
    def least_rows(self) -> int:
        return self.k

    def looked_at(self, bins: Bins, combination: tuple[str, ...]) -> NDArray[np.bool_]:
        """Mark the bins that are counted for one combination."""
        wild = wild_cells(
            bins, suppressed=self.reading is CellReading.WILDCARD, nulls=NullRule.VALUE
        )
        columns = [bins.column(name) for name in combination]
        return np.asarray(~wild[:, columns].any(axis=1))

    def unsafe(self, bins: Bins, combination: tuple[str, ...]) -> NDArray[np.bool_]:
        """Mark the bins with a value of one combination that is too rare."""
        whole = self.looked_at(bins, combination)
        out = np.zeros(len(bins), bool)
        groups, sizes = bins.only(whole).group_of(combination)
        out[whole] = sizes[groups] < self.k
        return out

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        out = np.zeros(len(bins), bool)
        for combination in self.combinations:
            out |= self.unsafe(bins, combination)
        return out

    def judge(self, bins: Bins) -> Verdict:
        smallest = bins.rows
        for combination in self.combinations:
            _, sizes = bins.only(self.looked_at(bins, combination)).group_of(combination)
            smallest = min(smallest, int(sizes.min(initial=smallest)))
        requirement = (
            f"k = {self.k} in {len(self.combinations)} combinations, read {self.reading.value}"
        )
        return verdict_of(
            self, bins, requirement=requirement, fields=self.fields, smallest=smallest
        )


def _build(asked: CombinationRequirement, context: ModelContext) -> Iterator[Model]:
    """A recipient who links on fewer fields than a combination has may link on all of those at
    once."""
    known = context.known
    sizes = dict.fromkeys(min(size, len(known)) for size in asked.sizes)
    chosen = tuple(names for size in sizes if size for names in itertools.combinations(known, size))
    yield Combinations(k=asked.k, combinations=chosen, reading=context.policy.require.reading)


def _sizes(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    quasi = len({*policy.named(Role.QUASI), *unclear})
    for size in policy.require.one("combinations").sizes:
        if size > quasi:
            yield Problem(
                where="require.combinations.sizes",
                found=f"There are no combinations of {size} fields: {quasi} are quasi.",
                attempt=f"sizes up to {quasi}.",
            )


DECLARATION = ModelDeclaration(
    key="combinations",
    doc="each value of each combination of so many fields occurs in at least k rows",
    record=CombinationRequirement,
    shapes=ROWS | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES},
    counted=True,
    checks=(_sizes,),
    build=_build,
    models=(Combinations,),
    place=40,
    written_whole=True,
)
