"""Partial copies: synthetic rows that have a few cells of a person each, and other cells beside them.

A row with 4 of 14 cells of somebody is near many people by chance, so no distance shows it. The
attacker looks at many people at once: at combinations of a few fields that one person alone has, of
as many people of the source and of others. Where nothing was copied, as many of the one as of the
other occur among the synthetic rows. Both sides count alike, whatever the rows are."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .coded_rows import CodedRows, Codes

PEOPLE = 10_000
"""How many people of each side are looked at, at most."""
FEWEST = 50
"""Of fewer people, nothing is sure."""
SIZES = (3, 4, 5, 6)
COMBINATIONS = 200
FEWEST_OWN = 10
"""A person counts who is alone with so many of the combinations."""
SURE = 3.0
"""So many standard errors: about once in 700 times by chance."""

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialCopies:
    """The mean share of a person's own combinations that are among the synthetic rows: of people of
    the source, and of others. `surely` is the least by which the first is above the second."""

    people: int
    others: int
    of_source: float
    of_control: float
    surely: float
    has_control: bool

    @property
    def is_tried(self) -> bool:
        return self.people >= FEWEST and self.others >= FEWEST

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def partial_copies(rows: CodedRows, *, seed: int) -> PartialCopies:
    """Compare how many combinations that one person alone has are among the synthetic rows."""
    chance = np.random.default_rng([seed, 7])
    count = min(len(rows.control), len(rows.source), PEOPLE)
    fields = rows.source.shape[1]
    if count < FEWEST or fields < 2:
        return PartialCopies(
            people=0,
            others=0,
            of_source=0.0,
            of_control=0.0,
            surely=0.0,
            has_control=len(rows.control) > 0,
        )
    drawn = [table[chance.permutation(len(table))[:count]] for table in (rows.source, rows.control)]
    weights: Hashes = np.bitwise_or(chance.integers(1, 2**62, fields, dtype=np.uint64), 1)
    people, made = (_weighted(table, weights) for table in (np.concatenate(drawn), rows.made))
    met, own = np.zeros(2 * count), np.zeros(2 * count)
    for place in range(COMBINATIONS):
        size = min(SIZES[place % len(SIZES)], fields - 1)
        chosen = chance.choice(fields, size, replace=False)
        theirs = people[:, chosen].sum(1)
        alone = _occurrences(theirs, theirs) == 1
        met += alone & (_occurrences(made[:, chosen].sum(1), theirs) > 0)
        own += alone
    shares = [met[side][own[side] >= FEWEST_OWN] for side in _sides(count)]
    totals = [own[side][own[side] >= FEWEST_OWN] for side in _sides(count)]
    source, control = (met / total for met, total in zip(shares, totals, strict=True))
    return PartialCopies(
        people=len(source),
        others=len(control),
        of_source=float(source.mean()) if len(source) else 0.0,
        of_control=float(control.mean()) if len(control) else 0.0,
        surely=_surely(source, control),
        has_control=True,
    )


def _sides(count: int) -> tuple[slice, slice]:
    return slice(0, count), slice(count, 2 * count)


def _surely(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    if min(len(one), len(other)) < FEWEST:
        return 0.0
    error = sqrt(float(one.var()) / len(one) + float(other.var()) / len(other))
    return max(float(one.mean() - other.mean()) - SURE * error, 0.0)


def _weighted(table: Codes, weights: Hashes) -> Hashes:
    """Cells whose sums over fields are hashes of the combination."""
    return table.astype(np.uint64) * weights


def _occurrences(among: Hashes, asked: Hashes) -> NDArray[np.int64]:
    values, counts = np.unique(among, return_counts=True)
    places = np.minimum(np.searchsorted(values, asked), len(values) - 1)
    return np.asarray(np.where(values[places] == asked, counts[places], 0))
