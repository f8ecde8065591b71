"""Intervals between dates: how many people the days between two of their dates single out.

Somebody knows of a person how many days passed between two events, such as two visits or the days in
hospital, and needs no date. A person is found where nobody else in the release has this interval
between the same fields. Shifted dates keep it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.surveys import DateEvents, Interval

from ..attacks.rates import Rate

TRIALS = 2_000
MOST_PEOPLE = 1_000_000
"""Of more people, so many are compared: fewer people have fewer equals, which overstates the
share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalFindings:
    """The share of people whom one random interval between two of their dates finds. It is given
    for all dates, for known ones, and for these with the insensitive ones. `two` is the share whom
    two intervals of all dates find. `people` have two dates or more, out of `of`."""

    fields: tuple[str, ...]
    people: int
    of: int
    linked: bool
    everything: Rate
    two: Rate
    known: Rate
    knowable: Rate

    def as_dict(self) -> dict[str, Any]:
        return {
            "fields": list(self.fields),
            "people_with_two_dates": self.people,
            "people": self.of,
            "linked_rows": self.linked,
            "everything": self.everything.as_dict(),
            "two_intervals": self.two.as_dict(),
            "known": self.known.as_dict(),
            "knowable": self.knowable.as_dict(),
        }


def interval_findings(
    events: DateEvents,
    *,
    known: Collection[str],
    knowable: Collection[str],
    linked: bool,
    chance: np.random.Generator,
) -> IntervalFindings | None:
    """Try random people with a random interval of theirs; None where nobody has two dates."""
    people = events.have_two
    if not len(people):
        return None
    if len(people) > MOST_PEOPLE:
        people = np.sort(chance.choice(people, MOST_PEOPLE, replace=False))
    held = {person: events.intervals(person) for person in people.tolist()}
    owners: Counter[Interval] = Counter(one for intervals in held.values() for one in intervals)
    tried = chance.permutation(people)[:TRIALS].tolist()

    def found(fields: Collection[str]) -> Rate:
        """By one random interval between two of these fields."""
        hits = attempts = 0
        for person in tried:
            own = [one for one in held[person] if one[0] in fields and one[1] in fields]
            attempts += 1
            hits += bool(own) and owners[own[int(chance.integers(len(own)))]] == 1
        return Rate(successes=hits, attempts=attempts)

    every = found(events.kinds)
    return IntervalFindings(
        fields=events.kinds,
        people=len(people),
        of=events.people,
        linked=linked,
        everything=every,
        two=_by_two(held, tried, chance),
        known=every if linked else found(known),
        knowable=every if linked else found(knowable),
    )


def _by_two(
    held: dict[int, tuple[Interval, ...]], tried: list[int], chance: np.random.Generator
) -> Rate:
    """By two random intervals at once; by the one where somebody has no more."""
    who: dict[Interval, set[int]] = {}
    for person, intervals in held.items():
        for one in intervals:
            who.setdefault(one, set()).add(person)
    hits = 0
    for person in tried:
        own = held[person]
        drawn = [own[place] for place in chance.permutation(len(own))[:2].tolist()]
        left = who[drawn[0]]
        for one in drawn[1:]:
            left = left & who[one]
        hits += len(left) == 1
    return Rate(successes=hits, attempts=len(tried))
