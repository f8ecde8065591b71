"""Exposure: what an audience has been shown so far, as partitions of the bins; and what one more
answer would show.

Every answer puts bins into groups: those whose rows it shows under one label, and all those that it
omits. The *classes* of an exposure are the bins that no answer so far has distinguished: the common
refinement of all groups. Each answer is then a function of one table, the values in each class, and
so are all answers together. Somebody who subtracts, intersects or averages them learns nothing
beyond this table. The gate keeps that table within the policy's protection models, and so needs to
know nothing about how answers might be combined.

An answer that neither shows nor asks about a field to be protected discloses nothing of it. Each
field therefore has classes of its own, and `anyone` has those of all answers, in which people are
counted. Fields that one answer shows together are *tied*: a value of one leads to the value of the
other, wherever else it was shown. From then on they share their classes."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from .exposed_fields import plain
from .people_counts import numbered

Wholes = NDArray[np.int64]
OUTSIDE = -1
"""The group of the bins that an answer omits."""


@dataclass(frozen=True, eq=False, slots=True)
class Exposure:
    """The classes of an audience. A new audience has seen nothing: all bins are in one class.

    Example:
        >>> seen = Exposure.nothing(4, ("test", "cost"))
        >>> seen = seen.refined(np.array([0, 0, OUTSIDE, OUTSIDE]), shows=())
        >>> seen = seen.refined(np.array([0, 1, 1, 1]), shows=("test",))
        >>> seen.anyone.tolist(), seen.classes_of("test").tolist(), seen.classes_of("cost").tolist()
        ([1, 2, 0, 0], [0, 1, 1, 1], [0, 0, 0, 0])
        >>> seen.refined(np.zeros(4, int), shows=("test", "cost")).classes_of("cost").tolist()
        [0, 1, 1, 1]
    """

    anyone: Wholes = field(repr=False)
    tied: Mapping[str, str] = field(repr=False)
    """Each field's knot: the first of the fields it is tied to."""
    of_knot: Mapping[str, Wholes] = field(repr=False)
    shown: frozenset[str] = frozenset()
    """The fields that some answer has shown or asked about."""

    @classmethod
    def nothing(cls, bins: int, fields: Iterable[str]) -> Exposure:
        blank = np.zeros(bins, np.int64)
        names = tuple(fields)
        return cls(
            blank,
            MappingProxyType({n: n for n in names}),
            MappingProxyType(dict.fromkeys(names, blank)),
        )

    def classes_of(self, name: str) -> Wholes:
        """The classes in which a field's values have been shown."""
        return self.of_knot[self.tied[name]]

    def touched(self, shows: Collection[str]) -> tuple[str, ...]:
        """The fields whose classes an answer with these fields changes: they, all fields tied to
        them, and all disclosed fields of other tables about the same people. A value that is in two
        tables links one to the other, and nobody can list such values."""
        knots = {self.tied[name] for name in shows}
        tables = {plain(name)[0] for name in shows}
        if tables:
            knots |= {
                knot
                for name, knot in self.tied.items()
                if plain(name)[0] not in tables and name in self.shown
            }
        return tuple(name for name, knot in self.tied.items() if knot in knots)

    def refined(
        self, groups: Wholes, *, shows: Collection[str], parts: Wholes | None = None
    ) -> Exposure:
        """The exposure after an answer with these groups, in which the fields `shows` were shown or
        asked about.

        `parts` are finer groups, by which values are taken to be distinguished.
        """
        anyone = refine(self.anyone, groups)
        touched = self.touched(shows)
        if not touched:
            return Exposure(anyone, self.tied, self.of_knot, self.shown)
        classes = groups if parts is None else parts
        for knot in sorted({self.tied[name] for name in touched}):
            classes = refine(self.of_knot[knot], classes)
        tied = {name: touched[0] if name in touched else knot for name, knot in self.tied.items()}
        kept = {knot: array for knot, array in self.of_knot.items() if knot in tied.values()}
        return Exposure(
            anyone,
            MappingProxyType(tied),
            MappingProxyType({**kept, touched[0]: classes}),
            self.shown.union(shows),
        )

    def at(self, places: Wholes) -> Exposure:
        """The exposure of some of the bins: of one in each cell, where cells are inside the
        classes."""
        knots = {knot: array[places] for knot, array in self.of_knot.items()}
        return Exposure(self.anyone[places], self.tied, MappingProxyType(knots), self.shown)

    def moved(self, source: Wholes, cohorts: Wholes) -> Exposure:
        """The exposure of another state of the table: `source` has the old bin of each new one, -1
        where nobody of it was there. Nothing was shown of those: each cohort of them is a class.

        Example:
            >>> seen = Exposure.nothing(3, ("test",)).refined(np.array([0, 1, 1]), shows=())
            >>> seen.moved(np.array([0, 2, -1, -1]), np.array([0, 0, 1, 1])).anyone.tolist()
            [0, 1, 2, 2]
        """
        knots = {knot: _moved(array, source, cohorts) for knot, array in self.of_knot.items()}
        anyone = _moved(self.anyone, source, cohorts)
        return Exposure(anyone, self.tied, MappingProxyType(knots), self.shown)

    def cut(self, groups: Wholes) -> Exposure:
        """The exposure after everything that was shown is shown again in these groups."""
        knots = {knot: refine(array, groups) for knot, array in self.of_knot.items()}
        return Exposure(refine(self.anyone, groups), self.tied, MappingProxyType(knots), self.shown)

    def is_as(self, other: Exposure) -> bool:
        """Whether both have the same classes."""
        return (
            dict(self.tied) == dict(other.tied)
            and self.shown == other.shown
            and np.array_equal(self.anyone, other.anyone)
            and all(
                np.array_equal(array, other.of_knot[knot]) for knot, array in self.of_knot.items()
            )
        )

    @property
    def classes(self) -> int:
        return int(self.anyone.max(initial=-1)) + 1

    def packed(self) -> bytes:
        """For the gate's state; `unpacked` reads it."""
        told = json.dumps(
            [len(self.anyone), dict(self.tied), list(self.of_knot), sorted(self.shown)]
        ).encode()
        arrays = (each.astype(np.int32).tobytes() for each in (self.anyone, *self.of_knot.values()))
        return zlib.compress(len(told).to_bytes(4, "big") + told + b"".join(arrays), level=1)

    @classmethod
    def unpacked(cls, data: bytes) -> Exposure:
        plain = zlib.decompress(data)
        size = int.from_bytes(plain[:4], "big")
        bins, tied, knots, *more = json.loads(plain[4 : 4 + size])
        arrays = (
            np.frombuffer(plain, np.int32, offset=4 + size)
            .astype(np.int64)
            .reshape(1 + len(knots), bins)
        )
        return cls(
            arrays[0],
            MappingProxyType(tied),
            MappingProxyType(dict(zip(knots, arrays[1:], strict=True))),
            frozenset(more[0] if more else tied),  # Before they were kept: it may be any of them.
        )

    def digest(self) -> str:
        """The same for the same classes; for the audit."""
        return hashlib.sha256(zlib.decompress(self.packed())).hexdigest()


def _moved(classes: Wholes, source: Wholes, cohorts: Wholes) -> Wholes:
    count = int(classes.max(initial=-1)) + 1
    fresh = count + np.maximum(cohorts, 0)
    found = np.where(source >= 0, classes[np.maximum(source, 0)], fresh)
    return numbered(found, int(found.max(initial=-1)) + 1)[0]


def refine(classes: Wholes, groups: Wholes) -> Wholes:
    """The classes, each cut by groups; numbered from 0. Only what is inside a group is looked at
    twice.

    Example:
        >>> refine(np.array([0, 0, 1, 1]), np.array([5, OUTSIDE, OUTSIDE, OUTSIDE])).tolist()
        [2, 0, 1, 1]
    """
    inside = np.flatnonzero(groups != OUTSIDE)
    count = int(classes.max(initial=-1)) + 1
    span = int(groups.max(initial=OUTSIDE)) + 1
    pieces, found = numbered(classes[inside] * span + groups[inside], count * span)
    out = classes.copy()
    out[inside] = pieces + count
    return numbered(out, count + found)[0]
