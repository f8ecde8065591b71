"""The space in which rows are near or far: for each field its widths, its labels, its order and its
cuts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.bins import Bins

from ..k_similar_ladders import Ladders, Numbers
from ..k_similar_portions import Portions
from ..solver import Hierarchies
from .cluster_cuts import AtTheMiddle, ByChildren
from .clusters import Clusters
from .labels import Namer, namer_for
from .penalties import Penalty, places_of
from .start_clusters import components, free_ladders, tree_ladders
from .top_down import Splitter
from .widths import RangeWidths, SetWidths, Tree, free_width, tree_width

LABELS = ("tree", "ranges")


@dataclass(frozen=True, eq=False, kw_only=True)
class Space:
    """`ranks[b, f]` puts bins that are alike in field f near each other; bins of different
    `component` cannot meet."""

    bins: Bins
    hierarchies: Hierarchies
    penalty: Penalty
    labels: str
    widths: Sequence[Tree | RangeWidths | SetWidths]
    namers: Sequence[Namer]
    ranks: Numbers
    component: Numbers

    @classmethod
    def of(cls, bins: Bins, hierarchies: Hierarchies, penalty: Penalty, *, labels: str) -> Space:
        widths: list[Tree | RangeWidths | SetWidths] = []
        ranks = np.zeros(bins.codes.shape, np.int64)
        for f, name in enumerate(bins.fields):
            hierarchy, values = hierarchies[name], bins.labels[f]
            order = np.lexsort(np.stack(hierarchy.up))
            if labels == "tree":
                widths.append(tree_width(hierarchy, penalty.of_levels(name, hierarchy, values)))
            else:
                widths.append(free_width(name, hierarchy, values, penalty))
                if name in penalty.numeric:
                    order = np.argsort(places_of(hierarchy.labels[0])[0], kind="stable")
            ranks[:, f] = np.argsort(order)[bins.codes[:, f]]
        named = zip(widths, bins.fields, bins.labels, strict=True)
        return cls(
            bins=bins,
            hierarchies=hierarchies,
            penalty=penalty,
            labels=labels,
            widths=widths,
            namers=[namer_for(width, hierarchies[name], values) for width, name, values in named],
            ranks=ranks,
            component=components(bins, hierarchies)
            if labels == "tree"
            else np.zeros(len(bins), np.int64),
        )

    def ladders(self, k: int) -> Ladders:
        """The lattice that the first clusters are taken from."""
        if self.labels == "ranges":
            return free_ladders(self.bins, self.hierarchies, self.penalty, k)
        named = zip(self.bins.fields, self.bins.labels, strict=True)
        prices = [
            self.penalty.of_levels(name, self.hierarchies[name], values) for name, values in named
        ]
        return tree_ladders(self.bins, self.hierarchies, prices)

    def clusters(self, cluster: Numbers) -> Clusters:
        """Whole bins in clusters."""
        return Clusters(self.widths, self.bins.codes, Portions.whole(self.bins.counts, cluster))

    def splitters(self) -> list[Splitter]:
        out: list[Splitter] = []
        for f, name in enumerate(self.bins.fields):
            middle = self.labels == "ranges" and name in self.penalty.numeric
            out.append(
                AtTheMiddle(self.ranks, f) if middle else ByChildren(self.hierarchies[name], f)
            )
        return out
