"""The beliefs of a holder after each release, against the shares of all people.

Nobody can be made to forget: what a group could infer after an earlier release counts after a later
one too. So another release never turns a failing person into one that passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from .joint_classes import Flags, JointClasses, Numbers

Reals = NDArray[np.float64]
Places = NDArray[np.int64]
Number = TypeVar("Number", bound=np.integer[Any])

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

    def has(self, people: Flags) -> bool:
        """Whether all of some people were counted."""
        known = self._is_counted[: len(people)]
        return not (people[: len(known)] & ~known).any() and not people[len(known) :].any()

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
        self._measured = np.zeros((2, classes.count))
        self.numbers: Places = np.arange(classes.count)
        """The joint classes that are not forgotten."""
        self._people: Places | None = None
        self._held = JointClasses(np.zeros(classes.count, np.int32))
        """The class of each joint class in the releases so far: joint classes refine them."""
        self._joint: Places = np.zeros(1, np.int64)
        """A joint class of each class of the releases so far."""
        self._is_split: Flags = np.zeros(1, bool)

    @property
    def held(self) -> JointClasses:
        """The classes of the releases so far, by the people who are not forgotten."""
        return JointClasses(self._held.class_of[self._class_of], self._held.count)

    @property
    def count(self) -> int:
        """How many classes the releases so far have."""
        return self._held.count

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
        before = self._held.class_of
        self._held = self._held.refined(_taken(release.bins(), self._person))
        if release.field is not None and release.field.is_apart:
            self._held = self._held.refined(_taken(release.field.bins(), self._person))
        self._joint = self._held.representatives().astype(np.int64)
        parent = before[self._joint]
        self._is_split = (np.bincount(parent)[parent] > 1) | (parent == 0)

    def open_classes(self, seen: Flags, *, changed: Flags | None = None) -> Flags:
        """The classes of the releases so far that can still break a limit: those of which joint
        classes are marked as changed, or without marks those that the last release made."""
        is_open = (seen & ~self._limits.broken(self.distance, self.gain))[self._joint]
        return is_open & (self._is_split if changed is None else changed[self._joint])

    def joint_classes(self, held: Places) -> Places:
        """A joint class of each of some classes of the releases so far."""
        return self._joint[held]

    def raise_to(self, held: Flags, distance: Reals, gain: Reals) -> None:
        """Take in beliefs of some classes, by class of the releases so far."""
        places = np.flatnonzero(held[self._held.class_of])
        own = self._held.class_of[places]
        self.distance[places] = np.maximum(self.distance[places], distance[own])
        self.gain[places] = np.maximum(self.gain[places], gain[own])

    def people_of(self, numbers: NDArray[Number]) -> NDArray[Number]:
        """Numbers of everybody, as those of the people who are not forgotten; 0 beyond them."""
        return numbers if self._people is None else _taken(numbers, self._people)

    def forget_broken(self) -> tuple[Flags, Places] | None:
        """Forget the broken classes and their people once they are most: nothing more is asked about
        them. The classes and the people that stay, of those before; None where nothing is
        forgotten."""
        stay = self.is_open
        stay[0] = True  # Absent everywhere is a class, also where nobody is.
        if 2 * np.count_nonzero(stay) > len(stay):
            return None
        self._measured[:, self.numbers] = self.distance, self.gain
        people = np.flatnonzero(stay[self._class_of] & (self._class_of > 0))
        self._people = people if self._people is None else self._people[people]
        number = np.cumsum(stay, dtype=np.int32) - 1
        self._class_of = number[self._class_of[people]]
        self.numbers, self._person = self.numbers[stay], self._person[stay]
        self.distance, self.gain = self.distance[stay], self.gain[stay]
        known, held = np.unique(self._held.class_of[stay], return_inverse=True)
        self._held = JointClasses(held.astype(np.int32), len(known))
        return stay, people

    def measured(self) -> tuple[Reals, Reals]:
        """The distances and gains of all joint classes, forgotten ones too."""
        self._measured[:, self.numbers] = self.distance, self.gain
        return self._measured[0], self._measured[1]


def _taken(numbers: NDArray[Number], people: NDArray[np.integer[Any]]) -> NDArray[Number]:
    """The numbers of some people; 0 for those who have none."""
    has = (people >= 0) & (people < len(numbers))
    return np.append(numbers, numbers.dtype.type(0))[np.where(has, people, -1)]
