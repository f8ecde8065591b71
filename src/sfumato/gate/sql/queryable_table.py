"""What a query may name: the fields of each table that others may know, other fields, and fields that
never leave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryableTable:
    """What a query may name of a table: fields that others may know, other fields, and fields that
    never leave. Tables with the same `people` may be joined on `person_key`."""

    known: tuple[str, ...]
    unknown: tuple[str, ...]
    never: tuple[str, ...] = ()
    person_key: str = ""
    people: str = ""

    @property
    def shown(self) -> tuple[str, ...]:
        return (*self.known, *self.unknown)


Catalogue = Mapping[str, QueryableTable]
