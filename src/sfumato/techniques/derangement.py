"""Assignments in which no row gets a value equal to its own, drawn with equal probability.

Rows exchange their assigned values in pairs and in threes, wherever nobody then gets their own.
Such moves are symmetric, so all assignments have the same chance in the end; pairs and threes reach
every assignment (Aoki and Takemura 2005, "Markov chain Monte Carlo exact tests for incomplete
two-way contingency tables")."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .keyed_random import KeyedRandom, Wholes
from .swapping import deranged

_ROUNDS = 20
_ANEW, _FEW = 5, 4096
"""Threes are put together at random every so many rounds, of few rows in all; else by strides."""


def fewest_left_out(counts: Wholes) -> int:
    """How many rows must be suppressed so that the others can exchange values and nobody keeps
    theirs.

    Rows with a value can only get one of the others' (Hall 1935). Where m of n rows have it, no
    more than n - m of these can stay.

    Example:
        >>> fewest_left_out(np.array([989, 601, 410])), fewest_left_out(np.array([5, 1, 1]))
        (0, 3)
    """
    return max(0, 2 * int(counts.max(initial=0)) - int(counts.sum()))


def random_derangement(values: Wholes, chance: KeyedRandom) -> Wholes:
    """For each row the row whose value it gets, never one equal to its own. No value may have more
    than half of the rows.

    Example:
        >>> values = np.array([5, 5, 8, 8, 9])
        >>> (values[random_derangement(values, KeyedRandom(b"secret"))] == values).any().item()
        False
    """
    giving = deranged(values, np.zeros(len(values), np.int64), chance)
    if len(values) < 3:
        return giving
    order = chance.permutation(len(values))
    for number in range(_ROUNDS):
        _exchange_pairs(values, giving, chance)
        anew = number % _ANEW == 0 or len(values) <= _FEW
        order = chance.permutation(len(values)) if anew else order
        _rotate_threes(values, giving, _strides(order, chance), chance)
    return giving


def _exchange_pairs(values: Wholes, giving: Wholes, chance: KeyedRandom) -> None:
    """Rows i and s - i exchange, for a random s: every pair of rows is a pair for some s. Half of
    the pairs that could do not."""
    many = len(values)
    left = np.arange(many)
    right = (int(chance.integers(many, 1)[0]) - left) % many
    left, right = left[left < right], right[left < right]
    got_left, got_right = giving[left], giving[right]
    moves = (values[got_right] != values[left]) & (values[got_left] != values[right])
    moves &= _coins(len(left), chance)
    giving[left[moves]], giving[right[moves]] = got_right[moves], got_left[moves]


def _rotate_threes(values: Wholes, giving: Wholes, order: Wholes, chance: KeyedRandom) -> None:
    """Rows in threes; each takes what the next one got. Half of those that could do not."""
    many = len(values) // 3
    rows = order[: 3 * many].reshape(3, many)
    got = giving[rows][[1, 2, 0]]
    moves = (values[got] != values[rows]).all(axis=0) & _coins(many, chance)
    giving[rows[:, moves]] = got[:, moves]


def _strides(order: Wholes, chance: KeyedRandom) -> Wholes:
    """An order of rows read in steps of a random length, which puts others side by side."""
    many = len(order)
    step = int(chance.integers(many, 1)[0])
    while math.gcd(step, many) != 1:
        step += 1
    return order[(np.arange(many) * step) % many]


def _coins(count: int, chance: KeyedRandom) -> NDArray[np.bool_]:
    words = chance.words(-(-count // 64))
    return np.unpackbits(words.view(np.uint8))[:count].astype(bool)
