"""The remaining values of a sensitive field in the classes of a person, over all releases together.

By each release, the values that occur in the person's bin remain. A holder of several releases
keeps only the values that remain by all of them, whether or not rows can be linked by a pseudonym.
Where they can, the values of the people in the joint class are all that is left, and their shares
are the belief. Both kinds of holders are judged after each release, and the worst counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .belief_history import (
    BeliefHistory,
    BeliefLimits,
    HeldRelease,
    Places,
    Reals,
    ReferenceShares,
)
from .joint_classes import Flags, JointClasses, Numbers

Words = NDArray[np.uint64]

MOST_WORDS: Final = 1 << 26
"""The most words of 64 bits that the sets of one release's bins may take."""
CHUNK: Final = 1 << 18
NOT_LEFT: Final = -1
"""In place of a count, for classes of which no release has the field."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RemainingValues:
    """By class: how many values remain by all releases, and how many the people of the class have.
    It also has the distance of the belief in them from the shares of all people, and the largest
    gain in belief; both are the largest after any release, with or without linked rows. They are
    exact up to the limits: a class beyond them is not measured further."""

    distinct: NDArray[np.int64]
    linked: NDArray[np.int64]
    distance: Reals | None = None
    gain: Reals | None = None


def remaining_values(
    classes: JointClasses, releases: Sequence[HeldRelease], *, limits: BeliefLimits
) -> RemainingValues | None:
    """The remaining values of one field in each class; distances and gains where limits ask for
    them.

    None where there are too many values for the sets to be held."""
    tags = np.unique(np.concatenate([each.field.tags for each in releases if each.field]))
    one_of_each, weighed = classes.representatives(), limits.is_any
    if classes.count * (len(tags) if weighed else len(tags) // 64 + 1) > MOST_WORDS:
        return None
    left: Words | None = None
    linked = _LinkedValues(classes, width=len(tags) + 1)
    beliefs = _Beliefs(classes, limits, values=len(tags)) if weighed else None
    seen = np.zeros(classes.count, bool)
    for release in releases:
        view, found = release.field, None
        is_open = beliefs is not None and not beliefs.history.is_settled
        if view is not None:
            bins, values = view.bins(), view.value_of()
            code = np.append(0, np.searchsorted(tags, view.tags) + 1).astype(np.int64)[values]
            counts = _counted(bins, code, width=len(tags) + 1)
            if counts is None:
                return None
            place = np.where(one_of_each < len(bins), one_of_each, -1)
            place = np.where(place >= 0, np.append(bins, 0)[place], 0)
            seen |= place > 0
            now = np.take(_bits(counts), place, axis=0)
            left = now if left is None else np.bitwise_and(left, now, out=left)
            linked.add(code)
            found = _FoundValues(code, counts, place)
        if beliefs is not None and is_open:
            beliefs.add(release, found, seen)
    assert left is not None
    left &= _bits(np.ones((2, len(tags) + 1), np.int64))[1]
    distinct = np.bitwise_count(left).sum(axis=1, dtype=np.int64)
    distance, gain = (None, None) if beliefs is None else beliefs.history.measured()
    return RemainingValues(
        distinct=np.where(seen, distinct, NOT_LEFT),
        linked=np.where(seen, linked.counts, NOT_LEFT),
        distance=None if distance is None else np.where(seen, distance, 0.0),
        gain=None if gain is None else np.where(seen, gain, 0.0),
    )


@dataclass(frozen=True, eq=False)
class _FoundValues:
    """The value of each person in one release, how many people of each of its bins have each value,
    and the bin of each class, 0 for classes that are absent."""

    code: NDArray[np.int64]
    counts: NDArray[np.int64]
    place: Numbers


class _LeftWeights:
    """The weight of each value that is left in a class: how many people have it in the bin where it
    is rarest."""

    def __init__(self, values: int) -> None:
        self._values = values
        self._left: NDArray[Any] | None = None

    def narrow(self, found: _FoundValues) -> Flags:
        """One release more; the classes of which it left fewer."""
        own, fewer = _weights(found.counts), np.zeros(len(found.place), bool)
        if self._left is None:
            self._left = np.take(own, found.place, axis=0)
            return np.ones_like(fewer)
        if own.dtype.itemsize > self._left.dtype.itemsize:
            self._left = self._left.astype(own.dtype)
            self._left[self._left == np.iinfo(np.uint16).max] = np.iinfo(own.dtype).max
        for part in chunks(*self._left.shape):
            now = np.take(own, found.place[part], axis=0)
            np.minimum(self._left[part], now, out=now)
            fewer[part] = (now.view(np.uint64) != self._left[part].view(np.uint64)).any(axis=1)
            self._left[part] = now
        return fewer

    def keep(self, stay: Flags) -> None:
        self._left = None if self._left is None else self._left[stay]

    def of(self, classes: Places) -> NDArray[Any]:
        assert self._left is not None
        return self._left[classes, : self._values]


class _Beliefs:
    """The beliefs in one value per person, after each release. Only classes that can still break a
    limit are kept, with their people."""

    def __init__(self, classes: JointClasses, limits: BeliefLimits, *, values: int) -> None:
        self.history, self._reference = BeliefHistory(classes, limits), ReferenceShares(values)
        self._values, self._left = values, _LeftWeights(values)
        self._codes: list[NDArray[np.int64]] = []

    def add(self, release: HeldRelease, found: _FoundValues | None, seen: Flags) -> None:
        """One release more, with its values where it has the field."""
        history, is_moved = self.history, False
        history.add(release)
        seen = seen[history.numbers]
        if found is not None:
            if not self._reference.has(found.code > 0):
                people = np.flatnonzero(found.code)
                is_moved = self._reference.add(people, people, found.code[people] - 1)
            own = _FoundValues(
                history.people_of(found.code), found.counts, found.place[history.numbers]
            )
            is_moved = _unite(self._codes, own.code) or is_moved
            fewer = self._left.narrow(own)
            self._weigh(seen, changed=np.ones_like(fewer) if is_moved else fewer)
        wanted = history.open_classes(seen, changed=np.ones_like(seen) if is_moved else None)
        for each in self._codes if wanted.any() else ():
            beliefs = _linked_beliefs(history.held, each, self._reference.shares, wanted=wanted)
            history.raise_to(wanted, *beliefs)
        if (kept := history.forget_broken()) is not None:
            stay, people = kept
            self._left.keep(stay)
            self._codes = [_of_people(code, people) for code in self._codes]

    def _weigh(self, seen: Flags, *, changed: Flags) -> None:
        """The beliefs of holders who cannot link rows, in changed classes."""
        wanted = self.history.open_classes(seen, changed=changed)
        held = np.flatnonzero(wanted)
        joint = self.history.joint_classes(held)
        distance, gain = np.zeros((2, len(wanted)))
        prior = self._reference.shares
        for part in chunks(len(joint), self._values):
            distance[held[part]], gain[held[part]] = _weighed(self._left.of(joint[part]), prior)
        self.history.raise_to(wanted, distance, gain)


def _of_people(code: NDArray[np.int64], people: Places) -> NDArray[np.int64]:
    """The values of some people; 0 for those of whom none is known."""
    return np.append(code, 0)[np.where(people < len(code), people, -1)]


def _unite(codes: list[NDArray[np.int64]], code: NDArray[np.int64]) -> bool:
    """Take the values of one release into the first ones that no person contradicts, and say whether
    they are more than before. All people of a class are in the same releases, so its shares are the
    same by either."""
    for at, before in enumerate(codes):
        size = max(len(before), len(code))
        one, other = (
            np.append(each, np.zeros(size - len(each), np.int64)) for each in (before, code)
        )
        if not ((one > 0) & (other > 0) & (one != other)).any():
            codes[at] = np.where(one > 0, one, other)
            return bool(((one == 0) & (other > 0)).any())
    codes.append(code)
    return True


def _linked_beliefs(
    classes: JointClasses, code: NDArray[np.int64], prior: Reals, *, wanted: Flags
) -> tuple[Reals, Reals]:
    """By class, where it is wanted, the distance and the largest gain for holders who link rows: the
    belief is the shares of values among the people of the class.

    Shares add up to one, so half the sum of differences is the sum of those that rose; only values
    that occur in a class have risen."""
    gain = np.zeros(classes.count)
    width = len(prior) + 1
    people = np.flatnonzero(wanted[classes.class_of[: len(code)]] & (code > 0))
    of_person = classes.class_of[people].astype(np.int64)
    pairs = np.sort(of_person * width + code[people])  # np.unique takes ten times as long.
    is_first = np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]
    starts = np.flatnonzero(is_first)
    times = np.diff(np.append(starts, len(pairs)))
    of_pair, value = pairs[starts] // width, pairs[starts] % width - 1
    there = np.bincount(of_person, minlength=classes.count)
    rise = times / there[of_pair] - prior[value]
    distance = np.bincount(of_pair, np.maximum(rise, 0.0), minlength=classes.count)
    share = np.where(prior[value] < 1, rise / np.maximum(1 - prior[value], 1e-300), 0.0)
    np.maximum.at(gain, of_pair, share)
    return distance.astype(np.float64), gain


def _weights(counts: NDArray[np.int64]) -> NDArray[Any]:
    """How many people of each bin have each value; those absent leave all of them. Rows are filled
    up with zeros to words of 64 bits, which are compared faster."""
    kind = np.uint16 if counts.max(initial=0) < np.iinfo(np.uint16).max else np.uint32
    out = np.zeros((len(counts), (counts.shape[1] + 2) // 4 * 4), kind)
    out[:, : counts.shape[1] - 1] = counts[:, 1:]
    out[0, : counts.shape[1] - 1] = np.iinfo(kind).max
    return out


class _LinkedValues:
    """By class, the fewest values that its people have in any release."""

    def __init__(self, classes: JointClasses, *, width: int) -> None:
        sizes = classes.sizes
        self._classes, self._width = classes, width
        self._several = np.flatnonzero((sizes > 1)[classes.class_of])
        self._alone = classes.class_of[(sizes == 1)[classes.class_of]]
        _, self._class_of = np.unique(classes.class_of[self._several], return_inverse=True)
        self._named = np.unique(classes.class_of[self._several])
        self.counts = np.full(classes.count, np.iinfo(np.int64).max)
        self._last: NDArray[np.int64] | None = None

    def add(self, code: NDArray[np.int64]) -> None:
        """One release more; `code` is the value of each person, 0 where absent. A release
        with the values of the one before it adds nothing."""
        if self._last is not None and np.array_equal(self._last, code):
            return
        self._last = code
        inside = self._several < len(code)
        codes = np.where(inside, np.append(code, 0)[np.where(inside, self._several, -1)], 0)
        many = _values_per_class(self._class_of, codes, count=len(self._named), width=self._width)
        before = self.counts[self._named]
        self.counts[self._named] = np.where(many > 0, np.minimum(before, many), before)
        self.counts[self._alone] = 1


def chunks(rows: int, width: int) -> Iterator[slice]:
    """Rows of a wide array in portions that stay in a processor's cache."""
    step = max(1, CHUNK // max(width, 1))
    return (slice(start, start + step) for start in range(0, rows, step))


def _counted(bins: Numbers, code: NDArray[np.int64], *, width: int) -> NDArray[np.int64] | None:
    """How many people of each bin have each value; column 0 are those without the field."""
    many = int(bins.max(initial=0)) + 1
    if many * width > MOST_WORDS:
        return None
    counted = np.bincount(bins.astype(np.int64) * width + code, minlength=many * width)
    return counted.reshape(many, width)


def _bits(counts: NDArray[np.int64]) -> Words:
    """The values of each bin as a set of bits, without column 0; those absent leave all of them."""
    present = np.packbits(counts[:, 1:] > 0, axis=1, bitorder="little")
    words = (counts.shape[1] - 1) // 64 + 1
    padded = np.zeros((len(counts), words * 8), np.uint8)
    padded[:, : present.shape[1]] = present
    padded[0] = 255
    return padded.view(np.uint64)


def _values_per_class(
    class_of: NDArray[np.integer], code: NDArray[np.int64], *, count: int, width: int
) -> NDArray[np.int64]:
    """How many values the people of each class have."""
    pair = class_of.astype(np.int64) * width + code
    if count * width <= MOST_WORDS:
        seen: Flags = np.zeros(count * width, bool)
        seen[pair] = True
        return np.asarray(seen.reshape(count, width)[:, 1:].sum(axis=1), np.int64)
    pairs = np.sort(pair[code > 0])  # np.unique hashes, which takes ten times as long.
    is_first = np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]
    return np.bincount(pairs[is_first] // width, minlength=count)


def _weighed(weights: NDArray[Any], prior: Reals) -> tuple[Reals, Reals]:
    """How far the belief in the values left is from the shares of all people: half the sum of
    differences; and the largest gain in belief, of what was missing to certainty."""
    belief, ones = weights.astype(np.float64), np.ones(len(prior))
    total = belief @ ones  # Several times faster than sums of rows.
    is_empty = total == 0
    belief /= np.where(is_empty, 1.0, total)[:, None]
    belief -= prior
    gains = belief * np.where(prior < 1, 1 / np.maximum(1 - prior, 1e-300), 0.0)
    gain = np.maximum(gains.max(axis=1, initial=0.0), 0.0)
    distance = np.abs(belief, out=belief) @ ones / 2
    return np.where(is_empty, 1.0, distance), np.where(is_empty, 1.0, gain)
