"""The rows of a small table as codes, from which pairs of values are counted. Its values are never
shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Engine
from sfumato.errors import SourceError

Codes = NDArray[np.int64]
Numbers = NDArray[np.float64]

MOST_CELLS, MOST_ROWS, FEWEST_ROWS = 6_000_000, 20_000, 2_000
"""The most cells and rows that are read, spread over the table."""
MISSING = -1
LONGEST = 400
"""The characters of a text that are held; two texts that begin alike are told apart by a digest."""
_DASHES = [4, 7]
_FIRST_DAY = np.datetime64("0001-01-01")


@dataclass(frozen=True)
class CodedField:
    """One field: a code for each row, MISSING where there is no value, and its values by code."""

    name: str
    codes: Codes = field(repr=False)
    values: tuple[str, ...] = field(repr=False)

    @property
    def distinct(self) -> int:
        return len(self.values)

    @property
    def is_varied(self) -> bool:
        """Whether its rows differ: a field with one value is a flag where other rows have none."""
        return self.distinct > 1 or (self.distinct == 1 and bool((self.codes == MISSING).any()))

    @cached_property
    def spelt(self) -> tuple[str, ...]:
        """The values by code, in one spelling: numbers and digits among signs as numbers, letters
        without case and signs."""
        return tuple(map(spelling_of, self.values))

    def spellings(self, rows: Codes) -> list[str]:
        """The values of some rows in one spelling, empty where there is none."""
        return [
            spelling_of(self.values[code]) if code != MISSING else ""
            for code in self.codes[rows].tolist()
        ]

    def only(self, rows: Codes) -> CodedField:
        """Some of the rows, with the values that they have."""
        codes = self.codes[rows]
        there = np.zeros(self.distinct, bool)
        there[codes[codes != MISSING]] = True
        number = np.append(np.cumsum(there) - 1, MISSING)
        values = tuple(map(self.values.__getitem__, np.flatnonzero(there).tolist()))
        return CodedField(self.name, number[codes], values)

    def texts(self, rows: Codes) -> list[str]:
        """The values of some rows, empty where there is none."""
        return [self.values[code] if code != MISSING else "" for code in self.codes[rows].tolist()]

    def numbers(self, form: str = "") -> Numbers:
        """The value of each row as a number, a date as days; nan where it is neither."""
        numbers = None if form else _floats(self.values)
        if numbers is None and not form:
            numbers = _days(self.values)
        if numbers is None:
            numbers = np.array([_number(value, form) for value in self.values])
        return np.append(numbers, np.nan)[self.codes]


def number_of(text: str) -> float:
    """A text as a number; a ValueError where it is none. Python's own reading takes the key 0_2 for 2.

    Example:
        >>> number_of("39"), number_of(" 1e3 ")
        (39.0, 1000.0)
        >>> number_of("0_2")
        Traceback (most recent call last):
        ValueError: not a number
    """
    if "_" in text:
        raise ValueError("not a number")
    return float(text)


def spelling_of(value: str) -> str:
    """A value in one spelling, never empty. Digits among signs are read as one number, as a reader
    of the file may have read them.

    Example:
        >>> [spelling_of(each) for each in ("O'Brien ", "OBRIEN", "39", "39.0", "-")]
        ['obrien', 'obrien', '39.0', '39.0', '-']
        >>> {spelling_of(each) for each in ("012-34-5678", "012 34 5678", "12345678", "12345678.0")}
        {'12345678.0'}
    """
    plain = "".join(filter(str.isalnum, value.casefold()))
    try:
        number = number_of(value)
        if not value.strip().isdecimal():
            return repr(number)
    except ValueError:
        if not plain.isdecimal():
            return plain or value or " "
    return f"{plain.lstrip('0') or 0}.0"  # Long keys would be one as floats.


def _floats(values: Sequence[str]) -> Numbers | None:
    """The values as numbers, where all of them are numbers, as in most wide tables."""
    try:
        return np.array([*map(number_of, values)])
    except ValueError:
        return None


def _days(values: Sequence[str]) -> Numbers | None:
    """The values as days since the year 1, where all of them start with a day such as 2020-02-29.

    Example:
        >>> _days(["0001-01-01", "0001-02-01 10:00"]).tolist(), _days(["2021-02-29"]), _days(["1"])
        ([1.0, 32.0], None, None)
    """
    starts = np.array(values, "U10")
    signs = starts.view("U1").reshape(len(starts), 10)
    if not (signs[:, _DASHES] == "-").all() or (starts < "0001").any():
        return None
    digits = np.delete(signs, _DASHES, axis=1)
    if not ((digits >= "0") & (digits <= "9")).all():
        return None
    try:
        days = starts.astype("datetime64[D]")
    except ValueError:  # The 30th of February.
        return None
    return (days - _FIRST_DAY).astype(np.float64) + 1


def _number(value: str, form: str) -> float:
    try:
        if form:
            return float(datetime.strptime(value.strip(), form).toordinal())
        return number_of(value)
    except ValueError:
        pass
    try:
        return float(date.fromisoformat(value.strip()[:10]).toordinal())
    except ValueError:
        return np.nan


def coded_rows(
    engine: Engine, names: Sequence[str], *, rows: int, shorten: bool = False
) -> dict[str, CodedField]:
    """Up to MOST_ROWS rows of the fields as codes, spread over the table; fewer of many fields.

    With `shorten`, a long text is held by its beginning and a digest."""
    if not names:
        return {}
    most = _most_rows(len(names))
    columns: dict[str, list[object]] = {name: [] for name in names}
    for batch in engine.spread_rows(names, step=max(1, -(-rows // most))):
        for name in names:
            cells = batch[f"cell:{name}"].tolist()
            columns[name].extend(map(_bounded, cells) if shorten and _has_long(cells) else cells)
    return {name: _coded(name, cells) for name, cells in columns.items()}


def all_coded_rows(
    engine: Engine, names: Sequence[str], *, rows: int
) -> dict[str, CodedField] | None:
    """Every row of the fields as codes; None where there are too many, or they cannot be read."""
    if not names or rows > _most_rows(len(names)):
        return None
    try:
        return coded_rows(engine, names, rows=rows)
    except SourceError:  # A source that lets nothing be kept beside it is only counted.
        return None


def _most_rows(fields: int) -> int:
    return max(FEWEST_ROWS, min(MOST_ROWS, MOST_CELLS // fields))


def _coded(name: str, cells: Sequence[object]) -> CodedField:
    values = dict.fromkeys(cells)
    values.pop(None, None)
    place: dict[object, int] = {value: code for code, value in enumerate(values)}
    place[None] = MISSING
    codes = np.fromiter(map(place.__getitem__, cells), np.int64, len(cells))
    return CodedField(name, codes, tuple(map(str, values)))


def _has_long(cells: Sequence[str | None]) -> bool:
    return max(map(len, filter(None, cells)), default=0) > LONGEST


def _bounded(cell: str | None) -> str | None:
    if cell is None or len(cell) <= LONGEST:
        return cell
    return cell[:LONGEST] + blake2b(cell.encode("utf-8", "surrogatepass")).hexdigest()
