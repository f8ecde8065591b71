"""Primary suppression: the cells that disclose too much about a person, and how far off an estimate
of each must stay.

Rules of the field (Hundepool and others 2012, chapter 4): a threshold on people, the p % rule and
(n, k) dominance. Unions count too: where all cells of a known sum are hidden, their total is known
and is judged as a cell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from .linked_cells import WHOLE_SUM, LinkedCells

Whole = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class SensitivityRules:
    """The rules that make a cell sensitive. With `is_count`, values count people: then both nobody
    and `threshold` people must stay possible. For sums, `protect` is the share of the value by
    which an estimate must be off where the threshold alone makes a cell sensitive."""

    threshold: int
    is_count: bool
    p_percent: float | None = None
    dominance: tuple[int, float] | None = None
    protect: float = 0.2

    @property
    def largest(self) -> int:
        """How many contributions of a cell the rules look at."""
        if self.is_count:
            return 1
        return max(2, self.dominance[0] if self.dominance else 0)

    def margin(self, value: int, people: int, largest: list[int]) -> tuple[int, int]:
        """How far below and above the value an estimate must be able to be; 0 and 0 where the cell
        is not sensitive.

        Example:
            >>> SensitivityRules(threshold=5, is_count=True).margin(3, 3, [1])
            (3, 2)
            >>> SensitivityRules(threshold=1, is_count=False, p_percent=10).margin(105, 3, [100, 4])
            (9, 9)
        """
        if self.is_count:
            return (value, self.threshold - value) if 0 < people < self.threshold else (0, 0)
        need = 0.0
        if 0 < people < self.threshold:
            need = max(1.0, self.protect * value)
        if people and self.p_percent is not None:
            need = max(need, self.p_percent / 100 * largest[0] - (value - sum(largest[:2])))
        if people and self.dominance is not None:
            n, k = self.dominance
            need = max(need, sum(largest[:n]) * 100 / k - value)
        above = ceil(need - 1e-9) if need > 1e-9 else 0
        return min(value, above), above


def margins(cells: LinkedCells, rules: SensitivityRules) -> tuple[Whole, Whole]:
    """The margins below and above of every cell."""
    found = [
        rules.margin(value, people, largest)
        for value, people, largest in zip(
            cells.values.tolist(), cells.people.tolist(), cells.largest.tolist(), strict=True
        )
    ]
    both = np.array(found, np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def union_margin(
    cells: LinkedCells, members: Iterable[int], rules: SensitivityRules
) -> tuple[int, int]:
    """The margins of several cells taken together. Contributions of one person in several of them
    are added up; where more people have a part than are known by name, they are taken as apart."""
    places = list(members)
    value = int(cells.values[places].sum())
    amounts: dict[int, int] = {}
    for place in places:
        pairs = zip(cells.who[place].tolist(), cells.largest[place].tolist(), strict=True)
        for person, amount in pairs:
            if person >= 0:
                amounts[person] = amounts.get(person, 0) + amount
    people = int(cells.people[places].sum())
    known = all(cells.people[place] <= (cells.who[place] >= 0).sum() for place in places)
    if known and amounts:
        people = len(amounts)
    ordered = sorted(amounts.values(), reverse=True)
    return rules.margin(value, people, (ordered + [0] * rules.largest)[: max(2, rules.largest)])


def lone_people(cells: LinkedCells) -> dict[int, int]:
    """Cells with one contributor, by a number of that person: the only contributor of a cell knows
    its value.

    Where people are not identified, a cell with one person inside another such cell is theirs
    too."""
    alone = np.flatnonzero(cells.people == 1)
    if cells.who.shape[1] and (cells.who[alone, 0] >= 0).all():
        return {int(n): int(cells.who[n, 0]) for n in alone}
    root = {int(n): int(n) for n in alone}

    def find(n: int) -> int:
        while root[n] != n:
            n = root[n]
        return n

    for total, parts in cells.equations:
        if total in root:
            for part in parts:
                if part in root:
                    root[find(part)] = find(total)
    return {n: find(n) for n in root}


def known_inside(cells: LinkedCells, own: Iterable[int], target: int) -> int:
    """The value that somebody with the cells `own` knows to be inside another cell: their estimate
    is never below it."""
    return max((int(cells.values[n]) for n in own if _is_part(cells, n, target)), default=0)


def _is_part(cells: LinkedCells, part: int, whole: int) -> bool:
    (level, area, *codes), (above, region, *wanted) = cells.keys[part], cells.keys[whole]
    if level < above or any(
        want not in (WHOLE_SUM, code) for code, want in zip(codes, wanted, strict=True)
    ):
        return False
    for at in range(level, above, -1):
        area = int(cells.tree.parents[at][area])
    return area == region
