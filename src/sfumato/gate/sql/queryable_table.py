"""The names of a query: the fields of each table that others may know, other fields, and fields
that are never released."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

PERSON: Final = "person"
"""The unit of COUNT(DISTINCT person), whatever the name of the person key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryableTable:
    """The names of a table in a query: fields that others may know, other fields, and fields that
    are never released. Tables with the same `people` may be joined on `person_key`. COUNT(DISTINCT
    `counted_key`) is the number of people, and COUNT of it that of rows where all have one, which
    everybody may know (`keyed_rows`)."""

    known: tuple[str, ...]
    unknown: tuple[str, ...]
    never: tuple[str, ...] = ()
    person_key: str = ""
    people: str = ""
    counted_key: str = ""
    keyed_rows: bool = False

    @property
    def shown(self) -> tuple[str, ...]:
        return (*self.known, *self.unknown)


Catalogue = Mapping[str, QueryableTable]
