"""The remaining values of a sensitive field in the classes of a person, where people have several
values of it.

Whether a person has a value is a question of its own for each value. A bin in which everybody has
the value discloses it, however many other values there are. In each release, some people of the
person's bin have the value and others do not; over several releases the fewest count. For holders
who link rows, the people of the joint class are counted. Both are judged after each release, and
the worst counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .belief_history import BeliefHistory, BeliefLimits, FieldView, HeldRelease, ReferenceShares
from .joint_classes import JointClasses
from .remaining_values import MOST_WORDS, NOT_LEFT, RemainingValues, chunks

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]
HeldValues = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""The people of a release, and pairs of a person and a value."""
MOST: int = np.iinfo(np.int64).max


def remaining_of_several(
    classes: JointClasses, releases: Sequence[HeldRelease], *, limits: BeliefLimits
) -> RemainingValues | None:
    """The remaining values of one field in each class; None where there are too many values to be
    held.

    A value that everybody left has is the only one that counts: `distinct` is then 1. Distance and
    gain are the largest over all values, after any release."""
    tags = np.unique(np.concatenate([each.field.tags for each in releases if each.field]))
    many, one_of_each = len(tags), classes.representatives()
    if classes.count * many * 2 > MOST_WORDS:
        return None
    left = np.full((classes.count, 2 * many), MOST)
    linked = np.full(classes.count, MOST)
    seen = np.zeros(classes.count, bool)
    history, reference = BeliefHistory(classes, limits), ReferenceShares(many)
    held: list[HeldValues] = []
    for release in releases:
        is_moved = False
        history.add(release)
        if release.field is not None:
            bins = release.field.bins()
            owner, value = held_values(release.field, tags)
            counts = _people_by_value(bins, owner, value, many=many)
            if counts is None:
                return None
            place = np.where((one_of_each >= 0) & (one_of_each < len(bins)), one_of_each, -1)
            place = np.where(place >= 0, np.append(bins, 0)[place], 0)
            seen |= place > 0
            for part in chunks(*left.shape):
                np.minimum(left[part], counts[place[part]], out=left[part])
            own = _values_of_classes(classes, bins, owner, value, many=many)
            linked = np.where(own > 0, np.minimum(linked, own), linked)
            there = np.flatnonzero(bins > 0)
            is_moved = reference.add(there, owner, value)
            if not any(all(map(np.array_equal, each, (there, owner, value))) for each in held):
                held.append((there, owner, value))
                is_moved = True
        if not limits.is_any:
            continue
        prior, every = reference.shares, np.ones_like(seen)
        if release.field is not None:
            wanted = history.open_classes(seen, changed=every)
            now = np.flatnonzero(wanted)
            joint = history.joint_classes(now)
            distance, gain = np.zeros((2, history.count))
            for part in chunks(len(joint), 2 * many):
                distance[now[part]], gain[now[part]] = _of_classes(left[joint[part]], prior, many)
            history.raise_to(wanted, distance, gain)
        wanted = history.open_classes(seen, changed=every if is_moved else None)
        for each in held if wanted.any() else ():
            history.raise_to(wanted, *_linked_beliefs(history.held, each, prior))
    parts = [_distinct(left[part], many) for part in chunks(*left.shape)]
    return RemainingValues(
        distinct=np.where(seen, np.concatenate(parts), NOT_LEFT),
        linked=np.where(seen, linked, NOT_LEFT),
        distance=np.where(seen, history.distance, 0.0),
        gain=np.where(seen, history.gain, 0.0),
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


def _linked_beliefs(
    classes: JointClasses, held: HeldValues, prior: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """By class, the largest distance and gain in one release for holders who link its rows: the
    belief in a value is the share of the people of the class who have it."""
    people, owner, value = held
    many = len(prior)
    pairs = classes.class_of[owner].astype(np.int64) * many + value
    having = np.bincount(pairs, minlength=classes.count * many).reshape(classes.count, many)
    there = np.bincount(classes.class_of[people], minlength=classes.count)
    present = there > 0
    belief = having / np.maximum(there, 1)[:, None]
    rise = np.divide(belief - prior, 1 - prior, out=np.zeros_like(belief), where=prior < 1)
    distance = np.abs(belief - prior).max(axis=1, initial=0.0)
    gain = rise.max(axis=1, initial=0.0)
    return np.where(present, distance, 0.0), np.where(present, gain, 0.0)


def _distinct(left: NDArray[np.int64], many: int) -> NDArray[np.int64]:
    """How many values may be had; 1 where everybody left has one of them."""
    yes, no = left[:, :many], left[:, many:]
    certain = ((no == 0) & (yes > 0)).any(axis=1)
    return np.where(certain, 1, np.count_nonzero(yes, axis=1)).astype(np.int64)


def _of_classes(
    left: NDArray[np.int64], prior: NDArray[np.float64], many: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The largest distance from the shares of all people, and the largest gain in belief."""
    yes, no = left[:, :many].astype(np.float64), left[:, many:].astype(np.float64)
    total = yes + no
    belief = np.divide(yes, total, out=np.zeros_like(yes), where=total > 0)
    impossible = (total == 0).any(axis=1)
    distance = np.abs(belief - prior).max(axis=1, initial=0.0)
    rise = np.divide(belief - prior, 1 - prior, out=np.zeros_like(belief), where=prior < 1)
    gain = rise.max(axis=1, initial=0.0)
    return np.where(impossible, 1.0, distance), np.where(impossible, 1.0, gain)
