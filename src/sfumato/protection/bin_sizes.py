"""Per-field bin sizes: each value of a field occurs at least as often as that field asks (Sweeney
1997, sections 3.1, 3.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.parts import Direction, ParameterKind, Shape, parameter
from sfumato.policy import ROWS, RequirementForm, Role

from .declaration import ModelContext, ModelDeclaration
from .model import Model, verdict_of
from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class BinSizesRequirement:
    """Each value of a field occurs in as many rows as its entry in `sizes`."""

    sizes: Mapping[str, int] = parameter(
        "rows that each value of a field must have",
        least=1,
        kind=ParameterKind.SIZES,
        stricter=Direction.UP,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BinSizes:
    """Each value of field f, taken alone, occurs in at least `sizes[f]` released rows.

    Assumes: a recipient links on one field at a time.
    Does not protect: combinations of fields; see `KAnonymity` and `Combinations`.
    Reference: Sweeney 1997, sections 3.1 and 3.4; docs/protection/bin-sizes.md.

    Example:
        >>> bins = Bins.of(("sex",), {("m",): 150, ("f",): 149, (None,): 1})
        >>> BinSizes(sizes={"sex": 3}).failing(bins).tolist()
        [False, False, True]
    """

    sizes: Mapping[str, float]

    name: ClassVar[str] = "bin sizes"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = False
    bin_monotone: ClassVar[bool] = False
    monotone_rows: ClassVar[bool] = True

    @property
    def fields(self) -> tuple[str, ...]:
        return tuple(self.sizes)

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        out = np.zeros(len(bins), bool)
        for name, needed in self.sizes.items():
            groups, found = bins.group_of((name,))
            out |= (found < needed)[groups]
        return out

    def judge(self, bins: Bins) -> Verdict:
        found = [int(bins.group_of((name,))[1].min(initial=bins.rows)) for name in self.sizes]
        requirement = ", ".join(f"{name} ≥ {needed:g}" for name, needed in self.sizes.items())
        smallest = min(found, default=bins.rows)
        return verdict_of(
            self, bins, requirement=requirement, fields=tuple(self.sizes), smallest=smallest
        )


def _build(asked: BinSizesRequirement, context: ModelContext) -> Iterator[Model]:
    sizes = {name: size for name, size in asked.sizes.items() if name in context.known}
    if sizes:
        yield BinSizes(sizes=sizes)


DECLARATION = ModelDeclaration(
    key="bin_sizes",
    doc="each value of a field, taken alone, occurs in at least so many rows",
    record=BinSizesRequirement,
    form=RequirementForm.VALUE,
    roles={"sizes": (Role.QUASI,)},
    shapes=ROWS | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.GATE},
    counted=True,
    least=lambda asked: max(asked.sizes.values(), default=1),
    build=_build,
    models=(BinSizes,),
    place=30,
)
