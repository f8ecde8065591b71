"""`[synthesis]` and `[tables_of_counts]` inside a whole policy: a release makes no use of them, and
reports their problems with its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from sfumato.errors import PolicyError, Problem
from sfumato.hierarchies import is_list

from .linked_synthesis_section import (
    has_tables,
    linked_synthesis_as_table,
    read_linked_synthesis,
)
from .open_synthesis_section import synthesis_method
from .synthesis_methods import SYNTHESIS_METHODS
from .table_cursor import Reader
from .tables_of_counts_section import read_tables_of_counts, tables_of_counts_as_table

SYNTHESIS, COUNTS = "synthesis", "tables_of_counts"
SECTIONS = (SYNTHESIS, COUNTS)


def read_sections(top: Reader) -> dict[str, object]:
    """Both sections as they are, so that a policy is written back with them; days are ISO texts."""
    return {key: _plain(top.get(key)) for key in SECTIONS if key in top.raw}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if is_list(value):
        return [_plain(each) for each in value]
    return value.isoformat() if isinstance(value, date) else value


def section_problems(table: Mapping[str, object], *, folder: Path) -> Iterator[Problem]:
    """The problems of both sections of a policy, where it has them."""
    if "synthesis" in table:
        yield from _problems_of("synthesis", lambda: _read_synthesis(table, folder))
    if "tables_of_counts" in table:
        yield from _problems_of(
            "tables_of_counts", lambda: read_tables_of_counts(table, folder=folder)
        )


def _read_synthesis(table: Mapping[str, object], folder: Path) -> Any:
    if has_tables(table, folder=folder):
        return read_linked_synthesis(table, folder=folder)
    method = SYNTHESIS_METHODS[synthesis_method(table, folder=folder)]
    return method.read(table, folder=folder)


def made_table_policy(source: str | Path, section: str) -> dict[str, object]:
    """A section of a policy file as the manifest of what it makes has it."""
    if section == COUNTS:
        return tables_of_counts_as_table(read_tables_of_counts(source))
    if has_tables(source):
        return linked_synthesis_as_table(read_linked_synthesis(source))
    method = SYNTHESIS_METHODS[synthesis_method(source)]
    return method.as_table(method.read(source))


def _problems_of(section: str, read: Callable[[], Any]) -> Iterator[Problem]:
    """The problems of one section; those of others are reported by their own readers."""
    try:
        read()
    except PolicyError as error:
        for problem in error.problems:
            if problem.where == section or problem.where.startswith((f"{section}.", f"{section}[")):
                yield problem
