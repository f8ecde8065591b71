"""Checks that the decisions about the fields of one table are consistent; an ordered tuple of
rules, all of them run."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.errors import Problem
from sfumato.parts import with_question

from .declared_models import LooksAt
from .records import Field, Membership, Policy
from .released_fields import is_released
from .roles import Role
from .table_cursor import joined
from .text_checks import text_roles

_SHIFTED = (Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE)
VALUED = (Role.SENSITIVE, Role.INSENSITIVE)
"""The roles of fields that are released with their values."""


def _roles_fit(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """A decision about a field must be one that its role, or the requirement on its sets of values,
    allows."""
    sets = {asked.field for _, asked in policy.require.looking_at(LooksAt.SETS)}
    sets |= {name for step in policy.steps if step.declaration.by_hierarchy for name in step.fields}
    for name, field in policy.fields.items():
        if name in unclear:
            continue
        where = joined("fields", name)
        role = field.role
        if (
            field.hierarchy is not None
            and role is not Role.QUASI
            and not (name in sets and role in VALUED)
        ):
            attempt = 'role = "quasi"' + (
                f", or a k_m that names {name}." if role in VALUED else "."
            )
            yield _only(f"{where}.hierarchy", "A hierarchy", role, attempt=attempt)
        for key, bound in (("finest", field.finest), ("coarsest", field.coarsest)):
            if bound is not None and role is not Role.QUASI:
                yield _only(f"{where}.{key}", f"A {key} level", role, attempt='role = "quasi".')
        if field.rank != 1 and role is not Role.QUASI:
            yield _only(f"{where}.rank", "A rank", role, attempt='role = "quasi".')
        if field.replace is not None and role not in (Role.DIRECT, Role.TEXT):
            yield _only(f"{where}.replace", "A replacement", role, attempt='role = "direct".')
        if field.follows and role not in VALUED:
            yield _only(
                f"{where}.follows", "Following another field", role, attempt="leaving it out."
            )
        if field.domain is not None and role not in (Role.QUASI, *VALUED):
            yield _only(
                f"{where}.domain", "A domain", role, attempt='role = "quasi" or "sensitive".'
            )
        if field.value_steps and role is not Role.SENSITIVE:
            yield _only(
                f"{where}.value_steps", "Steps of values", role, attempt='role = "sensitive".'
            )
        if field.constant_per_person and role is not Role.QUASI:
            yield _only(
                f"{where}.constant_per_person",
                "Being constant per person",
                role,
                attempt='role = "quasi".',
            )
        if field.public and role is not Role.QUASI:
            yield _only(
                f"{where}.public",
                "Being public",
                role,
                attempt='role = "quasi", or leaving it out.',
            )
        if field.public and policy.membership is not Membership.PUBLIC:
            yield Problem(
                where=f"{where}.public",
                found="How many people have each value is public only where it is public who is in "
                "the table.",
                attempt='membership = "public" at the top, or leaving it out.',
            )
        if field.constant_per_person and not policy.entity and not policy.tables:
            yield Problem(
                where=f"{where}.constant_per_person",
                found="Every row is a person of its own, because no entity is named.",
                attempt="leaving it out, or entity with the field of the person key.",
            )
        if field.shift is not None and role not in _SHIFTED:
            yield _only(f"{where}.shift", "A shift of dates", role, attempt="leaving it out.")


def _may_tell(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """A field may disclose other fields of its table, where it is released itself."""
    for name, field in policy.fields.items():
        where = f"{joined('fields', name)}.may_tell"
        if name not in unclear:
            yield from may_tell_role(field, where=where)
        for each in field.may_tell:
            if each == name:
                yield Problem(
                    where=where, found="A field determines itself.", attempt="naming another one."
                )
            elif each not in policy.fields:
                found = with_question(f'There is no field "{each}".', each, policy.fields)
                yield Problem(where=where, found=found, attempt="a field of the same table.")


def may_tell_role(field: Field, *, where: str) -> Iterator[Problem]:
    """A field that is removed, replaced or moved discloses nothing that it could be allowed to."""
    if field.may_tell and not _leaves_as_it_is(field):
        yield _only(where, "Determining another field", field.role, attempt="leaving it out.")


def _made_of_others(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """A field that is made of others names at least two fields of the source, which are not all
    released as they are."""
    for name, field in policy.fields.items():
        where = f"{joined('fields', name)}.made_of"
        parts = [each for each in field.made_of if each not in unclear]
        if not field.made_of or name in unclear:
            continue
        if len(set(field.made_of)) < 2 or len(set(field.made_of)) < len(field.made_of):
            yield Problem(
                where=where, found="A field is made of two others or more, each named once."
            )
        if field.role is not Role.DIRECT:
            yield _only(where, "Being made of others", field.role, attempt='role = "direct".')
        for each in parts:
            if each not in policy.fields:
                yield Problem(
                    where=where,
                    found=with_question(f'There is no field "{each}".', each, policy.fields),
                )
            elif policy.fields[each].made_of:
                yield Problem(
                    where=where,
                    found=f"{each} is itself made of others.",
                    attempt="the fields of the source.",
                )
        known = [policy.fields[each] for each in parts if each in policy.fields]
        if (
            known
            and len(known) == len(field.made_of)
            and all(_leaves_as_it_is(each) for each in known)
        ):
            yield Problem(
                where=where,
                found=f"{', '.join(field.made_of)} are all released as they are, and together "
                "they are the key.",
                attempt='role = "direct" for one of them.',
            )


def _leaves_as_it_is(field: Field) -> bool:
    return field.role not in (Role.DIRECT, Role.TEXT)


def _only(where: str, what: str, role: Role, *, attempt: str) -> Problem:
    return Problem(
        where=where,
        found=f"{what} has no effect on a field that is {role.value}.",
        attempt=attempt,
    )


def _something_leaves(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """A table without fields cannot be written, and would be of no use."""
    leaving = [
        field
        for field in policy.fields.values()
        if field.replace is None
        or field.role not in (Role.DIRECT, Role.TEXT)
        or is_released(policy, field.name)
    ]
    if policy.fields and not leaving and not unclear:
        yield Problem(
            where="fields",
            found="Every field is removed, so nothing would be released.",
            attempt='replace = "made-up" for one of them, or another role.',
        )


def _leaders(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """A field follows one that recoding can suppress. A follower is no such field, so there are no
    chains."""
    for name, field in policy.fields.items():
        leader = policy.fields.get(field.follows)
        where = f"{joined('fields', name)}.follows"
        if not field.follows or field.follows in unclear or name in unclear:
            continue
        if leader is None:
            said = with_question(
                f'There is no field "{field.follows}".', field.follows, policy.named(Role.QUASI)
            )
            yield Problem(where=where, found=said, attempt="a quasi field.")
        elif leader.role is not Role.QUASI and field.role in VALUED:
            yield Problem(
                where=where,
                found=f"{leader.name} is {leader.role.value}, and only the cells of a quasi "
                "field are suppressed.",
                attempt="following a quasi field.",
            )


def kept_fields(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """A field that must stay useful exists, is named once, and is released with its values."""
    decided = dict(policy.fields)
    for table, found in policy.tables.items():
        decided |= {f"{table}.{name}": field for name, field in found.fields.items()}
        if policy.entity == f"{table}.{found.key}":
            decided |= {name: field for name, field in found.fields.items() if name not in decided}
    for name in dict.fromkeys(policy.keep):
        if policy.keep.count(name) > 1:
            yield Problem(where="keep", found=f"{name} is named twice.", attempt="naming it once.")
        if name in unclear or (name not in decided and policy.tables and unclear):
            continue
        if name not in decided:
            said = with_question(f'There is no field "{name}".', name, decided)
            yield Problem(where="keep", found=said, attempt="the name of a field.")
        elif decided[name].role in (Role.DIRECT, Role.TEXT):
            yield Problem(
                where="keep",
                found=f"{name} is {decided[name].role.value}, so its values are not released.",
                attempt=f"leaving {name} out of keep, or another role for it.",
            )


FIELD_RULES = (
    _roles_fit,
    text_roles,
    _something_leaves,
    _leaders,
    _may_tell,
    _made_of_others,
)
