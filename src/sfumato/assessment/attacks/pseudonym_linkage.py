"""Pseudonym linkage: two releases in which a person has the same pseudonym, joined by it.

A keyed pseudonym that is stable over releases joins a person's rows exactly, without the key. In
each release several rows may fit a person, and the person's pseudonym is in both lists. Where just
one pseudonym is in both, its rows are theirs, with all values of both releases. A newcomer's
pseudonym is one that the first release lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Engine
from sfumato.hierarchies import Label
from sfumato.measures import Marks, Records, Subject

from .attack_run import BEATS, HOLDS, AttackRun, Story, deduced, judged, unsaid
from .attack_setup import Scene, affordable
from .intersection import Second
from .rates import Rate
from .row_fit import Fits, people_for_rows, rows_for_people, weigh
from .value_guess import NEARLY_ALL

NAME, NEWCOMERS = "pseudonyms", "pseudonyms of newcomers"
VALUES, CHANGED = "joined values", "changed pseudonyms"
TITLES = {
    CHANGED: "Pseudonyms: which rows were added, and which removed?",
    NAME: "Pseudonyms: do two releases together identify the person of a row?",
    NEWCOMERS: "Pseudonyms: is the newcomer's row the one with a new pseudonym?",
}
Places = NDArray[np.int64]


def shared_pseudonyms(
    first: Engine, second: Engine, *, apart_from: Sequence[str]
) -> tuple[str, ...]:
    """The fields that name each row of either release once, and that have values in common. They
    are found without being named."""
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
        f"They look among the rows whose {name} is new for those that fit, and claim the row "
        "if exactly one does."
        if newcomers
        else f"They list the {name} of all rows that fit in either release, and claim the one "
        "that is on both lists."
    )
    return Story(
        attacker=f"Somebody who has received two releases with the same {name} for the same person.",
        knows="A person's true values of "
        f"{scene.known_words}{', and that they joined in between' * newcomers}.",
        tries=tries,
        guess="A row picked blindly for each person.",
    )


def pseudonym_linkage(scene: Scene, second: Second, name: str) -> AttackRun:
    """Claim a person's rows wherever just one pseudonym fits in both releases."""
    told = story(scene, name, newcomers=False)
    if scene.subject.source is None:
        return unsaid(
            f"{NAME}:{name}",
            TITLES[NAME],
            told,
            reason="without the source, no claim can be checked",
        )
    join = _join(scene, second, name)
    claimed = _only_one(_both(*join.fits), len(join.people))
    who = np.flatnonzero(claimed >= 0)
    rows = join.pairs[claimed[who]]
    everyone = Bins.count(scene.subject.source, join.people.fields)
    owners = _both(
        people_for_rows(scene.subject, _records(join.mine, scene.known, rows[:, 0]), everyone),
        people_for_rows(join.other, _records(join.theirs, join.other.known, rows[:, 1]), everyone),
    )
    could_be = np.zeros(len(who), np.int64)
    for part, found in owners:
        could_be[part] = weigh(found, everyone.counts)
    return _judged(
        scene,
        f"{NAME}:{name}",
        TITLES[NAME],
        told,
        could_be,
        len(join.people),
        rows=len(join.pairs),
    )


def joined_values(scene: Scene, second: Second, name: str, value: str) -> AttackRun:
    """Claim a sensitive value wherever all pseudonyms that fit a person in both releases agree on
    it."""
    full, title = (
        f"{VALUES}:{value}",
        f"Pseudonyms: do two releases that are joined disclose {value}?",
    )
    told = story(scene, name, newcomers=False)
    if scene.subject.source is None:
        return unsaid(full, title, told, reason="without the source, no claim can be checked")
    join = _join(scene, second, name, value=value)
    labels, codes = (
        join.mine.labels[join.mine.column(value)],
        join.mine.codes[join.pairs[:, 0], join.mine.column(value)],
    )
    said = np.zeros((len(join.pairs), len(labels)), np.float32)
    said[np.arange(len(codes)), codes] = 1
    claimed = np.full(len(join.people), -1, np.int64)
    for part, found in _both(*join.fits):
        values = found.astype(np.float32) @ said > 0
        claimed[part] = np.where(values.sum(axis=1) == 1, values.argmax(axis=1), -1)
    who = np.flatnonzero(claimed >= 0)
    at = join.people.fields.index(value)
    truth = [join.people.labels[at][code] for code in join.people.codes[who, at].tolist()]
    right = np.array(
        [labels[label] == true for label, true in zip(claimed[who].tolist(), truth, strict=True)],
        bool,
    )
    shares = said.sum(axis=0) / max(len(said), 1)
    is_telling = shares[claimed[who]] < NEARLY_ALL
    guess = float(shares.max()) if len(shares) else 0.0
    return judged(
        full,
        title,
        told,
        claims=len(who),
        rate=Rate(successes=int(right.sum()), attempts=len(join.people)),
        baseline=Rate(successes=round(guess * len(who)), attempts=len(join.people)),
        certain=int(is_telling.sum()) if right.all() else 0,
        guess=guess,
    )


def changed_pseudonyms(scene: Scene, second: Second, name: str) -> AttackRun:
    """Count the rows whose pseudonym is new or gone, and whose known values no other of these has.
    An attacker who knows that the person joined or left, and their known values, knows the row."""
    full, told = f"{CHANGED}:{name}", story(scene, name, newcomers=True)
    other = second.own(scene)
    one, two = _rows(scene.subject, name), _rows(other, name)
    certain = moved = 0
    for here, there in ((two, one), (one, two)):
        elsewhere = set(_values(there))
        gone = [
            at
            for at, value in enumerate(_values(here))
            if value is not None and value not in elsewhere
        ]
        tuples = Counter(map(tuple, here.codes[gone, :-1].tolist()))
        moved += len(gone)
        certain += sum(1 for rows in tuples.values() if rows == 1)
    reason = (
        f"{certain:,} rows that were added or removed are unique among these"
        if certain
        else "no such row is unique"
    )
    return deduced(
        full,
        TITLES[CHANGED],
        told,
        attempts=moved,
        certain=certain,
        outcome=BEATS if certain else HOLDS,
        reason=reason,
        got=f"{moved:,} pseudonyms were added or removed; {certain:,} of their rows identify "
        "the person.",
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Join:
    """Two releases joined by a pseudonym: `pairs` are their rows of the same one, `fits` which fit
    `people`."""

    other: Subject
    people: Records
    mine: Bins
    theirs: Bins
    pairs: Places
    fits: tuple[Fits, Fits]


def _join(scene: Scene, second: Second, name: str, *, value: str = "") -> _Join:
    """Join the releases, each over its own known fields, for people with their values of all."""
    source = scene.subject.source
    assert source is not None
    other = second.own(scene)
    more = (value,) if value else ()
    fields = tuple(dict.fromkeys((*scene.known, *other.known, *more)))
    mine = Bins.count(scene.subject.release, (*scene.known, *more, name))
    theirs = _rows(other, name)
    place = {own: at for at, own in enumerate(_values(theirs)) if own is not None}
    found = [(at, place[own]) for at, own in enumerate(_values(mine)) if own in place]
    pairs = np.array(found, np.int64).reshape(-1, 2)
    people = Records.of(source, fields).drawn(
        affordable(len(pairs)), scene.chance(f"who of {name}")
    )
    fits = (
        _some(rows_for_people(scene.subject, people, mine, scene.known), pairs[:, 0]),
        _some(rows_for_people(other, people, theirs, other.known), pairs[:, 1]),
    )
    return _Join(other=other, people=people, mine=mine, theirs=theirs, pairs=pairs, fits=fits)


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
    return _judged(
        scene,
        f"{NEWCOMERS}:{name}",
        TITLES[NEWCOMERS],
        told,
        could_be,
        len(newcomers),
        rows=after.rows,
    )


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
    """The pseudonym of each row, which is the last field of its bin."""
    labels = bins.labels[-1]
    return [labels[code] for code in bins.codes[:, -1].tolist()]


def _some(fits: Fits, items: Places) -> Fits:
    return Fits(marks=fits.marks, asked=fits.asked, items=fits.items[items])


def _records(bins: Bins, fields: Sequence[str], items: Places) -> Records:
    columns = [bins.column(field) for field in fields]
    return Records(
        tuple(fields),
        tuple(bins.labels[column] for column in columns),
        bins.codes[items][:, columns],
    )


def _both(one: Fits, other: Fits) -> Iterator[tuple[slice, Marks]]:
    """The fits in both, for those who ask the same about the same items."""
    for (part, found), (_, again) in zip(one.batches(), other.batches(), strict=True):
        yield part, found & again


def _only_one(batches: Iterator[tuple[slice, Marks]], people: int) -> Places:
    """The item that fits each person where just one does, else -1."""
    claimed = np.full(people, -1, np.int64)
    for part, found in batches:
        claimed[part] = np.where(
            found.sum(axis=1) == 1, found.argmax(axis=1) if found.shape[1] else -1, -1
        )
    return claimed
