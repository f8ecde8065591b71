"""Datafly's overall anonymity level, which a solver turns into bin sizes (Sweeney 1997)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sfumato.parts import ParameterKind, Shape, parameter
from sfumato.policy.declared_models import ROWS

from .declaration import ModelContext, ModelDeclaration
from .model import Model

_R2 = re.compile(r"sqrt|sawtooth|N/[1-9][0-9]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnonymityLevel:
    """Datafly's overall anonymity level A and what turns it into bin sizes.

    Reference: paper 001, sections 3.1 to 3.6; docs/solvers/datafly.md.
    """

    level: float = parameter("A: 0 is the least, 1 the most anonymous", least=0, most=1, example="0.7")
    r1: float = parameter("the least bin size", default=0.0, least=0)
    r2: float | str = parameter(
        'the largest bin size: a number, "sqrt", "sawtooth" or a part of the rows such as "N/100"',
        default="sawtooth",
        kind=ParameterKind.NUMBER_OR_RULE,
        least=0,
    )
    e: float | None = parameter("the bin size that outweighs the recipient's effort; r2 if none", default=None, least=0)
    loss: float = parameter("the share of rows that one field may drop", default=0.10, least=0, most=1)

    def conflicts(self, given: frozenset[str]) -> Iterator[tuple[str, str, str]]:
        if isinstance(self.r2, str) and not _R2.fullmatch(self.r2):
            yield "r2", "It is none of the rules for r2.", 'a number, "sqrt", "sawtooth" or "N/100".'
        if isinstance(self.r2, float) and self.r2 <= self.r1:
            yield "r2", f"It is {self.r2:g}, and must be more than r1 = {self.r1:g}.", ""


def _build(asked: AnonymityLevel, context: ModelContext) -> Iterator[Model]:
    """Only a solver turns a level into bin sizes; with another one, a policy is refused before anything is counted."""
    return iter(())


DECLARATION = ModelDeclaration(
    key="anonymity",
    doc="Datafly's overall anonymity level, which sets the bin size of each field",
    record=AnonymityLevel,
    shapes=ROWS | {Shape.ROW_NUMBERS},
    reasons={Shape.SEVERAL_ROWS: "Datafly turns an anonymity level into numbers of rows"},
    needs_reading="turns an anonymity level into bin sizes",
    counted=True,
    build=_build,
    place=60,
    written_whole=True,
)
