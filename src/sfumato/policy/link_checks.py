"""Checks that the person key, the keys and the links of several tables are consistent, in the
policy and once released."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.errors import Problem
from sfumato.parts import with_question

from .records import Field, Method, Policy, Replacement
from .roles import Role
from .table_cursor import joined
from .table_names import fields_by_table, readings, split_name
from .table_paths import ancestors
from .table_records import Link, TablePolicy
from .unread_parts import fields_of

Found = Iterator[Problem]


def _person(policy: Policy, unclear: frozenset[str]) -> Found:
    """The person key is the key of a table, and is not released as it is."""
    entity, names = policy.entity, fields_by_table(policy)
    if entity is None:
        yield Problem(
            where="entity",
            found="No field identifies the person of a row, and people are to be counted.",
            attempt='entity = "TABLE.FIELD": the person key, in the table with one row for each '
            "person.",
        )
        return
    table_name, name = split_name(entity, names)
    table = policy.tables.get(table_name)
    if table_name in unclear or entity in unclear:
        return
    if len(readings(entity, names)) > 1:
        yield _ambiguous("entity", entity, policy)
    elif table is None:
        yield Problem(
            where="entity",
            found=_no_table(policy, table_name, name),
            attempt=_keys_to_try(policy, name),
        )
    elif name not in table.fields:
        said = with_question(f'{table_name} has no field "{name}".', name, table.fields)
        yield Problem(
            where="entity", found=said, attempt="the field that identifies the person of a row."
        )
    elif table.fields[name].role is not Role.DIRECT:
        yield Problem(
            where="entity",
            found=f"The person key {entity} is {table.fields[name].role.value}, so it would be "
            "released as it is.",
            attempt='role = "direct" with replace = "number", which keeps the rows of one person '
            "together.",
        )
    elif table.key != name:
        yield Problem(
            where="entity",
            found=f"{name} is not the key of {table_name}, and the person's table has one row "
            "for each person.",
            attempt=f'key = "{name}" under [{joined("tables", table_name)}].',
        )


def _no_table(policy: Policy, table: str, field: str) -> str:
    if table:
        return with_question(f'There is no table "{table}".', table, policy.tables)
    return f'With several tables, "{field}" does not name the table of the person key.'


def _keys_to_try(policy: Policy, field: str) -> str:
    having = [name for name, table in policy.tables.items() if table.key == field] or ["TABLE"]
    return (
        f'"{having[0]}.{field}".'
        if len(having) == 1
        else "TABLE.FIELD, the table with one row for each person."
    )


def _ambiguous(where: str, name: str, policy: Policy) -> Problem:
    """Dots in the names of tables and fields can make two of one name."""
    meant = " and ".join(
        f'"{field}" of "{table}"' for table, field in readings(name, fields_by_table(policy))
    )
    return Problem(
        where=where,
        found=f"It could be {meant}.",
        attempt="names without dots, by views in the source.",
    )


def _keys(policy: Policy, unclear: frozenset[str]) -> Found:
    """A key identifies a row, so it cannot be released as it is. The person key is looked at
    above."""
    for name, table in policy.tables.items():
        where = f"{joined('tables', name)}.key"
        if not table.key or table.key in fields_of(unclear, name) or name in unclear:
            continue
        if table.key not in table.fields:
            said = with_question(f'There is no field "{table.key}".', table.key, table.fields)
            yield Problem(where=where, found=said, attempt="the field that other tables link to.")
        elif (
            table.fields[table.key].role is not Role.DIRECT
            and policy.entity != f"{name}.{table.key}"
        ):
            yield Problem(
                where=where,
                found=f"The key {table.key} is {table.fields[table.key].role.value}, so it would "
                "be released as it is.",
                attempt=f'role = "direct" for {table.key}, with replace = "number" where other '
                "tables link to it.",
            )


def _links(policy: Policy, unclear: frozenset[str]) -> Found:
    """A link starts at a field and leads to the key of a table."""
    for name, table in policy.tables.items():
        for link in table.links:
            where = joined(f"{joined('tables', name)}.links", link.field)
            if link.field not in {*table.fields, *fields_of(unclear, name)} and name not in unclear:
                said = with_question(
                    f'{name} has no field "{link.field}".', link.field, table.fields
                )
                yield Problem(where=where, found=said)
            else:
                yield from _target(policy, unclear, link, where=where)


def _target(policy: Policy, unclear: frozenset[str], link: Link, *, where: str) -> Found:
    target = policy.tables.get(link.table)
    if link.table in unclear:
        return
    if len(readings(f"{link.table}.{link.key}", fields_by_table(policy))) > 1:
        yield _ambiguous(where, f"{link.table}.{link.key}", policy)
    elif target is None:
        said = with_question(f'There is no table "{link.table}".', link.table, policy.tables)
        yield Problem(where=where, found=said, attempt='"TABLE.KEY".')
    elif not target.key:
        named = link.key if link.key in target.fields else "FIELD"
        yield Problem(
            where=where,
            found=f"{link.table} has no key to link to.",
            attempt=f'key = "{named}" under [{joined("tables", link.table)}].',
        )
    elif link.key != target.key:
        said = (
            f'"{link.key}" is not the key of {link.table}.'
            if link.key
            else "It does not say which field."
        )
        yield Problem(where=where, found=said, attempt=f'"{link.table}.{target.key}".')


def _no_circle(policy: Policy, unclear: frozenset[str]) -> Found:
    """Tables are released top-down, so there is a top. A circle is reported once, at the first of
    its tables."""
    told: set[str] = set()
    for name, table in policy.tables.items():
        circle = [other for other in _above(policy, name) if name in _above(policy, other)]
        for link in table.links:
            again = link.table in told or name in told
            if link.table == name:
                said = f"{name} links to itself."
            elif link.table in circle and not again:
                said = f"The links of {', '.join((name, *circle))} go round in a circle."
                told.update((name, *circle))
            else:
                continue
            attempt = f'leaving this link out, with role = "direct" for {link.field}.'
            yield Problem(
                where=joined(f"{joined('tables', name)}.links", link.field),
                found=said,
                attempt=attempt,
            )


def _above(policy: Policy, table: str) -> tuple[str, ...]:
    return ancestors(policy, table) if table in policy.tables else ()


def _linked_alike(policy: Policy, unclear: frozenset[str]) -> Found:
    """Where both ends of a link are released, they are replaced in the same way; else it would lead
    nowhere."""
    for name, table in policy.tables.items():
        for link in table.links:
            target = policy.tables.get(link.table)
            if target is None or target.key != link.key or unclear.intersection((name, link.table)):
                continue
            start, end = table.fields.get(link.field), target.fields.get(link.key)
            unread = link.field in fields_of(unclear, name) or link.key in fields_of(
                unclear, link.table
            )
            if start is not None and end is not None and not unread and end.role is Role.DIRECT:
                yield from _alike(table, link, start=start, end=end)


def _alike(table: TablePolicy, link: Link, *, start: Field, end: Field) -> Found:
    where, key = (
        joined(f"{joined('tables', table.name)}.fields", link.field),
        f"{link.table}.{link.key}",
    )
    kept, asked = start.replace or Replacement(), end.replace or Replacement()
    if start.role is not Role.DIRECT:
        yield Problem(
            where=f"{where}.role",
            found=f"{link.field} links to {key}, which is direct; as {start.role.value} it would "
            "be released as it is.",
            attempt=f'role = "direct" with {_written(asked)}, as {key} has, or without, which '
            "removes it.",
        )
    elif kept.method is Method.REMOVE:
        return
    elif asked.method is Method.REMOVE:
        yield Problem(
            where=f"{where}.replace",
            found=f"{link.field} links to {key}, which is removed, so that the link would lead "
            "nowhere.",
            attempt=f"{_written(kept)} for {key} too, or removing both.",
        )
    elif kept != asked:
        yield Problem(
            where=f"{where}.replace",
            found=f"{link.field} links to {key}, which is replaced in another way, so that the "
            "link would break.",
            attempt=f"{_written(asked)}, as {key} has, or removing {link.field}.",
        )
    elif not kept.tells_rows_apart:
        yield Problem(
            where=f"{where}.replace",
            found=f"A {kept.method.value} is the same for every value, so that {link.field} would link to every "
            f"row of {link.table}.",
            attempt=f'replace = "number" for {link.field} and {key}, or removing {link.field}.',
        )


def _written(replacement: Replacement) -> str:
    method = replacement.method.value
    if replacement.kind:
        return f'replace = {{ method = "{method}", kind = "{replacement.kind}" }}'
    if replacement.word:
        return f'replace = {{ method = "{method}", word = "{replacement.word}" }}'
    return f'replace = "{method}"'


LINK_RULES = (_person, _keys, _links, _no_circle, _linked_alike)
