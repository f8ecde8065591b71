"""Exchanging so that nobody keeps what they had: a random derangement, also among rows that have
the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .keyed_random import KeyedRandom, Wholes
from .row_groups import RowGroups

_ROUNDS = 64


def deranged(values: Wholes, groups: Wholes, chance: KeyedRandom) -> Wholes:
    """For each row the row of its group whose value it gets, so that as few as can be get a value
    equal to their own.

    First at random. Then each row that got its own value exchanges with another drawn at random,
    where that helps one and harms neither. Groups in which this does not end, because about half of
    the rows or more have one value, are shifted: in order of their values, each row gets the value
    from as many places on as the commonest value has rows, which leaves 2m - n of n rows with their
    own where m > n / 2 have that value, and no fewer is possible.

    Example:
        >>> values, groups = np.array([5, 5, 8, 8, 9]), np.zeros(5, int)
        >>> (values[deranged(values, groups, KeyedRandom(b"secret"))] == values).any().item()
        False
    """
    grouping = RowGroups.of_groups(groups)
    giving = grouping.shuffled(chance)
    for _ in range(_ROUNDS):
        own = np.flatnonzero(values[giving] == values)
        if not len(own):
            return giving
        partners = grouping.anyone(own, chance)
        helps = (values[partners] != values[own]) & (values[giving[partners]] != values[own])
        rows, partners = _apart(own[helps], partners[helps])
        giving[rows], giving[partners] = giving[partners], giving[rows]
    left = np.unique(grouping.of[values[giving] == values])
    return _shifted(values, grouping, giving, np.isin(grouping.of, left), chance)


def _apart(rows: Wholes, partners: Wholes) -> tuple[Wholes, Wholes]:
    """Pairs of which no row is in two."""
    both = np.stack([rows, partners], axis=1).ravel()
    _, first = np.unique(both, return_index=True)
    is_first = np.zeros(len(both), bool)
    is_first[first] = True
    keep = is_first.reshape(-1, 2).all(axis=1)
    return rows[keep], partners[keep]


def _shifted(
    values: Wholes,
    grouping: RowGroups,
    giving: Wholes,
    stuck: NDArray[np.bool_],
    chance: KeyedRandom,
) -> Wholes:
    """The rows of stuck groups in order of their values, each with the value of a row so many
    places on."""
    rows = np.flatnonzero(stuck)
    order = rows[np.lexsort((chance.words(len(rows)), values[rows], grouping.of[rows]))]
    groups = grouping.of[order]
    starts = np.flatnonzero(np.diff(groups, prepend=-1) if len(groups) else groups)
    sizes = np.diff(np.append(starts, len(order)))
    runs = np.flatnonzero(
        (np.diff(groups, prepend=-1) != 0) | (np.diff(values[order], prepend=-1) != 0)
    )
    lengths = np.diff(np.append(runs, len(order)))
    commonest = (
        np.maximum.reduceat(lengths, np.searchsorted(runs, starts)) if len(runs) else lengths
    )
    place = np.arange(len(order)) - np.repeat(starts, sizes)
    ahead = np.repeat(starts, sizes) + (place + np.repeat(commonest, sizes)) % np.repeat(
        sizes, sizes
    )
    out = giving.copy()
    out[order] = order[ahead]
    return out
