"""Bins that count people: how many different people have rows in a bin, and in any union of bins.

With several rows per person, the people of a coarser bin are not the sum over the finer bins: one
person may be in many. As long as up to k people of each finest bin are known, min(people, k) is
exact for every union of bins. Either one bin has k people already, or all people of all bins are
known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Witnesses
from sfumato.hierarchies import Codes, Hierarchy, Label

from .bins import Bins
from .tuple_groups import group

Numbers = NDArray[np.int64]

# A key space of up to this many times the entries is looked up in an array; a larger one is sorted.
DENSE = 4
PART = 2  # That many times k entries of each undecided bin are looked at before all of them are.


@dataclass(frozen=True, eq=False, repr=False)
class PeopleBins:
    """Bins of some fields. `rows[b]` is the number of rows of a bin, `people[b]` that of different
    people, at most `k`.

    Entry i means that the person numbered `person_of[i]` has rows in bin `bin_of[i]`. Bins with k
    people have no entries: any bin that they are merged into has k people too, so their identities
    are not needed.

    Example:
        >>> bins = PeopleBins.of(("zip",), {("02138",): ["ann", "ann", "bob"], ("02139",): ["ann"]}, k=3)
        >>> bins
        PeopleBins(fields=('zip',), bins=2, rows=4, k=3, bins_below=2)
        >>> bins.rows.tolist(), bins.people.tolist()
        ([3, 1], [2, 1])
        >>> levels = {"zip": Hierarchy.from_rows([("02138", "0213*"), ("02139", "0213*")])}
        >>> bins.recode(levels, {"zip": 1}).people.tolist()
        [2]
    """

    fields: tuple[str, ...]
    labels: tuple[tuple[Label, ...], ...]
    codes: Codes
    rows: Numbers
    people: Numbers
    bin_of: Numbers
    person_of: Numbers
    k: int

    @classmethod
    def of(
        cls, fields: Sequence[str], whose: Mapping[tuple[Label, ...], Sequence[Label]], *, k: int
    ) -> PeopleBins:
        """Bins written out by hand: the person key, one entry for each row; None for a row that is
        nobody's."""
        counted = Bins.of(fields, {labels: len(people) for labels, people in whose.items()})
        numbers: dict[Label, int] = {None: -1}
        pairs = [
            (b, numbers.setdefault(person, len(numbers)))
            for b, people in enumerate(whose.values())
            for person in people
            if person is not None
        ]
        bin_of, person_of = np.array(pairs, np.int64).reshape(len(pairs), 2).T
        found = Witnesses(
            fields=counted.fields,
            values=counted.labels,
            codes=counted.codes,
            rows=counted.counts,
            bin_of=bin_of,
            person_of=person_of,
            k=k,
        )
        return cls.from_witnesses(found)

    @classmethod
    def from_witnesses(cls, found: Witnesses) -> PeopleBins:
        """People are numbered afresh from 0; one who is named twice in a bin counts once."""
        _, person_of = np.unique(found.person_of, return_inverse=True)
        people, bin_of, person_of = _known(
            found.bin_of.astype(np.int64), person_of, bins=len(found.rows), k=found.k
        )
        return cls(
            found.fields, found.values, found.codes, found.rows, people, bin_of, person_of, found.k
        )

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        below = int((self.people < self.k).sum())
        rows = int(self.rows.sum())
        return (
            f"PeopleBins(fields={self.fields!r}, bins={len(self)}, rows={rows}, k={self.k}, "
            f"bins_below={below})"
        )

    def by_rows(self) -> Bins:
        """The same bins, whose counts are their rows, to apply a recoding or to measure its
        cost."""
        return Bins(self.fields, self.labels, self.codes, self.rows)

    def recode(self, hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int]) -> PeopleBins:
        """The bins after a global recoding: each field of level 0 raised to its level, and people
        counted once."""
        return self.recoded(hierarchies, levels)[0]

    def recoded(
        self, hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int]
    ) -> tuple[PeopleBins, Numbers]:
        """The same, and for each of these bins the number of the coarser bin that contains it."""
        lifts: list[Codes | None] = []
        labels = list(self.labels)
        for column, name in enumerate(self.fields):
            level = levels.get(name, 0)
            lifts.append(hierarchies[name].up[level] if level else None)
            labels[column] = hierarchies[name].labels[level] if level else labels[column]
        return self.merged(tuple(labels), lifts)

    def merged(
        self, labels: tuple[tuple[Label, ...], ...], lifts: Sequence[Codes | None]
    ) -> tuple[PeopleBins, Numbers]:
        """Coarser bins, and for each of these bins the one that contains it: code c of a column
        becomes `lifts[column][c]`, which points into `labels[column]`; where there is no lift, it
        stays."""
        codes, groups = _grouped(self.codes, lifts, [max(len(names), 1) for names in labels])
        rows = np.bincount(groups, weights=self.rows, minlength=len(codes)).astype(np.int64)
        people, bin_of, person_of = self._people_in(groups, len(codes))
        return PeopleBins(
            self.fields, labels, codes, rows, people, bin_of, person_of, self.k
        ), groups

    def _people_in(self, groups: Numbers, count: int) -> tuple[Numbers, Numbers, Numbers]:
        """People of each of `count` coarser bins, and the entries of those under k.

        A coarser bin is decided if one of its parts has k people. In large bins a few entries
        mostly suffice to find k people; only the remaining bins are counted in full."""
        full = np.zeros(count, bool)
        full[groups[self.people >= self.k]] = True
        bin_of, person_of = groups[self.bin_of], self.person_of
        while True:
            if full.any():
                left = ~full[bin_of]
                bin_of, person_of = bin_of[left], person_of[left]
            step = len(bin_of) // (PART * self.k * max(count - int(full.sum()), 1))
            if step < 2:
                break
            people, _, _ = _known(bin_of[::step], person_of[::step], bins=count, k=self.k)
            enough = people >= self.k
            if not enough.any():
                break
            full |= enough
        people, bin_of, person_of = _known(bin_of, person_of, bins=count, k=self.k)
        people[full] = self.k
        return people, bin_of, person_of


def _known(
    bin_of: Numbers, person_of: Numbers, *, bins: int, k: int
) -> tuple[Numbers, Numbers, Numbers]:
    """How many different people each bin has, at most k; and the entries of bins with fewer, each
    once, by bin."""
    span = int(person_of.max(initial=0)) + 1
    keys = bin_of * span + person_of
    keys.sort()  # np.unique hashes instead, which takes ten times as long for millions.
    first = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    keys = keys[first]
    bin_of = keys // span
    people = np.bincount(bin_of, minlength=bins)
    below = people[bin_of] < k
    keys, bin_of = keys[below], bin_of[below]
    return np.minimum(people, k), bin_of, keys - bin_of * span


def _grouped(
    codes: Codes, lifts: Sequence[Codes | None], sizes: Sequence[int]
) -> tuple[Codes, Numbers]:
    """The distinct tuples of lifted codes, in order, and the place of each row's among them."""
    span = 1
    for size in sizes:
        span *= size
    if span >= 2**62:
        lifted = np.stack([_lifted(codes[:, f], lift) for f, lift in enumerate(lifts)], axis=1)
        groups, first = group(lifted, sizes)
        return lifted[first], groups
    keys = np.zeros(len(codes), np.int64)
    for column, (lift, size) in enumerate(zip(lifts, sizes, strict=True)):
        if size > 1:
            keys *= size
            keys += _lifted(codes[:, column], lift)
    distinct, groups = _numbered(keys, span)
    out = np.zeros((len(sizes), len(distinct)), np.int32).T  # By column, as they are read.
    for column in range(len(sizes) - 1, -1, -1):
        distinct, out[:, column] = np.divmod(distinct, sizes[column])
    return out, groups


def _lifted(codes: Codes, lift: Codes | None) -> Codes:
    return codes if lift is None else lift[codes]


def _numbered(keys: Numbers, span: int) -> tuple[Numbers, Numbers]:
    """The distinct keys, sorted, and the place of each key among them. Keys are below `span`."""
    if span > max(DENSE * len(keys), 4_096):
        return np.unique(keys, return_inverse=True)
    present = np.zeros(span, bool)
    present[keys] = True
    distinct = np.flatnonzero(present)
    place = np.zeros(span, np.int64)
    place[distinct] = np.arange(len(distinct))
    return distinct, place[keys]
