"""Wrong-map as a method: everybody's unit of quasi-identifiers is given to somebody else, about
whom something else was collected (Sweeney 2000, section 5).

In addition to swapping as a unit, no row gets the unit of a subject with the same values outside.
As few rows as possible are suppressed, by Hall's condition; the assignment is drawn at random among
all remaining ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import NoRecodingFound, Problem
from sfumato.parts import ParameterKind, Shape, parameter
from sfumato.policy import Policy, PolicyStep, TechniqueDeclaration
from sfumato.protection import LEAST_WRONG, wrong_value_gain
from sfumato.wording import counted

from .cells import Cells
from .derangement import fewest_left_out, random_derangement
from .keyed_random import KeyedRandom, Wholes
from .step_result import StepContext, StepResult

Marks = NDArray[np.bool_]

_CAPS = 65
_UNSURE = 1.0 - 1e-12
"""A limit of gain that forbids certainty and nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongMapAssignment:
    """The permitted assignments of units, and how many rows may be suppressed for them."""

    outside: tuple[str, ...] = parameter(
        "other fields, taken together, that differ between a row and the one whose unit it gets",
        default=(),
        kind=ParameterKind.FIELDS,
    )
    gain: float = parameter(
        "largest gain in confidence about outside, for one who knows that every row is wrong; "
        "more rows are left out for less",
        default=1.0,
        above=0,
        most=1,
    )
    leave_out: float = parameter(
        "largest share of rows that may be left out", default=0.0, least=0, most=1
    )


@dataclass(frozen=True, kw_only=True)
class AssignedRows:
    """Rows that are released, and how many are suppressed: because others share their unit, by
    Hall's condition, and for less gain."""

    stays: Marks
    shared: int
    fewest: int
    for_gain: int
    gain: float

    @property
    def left_out(self) -> int:
        return self.shared + self.fewest + self.for_gain


def assigned(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Give each row the unit of another row, whose values outside differ from its own.

    Rows that share their unit with another are left out: it would lead to two subjects. Of the
    other n rows, m with the commonest values, 2 m - n must be suppressed where m > n / 2. No more
    are, unless `gain` of the step or of the policy's requirement asks for it. Half of those left
    then have one value, and everybody who is given another has it; so where the policy requires
    wrong-map, one row more goes."""
    names = step.names("outside")
    values = cells.groups(names) if names else np.arange(len(cells))
    limit = _limit(step, around.policy)
    chosen = _chosen(cells.groups(step.fields), values, limit, around.chance)
    _check_left_out(chosen, len(cells), step, limit)
    rows = np.flatnonzero(chosen.stays)
    giving = rows[random_derangement(values[rows], around.chance)]
    for name in step.fields:
        moved = cells.columns[name].copy()
        moved[rows] = cells.columns[name][giving]
        cells = cells.with_texts(name, moved)
    others = f", about whom ({', '.join(names)}) differs" if names else ""
    words = f"the value of another row{others}; no row keeps its own unit ({_unit(step)})"
    facts: dict[str, object] = {
        "rows_left_out": {
            "shared_unit": chosen.shared,
            "commonest_values": chosen.fewest,
            "gain": chosen.for_gain,
        },
        "fewest_left_out": chosen.shared + chosen.fewest,
    }
    return StepResult(
        cells=cells.only(chosen.stays) if chosen.left_out else cells,
        words=dict.fromkeys(step.fields, words),
        facts=facts | ({"gain": round(chosen.gain, 4)} if names else {}),
        warnings=tuple(_warnings(chosen, names)),
    )


def _limit(step: PolicyStep, policy: Policy) -> float:
    """The largest gain: the step's, or what the policy requires of the same fields outside where
    that is less. No requirement holds where a value is certain."""
    limits = [step.number("gain")]
    for asked in policy.require.each("wrong_map"):
        alike = set(asked.outside) == set(step.names("outside"))
        limits.append(min(asked.gain if alike else 1.0, _UNSURE))
    return min(limits)


def _unit(step: PolicyStep) -> str:
    return ", ".join(step.fields)


def _chosen(units: Wholes, values: Wholes, limit: float, chance: KeyedRandom) -> AssignedRows:
    """The released rows: those with a unique unit, and of the commonest values as many as
    possible."""
    _, of, sizes = np.unique(units, return_inverse=True, return_counts=True)
    alone = sizes[of] == 1
    _, codes = np.unique(values, return_inverse=True)
    prior = np.bincount(codes) / max(len(codes), 1)
    counts = np.bincount(codes[alone], minlength=len(prior))
    fewest = fewest_left_out(counts)
    most = int(counts.max(initial=0)) - fewest
    cap, gain = _cap(counts, prior, most, limit)
    surplus = np.maximum(counts - cap, 0)
    stays = alone.copy()
    stays[_drawn(codes, alone, surplus, chance)] = False
    return AssignedRows(
        stays=stays,
        shared=int((~alone).sum()),
        fewest=fewest,
        for_gain=int(surplus.sum()) - fewest,
        gain=gain,
    )


def _cap(counts: Wholes, prior: NDArray[np.float64], most: int, limit: float) -> tuple[int, float]:
    """How many rows a value may keep at most, so that no gain is over the limit; 0 where no cap
    was found. Equal counts raise the belief in rare values, so a smaller cap need not gain less:
    caps are tried from above, and the first that will do is raised by halving."""

    def gain(cap: int) -> float:
        return wrong_value_gain(np.minimum(counts, cap), prior)

    if limit >= 1.0 or gain(most) <= limit:
        return most, gain(most)
    tried = np.unique(np.linspace(1, max(most, 1), _CAPS).astype(np.int64))[::-1].tolist()
    at = next((place for place, cap in enumerate(tried) if gain(cap) <= limit), 0)
    if not at:
        return (most if limit == _UNSURE else 0), 1.0
    low, high = tried[at], tried[at - 1]
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if gain(middle) <= limit else (low, middle)
    return low, gain(low)


def _drawn(codes: Wholes, alone: Marks, surplus: Wholes, chance: KeyedRandom) -> Wholes:
    """The rows that are left out of each value: as many as it has too many, at random."""
    if not surplus.any():
        return np.zeros(0, np.int64)
    rows = np.flatnonzero(alone & (surplus[codes] > 0))
    order = rows[np.lexsort((chance.words(len(rows)), codes[rows]))]
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(order)))
    place = np.arange(len(order)) - np.repeat(starts, sizes)
    return order[place < surplus[codes[order]]]


def _check_left_out(chosen: AssignedRows, rows: int, step: PolicyStep, gain: float) -> None:
    limit, stays = step.number("leave_out"), int(chosen.stays.sum())
    if stays >= LEAST_WRONG and chosen.left_out <= limit * rows:
        return
    why = [
        f"{chosen.shared:,} share their unit" * bool(chosen.shared),
        f"{chosen.fewest:,} have the commonest values" * bool(chosen.fewest),
        f"{chosen.for_gain:,} would make a value certain"
        if gain >= _UNSURE and chosen.for_gain
        else f"{chosen.for_gain:,} are too many for gain = {gain:g}" * bool(chosen.for_gain),
    ]
    told = "; ".join(part for part in why if part) or "there are too few"
    needed = int(np.ceil(1000 * chosen.left_out / max(rows, 1))) / 1000
    raise NoRecodingFound(
        f"An assignment of units of ({_unit(step)}) to other rows was asked for, with at "
        f"most {limit:.4g} of all rows left out.",
        found=f"At least {chosen.left_out:,} of {rows:,} must be: {told}.",
        attempt=f"leave_out = {needed:g}, or fields that distinguish more people."
        if stays >= LEAST_WRONG
        else f"a table in which {LEAST_WRONG} rows or more can exchange their units.",
    )


def _warnings(chosen: AssignedRows, names: tuple[str, ...]) -> Iterator[str]:
    if chosen.left_out:
        yield (
            f"{counted(chosen.left_out, 'row is', 'rows are')} left out, {chosen.shared:,} of them "
            "because others have the same unit; fewer is not possible."
            if not chosen.for_gain
            else f"{counted(chosen.left_out, 'row is', 'rows are')} left out, {chosen.for_gain:,} "
            "of them so that less is inferred from wrong values."
        )
    if names and chosen.gain >= 1.0:
        yield (
            f"A recipient who knows that each value of ({', '.join(names)}) is wrong infers "
            "the right one. gain = 0.9 leaves out more rows, which prevents that, where there are "
            "three values or more."
        )


def _check(policy: Policy, step: PolicyStep, where: str) -> Iterator[Problem]:
    both = [name for name in step.names("outside") if name in step.fields]
    if both:
        yield Problem(
            where=f"{where}.outside",
            found=f"{', '.join(both)} is part of the unit, and cannot be outside it.",
            attempt="other fields.",
        )
    if policy.entity is not None:
        yield Problem(
            where=f"{where}.technique",
            found=f"People have several rows, by {policy.entity}; a unit is followed for one row "
            "of each person.",
            attempt="a table with one row of each person.",
        )


DECLARATION = TechniqueDeclaration(
    key="wrong_map",
    doc="units are assigned to other people with other values",
    title="assigning units to others",
    record=WrongMapAssignment,
    apply=assigned,
    check=_check,
    samples_rows=True,
    trials_together=({"leave_out": 0.9},),
    shapes=frozenset(Shape) - {Shape.SEVERAL_TABLES},
    reasons={Shape.SEVERAL_TABLES: "a unit is followed for one row of each person"},
)
