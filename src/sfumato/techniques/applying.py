"""Steps one after the other: each technique by its name in the policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sfumato.policy import Step

from .cells import Cells
from .done import Around, Done
from .rounding import rounded

Apply = Callable[[Cells, Step, Around], Done]

APPLIED: Mapping[str, Apply] = {
    "round": rounded,
}


@dataclass(frozen=True, kw_only=True)
class Taken:
    """One step as it was taken."""

    step: Step
    done: Done


def apply_steps(
    cells: Cells, steps: tuple[Step, ...], around: Callable[[int, Step], Around], *, progress: Callable[[str], None]
) -> tuple[Cells, tuple[Taken, ...]]:
    """The cells after all steps, and what each of them did."""
    taken = []
    for number, step in enumerate(steps):
        progress(f"step {number + 1}: {step.spec.summary}")
        done = APPLIED[step.technique](cells, step, around(number, step))
        cells = done.cells
        taken.append(Taken(step=step, done=done))
    return cells, tuple(taken)
