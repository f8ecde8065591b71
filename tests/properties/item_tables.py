"""Sets of items per person, counted the plain way, and every cut of a small hierarchy: for
k^m-anonymity."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from hypothesis import strategies as st

from sfumato.engines.engine import Itemsets
from sfumato.hierarchies import SUPPRESSED, Hierarchy, Label

People = Sequence[tuple[int, frozenset[Label]]]
"""For each person the number of the bin they are in, and their items; a null among them is no
item."""


def sets_of(people: People, labels: Mapping[str, str]) -> list[tuple[int, frozenset[str]]]:
    return [
        (group, frozenset(labels[item] for item in items if item is not None))
        for group, items in people
    ]


def holders(
    people: People, labels: Mapping[str, str], m: int
) -> Counter[tuple[int, tuple[str, ...]]]:
    """How many people of each bin hold each combination of up to m labels."""
    out: Counter[tuple[int, tuple[str, ...]]] = Counter()
    for group, items in sets_of(people, labels):
        for size in range(1, m + 1):
            out.update((group, found) for found in itertools.combinations(sorted(items), size))
    return out


def holds(people: People, labels: Mapping[str, str], *, k: int, m: int) -> bool:
    return all(count >= k for count in holders(people, labels, m).values())


class Counting:
    """Counts itemsets as an engine would, and remembers what it was asked."""

    def __init__(self, people: People) -> None:
        self.people = people
        self.asked: list[tuple[dict[str, str], int]] = []

    def __call__(self, labels: Mapping[str, str], size: int) -> Itemsets:
        self.asked.append((dict(labels), size))
        found = sorted(holders(self.people, labels, size).items())
        values = tuple(sorted({item for (_, items), _ in found for item in items}))
        place = {value: code for code, value in enumerate(values)}
        codes = np.full((len(found), size), -1, np.int32)
        for row, ((_, items), _) in enumerate(found):
            codes[row, : len(items)] = [place[item] for item in items]
        return Itemsets(
            values=values,
            codes=codes,
            groups=np.array([group for (group, _), _ in found], np.int64),
            people=np.array([count for _, count in found], np.int64),
        )


def cuts(hierarchy: Hierarchy) -> Iterator[dict[str, str]]:
    """Every cut: each value at itself or at a label above it, and all values under a released label
    at that label."""

    def below(level: int, codes: frozenset[int]) -> Iterator[dict[int, tuple[int, int]]]:
        """Every way to release the values `codes`, which lie under one label of `level`."""
        some = next(iter(codes))
        yield dict.fromkeys(codes, (level, int(hierarchy.up[level][some])))
        if level:
            parts: dict[int, set[int]] = {}
            for code in codes:
                parts.setdefault(int(hierarchy.up[level - 1][code]), set()).add(code)
            for ways in itertools.product(
                *(list(below(level - 1, frozenset(part))) for part in parts.values())
            ):
                yield {code: place for way in ways for code, place in way.items()}

    names = hierarchy.labels[0]
    tops: dict[int, set[int]] = {}
    for code, top in enumerate(hierarchy.up[-1].tolist()):
        if names[code] is not None:
            tops.setdefault(top, set()).add(code)
    for ways in itertools.product(
        *(list(below(hierarchy.height, frozenset(part))) for part in tops.values())
    ):
        yield {
            names[code]: hierarchy.labels[level][label]
            for way in ways
            for code, (level, label) in sorted(way.items())
        }


def loss_of(people: People, labels: Mapping[str, str]) -> float:
    """The loss, from how many values share a label, weighed by the people who hold each."""
    under = Counter(labels.values())
    held = Counter(item for _, items in people for item in items if item is not None)
    total = sum(held.values())
    spread = max(len(labels) - 1, 1)
    return (
        sum(count * (under[labels[item]] - 1) / spread for item, count in held.items()) / total
        if total
        else 0.0
    )


ITEMS = tuple("abcdefgh")


@st.composite
def item_hierarchies(draw: st.DrawFn, *, top: bool = True, nulls: bool = False) -> Hierarchy:
    """Two to eight values under up to two levels of groups, and `*` above all unless `top` is
    false."""
    values: list[Label] = list(ITEMS[: draw(st.integers(2, len(ITEMS)))])
    rows: list[tuple[Label, ...]] = [(value,) for value in values]
    for level in range(1, draw(st.integers(0 if top else 1, 2)) + 1):
        parent = {row[-1]: f"{level}{draw(st.sampled_from('xyz'))}" for row in rows}
        rows = [(*row, parent[row[-1]]) for row in rows]
    if nulls:
        rows.append((None,) * len(rows[0]))
    return Hierarchy.from_rows([(*row, SUPPRESSED) for row in rows] if top else rows)


def people_with(
    hierarchy: Hierarchy, *, groups: int = 1, most: int = 14
) -> st.SearchStrategy[People]:
    items = st.frozensets(st.sampled_from(hierarchy.labels[0]), max_size=4)
    return st.lists(st.tuples(st.integers(0, groups - 1), items), max_size=most)
