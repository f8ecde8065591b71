"""The cost of a node: the loss functions, each with a proven lower bound for nodes that were not
counted.

Every objective is 0 for the untouched table and grows as fields climb. A suppressed row counts as
fully generalised. `floor` bounds all nodes at once from the fields' own histograms. `lifted`
tightens it for nodes below one that was counted: rows that fail there in every refinement are
suppressed in all of them.

Where a table was rolled up first, levels count from the raised hierarchies and losses from the
policy's. The loss of rolling up is part of every loss and bound."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import Mistake
from sfumato.hierarchies import Codes, Hierarchy, RaisedHierarchy
from sfumato.policy import OBJECTIVES

from .node_bins import NodeBins
from .nodes import Levels

Reals = NDArray[np.float64]


class Objective(Protocol):
    """A loss function over nodes."""

    name: str

    def floor(self, levels: Levels) -> Reals:
        """A lower bound of the loss of each node (one row of levels each), whatever is suppressed
        there."""
        ...

    def gone(self, rolled: NodeBins, rows: Reals) -> Reals:
        """The cost of suppressing `rows[b]` rows of each bin, in the form that `lifted` takes."""
        ...

    def gone_in(self, field: int, level: int, rows: Reals) -> Reals:
        """The same where of one field alone it is known which labels' rows are suppressed:
        `rows[code]` at `level`."""
        ...

    def lifted(self, levels: Levels, gone: Reals) -> Reals:
        """A lower bound for nodes in all of which at least the rows behind `gone` are
        suppressed."""
        ...

    def score(
        self, rolled: NodeBins, suppressed: NDArray[np.bool_], *, gone: Reals | None = None
    ) -> float:
        """The loss of a node when the marked bins are suppressed; `gone` is what they add, where
        that is known."""
        ...


class CellObjective:
    """Losses that are a mean over cells: `price[f][level][code]` is what a released cell costs,
    between 0 and 1.

    `mean` adds the fields' losses up by weight; `geometric` is ARX's aggregate prod(1 + loss)^(1/n)
    - 1."""

    def __init__(
        self,
        name: str,
        bins: Bins,
        price: list[list[Reals]],
        base: list[Reals],
        *,
        weights: Reals,
        geometric: bool,
    ) -> None:
        self.name = name
        self.geometric = geometric
        self._rows = max(bins.rows, 1)
        self._weights = weights / weights.sum()
        self._fields = np.arange(len(base))
        self._base = _padded(base)
        self._extra = [[1 - cell for cell in field] for field in price]
        self._least = _padded(
            [np.array([max(float(cell.min()), 0.0) for cell in field]) for field in self._extra]
        )

    def _combined(self, losses: Reals) -> Reals:
        combined: Reals = (
            np.log1p(losses) @ self._weights if self.geometric else losses @ self._weights
        )
        return np.expm1(combined) if self.geometric else combined

    def _bases(self, levels: Levels) -> Reals:
        return self._base[self._fields, levels]

    def floor(self, levels: Levels) -> Reals:
        return self._combined(self._bases(levels))

    def gone(self, rolled: NodeBins, rows: Reals) -> Reals:
        fails = np.flatnonzero(rows)
        weight = rows[fails] / self._rows
        # Summed by hand: a threaded dot product costs more than it saves on vectors this short.
        exact = [
            (self._extra[f][level][rolled.codes[f][fails]] * weight).sum()
            for f, level in enumerate(rolled.levels)
        ]
        return np.array([*exact, weight.sum()])

    def gone_in(self, field: int, level: int, rows: Reals) -> Reals:
        out = np.zeros(len(self._fields) + 1)
        weight = rows / self._rows
        out[field], out[-1] = (self._extra[field][level] * weight).sum(), weight.sum()
        return out

    def lifted(self, levels: Levels, gone: Reals) -> Reals:
        """In each field a suppressed row adds what it added at the counted node, or at least the
        remainder of its level."""
        least = self._least[self._fields, levels]
        return self._combined(
            self._bases(levels) + np.maximum(gone[..., :-1], gone[..., -1:] * least)
        )

    def score(
        self, rolled: NodeBins, suppressed: NDArray[np.bool_], *, gone: Reals | None = None
    ) -> float:
        if gone is None:
            gone = self.gone(rolled, np.where(suppressed, rolled.counts, 0))
        levels = np.array([rolled.levels], np.int8)
        return float(self._combined(self._bases(levels) + gone[:-1])[0])


def _padded(rows: list[Reals]) -> Reals:
    """Rows of different lengths as one array, so that all fields can be looked up at once."""
    out = np.zeros((len(rows), max((len(row) for row in rows), default=0)))
    for place, row in enumerate(rows):
        out[place, : len(row)] = row
    return out


@dataclass(frozen=True, eq=False, kw_only=True)
class FieldValues:
    """A field by the policy's hierarchy, also where it was raised first: how many rows have each
    value."""

    whole: Hierarchy
    start: int
    marginal: Reals
    order: Codes | None = None

    @classmethod
    def of(cls, bins: Bins, hierarchies: Mapping[str, Hierarchy]) -> list[FieldValues]:
        return [cls._of(bins, f, hierarchies[name]) for f, name in enumerate(bins.fields)]

    @classmethod
    def _of(cls, bins: Bins, field: int, hierarchy: Hierarchy) -> FieldValues:
        if isinstance(hierarchy, RaisedHierarchy):
            marginal = hierarchy.counts.astype(np.float64)
            return cls(
                whole=hierarchy.whole,
                start=hierarchy.start,
                marginal=marginal,
                order=hierarchy.order,
            )
        counted = np.bincount(bins.codes[:, field], bins.counts, len(hierarchy.labels[0])).astype(
            np.float64
        )
        return cls(whole=hierarchy, start=0, marginal=counted)

    def raised(self, prices: list[Reals]) -> list[Reals]:
        """Prices per level and code of the whole hierarchy, as the raised one numbers them."""
        first = prices[self.start]
        return [first if self.order is None else first[self.order], *prices[self.start + 1 :]]

    def labels(self) -> Reals:
        """How many labels occur at each level of the whole hierarchy."""
        there = self.marginal > 0
        return np.array([len(np.unique(codes[there])) for codes in self.whole.up], float)


def _priced(
    name: str, bins: Bins, fields: list[FieldValues], price_of: Callable[[Hierarchy], list[Reals]], *, weights: Reals,
    geometric: bool,
) -> CellObjective:  # fmt: skip
    base, prices = [], []
    for field in fields:
        price, up = price_of(field.whole), field.whole.up
        levels = range(field.start, len(up))
        base.append(
            np.array([field.marginal @ price[level][up[level]] for level in levels])
            / max(bins.rows, 1)
        )
        prices.append(field.raised(price))
    return CellObjective(name, bins, prices, base, weights=weights, geometric=geometric)


def loss_prices(hierarchy: Hierarchy) -> list[Reals]:
    """(leaves under the label - 1) / (leaves - 1): the normalised certainty penalty."""
    leaves = len(hierarchy.labels[0])
    return [(under - 1) / max(leaves - 1, 1) for under in hierarchy.leaves]


def precision_prices(hierarchy: Hierarchy) -> list[Reals]:
    """level / height: one minus the precision of Sweeney 2000, Fig. 32."""
    height = max(hierarchy.height, 1)
    return [np.full(len(labels), level / height) for level, labels in enumerate(hierarchy.labels)]


class NonUniformEntropy(CellObjective):
    """Bits lost per cell, -log2 p(value | label), with probabilities from the source (Gionis and
    Tassa 2009)."""

    def __init__(self, bins: Bins, fields: list[FieldValues], *, weights: Reals) -> None:
        rows = max(bins.rows, 1)
        base: list[Reals] = []
        price: list[list[Reals]] = []
        for field in fields:
            marginal, hierarchy = field.marginal, field.whole
            present = marginal > 0
            most = float(marginal[present] @ np.log2(rows / marginal[present])) / rows or 1.0
            totals, prices = [], []
            for level in range(hierarchy.height + 1):
                sizes = np.bincount(
                    hierarchy.up[level], weights=marginal, minlength=len(hierarchy.labels[level])
                )
                lost = np.log2(sizes[hierarchy.up[level]][present] / marginal[present])
                totals.append(float(marginal[present] @ lost) / rows / most)
                prices.append(1 - np.log2(rows / np.maximum(sizes, 1)) / most)
            base.append(np.array(totals[field.start :]))
            price.append(field.raised(prices))
        super().__init__("non-uniform-entropy", bins, price, base, weights=weights, geometric=False)


class BinObjective:
    """Losses that count bins. Their bound is how few bins the labels of a node allow."""

    def __init__(self, name: str, bins: Bins, fields: list[FieldValues]) -> None:
        self.name = name
        self._rows = bins.rows
        labels = [field.labels() for field in fields]
        self._labels = [found[field.start :] for found, field in zip(labels, fields, strict=True)]
        self._bits = sum(math.log2(max(found[0], 1)) for found in labels)

    def _most_bins(self, levels: Levels) -> Reals:
        product = np.ones(len(levels))
        for f, labels in enumerate(self._labels):
            product *= labels[levels[:, f]]
        return np.minimum(product, self._rows)

    def floor(self, levels: Levels) -> Reals:
        return self.lifted(levels, np.zeros(1))

    def gone(self, rolled: NodeBins, rows: Reals) -> Reals:
        return np.array([rows.sum()])

    def gone_in(self, field: int, level: int, rows: Reals) -> Reals:
        return np.array([rows.sum()])

    def lifted(self, levels: Levels, gone: Reals) -> Reals:
        lost = gone[..., 0]
        kept = self._rows - lost
        most = self._most_bins(levels)
        if self.name == "discernibility":
            # More may be suppressed than is known: the bound is the least over every larger number
            # of rows.
            worst = np.maximum(lost, self._rows * (1 - most / 2))
            squares: Reals = (self._rows - worst) ** 2 / most + worst * self._rows
            return squares / self._rows**2
        if self.name == "average-bin-size":
            return 1 - (most + 1) / self._rows
        bits = np.zeros(len(levels))
        for f, labels in enumerate(self._labels):
            bits += np.log2(labels[levels[:, f]])
        lost_bits: Reals = 1 - bits * kept / (self._rows * self._bits) if self._bits else bits
        return lost_bits

    def score(
        self, rolled: NodeBins, suppressed: NDArray[np.bool_], *, gone: Reals | None = None
    ) -> float:
        kept = rolled.counts[~suppressed]
        lost = int(rolled.counts[suppressed].sum())
        if self.name == "discernibility":
            return float((kept.astype(float) ** 2).sum() + lost * float(self._rows)) / self._rows**2
        if self.name == "average-bin-size":
            return 1 - (len(kept) + (lost > 0)) / self._rows
        if not self._bits:
            return 0.0
        bits = sum(math.log2(max(len(np.unique(codes[~suppressed])), 1)) for codes in rolled.codes)
        return 1 - bits * (self._rows - lost) / (self._rows * self._bits)


def objective_for(
    name: str,
    bins: Bins,
    hierarchies: Mapping[str, Hierarchy],
    *,
    weights: Mapping[str, float] | None = None,
) -> Objective:
    """The loss function called `name`, over these bins. `weights` has the fields that matter more;
    1 where not named.

    loss: ARX's aggregate of the normalised certainty penalty. ncp: its plain mean. precision: 1 -
    Sweeney 2000, Fig. 32. discernibility: sum of squared bin sizes, suppressed rows times all rows,
    over rows squared. average-bin-size: 1 - bins / rows. non-uniform-entropy: bits lost given the
    source's frequencies. entropy: 1 - Sweeney 1997, section 4.2."""
    by_field = np.array([float((weights or {}).get(field, 1.0)) for field in bins.fields])
    if by_field.size and by_field.sum() <= 0:
        by_field = np.ones(len(by_field))
    fields = FieldValues.of(bins, hierarchies)
    if name in ("loss", "ncp"):
        return _priced(name, bins, fields, loss_prices, weights=by_field, geometric=name == "loss")
    if name == "precision":
        return _priced(name, bins, fields, precision_prices, weights=by_field, geometric=False)
    if name == "non-uniform-entropy":
        return NonUniformEntropy(bins, fields, weights=by_field)
    if name in OBJECTIVES:
        return BinObjective(name, bins, fields)
    raise Mistake(f"No objective is called {name!r}.", attempt=f"one of {', '.join(OBJECTIVES)}.")
