"""Cells of a source as codes of the values that occur. Only for rows that are not private: the
values that occur are read from the source."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.synthesis import DomainField

_PLAIN_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
FEWEST: Final = 20
"""With fewer rows, whether a field is a key cannot be decided."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ObservedField:
    """A field with the values that occur, in their order where they have one; a missing value is
    the first code."""

    spec: DomainField
    values: tuple[Any, ...] = field(repr=False)
    codes: NDArray[np.int64] = field(repr=False)

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def is_identifying(self) -> bool:
        """Whether a copied value would mostly identify its person: a name, an address, a key."""
        known = self.codes[self.codes > 0]
        if len(known) < FEWEST:
            return False
        alone = int((np.bincount(known) == 1).sum())
        if self.spec.ordered:
            return alone == len(known) and all("." not in str(v) for v in self.values[1:])
        return 2 * alone > len(known)

    @property
    def is_measured(self) -> bool:
        """Whether most rows have a number of their own, which a copy would disclose to the last digit."""
        known = self.codes[self.codes > 0]
        if not self.spec.ordered or len(known) < FEWEST or self.is_identifying:
            return False
        alone = int((np.bincount(known) == 1).sum())
        return 2 * alone > len(known) and all(map(_is_plain_number, self.values[1:]))

    def decode(self, codes: NDArray[np.int64]) -> list[Any]:
        found: list[Any] = np.array(self.values, object)[codes].tolist()
        return found

    def draw(self, codes: NDArray[np.int64], chance: np.random.Generator) -> list[Any]:
        """The values of codes; a number of a measured field is drawn between its neighbours in the source."""
        found = self.decode(codes)
        if not self.is_measured:
            return found
        texts = [str(value) for value in self.values[1:]]
        places = max(len(text.partition(".")[2]) for text in texts)
        numbers = np.array(texts, float)
        between = (numbers[1:] + numbers[:-1]) / 2
        at = codes - 1
        drawn = chance.uniform(
            np.concatenate((numbers[:1], between))[at], np.concatenate((between, numbers[-1:]))[at]
        )
        return [
            None if cell is None else f"{number:.{places}f}"
            for cell, number in zip(found, drawn.tolist(), strict=True)
        ]


def observed(name: str, cells: Sequence[Any]) -> ObservedField:
    """Code the cells of one field.

    Example:
        >>> age = observed("age", ["10", None, "9", "11"])
        >>> age.values, age.codes.tolist(), age.spec.ordered
        ((None, '9', '10', '11'), [2, 0, 1, 3], True)
    """
    distinct = {cell for cell in cells if cell is not None}
    numbers = {cell: _number(cell) for cell in distinct}
    ordered = len(distinct) > 2 and not any(math.isnan(each) for each in numbers.values())
    values = sorted(distinct, key=(lambda v: (numbers[v], str(v))) if ordered else str)
    codes = {value: place + 1 for place, value in enumerate(values)}
    return ObservedField(
        spec=DomainField(name=name, size=len(values) + 1, ordered=ordered),
        values=(None, *values),
        codes=np.fromiter((codes.get(cell, 0) for cell in cells), np.int64, len(cells)),
    )


def coarsened(column: ObservedField, codes: NDArray[np.int64], most: int = 20) -> NDArray[np.int64]:
    """Codes of at most so many bins of about as many rows of the source, where a field has an
    order."""
    if not column.spec.ordered or column.spec.size <= most:
        return codes
    cuts = np.quantile(column.codes, np.arange(1, most) / most)
    return np.searchsorted(cuts, codes, side="right").astype(np.int64)


def _is_plain_number(cell: Any) -> bool:
    return _PLAIN_NUMBER.fullmatch(str(cell)) is not None


def _number(cell: Any) -> float:
    """A number or a moment on one scale; not-a-number for all other cells."""
    text = str(cell)
    try:
        found = float(text)
        return found if math.isfinite(found) else math.nan
    except ValueError:
        pass
    try:
        # Days before the year 1 do not occur, and time zones are left out: an order is all it takes.
        moment = datetime.fromisoformat(text).replace(tzinfo=None)
        return (moment - datetime.min).total_seconds()
    except ValueError:
        return math.nan
