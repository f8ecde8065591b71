"""One step on cells written out by hand, with chance from a fixed secret: the same draws every
time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.engines import FieldKind
from sfumato.policy import Policy, policy_from_table
from sfumato.techniques import Cells, KeyedRandom, StepContext, StepResult, apply_step

SECRET = bytes(range(32))


def policy_of(
    cells: Mapping[str, Any], step: Mapping[str, Any], fields: Mapping[str, Any], **more: Any
) -> Policy:
    """A policy in which every field is insensitive unless said otherwise."""
    decided = {name: fields.get(name, "insensitive") for name in cells}
    return policy_from_table({"fields": decided, "steps": [dict(step)], **more}, folder=Path())


def taken(
    columns: Mapping[str, Sequence[str | None]],
    step: Mapping[str, Any],
    *,
    fields: Mapping[str, Any] | None = None,
    kinds: Mapping[str, FieldKind] | None = None,
    secret: bytes = SECRET,
    **more: Any,
) -> StepResult:
    """What the step does to these columns."""
    policy = policy_of(columns, step, fields or {}, **more)
    cells = Cells.of_columns(columns, kinds=kinds or dict.fromkeys(columns, FieldKind.TEXT))

    def key(domain: str) -> bytes:
        return (domain.encode() + SECRET)[:32]

    around = StepContext(policy=policy, chance=KeyedRandom(secret), secret=key)
    return apply_step(cells, policy.steps[0], around)


def column(done: StepResult, name: str) -> list[str | None]:
    return list(done.cells.columns[name])


def counted(values: Sequence[str | None]) -> Counter[str | None]:
    return Counter(values)


def tuples(done: StepResult, names: Sequence[str]) -> list[tuple[str | None, ...]]:
    return list(zip(*(column(done, name) for name in names), strict=True))
