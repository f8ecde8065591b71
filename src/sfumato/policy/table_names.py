"""Names such as `visits.admitted`: the table and the field that they mean. Both may have dots of
their own."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from .records import Policy


def fields_by_table(policy: Policy) -> dict[str, Collection[str]]:
    """The field names of each table."""
    return {name: tuple(table.fields) for name, table in policy.tables.items()}


def readings(name: str, tables: Mapping[str, Collection[str]]) -> tuple[tuple[str, str], ...]:
    """Every table and field that TABLE.FIELD could mean: one for most names, none for an unknown
    name.

    Example:
        >>> readings("visits.ward", {"visits": ["ward"], "patients": ["zip"]})
        (('visits', 'ward'),)
        >>> readings("a.b.c", {"a": ["b.c"], "a.b": ["c"]})
        (('a', 'b.c'), ('a.b', 'c'))
    """
    return tuple(
        (table, name.removeprefix(f"{table}."))
        for table, fields in tables.items()
        if name.startswith(f"{table}.") and name.removeprefix(f"{table}.") in fields
    )


def split_name(name: str, tables: Mapping[str, Collection[str]]) -> tuple[str, str]:
    """The table and the field of a name, as far as they can be distinguished, also where one of
    them does not exist.

    Example:
        >>> split_name("hospital.visits.ward", {"hospital.visits": []})
        ('hospital.visits', 'ward')
        >>> split_name("ward", {"visits": ["ward"]})
        ('', 'ward')
    """
    found = readings(name, tables)
    if found:
        return found[0]
    known = [table for table in tables if name.startswith(f"{table}.")]
    if known:
        return known[0], name.removeprefix(f"{known[0]}.")
    table, _, field = name.rpartition(".")
    return table, field
