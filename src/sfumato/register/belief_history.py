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

    def add(self, there: Places, owner: Places, value: Places) -> None:
        """One release more: the people in it, and pairs of a person and a value."""
        size = int(there.max(initial=-1)) + 1
        if size > len(self._is_counted):
            more = np.zeros(size - len(self._is_counted), bool)
            self._is_counted = np.concatenate([self._is_counted, more])
        is_new = ~self._is_counted[owner]
        self._having += np.bincount(value[is_new], minlength=len(self._having))
        self._people += int(np.count_nonzero(~self._is_counted[there]))
        self._is_counted[there] = True

    @property
    def shares(self) -> Reals:
        return np.asarray(self._having / max(self._people, 1))


class BeliefHistory:
    """By joint class, the largest distance and gain after any of the releases so far."""

    def __init__(self, classes: JointClasses, limits: BeliefLimits) -> None:
        self._person, self._class_of = classes.representatives(), classes.class_of
        self._limits = limits
        self.distance, self.gain = np.zeros(classes.count), np.zeros(classes.count)
        self.held = JointClasses()
        """The classes of the releases so far: joint classes refine them."""

    def add(self, release: HeldRelease) -> None:
        """One release more that the group holds."""
        self.held = self.held.refined(release.bins())
        if release.field is not None and release.field.is_apart:
            self.held = self.held.refined(release.field.bins())

    def open_classes(self, seen: Flags) -> tuple[Places, Places]:
        """Classes of the releases so far that can still break a limit, and of each a joint class:
        joint classes of one such class are alike until now."""
        person = self.held.representatives()
        held = np.flatnonzero(person >= 0)
        joint = self._class_of[person[held]].astype(np.int64)
        broken = self._limits.broken(self.distance[joint], self.gain[joint])
        is_open = seen[joint] & ~broken
        return held[is_open], joint[is_open]

    def is_open(self, seen: Flags) -> bool:
        """Whether any class with people can still break a limit."""
        return bool((seen & ~self._limits.broken(self.distance, self.gain)).any())

    def raise_to(self, distance: Reals, gain: Reals) -> None:
        """Take in beliefs, by class of the releases so far."""
        inside = (self._person >= 0) & (self._person < len(self.held.class_of))
        places = np.flatnonzero(inside)
        held = self.held.class_of[self._person[places]]
        self.distance[places] = np.maximum(self.distance[places], distance[held])
        self.gain[places] = np.maximum(self.gain[places], gain[held])
