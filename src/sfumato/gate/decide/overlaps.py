"""Tables that are declared to be about other people, and share values beyond chance.

Somebody who combines two tables joins them on their common fields: a key, or an amount that hardly
two rows share. A steward may declare that tables are about other people (`people = "NAME"`). Where
such values agree more often than chance explains, the declaration is wrong, and the gate does not
open."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from sfumato.errors import PolicyError, Problem
from sfumato.hierarchies import Label

from .protected_table import ProtectedTable

FEWEST: Final = 20
"""Fewer shared values are taken for chance."""
PART: Final = 0.05
"""So is a smaller part of the smaller set."""
OWN: Final = 0.5
"""A field whose different values are so many of its rows leads from one table to another."""
_DEVIATIONS: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Values:
    """The different values by which rows of a table can be found elsewhere."""

    table: str
    name: str
    values: frozenset[Label]


def check_overlaps(tables: Mapping[str, ProtectedTable]) -> None:
    """Refuse tables of different accounts that share values beyond chance."""
    found = [each for table in tables.values() for each in _telling(table)]
    problems = [
        Problem(
            where=f"tables.{one.table}",
            found=f"It is declared to be about other people than {other.table}, and more values of "
            f"{one.name} are in {other.name} there than chance explains.",
            attempt="leaving people out, so that both are judged together; or another gate.",
        )
        for one, other in combinations(found, 2)
        if tables[one.table].account != tables[other.table].account
        and is_beyond_chance(one.values, other.values)
    ]
    if problems:
        raise PolicyError(problems, name="The gate")


def is_beyond_chance(one: frozenset[Label], other: frozenset[Label]) -> bool:
    """Whether two sets of values share more than they would by chance. Texts do not agree by
    chance; whole numbers do as often as two draws from their range.

    Example:
        >>> first, second = (frozenset(map(str, range(*ends))) for ends in ((0, 900), (500, 1500)))
        >>> is_beyond_chance(first, second)
        False
        >>> is_beyond_chance(first, frozenset(str(n) for n in range(0, 900_000, 9)) | first)
        True
        >>> is_beyond_chance(frozenset(f"p{n}" for n in range(90)), frozenset(f"p{n}" for n in range(60)))
        True
    """
    shared = len(one & other)
    if shared < FEWEST or shared < PART * min(len(one), len(other)):
        return False
    numbers = [_wholes(values) for values in (one, other)]
    if any(each is None for each in numbers):
        return True
    first, second = (each for each in numbers if each is not None)
    low, high = min(*first, *second), max(*first, *second)
    expected = len(first) * len(second) / (high - low + 1)
    return shared > expected + _DEVIATIONS * math.sqrt(expected)


def _wholes(values: frozenset[Label]) -> list[int] | None:
    """Values as whole numbers; None where they are others."""
    try:
        return [int(value) for value in values if value is not None]
    except ValueError:
        return None


def _telling(table: ProtectedTable) -> Iterator[_Values]:
    """The person keys of a table, and fields of which hardly two rows share a value."""
    alone = table.alone
    if alone.person_keys:
        keys = frozenset(alone.person_keys) - {None}
        yield _Values(table=table.name, name="the person key", values=keys)
    for name, held in alone.fields.items():
        if len(held.values) >= max(FEWEST, OWN * len(alone)):
            yield _Values(table=table.name, name=name, values=frozenset(held.values) - {None})
