"""Unicity: how many released values of one person single them out (de Montjoye et al. 2013).

Of a random person, m random values are taken out of all released values of them, over all rows and
tables. The person is found where nobody else has these m values. De Montjoye et al. count this for
points of a trajectory; a point here is a value of a field, in a series together with which reading
it is. Departure: a value is compared as it is released. A wider label of somebody else that could
cover it does not hide the person, which overstates the share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..attacks.rates import Rate
from .person_facts import FactField, PersonFacts

People = NDArray[np.int32]
Bits = NDArray[np.uint64]

MOST_VALUES = 10
"""The curve ends at so many known values."""
TRIALS = 2_000
"""So many people are tried by default; fewer people are tried several times each."""
OFTEN = 50
"""Nobody is tried more often than this."""
COMMON = 64
"""A value that more than one in so many people have is kept as one bit for each person."""
WORD = 64
BITS_KEPT = 2**28
"""Bytes for such bits; beyond it they are made anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnicityCurve:
    """The share of people found by 1, 2, ... random values, each with its interval."""

    fields: tuple[str, ...]
    values_per_person: float
    rates: tuple[Rate, ...]

    def at(self, m: int) -> Rate:
        """The share found by m values; that of the last point where the curve ends before."""
        return self.rates[min(m, len(self.rates)) - 1]

    def as_dict(self) -> dict[str, Any]:
        return {
            "fields": list(self.fields),
            "values_per_person": round(self.values_per_person, 2),
            "found": [{"values": m, **rate.as_dict()} for m, rate in enumerate(self.rates, 1)],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Unicity:
    """Three curves: over everything released; over the fields that the policy counts as known; and
    over these and the fields that it calls harmless (`knowable`).

    `m` is how many values a recipient may know, and `m_is_named` whether the policy names it. With
    `linked`, rows of one person can be linked; all of them count as known then. `sampled` are the
    different people who were tried, out of `people`. `left_out` are released fields that were not
    counted, with the reason."""

    people: int
    sampled: int
    trials: int
    m: int
    m_is_named: bool
    linked: bool
    everything: UnicityCurve
    known: UnicityCurve
    knowable: UnicityCurve
    left_out: tuple[tuple[str, str], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            "people": self.people,
            "people_tried": self.sampled,
            "trials": self.trials,
            "m": self.m,
            "m_is_named_by_the_policy": self.m_is_named,
            "linked_rows": self.linked,
            "everything": self.everything.as_dict(),
            "known": self.known.as_dict(),
            "knowable": self.knowable.as_dict(),
            "left_out": dict(self.left_out),
        }


def unicity(
    facts: PersonFacts,
    *,
    known: Sequence[str],
    knowable: Sequence[str],
    m: int,
    m_is_named: bool,
    chance: np.random.Generator,
    trials: int = TRIALS,
    left_out: Sequence[tuple[str, str]] = (),
) -> Unicity:
    """Try random people with random values of theirs. All released values of linked rows count as
    known."""
    tried = _drawn(facts.people, trials, chance)
    curves: dict[frozenset[str], UnicityCurve] = {}

    def curve(names: Sequence[str]) -> UnicityCurve:
        chosen = facts if facts.linked else facts.only(names)
        key = frozenset(one.called for one in chosen.fields)
        if key not in curves:
            curves[key] = _curve(chosen, tried, chance)
        return curves[key]

    return Unicity(
        people=facts.people,
        sampled=len(np.unique(tried)),
        trials=len(tried),
        m=m,
        m_is_named=m_is_named,
        linked=facts.linked,
        everything=curve([one.called for one in facts.fields]),
        known=curve(known),
        knowable=curve(knowable),
        left_out=tuple(left_out),
    )


def _drawn(people: int, trials: int, chance: np.random.Generator) -> NDArray[np.int64]:
    """The people who are tried: a sample of many people, all of few and these several times."""
    if people > trials:
        return np.sort(chance.choice(people, trials, replace=False))
    times = min(-(-trials // max(people, 1)), OFTEN)
    return np.repeat(np.arange(people), times)


def _curve(
    facts: PersonFacts, tried: NDArray[np.int64], chance: np.random.Generator
) -> UnicityCurve:
    holders = _Holders(facts)
    found = np.zeros(MOST_VALUES, np.int64)
    own = _values_of(facts, np.unique(tried))
    for person in tried.tolist():
        values = own[person]
        drawn = values[chance.permutation(len(values))[:MOST_VALUES]]
        needed = holders.values_needed(drawn)
        if needed:
            found[needed - 1 :] += 1
    longest = min(MOST_VALUES, max((len(values) for values in own.values()), default=0))
    rates = [Rate(successes=int(count), attempts=len(tried)) for count in found[: max(longest, 1)]]
    return UnicityCurve(
        fields=tuple(one.called for one in facts.fields),
        values_per_person=facts.per_person,
        rates=tuple(rates),
    )


def _values_of(facts: PersonFacts, people: NDArray[np.int64]) -> dict[int, NDArray[np.int64]]:
    """All values of some people, as pairs of the field's place and the value."""
    wanted = np.zeros(facts.people, bool)
    wanted[people] = True
    owner, place, value = [], [], []
    for number, field in enumerate(facts.fields):
        at = np.flatnonzero(wanted[field.people])
        owner.append(field.people[at].astype(np.int64))
        place.append(np.full(len(at), number, np.int64))
        value.append(np.searchsorted(field.start, at, side="right") - 1)
    if not owner:
        return {person: np.zeros((0, 2), np.int64) for person in people.tolist()}
    owners = np.concatenate(owner)
    order = np.argsort(owners, kind="stable")
    pairs = np.stack([np.concatenate(place), np.concatenate(value)], axis=1)[order]
    edges = np.searchsorted(owners[order], np.append(people, facts.people))
    return {person: pairs[edges[at] : edges[at + 1]] for at, person in enumerate(people.tolist())}


class _Holders:
    """The holders of each value: people in order for a rare one, a bit for each person for a common
    one."""

    def __init__(self, facts: PersonFacts) -> None:
        self.fields: tuple[FactField, ...] = facts.fields
        self.people = facts.people
        self.few = max(facts.people // COMMON, COMMON)
        self.bits: dict[tuple[int, int], Bits] = {}

    def values_needed(self, drawn: NDArray[np.int64]) -> int:
        """How many of these values, in their order, single one person out; 0 where all together do
        not."""
        left: People | None = None
        bits: Bits | None = None
        for needed, (place, value) in enumerate(drawn.tolist(), start=1):
            people = self._people(place, value)
            if left is not None:
                left = self._among(left, place, value, people)
            elif len(people) <= self.few:
                left = people if bits is None else people[_is_set(bits, people)]
            else:
                more = self._bits(place, value, people)
                bits = more if bits is None else bits & more
                if int(np.bitwise_count(bits).sum()) <= self.few:
                    left = _set_places(bits)
            if left is not None and len(left) == 1:
                return needed
        return 0

    def _people(self, place: int, value: int) -> People:
        field = self.fields[place]
        return field.people[field.start[value] : field.start[value + 1]]

    def _among(self, left: People, place: int, value: int, people: People) -> People:
        """Those of the remaining people who have the value too."""
        if len(people) > self.few:
            return left[_is_set(self._bits(place, value, people), left)]
        at = np.searchsorted(people, left)
        has: NDArray[np.bool_] = people[np.minimum(at, len(people) - 1)] == left
        return left[has & (at < len(people))]

    def _bits(self, place: int, value: int, people: People) -> Bits:
        key = (place, value)
        if key not in self.bits:
            if len(self.bits) * self.people > BITS_KEPT * 8:
                self.bits.clear()
            marks = np.zeros(-(-self.people // WORD) * WORD, bool)
            marks[people] = True
            self.bits[key] = np.packbits(marks, bitorder="little").view(np.uint64)
        return self.bits[key]


def _is_set(bits: Bits, people: People) -> NDArray[np.bool_]:
    octets: NDArray[np.uint8] = bits.view(np.uint8)[people >> 3]
    found: NDArray[np.bool_] = (octets >> (people & 7) & 1) == 1
    return found


def _set_places(bits: Bits) -> People:
    """The people whose bit is set, in order; only bytes with one are unpacked."""
    octets = bits.view(np.uint8)
    used = np.flatnonzero(octets)
    inside = np.unpackbits(octets[used], bitorder="little").reshape(-1, 8)
    at, bit = np.nonzero(inside)
    return (used[at] * 8 + bit).astype(np.int32)
