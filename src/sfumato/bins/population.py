"""Comparing released bins with a population's: how many people each released tuple covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.policy.hierarchies import Hierarchy, Label

from .bins import Bins
from .keys import group


def population_counts(
    bins: Bins, population: Bins, fields: Sequence[str], hierarchies: Mapping[str, Hierarchy]
) -> NDArray[np.int64]:
    """For each bin, the rows of `population` (values of level 0) that lie under its labels in `fields`.

    Released bins are taken by their levels, one roll-up of the population per combination of levels that
    occurs. A label is taken at the finest level where its hierarchy has it, which counts the fewest people.
    """
    mine = bins.project(fields) if tuple(fields) != bins.fields else bins
    groups, _ = bins.group_of(fields)
    levels = np.zeros(mine.codes.shape, np.int16)
    for column, name in enumerate(fields):
        if name in hierarchies:
            known = hierarchies[name].level_of_label
            levels[:, column] = np.array([known.get(label, 0) for label in mine.labels[column]], np.int16)[
                mine.codes[:, column]
            ]
    counts = np.zeros(len(mine), np.int64)
    patterns, pattern_of = np.unique(levels, axis=0, return_inverse=True)
    pattern_of = pattern_of.reshape(-1)
    projected = population.project(fields)
    for number, pattern in enumerate(patterns):
        at = np.flatnonzero(pattern_of == number)
        coarse = projected.recode(hierarchies, dict(zip(fields, pattern.tolist(), strict=True)))
        counts[at] = _sizes_in(coarse, mine, at)
    return counts[groups] if mine is not bins else counts


def _sizes_in(population: Bins, released: Bins, at: NDArray[np.int64]) -> NDArray[np.int64]:
    """The population's size of each of the released bins `at`, matched by label."""
    columns = []
    sizes = []
    for column, names in enumerate(population.labels):
        index: dict[Label, int] = {name: code for code, name in enumerate(names)}
        translate = np.array(
            [index.setdefault(name, len(index)) for name in released.labels[column]], np.int32
        )
        columns.append(np.concatenate([population.codes[:, column], translate[released.codes[at, column]]]))
        sizes.append(len(index))
    groups, _ = group(np.stack(columns, axis=1), sizes)
    totals = np.zeros(int(groups.max()) + 1, np.int64)
    np.add.at(totals, groups[: len(population)], population.counts)
    return totals[groups[len(population) :]]
