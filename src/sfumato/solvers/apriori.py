"""The apriori-based algorithm: a cut through the hierarchy of a set-valued field for which
k^m-anonymity holds.

Terrovitis, Mamoulis and Kalnis, "Privacy-preserving anonymization of set-valued data", VLDB 2008
(AA). Values are generalised until combinations of one item are common enough, then of two, up to m.
Combinations that became common at one size are not examined again at the next. Of the ways to help
a rare combination, the one that loses least is taken.

Departures: the paper keeps a count tree of all items and their ancestors in memory. Here an engine
counts, each time in one pass over the rows, so that few passes matter most. After each, all rare
combinations are mended at once by estimates of what merging brings, and the next pass counts the
result. In the end, needless generalisations are taken back. Losses are weighted: a generalised
value costs by how many people hold it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Itemsets
from sfumato.errors import Mistake, NoRecodingFound
from sfumato.hierarchies import Hierarchy
from sfumato.wording import counted

from .apriori_estimates import NONE, ItemsetTable, Raises
from .apriori_tree import ROOT, ItemTree, Nodes, Reals

Count = Callable[[Mapping[str, str], int], Itemsets]
"""Counts itemsets of up to so many items after each value was replaced by its label; nulls are no
items."""

_SHARE = 0.5
"""So many of the rare itemsets are helped before the others are looked at again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRecoding:
    """The released label of each value. `counts` is how many passes it took, `loss` the share of
    detail lost.

    The loss is the mean over what people hold of (values under the released label - 1) / (values -
    1)."""

    labels: Mapping[str, str] = field(repr=False)
    counts: int
    loss: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Apriori:
    """Generalise values until each combination of up to `m` that someone holds is held by at least
    `k` people.

    Where the itemsets were counted within bins, it holds within each of them. `undo` is how many
    more passes may be spent on taking back what was generalised needlessly. `field` is the name to
    use when nothing can be found."""

    k: int
    m: int
    undo: int = 3
    field: str = "the field"

    name: ClassVar[str] = "apriori"

    def solve(self, hierarchy: Hierarchy, count: Count) -> ItemRecoding:
        """A recoding for which k^m-anonymity was counted to hold, or NoRecodingFound."""
        if self.k < 1 or self.m < 1:
            raise Mistake(
                "k^m-anonymity needs k and m of at least 1.",
                found=f"k = {self.k}, m = {self.m} for {self.field}.",
            )
        search = _Search(ItemTree(hierarchy), count, self)
        cut = search.generalised()
        needed, loss = search.counts, search.tree.loss(cut, search.weights)
        finer = search.taken_back(cut)
        return ItemRecoding(
            labels=search.tree.named(finer),
            counts=search.counts,
            loss=search.tree.loss(finer, search.weights),
            notes=_notes(search, finer, needed=needed, loss=loss),
        )


class _Search:
    """One search: the passes that were made, how many people hold each value, and what was seen to
    be rare."""

    def __init__(self, tree: ItemTree, count: Count, asked: Apriori) -> None:
        self.tree, self.asked = tree, asked
        self._count = count
        self.counts = 0
        self.weights: Reals = np.zeros(tree.leaves)
        self.seen_rare: Nodes = np.zeros((0, asked.m), np.int64)

    def _counted(self, cut: Nodes, size: int) -> ItemsetTable:
        found = ItemsetTable.counted(self.tree, cut, self._count(self.tree.named(cut), size))
        self.counts += 1
        rare = found.nodes[found.rare(self.asked.k)]
        widened = np.full((len(rare), self.seen_rare.shape[1]), NONE, np.int64)
        widened[:, widened.shape[1] - rare.shape[1] :] = rare
        self.seen_rare = np.concatenate((self.seen_rare, widened))
        return found

    def generalised(self) -> Nodes:
        """A cut that was counted and holds. Each pass also checks the sizes that were dealt with
        before it."""
        cut, size = self.tree.whole(), 1
        while True:
            found = self._counted(cut, size)
            if self.counts == 1:
                alone = (found.nodes != NONE).sum(axis=1) == 1
                held = np.bincount(
                    found.nodes[alone, -1], found.people[alone], minlength=self.tree.leaves
                )
                self.weights = held.astype(np.float64)
            if size >= self.asked.m and not found.rare(self.asked.k).any():
                return cut
            cut = self._helped(cut, found)
            size = min(size + 1, self.asked.m)

    def _helped(self, cut: Nodes, found: ItemsetTable) -> Nodes:
        """A coarser cut in which every itemset is held by k people, by the estimates."""
        while found.rare(self.asked.k).any():
            self._give_up_if_hopeless(found)
            added = self.tree.added_loss(cut, self.weights)
            cut = self.tree.raised(cut, found.raises(self.asked.k).chosen(added, share=_SHARE))
            found = found.recoded(cut)
        return cut

    def _give_up_if_hopeless(self, found: ItemsetTable) -> None:
        """Refuse where a rare itemset has only labels with none above them: no generalisation makes
        it more common."""
        tops = (found.nodes == NONE) | (self.tree.parent[found.nodes] == ROOT)
        hopeless = found.rare(self.asked.k) & tops.all(axis=1)
        if hopeless.any():
            k, m = self.asked.k, self.asked.m
            bins, all_bins = len(np.unique(found.groups[hopeless])), len(np.unique(found.groups))
            held = counted(
                int(hopeless.sum()), "combination of labels is", "combinations of labels are"
            )
            held += f" held by fewer than {k} people"
            raise NoRecodingFound(
                f"No recoding of {self.asked.field} meets k^m-anonymity with k = {k}, m = {m}.",
                found=f"Even at the top of its hierarchy, {held}"
                + (f", in {counted(bins, 'bin')}." if all_bins > 1 else "."),
                attempt="a smaller k, a hierarchy that ends in one label, leaving out the values "
                "of these people, "
                "or, where bins were counted, coarser quasi-identifiers or counting over "
                "all people.",
            )

    def taken_back(self, cut: Nodes) -> Nodes:
        """A finer cut that was counted and holds, or `cut`.

        All its nodes are split at once, and joined again as far as itemsets of earlier passes
        require. The remaining splits are counted, and the count shows which of them do not hold."""
        for _ in range(self.asked.undo):
            finer = self._split(cut)
            if (finer == cut).all():
                break
            if not self._counted(finer, self.asked.m).rare(self.asked.k).any():
                cut = finer
        return cut

    def _split(self, cut: Nodes) -> Nodes:
        """Every node of `cut` replaced by its children, but for those needed against what is known
        to be rare."""
        tree, child = self.tree, self._children(cut)
        rare = self.seen_rare[_inside(tree, np.concatenate((cut, child)), self.seen_rare)]
        upper = np.where(rare == NONE, NONE, cut[tree.first[rare]])
        rows, columns = np.nonzero((rare != NONE) & (upper != rare))
        upper = upper[rows, columns]
        finer = child
        while (broken := _inside(tree, finer, rare)).any():
            ways = broken[rows] & (finer[tree.first[upper]] != upper)
            raises = Raises(rows=rows[ways], upper=upper[ways], gain=np.ones(int(ways.sum())))
            finer = tree.raised(
                finer, raises.chosen(tree.added_loss(finer, self.weights), share=1.0)
            )
        # What was joined first may be needless after what was joined later: the dearest is split
        # again first.
        order = np.argsort(upper, kind="stable")
        joined = np.unique(cut[finer != child])
        for node in joined[np.argsort(-tree.added_loss(child, self.weights)[joined])].tolist():
            split = np.where(cut == node, child, finer)
            of_node = order[slice(*np.searchsorted(upper[order], [node, node + 1]))]
            if not _inside(tree, split, rare[rows[of_node]]).any():
                finer = split
        return finer

    def _children(self, cut: Nodes) -> Nodes:
        """For each value the node just below that of the cut; the value itself where the cut has
        it."""
        child = self.tree.whole()
        while (below := (child != cut) & (self.tree.parent[child] != cut)).any():
            child = np.where(below, self.tree.parent[child], child)
        return child


def _inside(tree: ItemTree, nodes: Nodes, itemsets: Nodes) -> NDArray[np.bool_]:
    """Which itemsets are made of `nodes` only."""
    there = np.zeros(len(tree.labels) + 1, bool)
    there[nodes] = there[NONE] = True
    return np.asarray(there[itemsets].all(axis=1))


def _notes(search: _Search, cut: Nodes, *, needed: int, loss: float) -> tuple[str, ...]:
    held = search.weights > 0
    coarse = held & (cut >= search.tree.leaves)
    found = search.tree.loss(cut, search.weights)
    notes = [
        f"{int(coarse.sum())} of {int(held.sum())} values that occur are released as a "
        "coarser label; "
        f"loss {found:.3f}, after {search.counts} counts."
    ]
    if found < loss:
        notes.append(
            f"{search.counts - needed} of the counts gave detail back: before, the loss "
            f"was {loss:.3f}."
        )
    return tuple(notes)
