"""The people under released labels, as bits: one bit for each bin of a population, one row of bits
for each label.

A local recoding gives nearly every bin levels of its own. A sum over the population for each is slow
then; an AND of one row of bits per field is not."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Codes, Hierarchy, Label

from .bins import Bins

PAIRS = 2**24
"""How many pairs of a released bin and a population's bin are compared in one batch."""

Bits = NDArray[np.uint8]


def counts_by_bits(
    released: Bins,
    population: Bins,
    levels: NDArray[np.int16],
    lowest: Codes,
    hierarchies: Mapping[str, Hierarchy],
) -> NDArray[np.int64]:
    """For each released bin, the population under its labels. `levels` are those of its labels,
    `lowest` the population's values as codes of their hierarchies, -1 where they have none.

    Example:
        >>> ages = Hierarchy.from_rows([("31", "30-39"), ("34", "30-39"), ("60", "60-69")])
        >>> people = Bins.of(("age",), {("31",): 2, ("34",): 1, ("60",): 4})
        >>> release = Bins.of(("age",), {("30-39",): 3, ("60",): 1})
        >>> levels, lowest = np.array([[1], [0]], np.int16), people.codes
        >>> counts_by_bits(release, people, levels, lowest, {"age": ages}).tolist()
        [3, 4]
    """
    fields = [
        _bits_of_labels(
            released.labels[column],
            level_of=_level_of_label(released, levels, column),
            values=population.labels[column],
            codes=population.codes[:, column],
            lowest=lowest[:, column],
            hierarchy=hierarchies.get(name),
        )
        for column, name in enumerate(released.fields)
    ]
    weights = population.counts.astype(np.float64)  # Sums below 2**53 are exact.
    counts = np.zeros(len(released), np.int64)
    step = max(PAIRS // max(len(population), 1), 1)
    for start in range(0, len(released), step):
        codes = released.codes[start : start + step]
        met = np.full((len(codes), -(-len(population) // 8)), 255, np.uint8)
        for column, bits in enumerate(fields):
            met &= bits[codes[:, column]]
        under = np.unpackbits(met, axis=1, count=len(population))
        counts[start : start + step] = np.rint(under @ weights).astype(np.int64)
    return counts


def _level_of_label(released: Bins, levels: NDArray[np.int16], column: int) -> NDArray[np.int16]:
    found = np.zeros(len(released.labels[column]), np.int16)
    found[released.codes[:, column]] = levels[:, column]
    return found


def _bits_of_labels(
    labels: tuple[Label, ...],
    *,
    level_of: NDArray[np.int16],
    values: tuple[Label, ...],
    codes: NDArray[np.int32],
    lowest: NDArray[np.int32],
    hierarchy: Hierarchy | None,
) -> Bits:
    """A row of bits for each label of a field, which marks the bins of the population that it
    covers."""
    bits = np.zeros((len(labels), -(-len(codes) // 8)), np.uint8)
    for level in np.unique(level_of).tolist():
        there, names = codes, values
        if level and hierarchy is not None:
            there = np.where(lowest >= 0, hierarchy.up[level][lowest], -1)
            names = hierarchy.labels[level]
        place = {name: code for code, name in enumerate(names)}
        for row in np.flatnonzero(level_of == level).tolist():
            code = place.get(labels[row])
            if code is not None:
                bits[row] = np.packbits(there == code)
    return bits
