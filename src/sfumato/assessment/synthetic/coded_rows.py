"""A synthetic table, its source and people who are not in it, as whole numbers over the same fields:
what all measures and attacks of a synthetic table look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Engine
from sfumato.errors import Mistake

MOST_VALUES = 128
"""A field of numbers with more values is cut into so many classes of about equal size."""
CLASSES = 50
MOST_TEXTS = 5_000
"""A field of texts with more values names people rather than says something of them."""
Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedValues:
    """Of a field with many values: how many of the source's are synthetic too, and how many of those
    of people who are not in it."""

    field: str
    source_values: int
    source_met: int
    control_values: int
    control_met: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, eq=False, kw_only=True)
class CodedRows:
    """The tables over `fields`; `sizes` is how many codes each field has. `control` has no row where
    nobody was named; `left_out` are fields that no measure looks at, and `shared_values` what fields of
    many values have in common, value by value."""

    fields: tuple[str, ...]
    sizes: tuple[int, ...]
    made: Codes
    source: Codes
    control: Codes
    left_out: tuple[str, ...] = ()
    shared_values: tuple[SharedValues, ...] = ()


def coded_rows(
    made: Engine, source: Engine, control: Engine | None, *, without: Sequence[str] = ()
) -> CodedRows:
    """Read the fields that all tables have, and code each over what it holds in any of them."""
    tables = [made, source, *([control] if control is not None else [])]
    have = [{info.name for info in table.fields()} for table in tables]
    named = [info.name for info in made.fields() if info.name not in without]
    shared = [name for name in named if all(name in one for one in have)]
    if not shared:
        raise Mistake(
            "The synthetic table and its source have no field in common.",
            attempt="the source that it was made from.",
        )
    read = [_cells(table, shared) for table in tables]
    columns, sizes, kept = [], [], []
    for name in shared:
        found = _coded([cells[name] for cells in read])
        if found is not None:
            kept.append(name)
            columns.append(found[0])
            sizes.append(found[1])
    if not kept:
        raise Mistake("No shared field has few enough values to be compared.")
    whole = [
        np.column_stack([column[place] for column in columns]).astype(np.int32)
        for place in range(len(tables))
    ]
    empty: Codes = np.zeros((0, len(kept)), np.int32)
    return CodedRows(
        fields=tuple(kept),
        sizes=tuple(sizes),
        made=whole[0],
        source=whole[1],
        control=whole[2] if control is not None else empty,
        left_out=tuple(name for name in named if name not in kept),
        shared_values=tuple(_shared_values(shared, read)),
    )


def _shared_values(
    fields: Sequence[str], tables: Sequence[Mapping[str, list[Any]]]
) -> Iterator[SharedValues]:
    """Classes and left-out texts hide whether a value was copied, so the values themselves are met."""
    for name in fields:
        values = [{cell for cell in cells[name] if cell is not None} for cells in tables]
        made, source, control = values if len(values) > 2 else (*values, set())
        if len(source) > MOST_VALUES:
            yield SharedValues(
                field=name,
                source_values=len(source),
                source_met=len(source & made),
                control_values=len(control),
                control_met=len(control & made),
            )


def _cells(table: Engine, fields: Sequence[str]) -> Mapping[str, list[Any]]:
    out: dict[str, list[Any]] = {name: [] for name in fields}
    for batch in table.cells(tuple(fields)):
        for name in fields:
            out[name].extend(batch[f"cell:{name}"].tolist())
    return out


def _coded(tables: Sequence[Sequence[Any]]) -> tuple[list[Codes], int] | None:
    """The codes of one field in each table, and their number; None for texts that hardly repeat."""
    texts = {value for cells in tables for value in cells if value is not None}
    numbers = _numbers(texts)
    if numbers is not None:
        return _coded_numbers(tables, numbers)
    if len(texts) > MOST_TEXTS:
        return None
    code = {value: n + 1 for n, value in enumerate(sorted(texts, key=str))}
    found = [np.array([code.get(value, 0) for value in cells], np.int32) for cells in tables]
    return found, len(code) + 1


def _numbers(texts: set[Any]) -> dict[Any, float] | None:
    out = {}
    for text in texts:
        try:
            out[text] = float(text)
        except (TypeError, ValueError):
            return None
        if not isfinite(out[text]):
            return None
    return out


def _coded_numbers(
    tables: Sequence[Sequence[Any]], numbers: Mapping[Any, float]
) -> tuple[list[Codes], int]:
    """By value where there are few, else by classes of the source, which come second."""
    values = np.unique(np.fromiter(numbers.values(), float, len(numbers)))
    if len(values) > MOST_VALUES:
        held = np.array([numbers[value] for value in tables[1] if value is not None])
        shares = np.linspace(0, 1, CLASSES + 1)[1:-1]
        values = np.unique(np.quantile(held, shares)) if held.size else values[:1]
        side = "right"
    else:
        side = "left"
    found = []
    for cells in tables:
        present = np.array([value is not None for value in cells], bool)
        codes = np.zeros(len(cells), np.int32)
        real = np.array([numbers[value] for value in cells if value is not None], float)
        codes[present] = np.searchsorted(values, real, side=side) + 1  # type: ignore[call-overload]
        found.append(codes)
    return found, len(values) + 2
