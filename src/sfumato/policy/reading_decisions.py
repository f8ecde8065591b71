"""How a source is read by a policy of which only `[synthesis]` or `[tables_of_counts]` is used."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sfumato.errors import PolicyError, Problem

from .field_section import read_fields
from .records import Policy
from .source_section import read_source
from .synthesis_section import parsed_file
from .table_cursor import Reader
from .toml_file import read_tables


def reading_policy(given: object) -> Policy | None:
    """A policy that has only what decides how a source is read: `[source]`, words for missing values
    and joined fields. None where a policy is no file and no table, or has none of these.

    Example:
        >>> found = reading_policy({"source": {"null_words": ["NA"]}, "synthesis": {"epsilon": 1}})
        >>> found.source.null_words
        ('NA',)
        >>> reading_policy({"synthesis": {"epsilon": 1}}) is None
        True
    """
    if isinstance(given, Mapping):
        table, name, folder = given, "policy", Path()
    elif isinstance(given, str | Path):
        path = Path(given)
        table, name, folder = parsed_file(path, path.name), path.name, path.parent
    else:
        return None
    if not {"source", "fields", "tables"}.intersection(table):
        return None
    problems: list[Problem] = []
    top = Reader(table, where="", problems=problems)
    fields, _ = read_fields(top, folder=folder, entity="entity")
    tables, _ = read_tables(top, folder=folder, entity="entity")
    policy = Policy(fields=fields, tables=tables, source=read_source(top))
    if problems:
        raise PolicyError(problems, name=f"Policy {name}")
    return policy
