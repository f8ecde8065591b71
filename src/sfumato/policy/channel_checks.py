"""Checks that the decisions about channels fit the rest of the policy; every problem is
reported."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sfumato.errors import Problem
from sfumato.hierarchies import Suppression
from sfumato.parts import with_question

from .channel_records import Channels, CombinationRule
from .records import Method, Order, Policy, SolveSettings
from .requirements import Requirements
from .roles import NullRule, Role
from .table_cursor import joined

_OTHER = (Role.SENSITIVE, Role.QUASI)


def channels(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """Channels name existing fields, in roles that fit, and nothing else in the policy contradicts
    them."""
    asked = policy.channels
    if asked is None:
        return
    yield from _known(policy, asked, unclear)
    yield from _roles(policy, asked, unclear)
    yield from _numbers(asked)
    yield from _rules(asked)
    yield from _field_weights(asked)
    yield from _statistics(asked)
    yield from _altered(policy, asked)
    yield from _nothing_ignored(policy)


def no_channels(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    if policy.channels is not None:
        yield Problem(
            where="channels",
            found="There are channels, and a policy for several tables takes none.",
            attempt="a policy for the one table that has the names and the confidential field.",
        )


def _named(asked: Channels) -> Iterator[tuple[str, str]]:
    yield from (("channels.fields", name) for name in asked.fields)
    yield from (("channels.identifiers", name) for name in asked.identifiers)
    if asked.confidential:
        yield "channels.confidential", asked.confidential
    for number, each in enumerate(asked.also):
        yield f"channels.also[{number}].field", each.name


def _known(policy: Policy, asked: Channels, unclear: frozenset[str]) -> Iterator[Problem]:
    seen: set[str] = set()
    for where, name in _named(asked):
        if name not in {*policy.fields, *unclear}:
            yield Problem(
                where=where,
                found=with_question(f'There is no field "{name}".', name, policy.fields),
            )
        elif name in seen:
            yield Problem(
                where=where, found=f"{name} is named twice, and a field has one part in channels."
            )
        seen.add(name)
    for key in ("fields", "identifiers"):
        if not getattr(asked, key):
            yield Problem(
                where=f"channels.{key}", found="It names no field.", attempt="at least one."
            )
    if asked.label in policy.fields or not asked.label:
        yield Problem(
            where="channels.label",
            found="It is no new name for a field.",
            attempt='label = "output_channel".',
        )


def _roles(policy: Policy, asked: Channels, unclear: frozenset[str]) -> Iterator[Problem]:
    """The released fields beside a name, and how: by their role, and by being named here on
    purpose."""
    for name, field in policy.fields.items():
        if name in unclear:
            continue
        where, role = joined("fields", name), field.role
        if name in asked.fields and role is not Role.QUASI:
            yield Problem(
                where=where, found=f"{name} is {role.value}, and channels are made of quasi fields."
            )
        elif name in asked.fields and field.hierarchy not in (None, Suppression()):
            yield Problem(
                where=f"{where}.hierarchy",
                found="A hierarchy has no effect on a field of channels.",
            )
        elif name in asked.confidential_names and role is not Role.SENSITIVE:
            yield Problem(
                where=where,
                found=f"{name} is {role.value}, and the confidential field is sensitive.",
            )
        elif name in asked.identifiers:
            yield from _identifier(policy, name, where)
        elif role in _OTHER and name not in (*asked.fields, *asked.confidential_names):
            yield Problem(
                where=where,
                found=f"{name} is {role.value} and would be released beside a name as it is.",
                attempt='adding it to channels.fields, or role = "direct", which removes it.',
            )


def _identifier(policy: Policy, name: str, where: str) -> Iterator[Problem]:
    field = policy.fields[name]
    if field.role is not Role.DIRECT:
        yield Problem(
            where=where,
            found=f"{name} is {field.role.value}, and only direct identifiers are released by "
            "name.",
            attempt='role = "direct", or leaving it out of channels.identifiers.',
        )
    elif field.replace is not None and field.replace.method is not Method.REMOVE:
        yield Problem(
            where=f"{where}.replace",
            found=f"{name} is replaced, and channels.identifiers says that it is released as it "
            "is.",
            attempt="one of the two.",
        )


def _numbers(asked: Channels) -> Iterator[Problem]:
    for number, each in enumerate(asked.confidential_fields):
        where = "channels" if number == 0 else f"channels.also[{number - 1}]"
        if not each.tolerance:
            yield Problem(
                where=f"{where}.tolerance",
                found="It names no value.",
                attempt="each value that must not be inferred.",
            )
        both = sum(value in each.tolerance for value in each.none)
        if both:
            yield Problem(
                where=f"{where}.none", found=f"{both} of its values have a tolerance too."
            )
        strange = sum(value not in each.tolerance for value in each.weights)
        if strange:
            found = f"{strange} of its values have no tolerance."
            yield Problem(where=f"{where}.weights", found=found)
    if asked.all_weights and asked.bound is None:
        yield Problem(
            where="channels.weights",
            found="There are weights and no bound on their sum.",
            attempt="bound = 0.6.",
        )


def _rules(asked: Channels) -> Iterator[Problem]:
    for number, rule in enumerate(asked.rules):
        where = f"channels.rules[{number}]"
        if rule.field not in asked.fields:
            said = with_question(
                f'"{rule.field}" is not among channels.fields.', rule.field, asked.fields
            )
            yield Problem(where=f"{where}.field", found=said)
        if len(set(rule.values)) < len(rule.values):
            yield Problem(where=f"{where}.values", found="A value is there twice.")
        if rule.rule is CombinationRule.NO_GAPS and len(rule.values) < 3:
            yield Problem(
                where=f"{where}.values", found="A gap needs an order of three values or more."
            )
        if rule.rule is CombinationRule.ALIKE and rule.values:
            yield Problem(
                where=f"{where}.values", found="The field keeps every value, so none is named."
            )
        if rule.rule is CombinationRule.APART and len(rule.values) == 1:
            yield Problem(
                where=f"{where}.values",
                found="One value alone cannot be apart.",
                attempt="two, or none for all.",
            )
        if rule.rule is CombinationRule.SPAN and rule.most is None:
            yield Problem(
                where=f"{where}.most",
                found="It is missing: how far apart values may be.",
                attempt="most = 1.",
            )
        if rule.rule is CombinationRule.SPAN and len(rule.values) == 1:
            yield Problem(
                where=f"{where}.values",
                found="An order needs two values or more.",
                attempt="all values in their order, or none where they are numbers.",
            )
        if rule.rule is not CombinationRule.SPAN and rule.most is not None:
            yield Problem(where=f"{where}.most", found="Only a rule about a span has it.")


def _field_weights(asked: Channels) -> Iterator[Problem]:
    for name in asked.field_weights:
        if name not in asked.fields:
            said = with_question(f'"{name}" is not among channels.fields.', name, asked.fields)
            yield Problem(where=joined("channels.field_weights", name), found=said)


def _statistics(asked: Channels) -> Iterator[Problem]:
    """Groups are of fields of channels, and a value is in one group."""
    for name, groups in asked.statistics.items():
        where = joined("channels.statistics", name)
        if name not in asked.fields:
            said = with_question(f'"{name}" is not among channels.fields.', name, asked.fields)
            yield Problem(where=where, found=said)
        values = [value for group in groups for value in group]
        if len(set(values)) < len(values):
            yield Problem(where=where, found="A value is in it twice.")
        if any(len(group) < 2 for group in groups):
            yield Problem(where=where, found="A group of it has fewer than two values.")


def _altered(policy: Policy, asked: Channels) -> Iterator[Problem]:
    """An altered field depends on the values of subjects, and its promise is for one field and
    for statistics of the input channels."""
    if not asked.altered:
        return
    if asked.altered in policy.fields or asked.altered == asked.label:
        yield Problem(
            where="channels.altered",
            found="It is no new name for a field.",
            attempt=f'altered = "{asked.confidential}_possible".',
        )
    others = {
        "also": bool(asked.also),
        "statistics": bool(asked.statistics),
        "reading": asked.reading != "subjects",
    }
    for key, is_said in others.items():
        if is_said:
            yield Problem(
                where=f"channels.{key}",
                found="It is not judged together with an altered confidential field.",
                attempt=f"leaving out channels.{key} or channels.altered.",
            )


def _nothing_ignored(policy: Policy) -> Iterator[Problem]:
    """A setting that a release by channels would ignore is refused."""
    if replace(policy.require, max_suppression=0.0) != Requirements():
        yield Problem(
            where="require",
            found="Something is required of bins, and a release with names is judged by its "
            "channels alone.",
            attempt="leaving [require] out.",
        )
    undone = {
        "steps": bool(policy.steps),
        "household": policy.household is not None,
        "solve": policy.solve != SolveSettings(seed=policy.solve.seed),
        "order": policy.order is Order.KEEP,
        "nulls": policy.nulls is not NullRule.VALUE,
    }
    for where, is_said in undone.items():
        if is_said:
            yield Problem(
                where=where,
                found="A release by channels ignores it.",
                attempt="leaving it out.",
            )
    shifted = [name for name, field in policy.fields.items() if field.shift is not None]
    if shifted:
        yield Problem(
            where=f"{joined('fields', shifted[0])}.shift",
            found="Dates beside names are not moved by a release by channels.",
            attempt="leaving it out.",
        )
