"""Differencing of two published tables of counts: which cell did the newcomer go to? (Garfinkel
2016, section 4.3.6.)

Counts may be exact, in ranges such as 30-39 or <10, or hidden. The newcomer can be in a cell where
one more fits its two counts, and every other cell's two counts can be the same number. Where only
one cell remains possible, the conclusion is certain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, inf

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Engine
from sfumato.errors import SourceError
from sfumato.hierarchies import SUPPRESSED, Label
from sfumato.measures import as_number, excludes_its_end, number_bounds

from .attack_run import BEATS, HOLDS, UNDECIDED, AttackRun, Outcome, Story, deduced

NAME, TITLE = "differencing of counts", "Two tables of counts: where did the newcomers go?"


@dataclass(frozen=True, eq=False)
class CountCells:
    """A table of counts: the subject of each cell, and the bounds of its count."""

    about: tuple[tuple[Label, ...], ...]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @classmethod
    def of(cls, about: Sequence[tuple[Label, ...]], counts: Sequence[Label]) -> CountCells:
        bounds = [count_bounds(count) for count in counts]
        return cls(tuple(about), np.array([b[0] for b in bounds]), np.array([b[1] for b in bounds]))

    @classmethod
    def read(cls, engine: Engine, count: str) -> CountCells:
        """The cells of a published table: all other fields describe the people of a count."""
        names = tuple(info.name for info in engine.fields())
        if count not in names or len(names) < 2:
            raise SourceError(
                f"{engine.title} is no table of counts.",
                found=f"It has {', '.join(names)}, and {count} was named as the field of counts.",
                attempt="the name of the field that holds the counts.",
            )
        rows = Bins.count(engine, (*(name for name in names if name != count), count))
        tuples = list(rows.tuples())
        if len({row[:-1] for row in tuples}) != rows.rows or not rows.rows:
            raise SourceError(
                f"{engine.title} is no table of counts.",
                found="It has no cell, or one several times.",
            )
        return cls.of([row[:-1] for row in tuples], [row[-1] for row in tuples])

    def __len__(self) -> int:
        return len(self.about)


def count_bounds(count: Label) -> tuple[float, float]:
    """The fewest and the most people that a published count can mean.

    Example:
        >>> count_bounds("30-39"), count_bounds("7"), count_bounds("<10"), count_bounds("*")
        ((30.0, 39.0), (7.0, 7.0), (0.0, 9.0), (0.0, inf))
    """
    if count is None or count == SUPPRESSED:
        return 0.0, inf
    number = as_number(count)
    if number is not None:
        return number, number
    bounds = number_bounds(count)
    if bounds is None:
        return 0.0, inf
    low, high = max(bounds[0], 0.0), bounds[1]
    return float(ceil(low)), high if high == inf else float(
        ceil(high) - 1 if excludes_its_end(count) else floor(high)
    )


def cells_that_fit(before: CountCells, after: CountCells) -> NDArray[np.bool_]:
    """Which cells one newcomer can have gone to, given both tables.

    Example:
        >>> grades = [("below",), ("at",), ("above",)]
        >>> before = CountCells.of(grades, ["30-39", "50-59", "20-29"])
        >>> cells_that_fit(before, CountCells.of(grades, ["30-39", "50-59", "30-39"])).tolist()
        [False, False, True]
        >>> cells_that_fit(before, before).tolist()
        [True, True, True]
    """
    before = _aligned(before, after)
    stays = (before.low <= after.high) & (after.low <= before.high)
    grows = (before.low + 1 <= after.high) & (after.low <= before.high + 1)
    others = (~stays).sum() - ~stays
    return np.asarray(grows & (others == 0))


def _aligned(cells: CountCells, like: CountCells) -> CountCells:
    """The same cells in the other table's order; a cell that was not there held nobody."""
    place = {about: number for number, about in enumerate(cells.about)}
    if place.keys() - set(like.about):
        raise SourceError(
            "The second table of counts lacks cells of the first.",
            found=f"It lacks {len(place.keys() - set(like.about))} of {len(cells)}.",
            attempt="two tables with the same cells.",
        )
    at = [place.get(about, -1) for about in like.about]
    low, high = (
        np.array([bound[n] if n >= 0 else 0.0 for n in at]) for bound in (cells.low, cells.high)
    )
    return CountCells(like.about, low, high)


def _are_equal(before: CountCells, after: CountCells) -> bool:
    aligned = _aligned(before, after)
    return bool((aligned.low == after.low).all() and (aligned.high == after.high).all())


def counts_differencing(before: CountCells, after: CountCells) -> AttackRun:
    """Compare two tables between which one person joined. A conclusion is certain or not, so no
    rate is estimated."""
    fits = int(cells_that_fit(before, after).sum())
    cells = len(after)
    found: dict[bool, tuple[Outcome, str]] = {
        True: (
            BEATS,
            f"only one of {cells:,} cells can hold the newcomer, whose values are thus known",
        ),
        False: (HOLDS, f"{fits:,} of {cells:,} cells can hold the newcomer"),
    }
    outcome, reason = found[fits == 1]
    if fits == 0 and _are_equal(before, after):
        outcome, reason = HOLDS, "the two tables are equal: nobody joined"
    elif fits == 0:
        outcome, reason = (
            UNDECIDED,
            "more changed between the two tables than one newcomer explains",
        )
    if cells < 2:
        outcome, reason = UNDECIDED, "a table of one cell discloses nothing about anybody"
    return deduced(
        NAME,
        TITLE,
        Story(
            attacker="Somebody who reads the same table twice, before and after one person joined.",
            knows="Who the newcomer is, and that nobody else came or left.",
            tries="They look for the cells whose count can have grown by one while all others "
            "stayed.",
            guess=f"Any of the {cells:,} cells.",
        ),
        attempts=1,
        certain=int(outcome == BEATS),
        outcome=outcome,
        reason=reason,
        got="The newcomer's cell is certain."
        if fits == 1
        else "The newcomer's cell is not certain.",
    )
