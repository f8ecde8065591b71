"""Pseudonym linkage: two releases in which a person has the same pseudonym, laid over one another.

A keyed pseudonym that is stable over releases joins a person's rows exactly, without the key. Each release may leave
several rows that fit a person, and the person's pseudonym is on both lists. Where just one pseudonym is on both, these
rows are theirs, with everything that either release says. A newcomer's pseudonym is one that the first release lacks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.policy.hierarchies import Label
from sfumato.sources import Engine

from ..covering import Marks
from ..subject import Records, Subject
from .fitting import Fits, people_for_rows, rows_for_people, weigh
from .intersection import Second
from .rates import Rate
from .runs import AttackRun, Story, judged, unsaid
from .scene import Scene

NAME, NEWCOMERS = "pseudonyms", "pseudonyms of newcomers"
TITLES = {
    NAME: "Pseudonyms: do two releases together say whose row is whose?",
    NEWCOMERS: "Pseudonyms: is the newcomer's row the one with a new pseudonym?",
}
Places = NDArray[np.int64]


def shared_pseudonyms(first: Engine, second: Engine, *, apart_from: Sequence[str]) -> tuple[str, ...]:
    """The fields that name each row of either release once, and that have values in common: nobody need say so."""
    here, there = ({info.name for info in engine.fields()} for engine in (first, second))
    out = []
    for name in sorted((here & there) - set(apart_from)):
        one, other = (Bins.count(engine, (name,)) for engine in (first, second))
        unique = all(len(bins) == bins.rows for bins in (one, other))
        if unique and not set(_values(one)).isdisjoint(set(_values(other)) - {None}):
            out.append(name)
    return tuple(out)


def story(scene: Scene, name: str, *, newcomers: bool) -> Story:
    tries = (
        f"They look among the rows whose {name} is new for those that fit, and claim the row where just one does."
        if newcomers
        else f"They list the {name} of all rows that fit in either release, and claim the one that is on both lists."
    )
    return Story(
        attacker=f"Somebody who has received two releases with the same {name} for the same person.",
        knows=f"A person's true values of {', '.join(scene.known)}{', and that they joined in between' * newcomers}.",
        tries=tries,
        guess="A row picked blindly for each person.",
    )


def pseudonym_linkage(scene: Scene, second: Second, name: str) -> AttackRun:
    """Claim a person's rows wherever one pseudonym is left by both releases."""
    told = story(scene, name, newcomers=False)
    if scene.targets is None or scene.people is None:
        return unsaid(f"{NAME}:{name}", TITLES[NAME], told, reason="without the source nothing is known true")
    other = second.scene(scene)
    mine, theirs = _rows(scene.subject, name), _rows(other.subject, name)
    place = {value: at for at, value in enumerate(_values(theirs))}
    pairs = [(at, place[value]) for at, value in enumerate(_values(mine)) if value is not None and value in place]
    at = np.array(pairs, np.int64).reshape(-1, 2)
    fits = (
        _some(rows_for_people(scene.subject, scene.targets, mine, scene.known), at[:, 0]),
        _some(rows_for_people(other.subject, scene.targets, theirs, other.known), at[:, 1]),
    )
    claimed = _only_one(_both(*fits), len(scene.targets))
    who = np.flatnonzero(claimed >= 0)
    rows = at[claimed[who]]
    owners = _both(
        people_for_rows(scene.subject, _records(mine, scene.known, rows[:, 0]), scene.people),
        people_for_rows(other.subject, _records(theirs, other.known, rows[:, 1]), scene.people),
    )
    could_be = np.zeros(len(who), np.int64)
    for part, found in owners:
        could_be[part] = weigh(found, scene.people.counts)
    return _judged(scene, f"{NAME}:{name}", TITLES[NAME], told, could_be, len(scene.targets), rows=len(at))


def newcomer_pseudonyms(scene: Scene, second: Second, newcomers: Records, name: str) -> AttackRun:
    """Claim a newcomer's row wherever one row with a new pseudonym fits."""
    told = story(scene, name, newcomers=True)
    other = second.scene(scene)
    before, after = set(_values(_rows(scene.subject, name))), _rows(other.subject, name)
    new = np.array([at for at, value in enumerate(_values(after)) if value not in before], np.int64)
    fits = _some(rows_for_people(other.subject, newcomers, after, other.known), new)
    claimed = _only_one(fits.batches(), len(newcomers))
    sharing = np.zeros(len(new), np.int64)
    for _, found in fits.batches():
        sharing += found.sum(axis=0)
    could_be = sharing[claimed[claimed >= 0]]
    return _judged(scene, f"{NEWCOMERS}:{name}", TITLES[NEWCOMERS], told, could_be, len(newcomers), rows=after.rows)


def _judged(
    scene: Scene, name: str, title: str, told: Story, could_be: Places, attempts: int, *, rows: int
) -> AttackRun:
    """A claim is right one time in as many as there are people whose rows these could be."""
    chance = scene.chance(name)
    right = chance.random(len(could_be)) * np.maximum(could_be, 1) < 1
    blindly = chance.random(attempts) * max(rows, 1) < 1
    return judged(
        name,
        title,
        told,
        claims=len(could_be),
        rate=Rate(successes=int(right.sum()), attempts=attempts),
        baseline=Rate(successes=int(blindly.sum()), attempts=attempts),
        certain=int((could_be == 1).sum()),
        guess=1 / max(rows, 1),
    )


def _rows(subject: Subject, name: str) -> Bins:
    """Every row of a release by itself: the known fields and its pseudonym."""
    return Bins.count(subject.release, (*subject.known, name))


def _values(bins: Bins) -> list[Label]:
    """The pseudonym of each row, which is the last field."""
    labels = bins.labels[-1]
    return [labels[code] for code in bins.codes[:, -1].tolist()]


def _some(fits: Fits, items: Places) -> Fits:
    return Fits(marks=fits.marks, asked=fits.asked, items=fits.items[items])


def _records(bins: Bins, fields: Sequence[str], items: Places) -> Records:
    columns = [bins.column(field) for field in fields]
    return Records(tuple(fields), tuple(bins.labels[column] for column in columns), bins.codes[items][:, columns])


def _both(one: Fits, other: Fits) -> Iterator[tuple[slice, Marks]]:
    """What fits in both, for those who ask the same about the same items."""
    for (part, found), (_, again) in zip(one.batches(), other.batches(), strict=True):
        yield part, found & again


def _only_one(batches: Iterator[tuple[slice, Marks]], people: int) -> Places:
    """The item that fits each person where just one does, else -1."""
    claimed = np.full(people, -1, np.int64)
    for part, found in batches:
        claimed[part] = np.where(found.sum(axis=1) == 1, found.argmax(axis=1) if found.shape[1] else -1, -1)
    return claimed
