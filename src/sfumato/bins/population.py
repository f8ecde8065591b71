"""Comparing released bins with a population's: how many people each released tuple covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Codes, Hierarchy, Label

from .bins import Bins
from .population_bits import counts_by_bits
from .tuple_groups import group

FEWEST_PATTERNS, BINS_PER_PATTERN = 16, 32
MOST_BITS_BYTES = 2**27


def population_counts(
    bins: Bins, population: Bins, fields: Sequence[str], hierarchies: Mapping[str, Hierarchy]
) -> NDArray[np.int64]:
    """For each bin, the rows of `population` (values of level 0) that its labels in `fields` cover.

    Released bins are taken by their levels, one keyed sum over the population per combination of
    levels that occurs; where nearly every bin has its own, by bits over the population. A label is
    taken at the finest level where its hierarchy has it, which counts the fewest people. Values are
    matched by label, so the population may have been counted apart from the release; a value that
    the hierarchy does not know has no coarser label.

    Example:
        >>> zips = Hierarchy.from_rows([("02138", "0213*"), ("02139", "0213*"), ("02141", "0214*")])
        >>> people = Bins.of(("zip",), {("02141",): 5, ("02139",): 2, ("02138",): 1})
        >>> release = Bins.of(("zip",), {("0213*",): 1, ("02141",): 1})
        >>> population_counts(release, people, ("zip",), {"zip": zips}).tolist()
        [3, 5]
    """
    mine = bins.project(fields) if tuple(fields) != bins.fields else bins
    groups, _ = bins.group_of(fields)
    levels = levels_of(mine, hierarchies)
    counts = np.zeros(len(mine), np.int64)
    patterns, pattern_of = np.unique(levels, axis=0, return_inverse=True)
    pattern_of = pattern_of.reshape(-1)
    projected = population if tuple(fields) == population.fields else population.project(fields)
    lowest = lowest_codes(projected, hierarchies)
    if _by_bits_is_faster(mine, projected, patterns=len(patterns)):
        counts = counts_by_bits(mine, projected, levels, lowest, hierarchies)
        return counts[groups] if mine is not bins else counts
    has_codes = _has_codes_of(projected, hierarchies)
    for number, pattern in enumerate(patterns):
        at = np.flatnonzero(pattern_of == number)
        raised = (
            projected.recode(hierarchies, dict(zip(fields, pattern.tolist(), strict=True)))
            if has_codes
            else _raised(projected, lowest, hierarchies, pattern.tolist())
        )
        counts[at] = _sizes_in(raised, mine, at)
    return counts[groups] if mine is not bins else counts


def _by_bits_is_faster(released: Bins, population: Bins, *, patterns: int) -> bool:
    """Whether there are so many combinations of levels that a sum for each takes longer, and the
    bits fit in memory. People with several rows are no sum of their bins."""
    if not population.adds_up:
        return False
    labels = sum(map(len, released.labels))
    fits = labels * len(population) <= 8 * MOST_BITS_BYTES
    return fits and patterns > FEWEST_PATTERNS and len(released) <= BINS_PER_PATTERN * patterns


def levels_of(bins: Bins, hierarchies: Mapping[str, Hierarchy]) -> NDArray[np.int16]:
    """Per bin and field, the finest level that has its label."""
    levels = np.zeros(bins.codes.shape, np.int16)
    for column, name in enumerate(bins.fields):
        if name in hierarchies:
            known = hierarchies[name].levels_of(bins.labels[column])
            of_label = np.array([known.get(label, 0) for label in bins.labels[column]], np.int16)
            levels[:, column] = of_label[bins.codes[:, column]]
    return levels


def _has_codes_of(population: Bins, hierarchies: Mapping[str, Hierarchy]) -> bool:
    """Whether the population's codes are those of the hierarchies, which were bound to it."""
    return all(
        hierarchies[name].labels[0][: len(own)] == own
        for name, own in zip(population.fields, population.labels, strict=True)
        if name in hierarchies
    )


def lowest_codes(population: Bins, hierarchies: Mapping[str, Hierarchy]) -> Codes:
    """The population's values as codes of their hierarchies; -1 where a hierarchy does not know the
    value."""
    out = population.codes.copy()
    for column, name in enumerate(population.fields):
        if name in hierarchies:
            own, known = population.labels[column], hierarchies[name].labels[0]
            if known[: len(own)] == own:
                continue  # A hierarchy that was bound to these values has their codes.
            place = {label: code for code, label in enumerate(known)}
            translate = np.array([place.get(label, -1) for label in own], np.int32)
            out[:, column] = translate[population.codes[:, column]]
    return out


def _raised(
    population: Bins, lowest: Codes, hierarchies: Mapping[str, Hierarchy], levels: Sequence[int]
) -> Bins:
    """The population's bins with their labels at `levels`, not summed; without values that have
    none there."""
    codes = population.codes.copy()
    labels = list(population.labels)
    known = np.ones(len(population), bool)
    for column, (name, level) in enumerate(zip(population.fields, levels, strict=True)):
        if level:
            known &= lowest[:, column] >= 0
            codes[:, column] = hierarchies[name].up[level][lowest[:, column]]
            labels[column] = hierarchies[name].labels[level]
    return population.with_cells(tuple(labels), codes).only(known)


def _sizes_in(population: Bins, released: Bins, at: NDArray[np.int64]) -> NDArray[np.int64]:
    """The population's size of each of the released bins `at`, matched by label."""
    both = np.zeros((len(population) + len(at), len(population.fields)), np.int32)
    sizes = []
    for column, names in enumerate(population.labels):
        index: dict[Label, int] = {name: code for code, name in enumerate(names)}
        translate = np.array(
            [index.setdefault(name, len(index)) for name in released.labels[column]], np.int32
        )
        both[: len(population), column] = population.codes[:, column]
        both[len(population) :, column] = translate[released.codes[at, column]]
        sizes.append(len(index))
    groups, _ = group(both, sizes)
    totals = np.zeros(int(groups.max()) + 1, np.int64)
    found = population.sizes_of(groups[: len(population)])
    totals[: len(found)] = found
    return totals[groups[len(population) :]]


def one_meaning(hierarchy: Hierarchy) -> bool:
    """Whether a label that occurs at several levels covers the same values at each.

    Example:
        >>> one_meaning(Hierarchy.from_rows([("Spokane", "Washington", "*"), ("Georgetown", "DC", "*")]))
        True
        >>> one_meaning(Hierarchy.from_rows([("Spokane", "Washington", "*"), ("Washington", "DC", "*")]))
        False
    """
    finest = hierarchy.level_of_label
    places = [{label: code for code, label in enumerate(names)} for names in hierarchy.labels]
    a_value = [np.unique(codes, return_index=True)[1] for codes in hierarchy.up]
    for level, names in enumerate(hierarchy.labels):
        for code, label in enumerate(names):
            low = finest[label]
            there = places[low][label]
            if hierarchy.leaves[low][there] != hierarchy.leaves[level][code]:
                return False
            if hierarchy.up[level][a_value[low][there]] != code:
                return False
    return True
