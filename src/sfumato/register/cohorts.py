"""Cohorts: the people whom a new release must hold back, so that it singles out nobody beside
earlier ones.

People whom all earlier releases treat alike are one class. A new release cuts each class into
parts: people with the same new bin, and people who are absent from it. A holder of all releases
sees these parts, so each of them must be empty or have k people. Newcomers, who are in no earlier
release, are a class too; nobody sees the absent ones among them.

Bins under k are held back. Where absent people are fewer than k, some people are held back with
them, so that an absence discloses little. Every bin that remains is a union of parts with k
people."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
Marks = NDArray[np.bool_]


def people_to_hold_back(class_of: Numbers, bins: Numbers, *, k: int) -> Marks:
    """Mark the people to hold back. `class_of` is the class of each person in earlier releases, 0
    for newcomers; `bins` the bin in the new one, 0 where absent. People of one part are taken in
    their order, which should be a random one.

    Example:
        >>> before = np.array([1, 1, 1, 1, 1, 0, 0, 0], np.int32)
        >>> now = np.array([1, 1, 1, 1, 0, 1, 1, 2], np.int32)
        >>> people_to_hold_back(before, now, k=2).nonzero()[0].tolist()
        [0, 7]
    """
    width = int(bins.max(initial=0)) + 1
    parts, part_of, sizes = np.unique(
        class_of.astype(np.int64) * width + bins, return_inverse=True, return_counts=True
    )
    classes, is_absent = parts // width, parts % width == 0
    held = np.zeros(len(parts), np.int64)
    small = ~is_absent & (sizes < k)
    held[small] = sizes[small]
    count = int(classes.max(initial=0)) + 1
    absent = np.bincount(classes, np.where(is_absent, sizes, held), minlength=count)
    for number in np.flatnonzero((absent > 0) & (absent < k)):
        if number:  # Nobody sees which newcomers are absent.
            whole = np.flatnonzero((classes == number) & ~is_absent & ~small)
            _hold_beside(held, sizes, whole, missing=k - int(absent[number]), k=k)
    return _first_of_each(part_of, held)


def _hold_beside(
    held: NDArray[np.int64],
    sizes: NDArray[np.int64],
    whole: NDArray[np.int64],
    *,
    missing: int,
    k: int,
) -> None:
    """Hold `missing` more people of a class back: of parts that keep k people, the largest first;
    where too few can be spared, all of the smallest part."""
    if not len(whole):
        return
    if (sizes[whole] - k).sum() < missing:
        smallest = whole[np.argmin(sizes[whole])]
        held[smallest] = sizes[smallest]
        return
    for part in whole[np.argsort(-sizes[whole], kind="stable")]:
        taken = min(missing, int(sizes[part]) - k)
        held[part] = taken
        missing -= taken


def _first_of_each(part_of: NDArray[np.int64], held: NDArray[np.int64]) -> Marks:
    """Mark as many people of each part as are held back."""
    order = np.argsort(part_of, kind="stable")
    sorted_parts = part_of[order]
    starts = np.searchsorted(sorted_parts, np.arange(len(held)))
    rank = np.arange(len(order)) - starts[sorted_parts]
    marks = np.zeros(len(part_of), bool)
    marks[order] = rank < held[sorted_parts]
    return marks
