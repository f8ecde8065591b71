"""The rows of a small table as numbers: what counts of pairs are made from. Its values are never
shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Engine

Codes = NDArray[np.int64]
Numbers = NDArray[np.float64]

MOST_CELLS = 20_000_000
"""A table with more cells than this is not held in memory."""
MOST_ROWS = 20_000
"""So many rows are looked at, spread over the table."""
MISSING = -1


@dataclass(frozen=True)
class CodedField:
    """One field: a code for each row, MISSING where there is no value, and its values by code."""

    name: str
    codes: Codes = field(repr=False)
    values: tuple[str, ...] = field(repr=False)

    @property
    def distinct(self) -> int:
        return len(self.values)

    def texts(self, rows: Codes) -> list[str]:
        """The values of some rows, empty where there is none."""
        return [self.values[code] if code != MISSING else "" for code in self.codes[rows].tolist()]

    def numbers(self, form: str = "") -> Numbers:
        """The value of each row as a number, a date as days; nan where it is neither."""
        told = np.array([*(_number(value, form) for value in self.values), np.nan])
        return told[self.codes]


def _number(value: str, form: str) -> float:
    try:
        if form:
            return float(datetime.strptime(value.strip(), form).toordinal())
        return float(value)
    except ValueError:
        pass
    try:
        return float(date.fromisoformat(value.strip()[:10]).toordinal())
    except ValueError:
        return np.nan


def coded_rows(engine: Engine, names: Sequence[str], *, rows: int) -> dict[str, CodedField] | None:
    """Up to MOST_ROWS rows of the fields as codes; None where the table is too large to be read for
    it."""
    if not names or rows * len(names) > MOST_CELLS:
        return None
    step = -(-rows // MOST_ROWS)
    columns: dict[str, list[object]] = {name: [] for name in names}
    for batch in engine.cells(names):
        chosen = np.flatnonzero(np.asarray(batch["row"]) % step == 0)
        for name in names:
            columns[name].extend(batch[f"cell:{name}"][chosen].tolist())
    return {name: _coded(name, cells) for name, cells in columns.items()}


def _coded(name: str, cells: Sequence[object]) -> CodedField:
    seen: dict[object, int] = {None: MISSING}
    codes = np.fromiter(
        (seen.setdefault(cell, len(seen) - 1) for cell in cells), np.int64, len(cells)
    )
    return CodedField(name, codes, tuple(str(value) for value in seen if value is not None))
