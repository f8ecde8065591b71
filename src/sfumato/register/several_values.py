"""The remaining values of a sensitive field in the classes of a person, where people have several
values of it.

Whether a person has a value is a question of its own for each value. A bin in which everybody has
the value discloses it, however many other values there are. In each release, some people of the
person's bin have the value and others do not; over several releases the fewest count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .joint_classes import JointClasses
from .remaining_values import MOST_WORDS, NOT_LEFT, FieldView, RemainingValues, chunks

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]
MOST: int = np.iinfo(np.int64).max


def remaining_of_several(
    classes: JointClasses, views: Sequence[FieldView]
) -> RemainingValues | None:
    """The remaining values of one field in each class; None where there are too many values to be
    held.

    A value that everybody left has is the only one that counts: `distinct` is then 1. Distance and
    gain are the largest over all values."""
    tags = np.unique(np.concatenate([view.tags for view in views]))
    many, one_of_each = len(tags), classes.representatives()
    if classes.count * many * 2 > MOST_WORDS:
        return None
    left = np.full((classes.count, 2 * many), MOST)
    linked = np.full(classes.count, MOST)
    seen = np.zeros(classes.count, bool)
    having, people = np.zeros(many), 0
    for view in views:
        bins = view.bins()
        owner, value = held_values(view, tags)
        counts = _people_by_value(bins, owner, value, many=many)
        if counts is None:
            return None
        place = np.where((one_of_each >= 0) & (one_of_each < len(bins)), one_of_each, -1)
        place = np.where(place >= 0, np.append(bins, 0)[place], 0)
        seen |= place > 0
        for part in chunks(*left.shape):
            np.minimum(left[part], counts[place[part]], out=left[part])
        having += counts[1:, :many].sum(axis=0)
        people += int((bins > 0).sum())
        own = _values_of_classes(classes, bins, owner, value, many=many)
        linked = np.where(own > 0, np.minimum(linked, own), linked)
    prior = having / max(people, 1)
    found = [_of_classes(left[part], prior, many) for part in chunks(*left.shape)]
    distinct, distance, gain = (np.concatenate(each) for each in zip(*found, strict=True))
    return RemainingValues(
        distinct=np.where(seen, distinct, NOT_LEFT),
        linked=np.where(seen, linked, NOT_LEFT),
        distance=np.where(seen, distance, 0.0),
        gain=np.where(seen, gain, 0.0),
    )


def held_values(view: FieldView, tags: NDArray[np.uint64]) -> Pairs:
    """The values of people: people by number, and places among all tags."""
    values = view.value_of()
    people = np.flatnonzero(values > 0)
    codes = values[people].astype(np.int64) - 1
    place = np.searchsorted(tags, view.tags)
    if view.members is None:
        return people, place[codes]
    members = view.members()
    order = np.argsort(members[:, 0], kind="stable")
    sets, inside = members[order, 0], place[members[order, 1]]
    starts = np.searchsorted(sets, np.arange(int(sets.max(initial=-1)) + 2))
    sizes = np.diff(starts)[codes]
    first = np.repeat(starts[codes] - np.cumsum(sizes) + sizes, sizes)
    return np.repeat(people, sizes), inside[first + np.arange(len(first))]


def _people_by_value(
    bins: NDArray[np.int32], owner: NDArray[np.int64], value: NDArray[np.int64], *, many: int
) -> NDArray[np.int64] | None:
    """By bin how many people have each value, then how many do not; row 0 excludes nothing."""
    count = int(bins.max(initial=0)) + 1
    if count * many * 2 > MOST_WORDS:
        return None
    pairs = bins[owner].astype(np.int64) * many + value
    having = np.bincount(pairs, minlength=count * many).reshape(count, many)
    sizes = np.bincount(bins, minlength=count)
    out = np.concatenate([having, sizes[:, None] - having], axis=1)
    out[0] = MOST
    return out


def _values_of_classes(
    classes: JointClasses,
    bins: NDArray[np.int32],
    owner: NDArray[np.int64],
    value: NDArray[np.int64],
    *,
    many: int,
) -> NDArray[np.int64]:
    """How many values the people of each class have in one release; 1 where all have one."""
    pairs, times = np.unique(
        classes.class_of[owner].astype(np.int64) * many + value, return_counts=True
    )
    of_class = pairs // many
    there = np.bincount(classes.class_of[: len(bins)][bins > 0], minlength=classes.count)
    distinct = np.bincount(of_class, minlength=classes.count)
    certain = np.zeros(classes.count, bool)
    certain[of_class[times == there[of_class]]] = True
    return np.where(certain, 1, distinct)


def _of_classes(
    left: NDArray[np.int64], prior: NDArray[np.float64], many: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Values that may be had, the largest distance from the shares of all people, and the largest
    gain in belief."""
    yes, no = left[:, :many].astype(np.float64), left[:, many:].astype(np.float64)
    total = yes + no
    belief = np.divide(yes, total, out=np.zeros_like(yes), where=total > 0)
    certain = ((no == 0) & (yes > 0)).any(axis=1)
    impossible = (total == 0).any(axis=1)
    distance = np.abs(belief - prior).max(axis=1, initial=0.0)
    rise = np.divide(belief - prior, 1 - prior, out=np.zeros_like(belief), where=prior < 1)
    distinct = np.where(certain, 1, np.count_nonzero(yes, axis=1))
    gain = rise.max(axis=1, initial=0.0)
    return distinct, np.where(impossible, 1.0, distance), np.where(impossible, 1.0, gain)
