"""Steps one after the other: each technique by its name in the policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from sfumato.policy import Step

from .adding_rows import rows_added
from .additive_noise import noised
from .blank_and_impute import blanked_and_imputed
from .cell_suppression import suppressed
from .cells import Cells
from .done import Around, Done
from .encryption import encrypted
from .geographic_noise import geographically_noised
from .microaggregation import microaggregated
from .outliers_to_medians import outliers_to_medians
from .perturbation import perturbed
from .post_randomisation import post_randomised
from .rounding import rounded
from .sampling import sampled
from .small_categories import small_merged
from .substitution import substituted
from .swapping import swapped
from .top_bottom_coding import top_bottom_coded

Apply = Callable[[Cells, Step, Around], Done]

APPLIED: Mapping[str, Apply] = {
    "suppress": suppressed,
    "encrypt": encrypted,
    "swap": swapped,
    "substitute": substituted,
    "outliers": outliers_to_medians,
    "perturb": perturbed,
    "round": rounded,
    "noise": noised,
    "pram": post_randomised,
    "top_bottom": top_bottom_coded,
    "microaggregate": microaggregated,
    "blank_and_impute": blanked_and_imputed,
    "merge_small": small_merged,
    "geo_noise": geographically_noised,
    "sample": sampled,
    "add_rows": rows_added,
}


@dataclass(frozen=True, kw_only=True)
class Taken:
    """One step as it was taken, and how many rows there were before and after it."""

    step: Step
    done: Done
    rows_before: int = 0
    rows_after: int = 0


def apply_steps(
    cells: Cells, steps: tuple[Step, ...], around: Callable[[int, Step], Around], *, progress: Callable[[str], None]
) -> tuple[Cells, tuple[Taken, ...]]:
    """The cells after all steps, and what each of them did."""
    taken = []
    for number, step in enumerate(steps):
        progress(f"step {number + 1}: {step.spec.summary}")
        done = APPLIED[step.technique](cells, step, _bound(around(number, step), cells, step))
        taken.append(Taken(step=step, done=done, rows_before=len(cells), rows_after=len(done.cells)))
        cells = done.cells
    return cells, tuple(taken)


def _bound(around: Around, cells: Cells, step: Step) -> Around:
    """With chance for these cells and this step alone: a key is used for more than one release (see `bound_to`)."""
    names = step.touched or tuple(cells.columns)
    texts = ["\0".join("\1" if text is None else text for text in cells.columns[name].tolist()) for name in names]
    written = (np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8) for text in texts)
    return replace(around, chance=around.chance.bound_to(*written, purpose=step))
