"""Linkage by intervals: a person is matched by the days between two events (Garfinkel 2016, section
3.2.)"""

from __future__ import annotations

import numpy as np

from sfumato.surveys import DateEvents, Interval

from .attack_run import AttackRun, Story, judged, unsaid
from .rates import Rate

NAME, TITLE = "intervals", "Intervals: who came back after so many days?"
TARGETS = 2_000
MOST_PEOPLE = 1_000_000

STORY = Story(
    attacker="Somebody who was there twice, such as a colleague, a neighbour or an insurer.",
    knows="Of a person how many days passed between two events, and that they are in the release. "
    "They need no date, so dates that were shifted do not hinder them.",
    tries="They look for who in the release has two such dates that far apart, and claim the person "
    "where just one has.",
    guess="The same with the days between a date of one person and a date of another.",
)


def interval_linkage(
    release: DateEvents, source: DateEvents, *, chance: np.random.Generator
) -> AttackRun:
    """Look for one interval of each of some people of the source.

    A claim is right if all released intervals of the claimed person are the person's own. No more
    can be known where keys were replaced. The baseline takes the two dates from two people, so that
    it matches only by chance."""
    people = source.have_two
    if not len(people) or not len(release.have_two):
        return unsaid(NAME, TITLE, STORY, reason="nobody has two whole days")
    held, owners = _owners(release)
    targets = chance.permutation(people)[:TARGETS].tolist()
    strangers = chance.permutation(people)[: len(targets)].tolist()
    claims = right = by_chance = 0
    for person, stranger in zip(targets, strangers, strict=True):
        own = source.intervals(person)
        drawn = own[int(chance.integers(len(own)))]
        found = owners.get(drawn, ())
        claims += len(found) == 1
        right += len(found) == 1 and held[found[0]] <= set(own)
        mixed = _mixed(source, person, stranger, chance)
        found = owners.get(mixed, ())
        by_chance += len(found) == 1 and held[found[0]] <= {*own, mixed}
    return judged(
        NAME,
        TITLE,
        STORY,
        claims=claims,
        rate=Rate(successes=right, attempts=len(targets)),
        baseline=Rate(successes=by_chance, attempts=len(targets)),
        guess=by_chance / len(targets),
    )


def _owners(
    release: DateEvents,
) -> tuple[dict[int, set[Interval]], dict[Interval, tuple[int, ...]]]:
    """The intervals of each released person, and up to two who have each interval."""
    held: dict[int, set[Interval]] = {}
    owners: dict[Interval, tuple[int, ...]] = {}
    for person in release.have_two[:MOST_PEOPLE].tolist():
        held[person] = set(release.intervals(person))
        for one in held[person]:
            owners[one] = (*owners.get(one, ()), person)[:2]
    return held, owners


def _mixed(source: DateEvents, person: int, stranger: int, chance: np.random.Generator) -> Interval:
    """From a date of one person to a date of another, of the kinds of an interval of the first."""
    own = source.intervals(person)
    first, second, _ = own[int(chance.integers(len(own)))]
    one = _day(source, person, source.kinds.index(first), chance)
    other = _day(source, stranger, source.kinds.index(second), chance)
    days = other - one
    return first, second, abs(days) if first == second else days


def _day(source: DateEvents, person: int, kind: int, chance: np.random.Generator) -> int:
    """A random date of this kind of a person; any where they have none."""
    first, last = source.edges[person : person + 2].tolist()
    places = [place for place in range(first, last) if source.kind[place] == kind]
    places = places or list(range(first, last))
    return int(source.day[places[int(chance.integers(len(places)))]])
