"""Steps one after the other, each by the technique that it names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sfumato.errors import Bug
from sfumato.policy import PolicyStep

from .cells import Cells
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
    """The cells after one step, and what it did."""
    done = step.declaration.apply(cells, step, around)
    if not isinstance(done, StepResult):
        raise Bug(f'The technique "{step.technique}" gives back no account of what it did.')
    return done


def _bound(around: StepContext, cells: Cells, step: PolicyStep) -> StepContext:
    """With chance for these cells and this step alone: a key is used for more than one release (see
    `bound_to`)."""
    names = step.touched or tuple(cells.columns)
    texts = [
        "\0".join("\1" if text is None else text for text in cells.columns[name].tolist())
        for name in names
    ]
    written = (np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8) for text in texts)
    return replace(around, chance=around.chance.bound_to(*written, purpose=step))
