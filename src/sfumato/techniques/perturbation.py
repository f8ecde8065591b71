"""Perturbation: numbers change, and the mean and variance of each group stay exactly what they were
(Sweeney 2000, Fig. 14).

x' = m + sqrt(1 - share) (x - m) + sqrt(share) e, with e random, orthogonal to 1 and to x, and as
long as x - m. Mean and variance are then the same for any e (Burridge 2003, for one field). Then
numbers go back to the digits that the field had, by whole steps that keep sum and sum of squares
(`moments.py`). Where no such steps are found, as for numbers of more than fifteen digits, the
group's own numbers are put in the order of x' (Muralidhar and Sarathy 2006, data shuffling). That
keeps both as well."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sfumato.parts import ParameterKind, parameter
from sfumato.policy import PolicyStep, TechniqueDeclaration, Wants

from .cells import Cells, Reals
from .grid import Grid, objects, off_grid, on_grid
from .keyed_random import KeyedRandom, Wholes
from .pools import NOBODY, members, pooled
from .stated_numbers import drawn_anew, left_empty, told_count
from .step_result import StepContext, StepResult

_DRAWS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Perturbation:
    """How much of a field's variance is new."""

    share: float = parameter("of the field's variance that is new", default=0.3, above=0, most=1)
    least: int = parameter(
        "rows in a group; smaller ones are taken together, at least", default=10, least=4
    )
    within: tuple[str, ...] = parameter(
        "mean and variance stay within rows that are equal in these fields",
        default=(),
        kind=ParameterKind.FIELDS,
    )


@dataclass(kw_only=True)
class _Found:
    """The outcome: rows whose group's numbers were exchanged, and whether any group had no
    spread."""

    exchanged: int = 0
    constant: bool = False


def perturbed(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Each number changed, mean and variance kept within groups of at least `least` rows.

    Mean and variance would disclose the numbers of smaller groups, so these are merged. Where even
    that is too few rows, the smallest other group joins them."""
    share, least, within = step.number("share"), step.whole("least"), step.names("within")
    groups = cells.groups(within)
    words, warnings = {}, [drawn_anew(step.fields)]
    exchanged: dict[str, object] = {}
    for name in step.fields:
        values = cells.numbers(name)
        there = np.flatnonzero(~np.isnan(values))
        pools, joined = pooled(groups[there], least)
        places, out, found = cells.decimals(name), values.copy(), _Found()
        units = on_grid(values[there], places)
        chance = around.chance.bound_to(values, groups.astype(np.float64), purpose=(step, name))
        for rows in members(pools):
            out[there[rows]] = off_grid(_perturbed(units[rows], share, chance, found), places)
        out[there[pools == NOBODY]] = np.nan
        words[name] = _words(within, joined=joined, empty=len(there) > 0 and pools[0] == NOBODY)
        warnings += _warnings(name, values[there], out[there], found)
        exchanged[name] = told_count(found.exchanged, least)
        cells = cells.with_numbers(name, out)
    told = {"covariance_factor": math.sqrt(1 - share), "rows_exchanged": exchanged}
    return StepResult(
        cells=cells,
        words=words,
        facts={"share": share, "least": least, **told},
        warnings=tuple(warnings),
    )


def _perturbed(units: Grid, share: float, chance: KeyedRandom, found: _Found) -> Grid:
    """One group; `units` are whole numbers, and so is the result."""
    numbers = [int(unit) for unit in units.tolist()]
    centre = sum(numbers) // len(numbers)
    apart = objects([number - centre for number in numbers])
    floats = _scaled(apart)
    if not floats.any() or (floats == floats[0]).all():
        found.constant = True
        return units
    changed = floats
    for _ in range(_DRAWS):
        changed = _drawn(floats, share, chance)
        settled = with_moments(changed, apart)
        if settled is not None:
            return settled + centre
    found.exchanged += len(units)
    out = np.empty_like(apart)
    out[np.argsort(changed, kind="stable")] = np.sort(apart)
    return out + centre


def _scaled(apart: Grid) -> Reals:
    """As floats; numbers that are too large for them to the largest that their squares still fit
    in."""
    largest = max(abs(one) for one in apart.tolist())
    if largest < 10**150:
        return apart.astype(np.float64)
    return np.array([one * 10**15 // largest for one in apart.tolist()], np.float64)


def _drawn(numbers: Reals, share: float, chance: KeyedRandom) -> Reals:
    """Numbers with the same mean and variance, of which this share is new."""
    mean = numbers.mean()
    apart = numbers - mean
    length = np.linalg.norm(apart)
    noise = chance.normal(len(numbers))
    noise -= noise.mean()
    noise -= apart * ((noise @ apart) / length / length)
    noise -= noise.mean()
    return np.asarray(
        mean
        + math.sqrt(1 - share) * apart
        + math.sqrt(share) * length / np.linalg.norm(noise) * noise
    )


def _words(within: tuple[str, ...], *, joined: bool, empty: bool) -> str:
    if empty:
        return "left empty"
    alike = f" of rows alike in {', '.join(within)}" if within else ""
    together = " (small groups taken together)" if joined and within else ""
    return f"changed at random; its mean and variance{alike}{together} are exactly what they were"


def _warnings(name: str, before: Reals, after: Reals, found: _Found) -> list[str]:
    if not len(before):
        return []
    if np.isnan(after).all():
        return [
            left_empty(
                name, len(before), "so few numbers can be inferred from their mean and variance"
            )
        ]
    out = []
    if found.constant:
        out.append(f"Some or all numbers of {name} were not changed: all in their group are equal.")
    if before.min() >= 0 and np.nanmin(after) < 0:
        out.append(f"Some numbers of {name} are below 0 and none was.")
    return out


DECLARATION = TechniqueDeclaration(
    key="perturb",
    doc="values are changed, and each field's mean and variance stay as they are",
    title="perturbation",
    record=Perturbation,
    apply=perturbed,
    wants=Wants.NUMBERS,
    trials=({"share": 0.1}, {"share": 0.3}, {"share": 0.6}),
)


# Whole numbers near given ones with exactly the sum and the sum of squares of others.
# Where two numbers a, b become a + s, b - s, their sum stays, and half of their squares' sum
# changes by s (a - b + s).

_STEPS = 60
_SIZES = (1, -1, 2, -2, 3, -3)
_EXACT = 2.0**52
_CLOSE = 10**9


class _Move(NamedTuple):
    """The numbers at `up` grow by `size`, those at `down`, one for each, get less by it."""

    up: Wholes
    down: Wholes
    size: int


def with_moments(near: Reals, like: Grid) -> Grid | None:
    """Whole numbers near `near`, their sum that of `like`, and so the sum of squares; None where
    none were found.

    For sums of squares of more than nine digits, nine are kept where all are not found.

    Example:
        >>> like = objects([1, 4, 6, 9, 12, 12, 15, 21])
        >>> found = with_moments(np.array([2.4, 2.2, 7.3, 7.5, 13.3, 11.1, 14.6, 21.4]), like)
        >>> [int(sum(x**n for x in found) - sum(x**n for x in like)) for n in (1, 2)]
        [0, 0]
    """
    if np.abs(near).max() >= _EXACT:
        return None
    wholes = _summing(near, sum(like.tolist()))
    if wholes is None:
        return None
    wanted = sum(one * one for one in like.tolist())
    missing = (wanted - sum(one * one for one in wholes.tolist())) // 2
    for _ in range(_STEPS):
        move = _closing(wholes, missing) or _nearing(wholes, missing) if missing else None
        if move is None:
            break
        apart = (wholes[move.up] - wholes[move.down] + move.size).tolist()
        missing -= move.size * sum(apart)
        wholes[move.up] += move.size
        wholes[move.down] -= move.size
    return objects(wholes.tolist()) if 2 * abs(missing) * _CLOSE <= wanted or missing == 0 else None


def _summing(near: Reals, total: int) -> Grid | None:
    """Each number rounded up or down, so that their sum is `total`; those nearest to the next are
    rounded up."""
    low = np.floor(near)
    up = total - sum(int(one) for one in low.tolist())
    if not 0 <= up <= len(near):
        return None
    out: Grid = low.astype(np.int64)
    out[np.argsort(low - near, kind="stable")[:up]] += 1
    return out


def _closing(wholes: Grid, missing: int) -> _Move | None:
    """Two numbers with which one move closes what is missing."""
    order = np.argsort(wholes, kind="stable")
    ordered = wholes[order]
    for size in _SIZES:
        if missing % size == 0 and abs(missing) < _EXACT:
            wanted = ordered + (missing // size - size)
            at = np.maximum(np.searchsorted(ordered, wanted, side="right") - 1, 0)
            hits = np.flatnonzero((ordered[at] == wanted) & (order[at] != order))
            if len(hits):
                one = hits[len(hits) // 2 : len(hits) // 2 + 1]
                return _Move(order[at[one]], order[one], size)
    return None


def _nearing(wholes: Grid, missing: int) -> _Move | None:
    """Moves by 1 after which less is missing: of the highest against the lowest numbers while much
    is missing, then of two whose difference is nearest to it."""
    order = np.argsort(wholes, kind="stable")
    ordered = wholes[order]
    size, half = (1 if missing > 0 else -1), len(order) // 2
    gains = ordered[::-1][:half] - ordered[:half] + size
    gains = gains[gains > 0]
    many = int(np.searchsorted(np.cumsum(gains, dtype=np.float64), abs(missing), side="right"))
    if many:
        return _Move(order[::-1][:many], order[:many], size)
    wanted = ordered + (missing - 1)
    at = np.clip(np.searchsorted(ordered, wanted), 1, len(ordered) - 1)
    at = at - (wanted - ordered[at - 1] < ordered[at] - wanted)
    off = np.where(order[at] == order, np.iinfo(np.int64).max, np.abs(wanted - ordered[at]))
    one = np.argmin(off, keepdims=True)
    return _Move(order[at[one]], order[one], 1) if off[one[0]] < abs(missing) else None
