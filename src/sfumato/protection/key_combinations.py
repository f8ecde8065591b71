"""Key combinations: every combination of values of some quasi fields occurs often enough, each key
with its own k."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sfumato.parts import Direction, ParameterKind, Shape, parameter
from sfumato.policy import ROWS, RequirementForm, Role

from .declaration import ModelContext, ModelDeclaration
from .k_anonymity import KAnonymity
from .model import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyCombination:
    """Every combination of values of the quasi `fields` occurs in at least `k` rows: a key with a k
    of its own."""

    k: int = parameter(
        "rows that share each tuple of the key", least=1, example="3", stricter=Direction.UP
    )
    fields: tuple[str, ...] = parameter(
        "quasi fields that the key is made of",
        kind=ParameterKind.FIELDS,
        example='["zip", "birth"]',
    )

    def conflicts(self, given: frozenset[str]) -> Iterator[tuple[str, str, str]]:
        if not self.fields:
            yield (
                "fields",
                "A key combination needs the fields that it is made of.",
                'fields = ["zip", "birth"].',
            )
        if len(set(self.fields)) < len(self.fields):
            yield "fields", "It names a field twice.", ""


def _build(asked: KeyCombination, context: ModelContext) -> Iterator[Model]:
    """None where the recipient links on none of its fields."""
    fields = tuple(name for name in asked.fields if name in context.known)
    policy = context.policy
    if fields:
        yield KAnonymity(
            k=asked.k, fields=fields, reading=policy.require.reading, nulls=policy.nulls
        )


DECLARATION = ModelDeclaration(
    key="key_combinations",
    doc="each tuple of some quasi fields is shared by at least k rows, each key with a k of "
    "its own",
    record=KeyCombination,
    form=RequirementForm.TABLES,
    roles={"fields": (Role.QUASI,)},
    shapes=ROWS | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.GATE},
    least=lambda asked: int(asked.k),
    build=_build,
    models=(KAnonymity,),
    place=50,
)
