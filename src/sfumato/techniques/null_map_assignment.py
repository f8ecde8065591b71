"""Null-map as a method: values are reassigned, field by field, so that no combination is anybody's.
See Sweeney 2000, section 5: extensive swapping of the values of the quasi-identifiers.

Rows whose new combination is a subject's exchange one field with rows drawn at random. For the
remaining rows, a flow over the values of one field finds the fewest that must be suppressed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import NoRecodingFound, Problem
from sfumato.parts import Shape, parameter
from sfumato.policy import Policy, PolicyStep, TechniqueDeclaration
from sfumato.wording import counted

from .cells import Cells
from .keyed_random import KeyedRandom, Wholes
from .step_result import StepContext, StepResult
from .unheld_tuples import HeldTuples, flow_rest

Marks = NDArray[np.bool_]

_ROUNDS = 200
_FLOW_PAIRS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NullMapAssignment:
    """How many rows may be left out."""

    leave_out: float = parameter(
        "largest share of rows that may be left out", default=0.0, least=0, most=1
    )


def dealt_out(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Reassign the values of each field, so that no row has a combination of the table.

    Values only move. Rows for which no way was found are left out."""
    coded = [cells.codes(name) for name in step.fields]
    codes = np.stack([column for column, _ in coded], axis=1)
    held = HeldTuples.of(codes, tuple(len(labels) for _, labels in coded))
    new = np.stack(
        [column[around.chance.permutation(len(cells))] for column in codes.T], axis=1
    ).reshape(codes.shape)
    failing = _exchanged(new, held, around.chance)
    proven = not failing.any()
    if failing.any():
        failing, proven = _flowed(new, held, failing)
    check_left_out(step, int(failing.sum()), rows=len(cells), proven=proven)
    for name, column, (_, labels) in zip(step.fields, new.T, coded, strict=True):
        cells = cells.with_texts(name, labels[column])
    words = (
        "dealt out anew, so that no combination with {} is anybody's; how often each value occurs"
    )
    words += " is about unchanged" if failing.any() else " is unchanged"
    return StepResult(
        cells=cells.only(~failing) if failing.any() else cells,
        words={name: words.format(_others(step, name)) for name in step.fields},
        facts={
            "rows_left_out": int(failing.sum()),
            "fewest_left_out": int(failing.sum()) if proven else "no bound",
        },
        warnings=tuple(left_out_warnings(int(failing.sum()), proven=proven)),
    )


def _others(step: PolicyStep, name: str) -> str:
    return ", ".join(other for other in step.fields if other != name)


def _exchanged(new: Wholes, held: HeldTuples, chance: KeyedRandom) -> Marks:
    """Exchange values, in place, until no row has a held combination or the rounds are over; the
    rows that still have one."""
    failing = held.has(new)
    fields = new.shape[1]
    for number in range(_ROUNDS):
        rows = np.flatnonzero(failing)
        if not len(rows):
            break
        column = number % fields
        rows = rows[chance.permutation(len(rows))]
        partners = chance.integers(len(new), len(rows))
        both = np.stack([rows, partners], axis=1)
        _, first = np.unique(both.ravel(), return_index=True)
        once = np.isin(np.arange(both.size), first).reshape(-1, 2).all(axis=1)
        rows, partners = rows[once], partners[once]
        mine, theirs = new[rows], new[partners]
        mine[:, column], theirs[:, column] = new[partners, column], new[rows, column]
        helps = ~held.has(mine) & (~held.has(theirs) | failing[partners])
        new[rows[helps]], new[partners[helps]] = mine[helps], theirs[helps]
        failing[rows[helps]] = False
        failing[partners[helps]] = held.has(theirs[helps])
    return failing


def _flowed(new: Wholes, held: HeldTuples, failing: Marks) -> tuple[Marks, bool]:
    """The field with the fewest values dealt out by a flow, given the other fields. With two
    fields no fewer rows can be left out; with more, nothing is proven."""
    column = int(np.argmin(held.sizes))
    others = np.delete(np.arange(new.shape[1]), column)
    rest, rests = np.unique(new[:, others], axis=0, return_inverse=True)
    rests = rests.reshape(-1)
    if len(rest) * held.sizes[column] > _FLOW_PAIRS:
        return failing, False
    left = flow_rest(new, held, column=column, rest=rest, rests=rests)
    return left, new.shape[1] == 2 or not left.any()


def check_left_out(step: PolicyStep, left_out: int, *, rows: int, proven: bool) -> None:
    """Refuse a step that leaves out more rows than it may."""
    limit = step.number("leave_out")
    if left_out <= limit * rows and left_out < rows:
        return
    needed = int(np.ceil(1000 * left_out / max(rows, 1))) / 1000
    raise NoRecodingFound(
        f"Combinations of ({', '.join(step.fields)}) that nobody has were asked for, with at "
        f"most {limit:.4g} of all rows left out.",
        found=f"{'At least' if proven else 'By the best way found,'} {left_out:,} of {rows:,} must be.",
        attempt=f'leave_out = {needed:g}, more fields, or technique = "encrypt".'
        if left_out < rows
        else 'technique = "encrypt", or fields with more values.',
    )


def left_out_warnings(left_out: int, *, proven: bool) -> Iterator[str]:
    """A warning that rows are left out, and whether fewer could be."""
    if left_out:
        best = "fewer is not possible" if proven else "fewer may be possible: there is no bound"
        yield f"{counted(left_out, 'row is', 'rows are')} left out; {best}."


def check_one_row_each(policy: Policy, step: PolicyStep, where: str) -> Iterator[Problem]:
    """Refuse people with several rows."""
    if policy.entity is not None:
        yield Problem(
            where=f"{where}.technique",
            found=f"People have several rows, by {policy.entity}; a combination is followed for "
            "one row of each person.",
            attempt="a table with one row of each person.",
        )


DECLARATION = TechniqueDeclaration(
    key="null_map",
    doc="values are dealt out anew so that no combination is anybody's",
    title="dealing out combinations that nobody has",
    record=NullMapAssignment,
    apply=dealt_out,
    check=check_one_row_each,
    fields=(2, None),
    samples_rows=True,
    trials_together=({"leave_out": 0.9},),
    shapes=frozenset(Shape) - {Shape.SEVERAL_TABLES},
    reasons={Shape.SEVERAL_TABLES: "a combination is followed for one row of each person"},
)
