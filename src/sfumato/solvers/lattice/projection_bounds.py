"""Bounds for every node from the bins of few fields: the other fields at their tops.

A row that fails over two or three fields, in every refinement of them, fails in every node with
those levels. The bins of few fields are few, so that this bounds the whole lattice for next to
nothing. Combinations that fewer fields already rule out are not counted, as in Incognito (LeFevre
et al. 2005)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from .node_check import Checker
from .nodes import Lattice

PROJECTED = 3

Stuck = NDArray[np.float64]


def projected_stuck(lattice: Lattice, checker: Checker) -> Stuck:
    """For each node, a number of rows that must be suppressed there."""
    out = np.zeros(lattice.size)
    known: dict[tuple[int, ...], Stuck] = {}
    axes = len(lattice.shape)
    for size in range(min(2, axes), min(PROJECTED, axes) + 1):
        for fields in itertools.combinations(range(axes), size):
            known[fields] = _projected(lattice, checker, fields, known)
            places = np.zeros(lattice.size, np.int64)
            for f in fields:
                places = places * lattice.shape[f] + lattice.levels[:, f]
            np.maximum(out, known[fields].reshape(-1)[places], out=out)
    return out


def _projected(
    lattice: Lattice,
    checker: Checker,
    fields: tuple[int, ...],
    known: Mapping[tuple[int, ...], Stuck],
) -> Stuck:
    """Rows stuck at each combination of levels of `fields`."""
    top = lattice.top
    shape = [lattice.shape[f] for f in fields]
    out = np.zeros(shape)
    for axis in range(len(fields)):
        fewer = fields[:axis] + fields[axis + 1 :]
        if fewer in known:
            out = np.maximum(out, np.expand_dims(known[fewer], axis))
    bottom = tuple(0 if f in fields else top[f] for f in range(len(top)))
    rolled = {bottom: checker.roll_up.roll(checker.roll_up.nearest(bottom), bottom)}
    for place in itertools.product(*(range(size) for size in shape)):
        if out[place] > checker.allowed:
            continue
        levels = list(top)
        for f, level in zip(fields, place, strict=True):
            levels[f] = level
        node = tuple(levels)
        if node not in rolled:
            finer = ((*node[:f], node[f] - 1, *node[f + 1 :]) for f in fields if node[f])
            source = min((rolled[n] for n in finer if n in rolled), key=len, default=rolled[bottom])
            rolled[node] = checker.roll_up.roll(source, node)
        bins = rolled[node]
        out[place] = checker.stuck(bins, checker.failing(bins)).sum()
    return out
