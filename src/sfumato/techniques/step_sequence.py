"""Steps one after the other, each by the technique that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from sfumato.policy import TECHNIQUES, PolicyStep
from sfumato.wording import counted

from .cells import MADE_UP, Cells
from .step_result import StepContext, StepResult


@dataclass(frozen=True, kw_only=True)
class TakenStep:
    """One step as it was taken, and how many rows there were before and after it."""

    step: PolicyStep
    done: StepResult
    rows_before: int = 0
    rows_after: int = 0


def apply_steps(
    cells: Cells,
    steps: tuple[PolicyStep, ...],
    around: Callable[[int, PolicyStep], StepContext],
    *,
    progress: Callable[[str], None],
) -> tuple[Cells, tuple[TakenStep, ...]]:
    """The cells after all steps, and what each of them did."""
    taken = []
    for number, step in enumerate(steps):
        progress(f"step {number + 1}: {step.declaration.doc}")
        done = apply_step(cells, step, _bound(around(number, step), cells, step))
        taken.append(
            TakenStep(step=step, done=done, rows_before=len(cells), rows_after=len(done.cells))
        )
        cells = done.cells
    return cells, tuple(taken)


def apply_step(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """The cells after one step, and what it did. An undeclared effect of a technique, such as
    suppressing rows, is refused: nothing would count it."""
    done = step.declaration.apply(cells, step, around)
    if not isinstance(done, StepResult):
        raise TECHNIQUES.fault(step.technique, "It gives back no account of what it did.")
    for fault in chain(_undeclared_rows(cells, done.cells, step), _unaccounted(cells, done)):
        raise TECHNIQUES.fault(step.technique, fault)
    return done


def _undeclared_rows(before: Cells, after: Cells, step: PolicyStep) -> Iterator[str]:
    """Rows that are gone, made up or repeated, where the technique does not declare it."""
    if after.rows is before.rows:
        return
    declared, real = step.declaration, after.rows[after.rows != MADE_UP]
    gone = int(np.isin(before.rows, real, invert=True).sum() - (before.rows == MADE_UP).sum())
    if gone and not declared.samples_rows:
        yield f"It leaves out {counted(gone, 'row')} and does not declare samples_rows."
    made_up = int((after.rows == MADE_UP).sum() - (before.rows == MADE_UP).sum())
    if made_up > 0 and not declared.adds_rows:
        yield f"It makes up {counted(made_up, 'row')} and does not declare adds_rows."
    if len(np.unique(real)) < len(real) or not np.isin(real, before.rows).all():
        yield "It repeats rows, or numbers them anew."


def _unaccounted(before: Cells, done: StepResult) -> Iterator[str]:
    """Fields that were changed in real rows, and about which the account has no words."""
    after = done.cells
    if set(after.columns) != set(before.columns) or not set(after.given) <= set(after.columns):
        yield "It takes fields away, or brings fields that it was not given."
        return
    if any(len(column) != len(after.rows) for column in after.columns.values()):
        yield "Its fields have different numbers of cells."
        return
    here, there = _same_rows(before, after)
    written = set(after.given or after.columns) & set(done.words)
    for name in after.columns:
        old, new = before.columns[name], after.columns[name]
        if name not in written and new is not old and bool((old[there] != new[here]).any()):
            yield f"It changes {name} and gives no account of it."


def _same_rows(before: Cells, after: Cells) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places of the remaining source rows, after and before the step."""
    here = np.flatnonzero(after.rows != MADE_UP)
    if after.rows is before.rows:
        return here, here
    order = np.argsort(before.rows, kind="stable")
    place = np.searchsorted(before.rows, after.rows[here], sorter=order)
    return here, order[place]


def _bound(around: StepContext, cells: Cells, step: PolicyStep) -> StepContext:
    """The context with random draws for these cells and this step alone: a key is used for several
    releases (see `bound_to`)."""
    names = step.touched or tuple(cells.columns)
    texts = [
        "\0".join("\1" if text is None else text for text in cells.columns[name].tolist())
        for name in names
    ]
    written = (np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8) for text in texts)
    return replace(around, chance=around.chance.bound_to(*written, purpose=step))
