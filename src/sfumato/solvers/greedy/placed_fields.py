"""Fields at a level, with the cells that are shown and what they have lost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.hierarchies import Hierarchy

from ..lattice.objectives import loss_prices
from .shown_cells import BLANK, Marks, ShownColumn

LEAST_WEIGHT = 1e-6  # A field that weighs nothing is shown where that costs no other field.


@dataclass(frozen=True, slots=True, eq=False)
class PlacedField:
    """A field at a level, its shown cells, and the share of its information that is lost (NCP)."""

    level: int
    column: ShownColumn
    loss: float


@dataclass(frozen=True, slots=True, eq=False)
class FieldLadder:
    """The levels of one field below its top: the codes of each bin, and the price of its cell."""

    columns: tuple[ShownColumn, ...]
    prices: tuple[NDArray[np.float64], ...]
    shares: NDArray[np.float64]
    weight: float
    finest: int = 0

    @classmethod
    def of(cls, bins: Bins, name: str, hierarchy: Hierarchy, weight: float) -> FieldLadder:
        codes = bins.codes[:, bins.column(name)]
        columns, prices = [], []
        for level, price in enumerate(loss_prices(hierarchy)[: hierarchy.height]):
            labels = hierarchy.up[level][codes]
            columns.append(ShownColumn((labels + 1).astype(np.int64), len(price) + 1))
            prices.append(price[labels])
        shares = bins.rows_in_bins / max(int(bins.rows_in_bins.sum()), 1)
        weight = max(weight, LEAST_WEIGHT)
        return cls(tuple(columns), tuple(prices), shares, weight, hierarchy.finest)

    @property
    def height(self) -> int:
        return len(self.columns)

    @property
    def levels(self) -> range:
        """The levels at which it may be shown."""
        return range(self.finest, self.height)

    def floor(self, level: int) -> float:
        """The loss of the field at a level if no cell is blank."""
        return float(self.shares @ self.prices[level])

    def cell_losses(self, placed: PlacedField) -> NDArray[np.float64]:
        """The loss of each cell."""
        if placed.level >= self.height:
            return np.ones(len(self.shares))
        return np.where(placed.column.codes == BLANK, 1.0, self.prices[placed.level])

    def placed(self, level: int, column: ShownColumn) -> PlacedField:
        found = PlacedField(level, column, 0.0)
        return PlacedField(level, column, float(self.shares @ self.cell_losses(found)))

    def at(self, level: int, aside: Marks | None = None) -> ShownColumn:
        """The field at a level, blank where rows are set aside."""
        column = self.columns[level]
        if aside is None:
            return column
        return ShownColumn(np.where(aside, BLANK, column.codes), column.values)

    @property
    def blank(self) -> PlacedField:
        codes = np.full(len(self.shares), BLANK, np.int64)
        return PlacedField(self.height, ShownColumn(codes, 1), 1.0)

    @property
    def whole(self) -> PlacedField:
        """The field at its finest level, with every cell shown."""
        if self.finest >= self.height:
            return self.blank
        return self.placed(self.finest, self.columns[self.finest])
