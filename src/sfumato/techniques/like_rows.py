"""Groups of like rows: the table is halved again and again, each part along the field in which it
differs most.

A median partition as in k-d trees (Bentley 1975) and Mondrian (LeFevre, DeWitt and Ramakrishnan
2006), all parts of a depth at once. One sort for each depth suffices, so that a million rows take
seconds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .cells import Cells, Reals
from .keyed_random import KeyedRandom, Wholes


def like_rows(
    cells: Cells, fields: Sequence[str], k: int, chance: KeyedRandom
) -> tuple[Wholes, ...]:
    """Numbers for each row; rows with the same number are like one another. The first have the
    finest groups, of `k` to 2 k - 1 rows where there are k; each of the following joins two of
    them, and the last is the whole table.

    Fields are compared by rank: numbers by size, all else by text; null is above all. A field with
    two values differs as much as one with many."""
    ranks = (
        np.stack([_ranks(cells, name) for name in fields], axis=1)
        if fields
        else np.zeros((len(cells), 1))
    )
    groups = np.zeros(len(cells), np.int64)
    sizes = np.array([len(cells)])
    found = [groups]
    while (sizes >= 2 * k).any():
        splits = sizes >= 2 * k
        widest = _spread(ranks, groups, len(sizes)).argmax(axis=1)
        by = ranks[np.arange(len(groups)), widest[groups]]
        order = np.lexsort((chance.words(len(groups)), by, groups))
        starts = np.cumsum(sizes) - sizes
        place = np.arange(len(groups)) - np.repeat(starts, sizes)
        upper = np.repeat(splits, sizes) & (place >= np.repeat(sizes // 2, sizes))
        halves = np.empty(len(groups), np.int64)
        halves[order] = 2 * groups[order] + upper
        _, groups, sizes = np.unique(halves, return_inverse=True, return_counts=True)
        found.append(groups)
    return tuple(reversed(found))


def _ranks(cells: Cells, name: str) -> Reals:
    """Each cell's mean rank from 0 to 1, so that no field weighs more because of its unit."""
    codes, labels = cells.codes(name)
    order = _order([label for label in labels.tolist() if label is not None])
    place = np.append(np.argsort(order), len(order))[codes]
    counts = np.bincount(place, minlength=len(labels))
    middle = np.cumsum(counts) - counts / 2
    return np.asarray(middle[place] / max(len(codes), 1))


def _order(labels: list[str]) -> NDArray[np.int64]:
    try:
        return np.argsort(np.array(labels, np.float64), kind="stable")
    except ValueError:
        return np.arange(len(labels))


def _spread(ranks: Reals, groups: Wholes, many: int) -> Reals:
    """The variance of each field in each group."""
    sizes = np.maximum(np.bincount(groups, minlength=many), 1)
    out = np.empty((many, ranks.shape[1]))
    for number in range(ranks.shape[1]):
        column = ranks[:, number]
        mean = np.bincount(groups, column, minlength=many) / sizes
        out[:, number] = np.bincount(groups, (column - mean[groups]) ** 2, minlength=many) / sizes
    return out
