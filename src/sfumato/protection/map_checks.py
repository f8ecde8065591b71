"""Whether a requirement about the subject that a released row matches fits the steps of a
policy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from sfumato.errors import Problem
from sfumato.policy import Policy, Role, Rule


def map_checks(key: str, *, attempt: str, every_field: bool) -> tuple[Rule, ...]:
    """The rules for the model under a key. With `every_field`, one field that no step changes
    breaks the requirement."""

    def moves(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
        return (
            iter(())
            if unclear
            else _something_moves(policy, key, attempt=attempt, every_field=every_field)
        )

    return moves, partial(_nothing_relabelled, key)


def _something_moves(
    policy: Policy, key: str, *, attempt: str, every_field: bool
) -> Iterator[Problem]:
    """Recoding keeps rows true, so that each matches its subject; only a step can prevent that."""
    looked_up = set(_looked_up(policy, policy.require.one(key)))
    moving = [
        step
        for step in policy.steps
        if not step.declaration.truthful and looked_up & set(step.fields)
    ]
    still = [name for name in looked_up if not any(name in step.fields for step in moving)]
    still = [
        name
        for name in policy.named(Role.QUASI)
        if name in still and policy.profile.links_on(name) > 0
    ]
    if moving and still and every_field:
        yield Problem(
            where=f"require.{key}",
            found=f"No step changes {', '.join(still)}: an intruder who ignores the other "
            "fields finds people by it.",
            attempt="steps that change every field that is looked up.",
        )
    if looked_up and not moving:
        yield Problem(
            where=f"require.{key}",
            found="No step changes the fields that are looked up, so that each row leads to the "
            "one it is about.",
            attempt=attempt,
        )


def _nothing_relabelled(key: str, policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """A label that a step made, such as one for all small categories, is no value of a subject but
    still leads to one."""
    looked_up = _looked_up(policy, policy.require.one(key))
    for number, step in enumerate(policy.steps):
        for name in step.fields if step.declaration.truthful else ():
            if name in looked_up and name not in unclear:
                yield Problem(
                    where=f"steps[{number}].fields",
                    found=f"{key} looks {name} up among the subjects' values, and "
                    f"{step.technique} makes labels "
                    "that are none of them and still true.",
                    attempt=f"a hierarchy for {name} in place of this step.",
                )


def _looked_up(policy: Policy, asked: Any) -> tuple[str, ...]:
    return asked.fields or policy.named(Role.QUASI)
