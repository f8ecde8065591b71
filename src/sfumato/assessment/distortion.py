"""How much a technique distorts a field: the share of the information in a source's cell that the
released cell lacks.

    D = H(X | Y) / H(X) = 1 - I(X; Y) / H(X)

X is the cell of a random row of the source, Y the cell released for it, H entropy and I mutual
information, in bits (Shannon 1948; the share kept, I / H, is Theil's uncertainty coefficient; for
post-randomisation Gouweleeuw et al. 1998 measure the same). 0: the cell can be inferred from its
release. 1: the release carries no information about it.

A recipient may know the technique and its parameters and not its secret (key, noise, permutation).
Chance is part of the channel from X to Y, and the mean is over it. Sweeney 2000, Fig. 20 orders
techniques by "an information theoretic (entropy) metric" and does not give it;
docs/techniques/continuum.md has its consequences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.object_]
Codes = NDArray[np.int64]
Draw = tuple[Codes, Codes]

MOST_CLASSES = 32
GONE = 0
"""The code of a row that is not released: one code for all."""

_PRIOR = 0.1


@dataclass(eq=False, kw_only=True)
class DistortionScale:
    """How cells of one field are read: in at most MOST_CLASSES classes of neighbouring values,
    about as many rows in each. A few thousand rows are then enough to learn what a class became.

    Numbers are in order by size, all else as text, and null is a class of its own. A released
    number is in the class whose range holds it, another released value of the source in its own.
    Anything else is a label, whose meaning is estimated from the cells released as it. Codes: GONE,
    then classes, then labels in the order of reading.

    Example:
        >>> scale = DistortionScale.of(np.array(["41", "7", None, "41"], object), are_numbers=True)
        >>> scale.read(np.array(["41.2", None, "30..50", "3"], object)).tolist()
        [2, 3, 4, 1]
    """

    are_numbers: bool
    edges: NDArray[np.float64]
    values: dict[str, int]
    classes: int
    labels: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, column: Column, *, are_numbers: bool) -> DistortionScale:
        present = column[column != np.array(None)].astype(str)
        many = max(2, min(MOST_CLASSES, math.isqrt(len(column))))
        if are_numbers:
            values, counts = np.unique(present.astype(np.float64), return_counts=True)
            place = _classes(counts, many)
            starts = np.flatnonzero(np.diff(place)) + 1
            edges = (values[starts - 1] + values[starts]) / 2
            return cls(
                are_numbers=True, edges=edges, values={}, classes=int(place.max(initial=-1)) + 1
            )
        texts, counts = np.unique(present, return_counts=True)
        place = _classes(counts, many)
        known = dict(zip(texts.tolist(), place.tolist(), strict=True))
        return cls(
            are_numbers=False,
            edges=np.zeros(0),
            values=known,
            classes=int(place.max(initial=-1)) + 1,
        )

    def read(self, column: Column) -> Codes:
        null = np.asarray(column == np.array(None), bool)
        texts, place = np.unique(column[~null].astype(str), return_inverse=True)
        codes = np.array([self._code(text) for text in texts.tolist()], np.int64)
        out = np.full(len(column), self.classes + 1, np.int64)
        out[~null] = codes[place]
        return out

    def _code(self, text: str) -> int:
        found = self._class(text)
        if found is not None:
            return 1 + found
        return self.classes + 2 + self.labels.setdefault(text, len(self.labels))

    def _class(self, text: str) -> int | None:
        if not self.are_numbers:
            return self.values.get(text)
        try:
            number = float(text)
        except ValueError:
            return None
        return int(np.searchsorted(self.edges, number)) if math.isfinite(number) else None


def _classes(counts: Codes, many: int) -> Codes:
    """Neighbouring values in at most so many classes of about as many rows; each its own where
    there are few."""
    if len(counts) <= many:
        return np.arange(len(counts))
    middle = (np.cumsum(counts) - counts / 2) / counts.sum()
    _, place = np.unique((middle * many).astype(np.int64), return_inverse=True)
    return place


def entropy(codes: Codes) -> float:
    """In bits."""
    _, counts = np.unique(codes, return_counts=True)
    shares = counts / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def distortion(draws: Sequence[Draw]) -> float | None:
    """The distortion over several draws of a technique's chance, each the codes of source and
    released cells, pair by pair; None where the source's cells are all alike, so that there is
    nothing to lose.

    The information in a released cell is learned from all draws but one and tried on that one, each
    in turn. Else a cipher that no recipient can read, or a permutation of values that nearly all
    differ, would seem to disclose everything. The information kept is the mean of log2 p(x|y) /
    p(x), with p(x|y) shrunk to p(x) where y was rare. It is divided by the information that
    unchanged cells keep by the same count.

    Example:
        >>> x = np.array([1, 1, 2, 2] * 50)
        >>> round(distortion([(x, x)] * 4), 3), round(distortion([(x, np.ones_like(x))] * 4), 3)
        (0.0, 1.0)
        >>> half = np.where(np.arange(200) < 100, x, 3)
        >>> round(distortion([(x, half)] * 4), 2)
        0.5
    """
    if len(draws) < 2:
        raise ValueError(
            "what is learned from one draw is tried on another: two are needed at least"
        )
    if entropy(draws[0][0]) == 0.0:
        return None
    as_it_is = _kept([(source, source) for source, _ in draws])
    return min(max(1.0 - _kept(draws) / as_it_is, 0.0), 1.0)


def _kept(draws: Sequence[Draw]) -> float:
    """The information about a source's cell, in bits, that a released cell gives to one who has
    seen other draws."""
    xs, ys = (
        np.unique(np.concatenate([x for x, _ in draws])),
        np.unique(np.concatenate([y for _, y in draws])),
    )
    tables = [
        _table(np.searchsorted(xs, x), np.searchsorted(ys, y), len(xs), len(ys)) for x, y in draws
    ]
    total = np.sum(tables, axis=0)
    shares = total.sum(axis=1, keepdims=True) / total.sum()
    kept = []
    for held_out in tables:
        learned = total - held_out
        told = (learned + _PRIOR * shares) / (learned.sum(axis=0) + _PRIOR)
        where = held_out > 0
        kept.append(
            float((held_out[where] * np.log2((told / shares)[where])).sum() / held_out.sum())
        )
    return float(np.mean(kept))


def _table(x: Codes, y: Codes, rows: int, columns: int) -> NDArray[np.float64]:
    return (
        np.bincount(x * columns + y, minlength=rows * columns)
        .reshape(rows, columns)
        .astype(np.float64)
    )
