"""People whose keys differ in spelling alone: one person would count as two.

A people record has keyed numbers for each person: one of the key, and one of each reading of it. A
newcomer with a reading of somebody known may be that person. Nobody but the holder can say so, in a
declaration of the people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Mistake
from sfumato.releases import PeopleRecord
from sfumato.wording import counted

from .people_links import KeySpelling
from .registered_release import RegisteredRelease

Tags = NDArray[np.uint64]
Places = NDArray[np.int64]
UNCOMPARED: Final = "spellings of its person keys were not compared"
_ASKED: Final = "A release was judged with its people record."
_ONE_SPELLING: Final = "the release again from a source with one spelling per person."


@dataclass(frozen=True, eq=False, kw_only=True)
class KnownPeople:
    """Everybody whom a register knows, by number: the keyed numbers of their keys, and of the
    readings of each, the first of which fills the row. `is_whole` is whether all releases kept the
    readings."""

    tags: Tags = field(repr=False)
    readings: Tags = field(repr=False)
    is_whole: bool = True

    @classmethod
    def of(cls, releases: Sequence[RegisteredRelease], part: Callable[[str], NDArray[Any]]) -> Self:
        """The people of releases, which `part` reads by its digest."""
        tags, readings = [np.zeros(0, np.uint64)], [np.zeros((0, 2), np.uint64)]
        known = [each for each in releases if "tags" in each.parts]
        whole = True
        for each in known:
            tags.append(part(each.parts["tags"]))
            if "readings" in each.parts:
                readings.append(part(each.parts["readings"]))
            else:  # Numbers of keys are no readings: nobody looks like these people.
                readings.append(np.stack([tags[-1], tags[-1]], axis=1))
                whole = whole and not len(tags[-1])
        wide = max(each.shape[1] for each in readings)
        return cls(
            tags=np.concatenate(tags),
            readings=np.concatenate([_widened(each, wide) for each in readings]),
            is_whole=whole,
        )

    def settled(self, record: PeopleRecord, rule: KeySpelling | None) -> PeopleRecord:
        """The record with people as they are known. Raises Mistake where keys differ in spelling
        alone, and nobody declared what that means."""
        if rule is KeySpelling.DISTINCT or not record.people:
            return record
        if record.readings is None or not self.is_whole:
            record = replace(record, not_judged=(*record.not_judged, UNCOMPARED))
        if record.readings is None:
            return record
        within = _alike_within(record.readings)
        newcomers = np.flatnonzero(~_present(record.tags, self.tags))
        who, like = self._like(record.readings[newcomers])
        if not within and not len(who):
            return record
        if rule is KeySpelling.SAME and not within:
            return self._renamed(record, newcomers[who], like)
        raise Mistake(
            _ASKED,
            found=_words(within, len(np.unique(who))),
            attempt=f"sfumato register people … --source SOURCE={record.person} --spelling distinct "
            "where these are different people; "
            + (
                f"otherwise {_ONE_SPELLING}"
                if within
                else "--spelling same where they are the same."
            ),
        )

    def unsettled(self, record: PeopleRecord, rule: KeySpelling | None) -> str:
        """Why a record cannot be compared by its keys, in words; empty where it can."""
        try:
            self.settled(record, rule)
        except Mistake as error:
            return error.found.rstrip(".")
        return ""

    def _like(self, readings: Tags) -> tuple[Places, Places]:
        """Pairs of people who look alike: the places of newcomers, and those of known people."""
        if not len(readings) or not len(self.readings):
            none = np.zeros(0, np.int64)
            return none, none
        mine, theirs = readings[:, 0], self.readings[:, 0]
        pairs = [_equal_pairs(mine, column) for column in self.readings.T]
        pairs += [_equal_pairs(column, theirs) for column in readings.T[1:]]
        every = np.unique(np.concatenate(pairs), axis=0)
        return every[:, 0], every[:, 1]

    def _renamed(self, record: PeopleRecord, who: Places, like: Places) -> PeopleRecord:
        """The record with the known number of each person who is spelled otherwise in it."""
        tags = record.tags.copy()
        tags[who] = self.tags[like]
        if len(np.unique(who)) < len(who) or len(np.unique(tags)) < len(tags):
            raise Mistake(
                _ASKED,
                found="Two people of it, or of earlier releases, have keys that differ from one key "
                "in spelling alone.",
                attempt=_ONE_SPELLING,
            )
        return record.renumbered(tags)


def _alike_within(readings: Tags) -> int:
    """How many people of a record look like another one of it."""
    first, further = readings[:, 0], readings[:, 1:]
    is_other = further != first[:, None]
    names = np.sort(first)
    twice = names[1:][names[1:] == names[:-1]]
    others = np.sort(further[is_other])  # np.unique is slower by far.
    others = others[np.append(True, others[1:] != others[:-1])[: len(others)]]
    both = np.concatenate([names, others])
    both.sort(kind="stable")  # Two runs that are sorted already.
    both = np.setdiff1d(both[1:][both[1:] == both[:-1]], twice)
    if not len(twice) and not len(both):
        return 0
    of_two = (is_other & np.isin(further, np.concatenate([both, twice]))).any(axis=1)
    return int((np.isin(first, np.concatenate([twice, both])) | of_two).sum())


def _widened(readings: Tags, wide: int) -> Tags:
    """Readings with further columns, which say nothing new."""
    first = readings[:, :1]
    return np.concatenate([readings, *[first] * (wide - readings.shape[1])], axis=1)


def _equal_pairs(mine: Tags, theirs: Tags) -> Places:
    """The places of equal numbers, in pairs."""
    order = np.argsort(theirs, kind="stable")
    start = np.searchsorted(theirs, mine, sorter=order)
    many = np.searchsorted(theirs, mine, sorter=order, side="right") - start
    who = np.repeat(np.arange(len(mine)), many)
    step = np.arange(len(who)) - np.repeat(np.cumsum(many) - many, many)
    return np.stack([who, order[np.repeat(start, many) + step]], axis=1)


def _present(ordered: Tags, among: Tags) -> NDArray[np.bool_]:
    """Which of some numbers, in ascending order and each once, are among others."""
    found = np.zeros(len(ordered), bool)
    if len(ordered):
        place = np.minimum(np.searchsorted(ordered, among), len(ordered) - 1)
        found[place[ordered[place] == among]] = True
    return found


def _words(within: int, across: int) -> str:
    parts = []
    if across:
        parts.append(
            f"{counted(across, 'person has a key', 'people have keys')} that differ from keys of "
            "earlier releases in spelling alone"
            if across > 1
            else "1 person has a key that differs from a key of earlier releases in spelling alone"
        )
    if within:
        parts.append(f"{within:,} of its people have keys that differ in spelling alone")
    return (
        f"{', and '.join(parts)} (case, accents, script, blanks, marks, "
        "leading zeros, or the form of a number or a date). "
        "One person would count as two."
    )
