"""The columns of a table's stage: the fields that are still needed, and the replacements of its
keys.

A stage is made in one pass, joined to the stage of the table above it. That table's knowledge of
its rows, the new number of its key and the days that a person's dates move by, is joined at the
same time. Nothing is joined by key again when the table is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sfumato.engines import Abilities
from sfumato.policy import Method, Policy, is_released

from ..texts.text_step import has_texts
from .days import DAYS
from .table_view import Sight


@dataclass(frozen=True, kw_only=True)
class StageColumns:
    """`number` is the field of a stage that numbers its rows, where that number replaces their key;
    `days` the one with the days to move by; `taken` maps released fields to fields of the stage
    that they are taken from."""

    number: str = ""
    days: str = ""
    taken: Mapping[str, str] = field(default_factory=dict)


def number_of(table: str, key: str) -> str:
    """The stages' name of the number in place of a key."""
    return f"number of {table}.{key}"


def in_place_of(link: str) -> str:
    """The stage's name of the replacement of a link to a table whose rows belong to nobody."""
    return f"in place of {link}"


def numbers_rows(policy: Policy, sight: Sight, abilities: Abilities) -> bool:
    """Whether the stage of a table numbers its rows: the number at random of a key is that of a row
    at random."""
    table = policy.tables[sight.name]
    decided = table.fields.get(table.key) if table.key else None
    if (
        sight.person is None
        or decided is None
        or decided.replace is None
        or not abilities.numbers_stages
    ):
        return False
    is_link = any(link.field == table.key for link in table.links)
    return decided.replace.method is Method.NUMBER and not is_link


def moves_dates(sight: Sight, seen: Mapping[str, Sight]) -> bool:
    """Whether a table, or one below it, has dates that move."""
    if any(item.shift is not None for item in sight.policy.fields.values()):
        return True
    return any(moves_dates(other, seen) for other in seen.values() if other.above == sight.name)


def looked_at(
    policy: Policy, sight: Sight, fields: Iterable[str], taken: Iterable[str]
) -> tuple[str, ...]:
    """Of a table's own fields those that are released, counted or led over, but for links that are
    taken from another field. Where texts are scrubbed, all of them: texts are searched for the
    known values of a person."""
    if has_texts(policy):
        return tuple(fields)
    table, mine = policy.tables[sight.name], policy.of_table(sight.name)
    wanted = {name for name in table.fields if is_released(mine, name)} | {
        link.field for link in table.links
    }
    wanted = (
        (wanted - set(taken)) | {table.key, sight.person or ""} | {item.field for item in sight.own}
    )
    wanted |= {item.follows for item in table.fields.values() if item.follows}
    return tuple(name for name in fields if name in wanted)


def called_in_stages(policy: Policy) -> set[str]:
    """The names that fields of stages may have besides those of the tables themselves."""
    numbers = {number_of(name, table.key) for name, table in policy.tables.items() if table.key}
    return (
        {DAYS}
        | numbers
        | {in_place_of(link.field) for table in policy.tables.values() for link in table.links}
    )
