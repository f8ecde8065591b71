"""Checks that the decisions about text fields fit the rest of the policy; an ordered tuple of
rules, all of them run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sfumato.errors import Problem
from sfumato.parts import with_question

from .records import Field, Method, Policy
from .roles import Role
from .table_cursor import joined
from .text_records import TextDates

_REMOVED = 'replace = "remove" for the text field'


def scrubbed_fields(fields: Mapping[str, Field]) -> tuple[str, ...]:
    """The text fields that are released, scrubbed; the others are removed."""
    return tuple(
        name for name, field in fields.items() if field.role is Role.TEXT and not is_removed(field)
    )


def is_removed(field: Field) -> bool:
    return field.replace is not None and field.replace.method is Method.REMOVE


def text_roles(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """Only a text field is scrubbed, and one that is removed is not."""
    for name, field in policy.fields.items():
        if name in unclear:
            continue
        where = joined("fields", name)
        if field.scrub is not None and field.role is not Role.TEXT:
            said = f"Scrubbing has no effect on a field that is {field.role.value}."
            yield Problem(where=f"{where}.scrub", found=said, attempt='role = "text".')
        elif field.scrub is not None and is_removed(field):
            yield Problem(
                where=f"{where}.scrub",
                found="A field that is removed is not scrubbed.",
                attempt="one of the two.",
            )
        if field.role is Role.TEXT and field.replace is not None and not is_removed(field):
            said = (
                f'A text field is scrubbed or removed, and "{field.replace.method.value}" is '
                "neither."
            )
            yield Problem(
                where=f"{where}.replace", found=said, attempt='scrub = {}, or replace = "remove".'
            )


def cues_of_one_table(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    yield from _cues(policy.fields, "fields", [*policy.fields, *unclear], own="")


def cues_of_tables(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """With several tables a cue is a field of the same table, or TABLE.FIELD of any."""
    known = [f"{name}.{field}" for name, table in policy.tables.items() for field in table.fields]
    for name, table in policy.tables.items():
        yield from _cues(
            table.fields, f"{joined('tables', name)}.fields", [*known, *unclear], own=name
        )


def _cues(
    fields: Mapping[str, Field], section: str, known: Iterable[str], *, own: str
) -> Iterator[Problem]:
    names = list(known)
    for field in fields.values():
        for cue in (field.scrub.cues if field.scrub is not None else None) or ():
            where = f"{joined(section, field.name)}.scrub.cues"
            here = f"{own}.{cue}" if own else cue
            if cue == field.name or (here not in names and cue not in names):
                said = with_question(f'There is no other field "{cue}".', cue, [*fields])
                yield Problem(
                    where=where, found=said, attempt="fields whose values are about the person."
                )
            elif cue in fields and fields[cue].role is Role.TEXT:
                yield Problem(
                    where=where,
                    found=f"{cue} is free text, which is no cue.",
                    attempt="leaving it out.",
                )


def text_beside_steps(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """A value that a step changed must not be readable in the text: that needs the person of the
    row."""
    texts = scrubbed_fields(policy.fields)
    if not texts or not policy.steps:
        return
    touched = {name for step in policy.steps for name in step.fields}
    if any(step.declaration.adds_rows for step in policy.steps):
        said = f"Made-up rows have no text in {', '.join(texts)}, which distinguishes them from the others."
        yield Problem(where="steps", found=said, attempt=f"{_REMOVED}.")
    if touched and (policy.entity is None or policy.entity in touched):
        said = (
            f"{', '.join(texts)} may disclose what steps change, and no field identifies the "
            "person of a text after them."
        )
        yield Problem(
            where="steps", found=said, attempt=f"an entity that no step changes, or {_REMOVED}."
        )


def text_beside_others(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """The parts of a policy that cannot be combined with released text."""
    tables = policy.tables.values()
    texts = [
        *scrubbed_fields(policy.fields),
        *(n for table in tables for n in scrubbed_fields(table.fields)),
    ]
    if not texts:
        return
    for name in texts if policy.channels is not None else ():
        if policy.fields[name].scrub is not None:
            said = "A release by channels has names in it, and no text that is scrubbed."
            yield Problem(
                where=f"{joined('fields', name)}.scrub", found=said, attempt="leaving it out."
            )


def text_dates(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """Where gaps between dates are perturbed in a table, dates in the text that keep them would
    undo it."""
    perturbed = [f.name for f in policy.fields.values() if f.shift and f.shift.is_by_dates]
    for name in scrubbed_fields(policy.fields) if perturbed else ():
        scrub = policy.fields[name].scrub
        if scrub is None or scrub.dates is TextDates.SHIFT:
            said = (
                f"The days between the dates of {', '.join(perturbed)} are perturbed, or their "
                "holidays kept, and the text would keep them otherwise."
            )
            yield Problem(
                where=f"{joined('fields', name)}.scrub.dates", found=said, attempt='dates = "year".'
            )


TEXT_RULES = (cues_of_one_table, text_beside_steps, text_beside_others, text_dates)
TEXT_TABLE_RULES = (cues_of_tables, text_beside_others)
