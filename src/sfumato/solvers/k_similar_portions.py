"""Rows of bins in clusters, and the levels at which each cluster's rows become alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, LocalRecoding

from .k_similar_ladders import Ladders, Numbers, lowest_levels
from .solver import Hierarchies

_NONE: Numbers = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Portions:
    """`rows[p]` rows of bin `bin_of[p]` belong to the cluster with number `cluster[p]`."""

    bin_of: Numbers
    rows: Numbers
    cluster: Numbers

    @classmethod
    def whole(cls, counts: Numbers, cluster: Numbers) -> Portions:
        """One portion per bin: no bin is cut."""
        return cls(np.arange(len(counts)), counts, cluster)

    @classmethod
    def joined(cls, parts: Sequence[tuple[Numbers, Portions]]) -> Portions:
        """Portions of disjoint parts of the bins as portions of all bins; clusters are numbered one
        after another."""
        bin_of, rows, cluster, numbers = [_NONE], [_NONE], [_NONE], 0
        for part, portions in parts:
            bin_of.append(part[portions.bin_of])
            rows.append(portions.rows)
            cluster.append(numbers + portions.cluster)
            numbers += int(portions.cluster.max(initial=-1)) + 1
        return cls(np.concatenate(bin_of), np.concatenate(rows), np.concatenate(cluster))

    def apart(self, ladders: Ladders) -> NDArray[np.bool_]:
        """Per portion and column: whether its cluster has not met yet."""
        order = np.argsort(self.cluster, kind="stable")
        codes = ladders.codes[self.bin_of[order]]
        first = np.flatnonzero(np.diff(self.cluster[order], prepend=-1))
        split = np.minimum.reduceat(codes, first, axis=0) != np.maximum.reduceat(
            codes, first, axis=0
        )
        out = np.zeros(codes.shape, bool)
        out[order] = np.repeat(split, np.diff(first, append=len(order)), axis=0)
        return out

    def cost(self, ladders: Ladders) -> float:
        """The loss of all rows together."""
        return float((self.apart(ladders) * ladders.steps[self.bin_of]).sum(axis=1) @ self.rows)

    def recoding(self, bins: Bins, hierarchies: Hierarchies, ladders: Ladders) -> LocalRecoding:
        """Each cluster's cells raised to their lowest common ancestor, at the lowest level with its
        label that is not below the finest of its field."""
        apart = self.apart(ladders)
        levels = np.zeros((len(self.rows), len(bins.fields)), np.int16)
        for column, (name, span) in enumerate(zip(bins.fields, ladders.spans, strict=True)):
            lowest = lowest_levels(hierarchies[name])
            met = lowest[apart[:, span].sum(axis=1), bins.codes[self.bin_of, column]]
            levels[:, column] = np.maximum(met, hierarchies[name].finest)
        together = np.concatenate([self.bin_of[:, None], levels], axis=1)
        alike, portion = np.unique(together, axis=0, return_inverse=True)
        rows = np.zeros(len(alike), np.int64)
        np.add.at(rows, portion.reshape(-1), self.rows)
        return LocalRecoding(
            bin_of=alike[:, 0].astype(np.int64),
            rows=rows,
            levels=alike[:, 1:].astype(np.int16),
            suppressed=np.zeros(len(alike), bool),
        )
