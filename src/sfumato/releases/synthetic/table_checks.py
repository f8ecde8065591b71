"""Checks of the rows of a synthetic table: its columns, its marks, and its declared domains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.engines import Engine, parquet_marks
from sfumato.policy import DeclaredDomain

from ..checks import Check, same_as_said
from ..inventory import size_of
from .table_file import MARKS, TABLE


def mark_checks(folder: Path, table: Engine, entry: dict[str, Any]) -> Iterator[Check]:
    """The file, its columns and rows are as declared, and every row is marked."""
    file = folder / str(entry["file"])
    yield same_as_said("bytes of the table", entry["bytes"], size_of(file))
    if file.suffix == ".parquet":
        marked = MARKS.items() <= parquet_marks(file).items()
        yield Check(
            claim="the file's metadata says that its rows are synthetic",
            outcome="pass" if marked else "fail",
            found="so it is" if marked else "it does not",
        )
    names = [info.name for info in table.fields()]
    yield same_as_said("columns of the table", [*entry["fields"], TABLE], names)
    yield same_as_said("rows", entry["rows"], table.count_rows())
    # A table of children may have no row at all.
    marked = set(table.frequencies((TABLE,)).values[0]) <= {"true"}
    yield Check(
        claim="every row is marked as synthetic",
        outcome="pass" if marked else "fail",
        found="it holds" if marked else "some are not",
    )


def domain_checks(table: Engine, domains: Mapping[str, DeclaredDomain]) -> Check:
    """Listed fields have listed values."""
    strange = [
        name
        for name, domain in domains.items()
        if not domain.is_range
        and not set(table.frequencies((name,)).values[0]) <= {*domain.values, "*", None}
    ]
    return Check(
        claim="listed fields have values of their domain",
        outcome="fail" if strange else "pass",
        found=f"others are in {', '.join(strange)}" if strange else "it holds",
    )


def never_check(table: Engine, rules: Sequence[Mapping[str, tuple[str, ...]]]) -> Check:
    """No row has a combination that is ruled out."""
    broken = sum(
        all(cell in allowed for cell, allowed in zip(cells, rule.values(), strict=True))
        for rule in rules
        for cells in _tuples(table, tuple(rule))
    )
    return Check(
        claim="no row has a combination that the policy rules out",
        outcome="fail" if broken else "pass",
        found=f"{broken} combinations are there" if broken else "it holds",
    )


def _tuples(table: Engine, names: tuple[str, ...]) -> Iterator[tuple[str | None, ...]]:
    found = table.frequencies(names)
    for codes in found.codes.tolist():
        yield tuple(found.values[n][code] for n, code in enumerate(codes))
