"""The rows that are counted: of each person at most so many, chosen at random.

The choice among a person's rows depends on nobody else's. One person more therefore adds their own
rows and changes nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def kept_rows(people: Sequence[Any], most: int, chance: np.random.Generator) -> NDArray[np.int64]:
    """Places of rows that are counted: at most `most` of each person, and none that is nobody's.

    Example:
        >>> kept = kept_rows(["a", "b", "a", None, "a"], 2, np.random.default_rng())
        >>> len(kept), 1 in kept.tolist(), 3 in kept.tolist()
        (3, True, False)
    """
    numbers: dict[Any, int] = {}
    persons = np.fromiter(
        (-1 if each is None else numbers.setdefault(each, len(numbers)) for each in people),
        np.int64,
        len(people),
    )
    order = chance.permutation(len(persons))
    order = order[np.argsort(persons[order], kind="stable")]
    sizes = np.bincount(persons + 1)
    rank = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(order[(rank < most) & (persons[order] >= 0)])
