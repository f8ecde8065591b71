"""At least: each bin has at least so many rows. A protection model of another package, whole in
this one file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.parts import Direction, parameter
from sfumato.protection import Model, ModelContext, ModelDeclaration, Verdict, verdict_of


@dataclass(frozen=True, slots=True, kw_only=True)
class AtLeast:
    """Each bin has at least `rows` rows."""

    rows: int = parameter("rows in each bin", least=1, example="3", stricter=Direction.UP)
    declaration: ClassVar[ModelDeclaration]


@dataclass(frozen=True, slots=True, kw_only=True)
class AtLeastModel:
    """Each tuple of `fields` is shared by at least `rows` released rows."""

    rows: int
    fields: tuple[str, ...]

    name: ClassVar[str] = "at least"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = True
    bin_monotone: ClassVar[bool] = True

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        groups, sizes = bins.group_of(self.fields)
        return np.asarray(sizes[groups] < self.rows)

    def judge(self, bins: Bins) -> Verdict:
        requirement = f"{self.rows} rows in each bin"
        return verdict_of(
            self, bins, requirement=requirement, fields=self.fields, smallest=bins.smallest
        )


def _build(asked: AtLeast, context: ModelContext) -> Iterator[Model]:
    yield AtLeastModel(rows=asked.rows, fields=context.known)


DECLARATION = ModelDeclaration(
    key="at_least",
    doc="each bin has at least so many rows",
    record=AtLeast,
    build=_build,
    models=(AtLeastModel,),
)
AtLeast.declaration = DECLARATION
