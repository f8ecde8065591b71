"""Null-map by noise: numbers are moved until no combination of them is anybody's. See Sweeney 2000,
section 5: noise added to the quasi-identifiers.

Each row gets normal noise, written with the digits that its fields had. Rows whose new combination
is a subject's are drawn again, and from larger noise where many draws fail. A row must move at
least to the nearest combination that nobody has: that is the bound beside what was found."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import SourceError
from sfumato.parts import Shape, parameter
from sfumato.policy import PolicyStep, TechniqueDeclaration, Wants
from sfumato.wording import counted

from .additive_noise import FEWEST
from .cells import Cells, Reals
from .keyed_random import KeyedRandom, Wholes
from .null_map_assignment import check_left_out, check_one_row_each, left_out_warnings
from .stated_numbers import deviation, drawn_anew, two_digits
from .step_result import StepContext, StepResult

Marks = NDArray[np.bool_]

_DRAWS: Final = 30
"""Draws of a row before its noise is doubled."""
_DOUBLINGS: Final = 40
_NEAREST: Final = 4_096
"""Nearby combinations that are looked at for the bound."""
_LARGEST: Final = 2.0**52
_EMPTY: Final = -(2**62)
"""In place of a number where a cell is empty."""
_WORDS: Final = (
    "a normal random amount was added, and drawn again where the combination was somebody's; means "
    "are about the same, variances are larger"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NullMapNoise:
    """How large the noise is, and how many rows may be left out."""

    share: float = parameter(
        "its deviation, as a share of the field's; doubled for rows that need it",
        default=0.1,
        above=0,
    )
    leave_out: float = parameter(
        "largest share of rows, of those without any number, that may be left out",
        default=0.0,
        least=0,
        most=1,
    )


def moved(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Add noise until no row has a combination of the table. A row without a number in any of the
    fields cannot be moved, and is left out."""
    grid = _NumberGrid.of(cells, step)
    still = np.asarray(grid.empty.all(axis=1))
    left_out = int(still.sum())
    check_left_out(step, left_out, rows=len(cells), proven=True)
    held = _HeldPoints(grid.points)
    chance = around.chance.bound_to(*grid.points.T, purpose=step)
    moves, doubled = _searched(grid, held, still, chance)
    for at, name in enumerate(step.fields):
        after = grid.table[:, at] + moves[:, at] * grid.units[at]
        cells = cells.with_numbers(name, after)
    lengths = np.sqrt(((moves[~still] * grid.units / grid.deviations) ** 2).sum(axis=1))
    found, bound = _root_mean(lengths), _root_mean(_least_moves(grid, held, ~still))
    return StepResult(
        cells=cells.only(~still) if left_out else cells,
        words=dict.fromkeys(step.fields, _WORDS),
        facts={
            "noise_deviation": dict(zip(step.fields, grid.deviations.tolist(), strict=True)),
            "doubled": doubled,
            "moved": found,
            "moved_at_least": bound,
            "rows_left_out": left_out,
        },
        warnings=tuple(_warnings(step, grid, moves, doubled, left_out=left_out)),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _NumberGrid:
    """The fields as numbers, and as whole numbers of their last digit; the deviation of the noise
    of each."""

    table: Reals
    points: Wholes
    units: Reals
    deviations: Reals

    @property
    def empty(self) -> Marks:
        return np.isnan(self.table)

    @classmethod
    def of(cls, cells: Cells, step: PolicyStep) -> _NumberGrid:
        table = np.stack([cells.numbers(name) for name in step.fields], axis=1)
        units = np.array([10.0 ** -cells.decimals(name) for name in step.fields])
        scaled = np.abs(np.nan_to_num(table)) / units
        large = [
            n for n, most in zip(step.fields, scaled.T, strict=True) if (most > _LARGEST).any()
        ]
        if large:
            raise SourceError(
                f"Numbers of {', '.join(large)} were to be moved.",
                found="Some have more than 15 digits.",
                attempt='technique = "null_map", which deals values out.',
            )
        points = np.where(np.isnan(table), _EMPTY, np.rint(np.nan_to_num(table) / units))
        spreads = [_spread(column[~np.isnan(column)]) for column in table.T]
        wanted = [two_digits(step.number("share") * spread) for spread in spreads]
        return cls(
            table=table,
            points=points.astype(np.int64),
            units=units,
            deviations=np.maximum(wanted, units),
        )


def _spread(values: Reals) -> float:
    return deviation(values) if len(values) >= FEWEST else 0.0


class _HeldPoints:
    """The combinations of the source, as hashes: one that is held is never taken for a free one."""

    def __init__(self, points: Wholes) -> None:
        odd = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], np.uint64)
        factors = [odd[0]]
        while len(factors) < points.shape[1]:
            last = int(factors[-1])
            mixed = (last ^ (last >> 30)) * int(odd[1]) + int(odd[2])
            factors.append(np.uint64((mixed & (2**64 - 1)) | 1))
        self._factors = np.array(factors, np.uint64)
        self._held = np.unique(self._hashed(points))

    def _hashed(self, points: Wholes) -> NDArray[np.uint64]:
        with np.errstate(over="ignore"):
            mixed = points.astype(np.uint64) * self._factors
            mixed ^= mixed >> np.uint64(29)
            return np.asarray((mixed * self._factors[::-1]).sum(axis=1, dtype=np.uint64))

    def has(self, points: Wholes) -> Marks:
        found = self._hashed(points)
        place = np.minimum(np.searchsorted(self._held, found), len(self._held) - 1)
        return np.asarray(self._held[place] == found)


def _searched(
    grid: _NumberGrid, held: _HeldPoints, still: Marks, chance: KeyedRandom
) -> tuple[Wholes, int]:
    """Moves of all rows in units, and how often the noise of some was doubled."""
    moves = np.zeros(grid.points.shape, np.int64)
    steps = grid.deviations / grid.units
    left = np.flatnonzero(~still)
    number = 0
    while len(left):
        scale = 2.0 ** (number // _DRAWS)
        drawn = np.stack([chance.normal(len(left)) * (scale * one) for one in steps], axis=1)
        drawn = np.where(grid.empty[left], 0, np.rint(drawn)).astype(np.int64)
        free = ~held.has(grid.points[left] + drawn)
        moves[left[free]] = drawn[free]
        left = left[~free]
        number += 1 if len(left) else 0
        if number >= _DRAWS * _DOUBLINGS:
            raise SourceError(
                "Noise was searched for that leads to nobody.",
                found="Numbers are held at every distance.",
                attempt='technique = "encrypt".',
            )
    return moves, number // _DRAWS


def _least_moves(grid: _NumberGrid, held: _HeldPoints, rows: Marks) -> Reals:
    """For each row how far, in deviations, the nearest free combination is; where nearby ones are
    all held, how far these reach."""
    points, empty = grid.points[rows], grid.empty[rows]
    least = np.zeros(len(points))
    open_rows = np.arange(len(points))
    reached = 0.0
    for reached, offset in _by_distance(grid.units / grid.deviations):
        if not len(open_rows):
            break
        own = np.where(empty[open_rows], 0, offset)
        same = (own == offset).all(axis=1)  # An empty cell does not move.
        free = same & ~held.has(points[open_rows] + own)
        least[open_rows[free]] = reached
        open_rows = open_rows[~free]
    least[open_rows] = reached
    return least


def _by_distance(widths: Reals) -> Iterator[tuple[float, Wholes]]:
    """Moves in order of their length, the shortest first; `widths` are the lengths of units."""
    start = (0,) * len(widths)
    queue, seen = [(0.0, start)], {start}
    for _ in range(_NEAREST):
        length, offset = heapq.heappop(queue)
        yield length, np.array(offset, np.int64)
        for at in range(len(widths)):
            for turn in (-1, 1):
                near = (*offset[:at], offset[at] + turn, *offset[at + 1 :])
                if near not in seen:
                    seen.add(near)
                    heapq.heappush(queue, (float(np.linalg.norm(np.array(near) * widths)), near))


def _root_mean(lengths: Reals) -> float:
    return float(f"{np.sqrt((lengths**2).mean()) if len(lengths) else 0.0:.6g}")


def _warnings(
    step: PolicyStep, grid: _NumberGrid, moves: Wholes, doubled: int, *, left_out: int
) -> Iterator[str]:
    yield drawn_anew(step.fields)
    yield from left_out_warnings(left_out, proven=True)
    if doubled:
        yield (
            f"Noise of the share asked for led to somebody, for some rows at every draw: theirs "
            f"was doubled, at most {counted(doubled, 'time')}."
        )
    for name, before, after in zip(
        step.fields, grid.table.T, (grid.table + moves * grid.units).T, strict=True
    ):
        there = ~np.isnan(before)
        if there.any() and before[there].min() >= 0 > after[there].min():
            yield f"Some numbers of {name} are below 0 and none was."


DECLARATION = TechniqueDeclaration(
    key="null_map_noise",
    doc="noise is added to numbers until no combination is anybody's",
    title="noise that leads to nobody",
    record=NullMapNoise,
    apply=moved,
    wants=Wants.NUMBERS,
    check=check_one_row_each,
    samples_rows=True,
    trials_together=({"share": 0.1},),
    shapes=frozenset(Shape) - {Shape.SEVERAL_TABLES},
    reasons={Shape.SEVERAL_TABLES: "a combination is followed for one row of each person"},
)
