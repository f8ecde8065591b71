"""Whether what is said of recipients fits the fields of a policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sfumato.errors import Problem
from sfumato.parts import with_question

from .records import Policy
from .table_cursor import joined
from .table_names import fields_by_table, readings
from .table_paths import find_person

Found = Iterator[Problem]


def release_to(policy: Policy, unclear: frozenset[str]) -> Found:
    """The release goes to someone who is described."""
    if policy.recipient not in policy.recipients:
        said = with_question(
            f'There is no profile "{policy.recipient}".', policy.recipient, policy.recipients
        )
        yield Problem(
            where="release_to", found=said, attempt=f"one of {', '.join(policy.recipients)}."
        )


def known_fields(policy: Policy, unclear: frozenset[str]) -> Found:
    """With one table, what a recipient knows is a field of it."""
    known = {*policy.fields, *unclear}
    for section, given in _known(policy):
        for name in given:
            if name not in known:
                said = with_question("There is no such field.", name, policy.fields)
                yield Problem(where=joined(section, name), found=said)


def known_table_fields(policy: Policy, unclear: frozenset[str]) -> Found:
    """With several, it is a field of the person's table, by its name, or TABLE.FIELD of any."""
    person, names = find_person(policy), fields_by_table(policy)
    if person is None:
        return
    table, own = person[0], policy.tables[person[0]].fields
    options = [*own, *(f"{other}.{field}" for other, fields in names.items() for field in fields)]
    for section, given in _known(policy):
        for name in given:
            meant = [*([(table, name)] if name in own else []), *readings(name, names)]
            if len(meant) > 1:
                said = " and ".join(f'"{field}" of "{other}"' for other, field in meant)
                yield Problem(
                    where=joined(section, name),
                    found=f"It could be {said}.",
                    attempt="names without dots.",
                )
            elif not meant and not unclear:
                yield Problem(
                    where=joined(section, name),
                    found=with_question("There is no such field.", name, options),
                    attempt=f"a field of {table} by its name, or TABLE.FIELD of any table.",
                )
            elif name in own and f"{table}.{name}" in given:
                said = f'"{table}.{name}" is the same field, and named too.'
                yield Problem(where=joined(section, name), found=said, attempt="naming it once.")


def _known(policy: Policy) -> Iterator[tuple[str, Mapping[str, float]]]:
    """What each profile says of fields, with its place."""
    for name, profile in policy.recipients.items():
        yield f"{joined('recipient', name)}.linking", profile.linking
        yield f"{joined('recipient', name)}.distortion", profile.distortion
