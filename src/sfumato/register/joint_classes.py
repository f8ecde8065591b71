"""Joint classes: people whom several releases together do not distinguish.

A set of releases is the source seen through the product of their recodings. Two people are in one
class if in every release they have the same labels, or are both absent from it. Adding a release
refines the classes, so one number per person is all that a later release needs to know."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
Flags = NDArray[np.bool_]

DENSE: Final = 1 << 22
"""Pairs of class and bin up to this many are numbered by marking; more by sorting."""
KEY_BITS: Final = 63
"""The bits of a number that is sorted with the place of its person in its lowest bits."""


@dataclass(frozen=True, eq=False)
class JointClasses:
    """The class of each person by number; class 0 are those in no release, and counts nobody."""

    class_of: Numbers = field(default_factory=lambda: np.zeros(0, np.int32), repr=False)
    count: int = 1

    @classmethod
    def of(cls, views: Iterable[Numbers]) -> Self:
        """The classes of several releases: for each the bin of every person, 0 where absent."""
        joint = cls()
        for bins in views:
            joint = joint.refined(bins)
        return joint

    @classmethod
    def kept(cls, class_of: Numbers) -> Self:
        """Classes by the numbers that were kept of them."""
        return cls(class_of, int(class_of.max(initial=0)) + 1)

    def refined(self, bins: Numbers) -> Self:
        """The classes with one release more. It may know of people whom none before knew."""
        size = max(len(self.class_of), len(bins))
        before, own = _padded(self.class_of, size), _padded(bins, size)
        width = int(own.max(initial=0)) + 1
        pair = before.astype(np.int64) * width + own
        limit = self.count * width
        if limit <= DENSE:
            seen = np.zeros(limit, bool)
            seen[pair] = True
            seen[0] = True  # Absent everywhere is a class, also where nobody is.
            number = np.cumsum(seen, dtype=np.int32) - 1
            return type(self)(number[pair], int(number[-1]) + 1)
        return self._sorted(pair, size)

    def _sorted(self, pair: NDArray[np.int64], size: int) -> Self:
        """Number pairs by sorting them. A unique person stays unique, and need not be sorted."""
        alone = (self.sizes == 1)[_padded(self.class_of, size)]
        others, nobody = np.flatnonzero(~alone), 0
        number, count = _numbered(np.append(nobody, pair[others]))
        class_of = np.empty(size, np.int32)
        class_of[others] = number[1:]
        many = size - len(others)
        class_of[alone] = np.arange(count, count + many, dtype=np.int32)
        return type(self)(class_of, count + many)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """People in each class; nobody is counted who is in no release."""
        sizes = np.bincount(self.class_of, minlength=self.count)
        sizes[0] = 0
        return sizes

    def is_same(self, other: JointClasses) -> bool:
        """Whether two numberings are of the same classes of the same people."""
        size = max(len(self.class_of), len(other.class_of))
        one, two = (_padded(each.class_of, size).astype(np.int64) for each in (self, other))
        if ((one == 0) != (two == 0)).any() or (one < 0).any() or (two < 0).any():
            return False
        both = one * (int(two.max(initial=0)) + 1) + two
        return len({len(np.unique(each)) for each in (one, two, both)}) == 1

    def representatives(self) -> Numbers:
        """A person of each class; -1 for a class without any."""
        found = np.full(self.count, -1, np.int32)
        found[self.class_of] = np.arange(len(self.class_of), dtype=np.int32)
        return found


def _padded(numbers: Numbers, size: int) -> Numbers:
    if len(numbers) == size:
        return numbers
    return np.concatenate([numbers, np.zeros(size - len(numbers), np.int32)])


def _numbered(keys: NDArray[np.int64]) -> tuple[Numbers, int]:
    """Distinct keys, numbered in their order: the number of each, and how many there are.

    A key is sorted with its place in its lowest bits: that is several times faster than sorting
    places by their keys."""
    bits = max(1, (len(keys) - 1).bit_length())
    if int(keys.max(initial=0)).bit_length() + bits > KEY_BITS:
        distinct, place = np.unique(keys, return_inverse=True)
        return place.astype(np.int32), len(distinct)
    both = np.sort((keys << bits) | np.arange(len(keys)))
    sorted_keys = both >> bits
    number = np.cumsum(np.diff(sorted_keys, prepend=sorted_keys[:1]) > 0, dtype=np.int32)
    out = np.empty(len(keys), np.int32)
    out[both & ((1 << bits) - 1)] = number
    return out, int(number[-1]) + 1
