"""A synthetic table, its source and people who are not in it, as whole numbers over the same
fields. All measures and attacks of a synthetic table use it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from math import isfinite
from typing import Any
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Engine
from sfumato.errors import Mistake

from .own_order import own_order

MOST_VALUES = 128
"""A field of numbers with more values is cut into so many classes of about equal size."""
CLASSES = 50
MOST_TEXTS = 5_000
"""A field of texts with more values names people rather than describes them."""
Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedValues:
    """For a field with many values: how many of the source's are synthetic too, and how many of the
    control group's."""

    field: str
    source_values: int
    source_met: int
    control_values: int
    control_met: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, eq=False, kw_only=True)
class CodedRows:
    """The tables over `fields`; `sizes` is how many codes each field has, `ordered` whether they
    are in the order of numbers or dates; 0 is null. `control` has no row where no control group was
    named; `left_out` are fields that no measure judges. `shared_values` counts the common values of
    fields of many values, and `ranked` has the three tables by places in their own order."""

    fields: tuple[str, ...]
    sizes: tuple[int, ...]
    ordered: tuple[bool, ...]
    made: Codes
    source: Codes
    control: Codes
    ranked: tuple[Codes, Codes, Codes]
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
    columns, sizes, kept, ordered, ranked = [], [], [], [], []
    for name in shared:
        numbers = _numbers({cell for cells in read for cell in cells[name] if cell is not None})
        if numbers is not None:
            for cells in read:
                cells[name] = [None if cell is None else numbers[cell] for cell in cells[name]]
        found = _coded([cells[name] for cells in read], numbers=numbers is not None)
        if found is not None:
            kept.append(name)
            columns.append(found[0])
            sizes.append(found[1])
            ordered.append(numbers is not None)
            ranked.append(
                [
                    own_order(cells[name], numbers=numbers is not None, classes=CLASSES)
                    for cells in read
                ]
            )
    if not kept:
        raise Mistake("No shared field has few enough values to be compared.")
    whole, places = _tables(columns, len(tables)), _tables(ranked, len(tables))
    return CodedRows(
        fields=tuple(kept),
        sizes=tuple(sizes),
        ordered=tuple(ordered),
        made=whole[0],
        source=whole[1],
        control=whole[2],
        ranked=places,
        left_out=tuple(name for name in named if name not in kept),
        shared_values=tuple(_shared_values(shared, read)),
    )


def _tables(columns: Sequence[Sequence[Codes]], tables: int) -> tuple[Codes, Codes, Codes]:
    """Columns of each table as tables; one that was not named has no row."""
    found = [
        np.column_stack([column[place] for column in columns]).astype(np.int32)
        for place in range(tables)
    ]
    empty: Codes = np.zeros((0, len(columns)), np.int32)
    made, source, control = found if tables > 2 else (*found, empty)
    return made, source, control


def _shared_values(
    fields: Sequence[str], tables: Sequence[Mapping[str, list[Any]]]
) -> Iterator[SharedValues]:
    """Classes and omitted texts hide whether a value was copied, so the values themselves are
    matched."""
    for name in fields:
        held = [{cell for cell in cells[name] if cell is not None} for cells in tables]
        if len(held[1]) > MOST_VALUES:
            source, control = matched_sample(*([c[name] for c in tables[1:]] + [[]])[:2])
            yield SharedValues(
                field=name,
                source_values=len(source),
                source_met=len(source & held[0]),
                control_values=len(control),
                control_met=len(control & held[0]),
            )


def matched_sample(source: Sequence[Any], control: Sequence[Any]) -> tuple[set[Any], set[Any]]:
    """The values that only the source has and those that only the control group has, of as many
    rows of each. The larger of two tables has more rare values, and would seem to be copied less.

    Example:
        >>> matched_sample(["a", "b", None], ["b", "d", "d"])
        ({'a'}, {'d'})
    """
    rows = min(len(source), len(control)) if len(control) else len(source)
    chance = np.random.default_rng(len(source))
    drawn = [
        {table[place] for place in np.sort(chance.permutation(len(table))[:rows]).tolist()} - {None}
        for table in (source, control)
    ]
    return drawn[0] - drawn[1], drawn[1] - drawn[0]


def _cells(table: Engine, fields: Sequence[str]) -> dict[str, list[Any]]:
    """The cells by field, each value in one normal form: a copied value may differ in capitals or
    blanks."""
    out: dict[str, list[Any]] = {name: [] for name in fields}
    writings: dict[Any, Any] = {}
    for batch in table.cells(tuple(fields)):
        for name in fields:
            for cell in batch[f"cell:{name}"].tolist():
                if cell not in writings:
                    writings[cell] = _one_writing(cell)
                out[name].append(writings[cell])
    return out


def _one_writing(cell: Any) -> Any:
    """Example:
    >>> _one_writing("  Black  CAB "), _one_writing(" ")
    ('black cab', None)
    """
    if not isinstance(cell, str):
        return cell
    return " ".join(normalize("NFKC", cell).casefold().split()) or None


def _coded(tables: Sequence[Sequence[Any]], *, numbers: bool) -> tuple[list[Codes], int] | None:
    """The codes of one field in each table, and their number; None for texts that hardly repeat."""
    values = {value for cells in tables for value in cells if value is not None}
    if numbers:
        return _coded_numbers(tables, values)
    if len(values) > MOST_TEXTS:
        return None
    code = {value: n + 1 for n, value in enumerate(sorted(values, key=str))}
    found = [np.array([code.get(value, 0) for value in cells], np.int32) for cells in tables]
    return found, len(code) + 1


def _numbers(texts: set[Any]) -> dict[Any, float] | None:
    """The texts of a field as numbers, dates as seconds; None where one is neither."""
    for read in (float, _seconds):
        try:
            out = {text: read(text) for text in texts}
        except (TypeError, ValueError, OverflowError):
            continue
        if all(map(isfinite, out.values())):
            return out
    return None


def _seconds(text: Any) -> float:
    moment = datetime.fromisoformat(text.upper())
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _coded_numbers(
    tables: Sequence[Sequence[Any]], different: set[float]
) -> tuple[list[Codes], int]:
    """By value where there are few, else by classes of the source, which are second."""
    values = np.unique(np.fromiter(different, float, len(different)))
    if len(values) > MOST_VALUES:
        held = np.array([value for value in tables[1] if value is not None])
        shares = np.linspace(0, 1, CLASSES + 1)[1:-1]
        values = np.unique(np.quantile(held, shares)) if held.size else values[:1]
        side = "right"
    else:
        side = "left"
    found = []
    for cells in tables:
        present = np.array([value is not None for value in cells], bool)
        codes = np.zeros(len(cells), np.int32)
        real = np.array([value for value in cells if value is not None], float)
        codes[present] = np.searchsorted(values, real, side=side) + 1  # type: ignore[call-overload]
        found.append(codes)
    return found, len(values) + 2
