"""Rounding: plain, random, and controlled so that sums are kept (Garfinkel 2016, 4.3.2; Cox and
Ernst 1982; Cox 1987).

Controlled rounding here is of one list per group, not of a table with two margins. Each number is
rounded to the multiple below or above it, and so is the sum of each group."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sfumato.engines import FieldKind
from sfumato.errors import Mistake, Problem
from sfumato.parts import ParameterKind, parameter
from sfumato.policy import Policy, PolicyStep, TechniqueDeclaration, Wants

from .cells import Cells, Reals
from .grid import Grid, objects, off_grid, on_grid
from .keyed_random import KeyedRandom, Wholes
from .stated_numbers import drawn_anew, two_digits
from .step_result import StepContext, StepResult

_WORDS = {
    "plain": "rounded to the nearest multiple of {base:g}",
    "random": "rounded up or down at random to a multiple of {base:g}, so that it is the same on "
    "average",
    "controlled": "rounded up or down to a multiple of {base:g}, so that sums{within} are off by less "
    "than {base:g}",
}
_LARGEST = 2**62
_SPREADS = (0.1, 0.5, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounding:
    """To which multiples numbers are rounded, and how."""

    base: float = parameter("to multiples of this", least=1e-9, example="5")
    method: str = parameter(
        "to the nearest, up or down by chance so that it is kept on average, or so that "
        "sums are kept",
        default="plain",
        words=("plain", "random", "controlled"),
    )
    within: tuple[str, ...] = parameter(
        "controlled: sums of rows that are equal in these fields are kept",
        default=(),
        kind=ParameterKind.FIELDS,
    )


def rounded(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Each number becomes a multiple of `base`; one that is a multiple stays.

    Random: up with a chance equal to how far the number is above the lower multiple, so that the
    expected value is the number itself. Controlled: so many are rounded up that the sum of each
    group is rounded up or down as well, chosen with those chances (systematic sampling). Each
    number and each sum is the same on average, and a sum that is a multiple of the base is kept
    exactly."""
    base, method, within = step.number("base"), step.word("method"), step.names("within")
    groups = cells.groups(within) if method == "controlled" else None
    digits = _decimals(base)
    said = _WORDS[method].format(
        base=base, within=f" of rows alike in {', '.join(within)}" if within else ""
    )
    errors: dict[str, float] = {}
    for name in step.fields:
        _refuse_parts(cells, name, base)
        values = cells.numbers(name)
        there = ~np.isnan(values)
        places = max(digits, cells.decimals(name))
        units, unit = on_grid(values[there], places), round(base * 10**places)
        chance = around.chance.bound_to(values, purpose=(step, name))
        out = values.copy()
        rounded_units = _rounded(
            units, unit, method, chance, groups[there] if groups is not None else None
        )
        out[there] = off_grid(rounded_units, places)
        cells = cells.with_numbers(name, out, decimals=digits)
        errors[name] = _error(units, unit, method, base)
    facts = {"base": base, "method": method, "error_variance": errors}
    warnings = () if method == "plain" else (drawn_anew(step.fields),)
    return StepResult(
        cells=cells, words=dict.fromkeys(step.fields, said), facts=facts, warnings=warnings
    )


def _refuse_parts(cells: Cells, name: str, base: float) -> None:
    if cells.kinds.get(name) is FieldKind.INTEGER and base != round(base):
        raise Mistake(
            f"Rounding {name} to multiples of {base:g} was asked for.",
            found="It has whole numbers, which should stay whole.",
            attempt="a base that is a whole number.",
        )


def _rounded(
    units: Grid, base: int, method: str, chance: KeyedRandom, groups: Wholes | None
) -> Grid:
    """Whole numbers to multiples of one."""
    if base * (len(units) + 1) >= _LARGEST:
        units = objects(units.tolist())
    low, above = units // base, units % base
    if method == "plain":
        return (low + (2 * above >= base)) * base
    if groups is None:
        return (low + (_draws(chance, base, units) < above)) * base
    order = np.lexsort((chance.words(len(units)), groups))
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(order)))
    # One draw for each group: a number goes up where the running sum, started at the draw, passes a
    # multiple.
    total = np.cumsum(above[order])
    before = np.repeat(
        (total - above[order])[starts] - _draws(chance, base, units[: len(starts)]), sizes
    )
    running = total - before
    up = np.zeros_like(units)
    up[order] = running // base - (running - above[order]) // base
    return (low + up) * base


def _draws(chance: KeyedRandom, base: int, units: Grid) -> Grid:
    """A whole number below the base for each unit; the bias is below 2^-53 of the base."""
    drawn = chance.uniform(len(units))
    if base < _LARGEST:
        return np.minimum((drawn * base).astype(np.int64), base - 1).astype(units.dtype)
    return objects([int(one * 2**53) * base // 2**53 for one in drawn.tolist()])


def _error(units: Grid, base: int, method: str, stated: float) -> float:
    """The mean square of what rounding changes; for rounding by chance, as it is expected."""
    if not len(units):
        return 0.0
    above: Reals = (units % base).astype(np.float64) / float(base)
    squares = np.minimum(above, 1 - above) ** 2 if method == "plain" else above * (1 - above)
    return two_digits(float(squares.mean()) * stated**2)


def _decimals(base: float) -> int:
    """The digits after the point that multiples of the base need.

    Example:
        >>> _decimals(5.0), _decimals(0.25)
        (0, 2)
    """
    return next((places for places in range(9) if abs(round(base, places) - base) < 1e-12), 9)


def _check(policy: Policy, step: PolicyStep, where: str) -> Iterator[Problem]:
    asked: Rounding = step.settings
    if asked.within and asked.method != "controlled":
        yield Problem(
            where=f"{where}.within",
            found="Only controlled rounding keeps sums.",
            attempt='method = "controlled".',
        )


def _by_chance(asked: Rounding) -> bool:
    return asked.method != "plain"


def _trials(cells: Cells, name: str) -> Iterator[dict[str, object]]:
    """Some shares of the field's deviation, to one digit; whole ones of whole numbers."""
    found = cells.numbers(name)
    spread = float(np.std(found[~np.isnan(found)])) if (~np.isnan(found)).any() else 0.0
    bases = [share * spread for share in _SPREADS if spread > 0]
    digits = [round(base, -math.floor(math.log10(base))) for base in bases]
    whole = cells.kinds.get(name) is FieldKind.INTEGER
    distinct = dict.fromkeys(float(max(1, round(base))) if whole else base for base in digits)
    return ({"base": base} for base in distinct)


DECLARATION = TechniqueDeclaration(
    key="round",
    doc="numbers are rounded",
    title="rounding",
    record=Rounding,
    apply=rounded,
    check=_check,
    wants=Wants.NUMBERS,
    draws=_by_chance,
    trials_for=_trials,
)
