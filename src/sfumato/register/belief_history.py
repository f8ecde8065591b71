"""The beliefs of a holder after each release, against the shares of all people.

Nobody can be made to forget: what a group could infer after an earlier release counts after a later
one too. So another release never turns a failing person into one that passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .joint_classes import Flags, JointClasses, Numbers

Reals = NDArray[np.float64]
Places = NDArray[np.int64]

ROUNDING: Final = 1e-9


@dataclass(frozen=True, kw_only=True)
class BeliefLimits:
    """The largest distance of a belief from the shares of all people, and the largest gain in it;
    1 limits nothing."""

    t: float = 1.0
    gain: float = 1.0

    @property
    def is_any(self) -> bool:
        return self.t < 1 or self.gain < 1

    def broken(self, distance: Reals, gain: Reals) -> Flags:
        """Classes beyond every limit: nothing more can be found out about them."""
        out = np.ones(len(distance), bool)
        if self.t < 1:
            out &= distance > self.t + ROUNDING
        if self.gain < 1:
            out &= gain > self.gain + ROUNDING
        return out


@dataclass(frozen=True, eq=False, kw_only=True)
class FieldView:
    """A sensitive field in one release: the bin of each person and the value, 0 where absent."""

    bins: Callable[[], Numbers]
    value_of: Callable[[], Numbers]
    tags: NDArray[np.uint64]
    members: Callable[[], Numbers] | None = None
    """Where people have several values, pairs of a set and the place of a value in it."""
    is_apart: bool = False
    """Whether the joint classes do not distinguish its bins: they are then refined by them."""


@dataclass(frozen=True, eq=False, kw_only=True)
class HeldRelease:
    """One release of a group, in the order of recording: its bins, and the field where it has
    it."""

    bins: Callable[[], Numbers]
    field: FieldView | None = None


class ReferenceShares:
    """The shares of values among all people of the releases so far. Each person counts once, with
    the values of the first release that has them: repeating people does not move the shares."""

    def __init__(self, values: int) -> None:
        self._having, self._people = np.zeros(values), 0
        self._is_counted: Flags = np.zeros(0, bool)

    def add(self, there: Places, owner: Places, value: Places) -> bool:
        """One release more: the people in it, and pairs of a person and a value. Whether anybody
        was new: otherwise the shares are those of before."""
        size = int(there.max(initial=-1)) + 1
        if size > len(self._is_counted):
            more = np.zeros(size - len(self._is_counted), bool)
            self._is_counted = np.concatenate([self._is_counted, more])
        is_new = ~self._is_counted[owner]
        self._having += np.bincount(value[is_new], minlength=len(self._having))
        newcomers = int(np.count_nonzero(~self._is_counted[there]))
        self._people += newcomers
        self._is_counted[there] = True
        return newcomers > 0

    @property
    def shares(self) -> Reals:
        return np.asarray(self._having / max(self._people, 1))


class BeliefHistory:
    """By joint class, the largest distance and gain after any of the releases so far.

    Joint classes of one class of the releases so far are alike until now, and a broken class stays
    broken: only classes that are open, and that a release changed, are weighed anew."""

    def __init__(self, classes: JointClasses, limits: BeliefLimits) -> None:
        self._person, self._class_of = classes.representatives(), classes.class_of
        self._limits = limits
        self.distance, self.gain = np.zeros(classes.count), np.zeros(classes.count)
        self.held = JointClasses()
        """The classes of the releases so far: joint classes refine them."""
        self._held_of: Places = np.zeros(classes.count, np.int64)
        self._joint: Places = np.zeros(1, np.int64)
        """A joint class of each class of the releases so far; -1 for a class without people."""
        self._is_split: Flags = np.zeros(1, bool)

    @property
    def is_open(self) -> Flags:
        """The joint classes with people that are not broken yet."""
        return ~self._limits.broken(self.distance, self.gain) & (self._person >= 0)

    @property
    def is_settled(self) -> bool:
        """Whether every class with people is broken: no release changes anything then."""
        return not self.is_open[1:].any()

    def add(self, release: HeldRelease) -> None:
        """One release more that the group holds."""
        before = self.held.class_of
        self.held = self.held.refined(release.bins())
        if release.field is not None and release.field.is_apart:
            self.held = self.held.refined(release.field.bins())
        person = self.held.representatives()
        self._joint = _taken(self._class_of, person, otherwise=-1)
        self._held_of = _taken(self.held.class_of, self._person, otherwise=0)
        parent = _taken(before, person, otherwise=0)
        self._is_split = (np.bincount(parent)[parent] > 1) | (parent == 0)

    def open_classes(self, seen: Flags, *, changed: Flags | None = None) -> Flags:
        """The classes of the releases so far that can still break a limit: those of which joint
        classes are marked as changed, or without marks those that the last release made."""
        there = self._joint >= 0
        joint = np.where(there, self._joint, 0)
        is_open = there & seen[joint] & ~self._limits.broken(self.distance, self.gain)[joint]
        return is_open & (self._is_split if changed is None else changed[joint])

    def joint_classes(self, held: Places) -> Places:
        """A joint class of each of some classes of the releases so far."""
        return self._joint[held]

    def raise_to(self, held: Flags, distance: Reals, gain: Reals) -> None:
        """Take in beliefs of some classes, by class of the releases so far."""
        places = np.flatnonzero(held[self._held_of])
        own = self._held_of[places]
        self.distance[places] = np.maximum(self.distance[places], distance[own])
        self.gain[places] = np.maximum(self.gain[places], gain[own])


def _taken(numbers: Numbers, people: Numbers, *, otherwise: int) -> Places:
    """The numbers of some people; another one for those who have none."""
    has = (people >= 0) & (people < len(numbers))
    return np.append(numbers, otherwise)[np.where(has, people, -1)].astype(np.int64)
