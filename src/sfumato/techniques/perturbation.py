"""Perturbation: numbers change, and the mean and variance of each group stay exactly what they were
(Sweeney 2000, Fig. 14).

x' = m + sqrt(1 - share) (x - m) + sqrt(share) e, with e random, orthogonal to 1 and to x, and as
long as x - m: then mean and variance are the same for any e (Burridge 2003, for one field). Then
numbers go back to the digits that the field had, by whole steps that keep sum and sum of squares
(`moments.py`). Where no such steps are found, as for numbers of more than fifteen digits, the
group's own numbers stand in the order of x' (Muralidhar and Sarathy 2006, data shuffling), which
keeps both as well."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sfumato.parts import ParameterKind, parameter
from sfumato.policy import PolicyStep, TechniqueDeclaration, Wants

from .cells import Cells, Reals
from .grid import Grid, objects, off_grid, on_grid
from .keyed_random import KeyedRandom
from .moments import with_moments
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
    """How it went: rows whose group's numbers were exchanged, and whether any group had no
    spread."""

    exchanged: int = 0
    constant: bool = False


def perturbed(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Each number changed, mean and variance kept within groups of at least `least` rows.

    Smaller groups would give their numbers away by these two, so they are taken together; where
    even that is too few rows, the smallest other group joins them."""
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
    """One group; `units` are whole numbers, and so is what comes back."""
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
        return [left_empty(name, len(before), "so few numbers follow from their mean and variance")]
    out = []
    if found.constant:
        out.append(
            f"Some or all numbers of {name} were not changed: all in their group are "
            "equal, as the variance says."
        )
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
