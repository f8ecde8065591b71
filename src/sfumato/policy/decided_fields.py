"""What `[synthesis]` and `[tables_of_counts]` take over from the rest of a policy, where they decide
nothing themselves: the person of a row, fields that name people, and declared domains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sfumato.errors import Problem
from sfumato.hierarchies import is_list

from .field_section import read_fields
from .file_format import reads_format
from .records import Domain
from .roles import Role
from .table_cursor import Reader, joined

SECTIONS: Final = frozenset(
    {
        "channels",
        "documentation",
        "entity",
        "fields",
        "format",
        "household",
        "keep",
        "membership",
        "nulls",
        "order",
        "other_fields",
        "proposed",
        "quote_formulas",
        "recipient",
        "release_to",
        "require",
        "row_counts",
        "solve",
        "source",
        "steps",
        "synthesis",
        "tables",
        "tables_of_counts",
    }
)
"""Every key of a whole policy."""
NAMING: Final = (Role.DIRECT, Role.TEXT)
"""Roles of fields that name people, or may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldDecisions:
    """What a policy decides about the fields of one table."""

    entity: str = ""
    naming: tuple[str, ...] = ()
    domains: Mapping[str, object] = field(default_factory=dict, repr=False)
    """Declared domains of the other fields, as a section has them."""

    def left_out(self, named: Iterable[str]) -> list[str]:
        """The fields that name people and that a section does not mention."""
        known = set(named)
        return [name for name in self.naming if name not in known]

    def domains_beside(self, named: Iterable[str]) -> dict[str, object]:
        """The domains of fields that a section does not mention."""
        known = set(named)
        return {name: domain for name, domain in self.domains.items() if name not in known}

    def naming_problems(self, section: str, named: Iterable[str], why: str) -> list[Problem]:
        """Fields that name people where their cells or values would be released."""
        return [
            Problem(where=joined(section, name), found=f"Its role is direct or text, and {why}.")
            for name in named
            if name in self.naming
        ]


def read_decisions(top: Reader, *, folder: Path) -> FieldDecisions:
    """The decisions of a policy of one table; all its other sections are known, and not read."""
    reads_format(top)
    for key in SECTIONS.intersection(top.raw):
        top.get(key)
    return decisions_of(top, folder=folder, entity="" if "tables" in top.raw else None)


def decisions_of(top: Reader, *, folder: Path, entity: str | None = None) -> FieldDecisions:
    """The decisions of a table with `fields`."""
    person = top.text("entity") if entity is None else entity
    fields, _ = read_fields(top, folder=folder, entity=person or "entity")
    return FieldDecisions(
        entity=person,
        naming=tuple(name for name, each in fields.items() if each.role in NAMING),
        domains={
            name: _as_section(each.domain)
            for name, each in fields.items()
            if each.domain is not None and each.role not in NAMING
        },
    )


def names_in(section: Mapping[str, object], *keys: str) -> list[str]:
    """The names of fields under some keys of a section: a text, a list, or the keys of a table."""
    out: list[str] = []
    for key in keys:
        given = section.get(key)
        if isinstance(given, str):
            out.append(given)
        elif is_list(given) or isinstance(given, Mapping):
            out.extend(each for each in given if isinstance(each, str))
    return out


def extended(section: dict[str, object], key: str, further: list[str]) -> None:
    """Add names to a list of a section, unless it is no list."""
    given = section.get(key, [])
    if further and is_list(given):
        section[key] = [*given, *further]


def _as_section(domain: Domain) -> object:
    if domain.values or domain.least == domain.most:
        return list(domain.listed())
    return {"least": domain.least, "most": domain.most}
