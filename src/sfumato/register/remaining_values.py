"""What the classes of a person leave of a sensitive field, over all releases together.

Each release leaves the values that occur in the person's bin. Whoever holds several releases keeps
only the values that all of them leave, whether or not rows can be linked by a pseudonym. Where they
can, the values of the people in the joint class are all that is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .joint_classes import Flags, JointClasses, Numbers

Words = NDArray[np.uint64]
Reals = NDArray[np.float64]

MOST_WORDS: Final = 1 << 26
"""Words of 64 bits that the sets of one release's bins may take."""
CHUNK: Final = 1 << 22
NOT_LEFT: Final = -1
"""In place of a count, for classes of which no release has the field."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FieldView:
    """A sensitive field in one release: the bin of each person and the value, 0 where absent."""

    bins: Callable[[], Numbers]
    value_of: Callable[[], Numbers]
    tags: NDArray[np.uint64]


@dataclass(frozen=True, eq=False, kw_only=True)
class RemainingValues:
    """By class: how many values all releases leave, how many the people of the class have, how far
    the belief in them is from the shares of all people, and the largest gain in belief."""

    distinct: NDArray[np.int64]
    linked: NDArray[np.int64]
    distance: Reals | None = None
    gain: Reals | None = None


def remaining_values(
    classes: JointClasses, views: Sequence[FieldView], *, weighed: bool
) -> RemainingValues | None:
    """What is left of one field in each class; `weighed` where distances and gains are wanted.

    None where there are too many values for the sets to be held."""
    tags = np.unique(np.concatenate([view.tags for view in views]))
    one_of_each = classes.representatives()
    wanted = np.maximum(one_of_each, 0)
    words = len(tags) // 64 + 1
    sets = (
        np.full((classes.count, words), ~np.uint64(0))
        if classes.count * words <= MOST_WORDS
        else None
    )
    weights: NDArray[np.float32] | None = None
    if weighed and classes.count * len(tags) <= MOST_WORDS:
        weights = np.full((classes.count, len(tags)), np.inf, np.float32)
    linked = np.full(classes.count, np.iinfo(np.int64).max)
    seen = np.zeros(classes.count, bool)
    shares = np.zeros(len(tags))
    if sets is None or (weighed and weights is None):
        return None
    for view in views:
        bins, values = view.bins(), view.value_of()
        code = np.append(0, np.searchsorted(tags, view.tags) + 1).astype(np.int64)[values]
        place = np.where(wanted < len(bins), bins[np.minimum(wanted, len(bins) - 1)], 0)
        counts = _counted(bins, code, width=len(tags) + 1)
        if counts is None:
            return None
        here = (place > 0) & (one_of_each >= 0)
        seen |= here
        bits = _bits(counts)
        for part in _chunks(classes.count, words):
            mine = here[part]
            sets[part][mine] &= bits[place[part][mine]]
        if weights is not None:
            for part in _chunks(classes.count, len(tags)):
                mine = here[part]
                weights[part][mine] = np.minimum(weights[part][mine], counts[place[part][mine], 1:])
        shares += counts[1:, 1:].sum(axis=0)
        own = classes.class_of[: len(bins)]
        per_class = _values_per_class(own, code, count=classes.count, width=len(tags) + 1)
        linked = np.where(per_class > 0, np.minimum(linked, per_class), linked)
    sets &= _bits(np.ones((1, len(tags) + 1), np.int64))
    distinct = np.bitwise_count(sets).sum(axis=1, dtype=np.int64)
    distance = gain = None
    if weights is not None:
        beliefs = [_beliefs(weights[part], shares) for part in _chunks(*weights.shape)]
        distance, gain = (np.concatenate(each) for each in zip(*beliefs, strict=True))
    return RemainingValues(
        distinct=np.where(seen, distinct, NOT_LEFT),
        linked=np.where(seen, linked, NOT_LEFT),
        distance=None if distance is None else np.where(seen, distance, 0.0),
        gain=None if gain is None else np.where(seen, gain, 0.0),
    )


def _chunks(rows: int, width: int) -> Iterator[slice]:
    """Rows of a wide array in portions that take little memory."""
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
    """The values of each bin as a set of bits, without column 0."""
    present = np.packbits(counts[:, 1:] > 0, axis=1, bitorder="little")
    words = (counts.shape[1] - 1) // 64 + 1
    padded = np.zeros((len(counts), words * 8), np.uint8)
    padded[:, : present.shape[1]] = present
    return padded.view(np.uint64)


def _values_per_class(
    class_of: Numbers, code: NDArray[np.int64], *, count: int, width: int
) -> NDArray[np.int64]:
    """How many values the people of each class have."""
    pair = class_of.astype(np.int64) * width + code
    if count * width <= MOST_WORDS:
        seen: Flags = np.zeros(count * width, bool)
        seen[pair] = True
        return np.asarray(seen.reshape(count, width)[:, 1:].sum(axis=1), np.int64)
    pairs = np.unique(pair[code > 0])
    return np.bincount(pairs // width, minlength=count)


def _beliefs(weights: NDArray[np.float32], shares: Reals) -> tuple[Reals, Reals]:
    """How far the belief in what is left is from the shares of all people: half the sum of
    differences; and the largest gain in belief, of what was missing to certainty."""
    finite = np.where(np.isfinite(weights), weights, 0.0).astype(np.float64)
    total = finite.sum(axis=1, keepdims=True)
    prior = shares / max(shares.sum(), 1)
    belief = np.divide(finite, total, out=np.zeros_like(finite), where=total > 0)
    distance = np.abs(belief - prior).sum(axis=1) / 2
    missing = np.maximum(1 - prior, 1e-300)
    gain = np.where(prior < 1, (belief - prior) / missing, 0.0).max(axis=1, initial=0.0)
    is_empty = total[:, 0] == 0
    return np.where(is_empty, 1.0, distance), np.where(is_empty, 1.0, gain)
