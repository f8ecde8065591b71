"""Mixtures: how input channels are blended into one that keeps every limit, at the corners of what
is possible.

Subjects of an output channel are a blend of input channels: shares x_r that sum to 1 and keep A x
<= 0. Here A[r, k] is the amount by which input channel r exceeds limit k. The blends that keep the
limits are a cone, and each is a sum of the cone's *extreme rays*. A ray whose inputs are one set
makes at least as many limits but one tight as it has inputs. With E limits no ray therefore has
more than E + 1 inputs. **Output channels of more inputs are never needed** where the program is
linear: the paper's limit of eight is more than enough for two values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int32]
Reals = NDArray[np.float64]

ROUNDING = 1e-11
_CHUNK = 100_000


def limits_that_bind(excess: Reals, *, last_is_implied: bool) -> Reals:
    """The limits that some input channel breaks; the last one not where it follows from the
    others."""
    binds = np.any(excess > 0, axis=0)
    if last_is_implied:
        binds[-1] = False
    return excess[:, binds]


def mixtures_of(sets: Places, excess: Reals) -> Iterator[tuple[Places, Reals]]:
    """The rays that blend all inputs of a set, for each row of `sets`: which rows have one, and its
    shares.

    A set has at most one for each choice of limits that are tight.
    """
    size = sets.shape[1]
    for tight in combinations(range(excess.shape[1]), size - 1):
        rows = np.arange(len(sets))
        shares = _blend(excess[sets][:, :, tight])
        held = np.flatnonzero((shares > ROUNDING).all(axis=1))
        rows, shares = rows[held], shares[held]
        if len(tight) < excess.shape[1] and len(rows):
            left = np.einsum("ns,nsk->nk", shares, excess[sets[rows]])
            left[:, tight] = 0.0
            keeps = (left <= ROUNDING).all(axis=1)
            rows, shares = rows[keeps], shares[keeps]
        yield rows.astype(np.int32), shares


def _blend(tight: Reals) -> Reals:
    """Shares that sum to 1 and bring every tight limit to 0, one row for each set; no number where
    there are none."""
    many, size, _ = tight.shape
    if size == 2:
        out = np.column_stack([-tight[:, 1, 0], tight[:, 0, 0]])
    elif size == 3:
        out = np.cross(tight[:, :, 0], tight[:, :, 1])
    else:
        square = np.concatenate([np.swapaxes(tight, 1, 2), np.ones((many, 1, size))], axis=1)
        ordinary = np.abs(np.linalg.det(square)) > 1e-14
        square[~ordinary] = np.eye(size)
        goal = np.zeros((many, size, 1))
        goal[:, -1] = 1.0
        out = np.linalg.solve(square, goal)[:, :, 0]
        out[~ordinary] = np.nan
    total = out.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.abs(total) > 0, out / total, np.nan)


def sets_of(inputs: int, size: int, *, leading: int) -> Iterator[Places]:
    """All sets of that size with one of the first `leading` inputs, some at a time."""
    for first in range(min(leading, inputs - size + 1)):
        rest = _combinations(inputs - first - 1, size - 1) + first + 1
        for start in range(0, len(rest), _CHUNK):
            part = rest[start : start + _CHUNK]
            yield np.column_stack([np.full(len(part), first, np.int32), part])


def _combinations(many: int, size: int) -> Places:
    if size == 1:
        return np.arange(many, dtype=np.int32)[:, None]
    if size == 2:
        return np.column_stack(np.triu_indices(many, 1)).astype(np.int32)
    return np.array(list(combinations(range(many), size)), np.int32).reshape(-1, size)


def number_of_sets(inputs: int, size: int, *, leading: int) -> int:
    """How many sets of that size have one of the first `leading` inputs."""
    return comb(inputs, size) - comb(inputs - leading, size)
