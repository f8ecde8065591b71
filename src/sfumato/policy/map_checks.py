"""Whether null-map and wrong-map, where required, fit the fields and the steps of a policy (000, section 5)."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.errors import Problem

from .model_checks import of_role
from .model_requirements import NullMapRequirement, WrongMapRequirement
from .records import NullRule, Policy, Requirements, Role


def maps_asked(require: Requirements) -> Iterator[tuple[str, NullMapRequirement | WrongMapRequirement]]:
    """Each of the two that is required, with its key."""
    if require.null_map is not None:
        yield "null_map", require.null_map
    if require.wrong_map is not None:
        yield "wrong_map", require.wrong_map


def _fields(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    for key, asked in maps_asked(policy.require):
        yield from of_role(policy, unclear, asked.fields, where=f"require.{key}.fields", roles=(Role.QUASI,))
    if policy.require.wrong_map is not None:
        where, roles = "require.wrong_map.outside", (Role.SENSITIVE, Role.INSENSITIVE)
        yield from of_role(policy, unclear, policy.require.wrong_map.outside, where=where, roles=roles)


def _null_is_a_value(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """A missing value that could be anything fits every subject, and is not looked up as such."""
    for key, _ in maps_asked(policy.require):
        if policy.nulls is not NullRule.VALUE:
            yield Problem(
                where="nulls",
                found=f"{key} looks a missing value up as a value of its own.",
                attempt='nulls = "value".',
            )


def _something_moves(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """Recoding keeps rows true, so that each leads to its subject; only a step can keep it from that."""
    if unclear:
        return
    for key, asked in maps_asked(policy.require):
        looked_up = set(asked.fields or policy.named(Role.QUASI))
        moving = [step for step in policy.steps if not step.spec.truthful and looked_up & set(step.fields)]
        still = [name for name in looked_up if not any(name in step.fields for step in moving)]
        still = [name for name in policy.named(Role.QUASI) if name in still and policy.profile.links_on(name) > 0]
        if moving and still and key == "null_map":
            yield Problem(
                where=f"require.{key}",
                found=f"No step changes {', '.join(still)}: who leaves out the other fields finds people by it.",
                attempt="steps that change every field that is looked up.",
            )
        if looked_up and not moving:
            yield Problem(
                where=f"require.{key}",
                found="No step changes the fields that are looked up, so that each row leads to the one it is about.",
                attempt='[[steps]] with technique = "encrypt", "noise" or "swap" on them.'
                if key == "null_map"
                else '[[steps]] with technique = "swap" and method = "unit" on all of them.',
            )


def _nothing_relabelled(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """A label that a step made, such as one for all small categories, is no value of a subject, and yet leads there."""
    for key, asked in maps_asked(policy.require):
        looked_up = asked.fields or policy.named(Role.QUASI)
        for number, step in enumerate(policy.steps):
            for name in step.fields if step.spec.truthful else ():
                if name in looked_up and name not in unclear:
                    yield Problem(
                        where=f"steps[{number}].fields",
                        found=f"{key} looks {name} up among the subjects' values, and {step.technique} makes labels "
                        "that are none of them and still true.",
                        attempt=f"a hierarchy for {name} in place of this step.",
                    )


MAP_RULES = (_fields, _null_is_a_value, _something_moves, _nothing_relabelled)
