"""Attacks on perturbed counts: how often a table's claims about few people are true, with an
interval.

Swapping and cell keys promise no bound. Each table is therefore attacked, and the share of right
claims is stated beside that of a guesser."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .linked_cells import LinkedCells

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]
_Z = 1.959964


@dataclass(frozen=True, kw_only=True)
class AttackShare:
    """So many of the attacker's claims are right; `baseline` is the share of somebody who guesses
    without the table."""

    right: int
    claims: int
    baseline: float

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share (Wilson 1927)."""
        if not self.claims:
            return 0.0, 1.0
        n, share = self.claims, self.right / self.claims
        middle = share + _Z**2 / (2 * n)
        width = _Z * float(np.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2)))
        scale = 1 + _Z**2 / n
        return max(0.0, (middle - width) / scale), min(1.0, (middle + width) / scale)

    def words(self) -> str:
        """The share with its interval.

        Example:
            >>> AttackShare(right=30, claims=40, baseline=0.5).words()
            '30 of 40 right (75 %; 95 % interval 60 % to 86 %); by guessing 50 %'
        """
        if not self.claims:
            return "nothing to claim"
        low, high = self.interval
        return (
            f"{self.right:,} of {self.claims:,} right ({100 * self.right / self.claims:.0f} %; "
            f"95 % interval {100 * low:.0f} % to {100 * high:.0f} %); by guessing "
            f"{100 * self.baseline:.0f} %"
        )


def finest_cells(cells: LinkedCells) -> Flags:
    """Cells of the smallest areas that are the sum of no other ones."""
    finest = np.ones(len(cells.keys), bool)
    finest[[total for total, _ in cells.equations]] = False
    return finest


def alone_and_right(cells: LinkedCells, released: Whole) -> AttackShare:
    """The attacker takes each released count of 1 for a person who is there alone. The baseline
    takes all cells with somebody in them for such."""
    finest = finest_cells(cells)
    claims = finest & (released == 1)
    inhabited = finest & (cells.values > 0)
    return AttackShare(
        right=int((cells.values[claims] == 1).sum()),
        claims=int(claims.sum()),
        baseline=float((cells.values[inhabited] == 1).mean()) if inhabited.any() else 0.0,
    )


def computed_exactly(cells: LinkedCells, released: Whole, *, threshold: int) -> AttackShare:
    """The attacker estimates each small count from its own value and from every total less its
    other parts, weighed by their noises. The nearest whole number is claimed. The baseline claims
    the most frequent small count."""
    estimate, weight = released.astype(float), np.ones(len(released))
    for total, parts in cells.equations:
        places = list(parts)
        rest = released[total] - released[places].sum()
        # A total has one noise and each other part one, so such a difference weighs little.
        by = 1.0 / len(places)
        estimate[places] += by * (released[places] + rest)
        weight[places] += by
    small = finest_cells(cells) & (cells.values > 0) & (cells.values < threshold)
    claimed = np.rint(estimate[small] / weight[small]).astype(np.int64)
    true = cells.values[small]
    return AttackShare(
        right=int((claimed == true).sum()),
        claims=int(small.sum()),
        baseline=float(np.bincount(true).max() / len(true)) if len(true) else 0.0,
    )
