"""The fields of a released table, held against the manifest and against what the policy
releases."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from sfumato.engines import Engine
from sfumato.policy import Policy, Replacement, Role, is_released

from .checks import Check, same_as_said
from .identifiers import constant_of


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
    yield from _constants(table, policy, have)


def _constants(table: Engine, policy: Policy, have: Container[str]) -> Iterator[Check]:
    """Fields declared constant hold that value and no other."""
    for name, decided in policy.fields.items():
        replaced = decided.replace or Replacement()
        if name in have and decided.role is Role.DIRECT and replaced.leaves_a_constant:
            wrong = _others(table, name, constant_of(replaced))
            yield Check(
                claim=f"{name} holds one value",
                outcome="fail" if wrong else "pass",
                found="another value is in it" if wrong else "as the manifest says",
            )


def _others(table: Engine, name: str, constant: str | None) -> bool:
    """Whether a field holds a value other than this one; null is none."""
    return any(
        value is not None and value != constant
        for batch in table.distinct((name,))
        for value in batch[name].tolist()
    )
