"""Rounding: plain, random, and controlled so that sums are kept (003, 4.3.2; Cox and Ernst 1982)."""

from __future__ import annotations

import numpy as np

from sfumato.policy import Step

from .cells import Cells, Reals
from .chance import Chance, Wholes
from .done import Around, Done

_WORDS = {
    "plain": "rounded to the nearest multiple of {base:g}",
    "random": "rounded up or down at random to a multiple of {base:g}, so that it is the same on average",
    "controlled": "rounded up or down to a multiple of {base:g}, so that sums are off by less than {base:g}",
}


def rounded(cells: Cells, step: Step, around: Around) -> Done:
    """Each number becomes a multiple of `base`: its own stays what it is.

    Random: up with a chance equal to how far the number is above the lower multiple, so that the expected value is
    the number itself. Controlled: as many are rounded up as keep the sum of each group within half a base, chosen
    with those chances (systematic sampling), so that each number is still the same on average.
    """
    base, method = step.number("base"), step.word("method")
    groups = cells.groups(step.names("within")) if method == "controlled" else None
    places = _decimals(base)
    words = {}
    for name in step.fields:
        values = cells.numbers(name)
        there = ~np.isnan(values)
        out = values.copy()
        within = groups[there] if groups is not None else None
        out[there] = _rounded(values[there] / base, method, around.chance, within) * base
        cells = cells.with_numbers(name, out, decimals=places)
        words[name] = _WORDS[method].format(base=base)
    return Done(cells=cells, words=words, facts={"base": base, "method": method})


def _rounded(values: Reals, method: str, chance: Chance, groups: Wholes | None) -> Reals:
    """Numbers to whole numbers."""
    low = np.floor(values + 1e-12)
    above = np.clip(values - low, 0.0, 1.0)
    above[above < 1e-9] = 0.0
    if method == "plain":
        return np.floor(values + 0.5)
    if groups is None:
        return np.asarray(low + (chance.uniform(len(values)) < above))
    order = np.lexsort((chance.words(len(values)), groups))
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    total = np.cumsum(above[order])
    before = np.concatenate([[0.0], total])[starts]
    sizes = np.diff(np.append(starts, len(order)))
    # One draw for each group: a number goes up where the running sum, started at the draw, passes a whole number.
    running = total - np.repeat(before - chance.uniform(len(starts)), sizes)
    earlier = running - above[order]
    up = np.empty(len(values))
    up[order] = np.floor(running + 1e-9) - np.floor(earlier + 1e-9)
    return np.asarray(low + up)


def _decimals(base: float) -> int:
    """The digits after the point that multiples of the base need.

    Example:
        >>> _decimals(5.0), _decimals(0.25)
        (0, 2)
    """
    return next((places for places in range(9) if abs(round(base, places) - base) < 1e-12), 9)
