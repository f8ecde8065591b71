"""The fields of a released table, held against the manifest and against what the policy
releases."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from sfumato.engines import Engine
from sfumato.policy import Policy, is_released

from .checks import Check, same_as_said


def field_checks(
    table: Engine,
    words: Mapping[str, Any],
    policy: Policy,
    *,
    besides: Container[str] = (),
    name: str = "released fields",
) -> Iterator[Check]:
    """Fields that the manifest calls removed are not in the table; none is there that the policy
    keeps back."""
    have = {info.name for info in table.fields()}
    kept = {name for name, said in words.items() if not str(said).startswith("removed")}
    yield same_as_said(name, sorted(kept), sorted(have))
    back = sorted(name for name in have if name not in besides and not is_released(policy, name))
    if back:
        found = f"the policy does not release {', '.join(back[:5])}"
        yield Check(claim=f"{name}, by the policy", outcome="fail", found=found)
