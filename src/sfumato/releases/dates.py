"""Shifting dates: all dates of one person move together by a keyed random number of days (Garfinkel
2016, section 4.3.3).

With intervals kept, the days between a person's dates stay as they are, and so does what can be
inferred from them. With intervals perturbed, each gap between a person's successive dates, over all
their shifted fields, changes by at most a fifth of itself. It may change by one day where a fifth
is less, and never changes by more than `days`. The order of events stays, equal dates stay equal, a
gap of one day stays one, and gaps are as long as before on average. The changes add up along a
life, so that a late date may have moved by more than `days`.

The time of day is kept, and with `weekdays` the day of the week: dates then move by whole weeks, of
which there are fewer. With `holidays`, a person's shift is drawn from those that take each of their
holidays to a holiday and no other day to one. Where fewer than eight do, the person's dates move by
whole weeks, and holidays are not kept: too few shifts could be guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Engine, Lookup
from sfumato.errors import Bug, PolicyError, Problem
from sfumato.hierarchies import Label
from sfumato.keys import Key, key_words
from sfumato.policy import DateShift, Intervals

from .holiday_calendar import HolidayCalendar

BATCH = 65_536
LARGEST_PART = 5  # A gap changes by at most one part in five.
FIRST_DAY, LAST_DAY = date.min.toordinal(), date.max.toordinal()
YEAR = 366
FEWEST_SHIFTS = 8
"""The fewest shifts that keep a person's holidays, of which one is drawn."""
WEEK = 7

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_TIME = re.compile(r"[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d(?::?\d\d){0,2})?", re.ASCII)


def shift_lookups(
    engine: Engine, shifts: Mapping[str, DateShift], *, key: Key | None
) -> tuple[Lookup, ...]:
    """One lookup for each shifted field, from the person and the old date to the new date.

    The source is read once before anything is made. Values that are no dates, dates without a
    person and dates at the ends of the calendar are refused together, with their numbers."""
    _check_policy(shifts)
    _check_source(engine, shifts)
    _check_holidays(engine, shifts)
    root = key or Key.generate()
    return tuple(
        _lookup(
            engine,
            name,
            shift=shift,
            fields=_moving_with(name, shifts),
            key=root.derive("dates", shift.per),
        )
        for name, shift in shifts.items()
    )


def describe_shift(shift: DateShift, *, kept: bool) -> str:
    """The manifest's words about a shifted field; `kept` is whether the key was the holder's."""
    gaps = "perturbed by up to a fifth" if shift.intervals is Intervals.PERTURB else "kept"
    far = f"1 to {shift.days // WEEK} whole weeks" if shift.weekdays else f"1 to {shift.days} days"
    holidays = (
        f"holidays stay holidays, or by whole weeks where fewer than {FEWEST_SHIFTS} shifts keep them, "
        if shift.holidays
        else ""
    )
    return (
        f"shifted by {far} either way, the same for all dates of one {shift.per}, {holidays}"
        f"intervals {gaps}, {key_words(kept=kept)}"
    )


def offset(key: Key, person: str, *, shift: DateShift) -> int:
    """The person's shift in days: from -days to days without 0, each equally likely (to one part in
    2^200); of those, whole weeks where weekdays are kept.

    Example:
        >>> key = Key(bytes(range(32)))
        >>> offset(key, "Ada", shift=DateShift(days=30, per="person", weekdays=True))
        -7
    """
    unit = WEEK if shift.weekdays else 1
    most = shift.days // unit
    number = int.from_bytes(key.digest(b"offset:" + _bytes(person)), "big") % (2 * most)
    return unit * (number - most if number < most else number - most + 1)


def offset_beside(key: Key, person: str, days: Sequence[int], *, shift: DateShift) -> int:
    """The person's shift in days, which depends on their dates where holidays are kept."""
    if not shift.holidays:
        return offset(key, person, shift=shift)
    kept = _keeping_holidays(days, shift)
    if len(kept) < FEWEST_SHIFTS:
        return offset(key, person, shift=replace(shift, weekdays=True))
    number = int.from_bytes(key.digest(b"holidays:" + _bytes(person)), "big")
    return int(kept[number % len(kept)])


def _keeping_holidays(days: Sequence[int], shift: DateShift) -> NDArray[np.int64]:
    """The shifts that take a person's holidays to holidays, and no other day to one."""
    unit = WEEK if shift.weekdays else 1
    most = shift.days // unit
    offsets = unit * np.array([*range(-most, 0), *range(1, most + 1)], np.int64)
    return HolidayCalendar.of(shift.holidays).kept(np.array(days, np.int64), offsets)


def moved_days(key: Key, person: str, old: Iterable[int], *, shift: DateShift) -> dict[int, int]:
    """The new day of each of a person's days, as day numbers; order is kept.

    Example:
        >>> key = Key(bytes(range(32)))
        >>> moved_days(key, "Ada", [10_000, 10_007], shift=DateShift(days=30, per="person"))
        {10000: 9977, 10007: 9984}
    """
    days = sorted(old)
    by = offset_beside(key, person, days, shift=shift)
    if shift.intervals is Intervals.KEEP or not days:
        return {day: day + by for day in days}
    out = {days[0]: days[0] + by}
    for before, after in pairwise(days):
        out[after] = (
            out[before] + after - before + _change(key, person, (before, after), most=shift.days)
        )
    if out[days[-1]] > LAST_DAY:
        found = "the perturbed dates of a person would run past the end of the calendar."
        raise PolicyError([Problem(where="shift", found=found, attempt='intervals = "keep".')])
    return out


def _change(key: Key, person: str, gap: tuple[int, int], *, most: int) -> int:
    """By how many days a gap changes, each number equally likely, so that it keeps its length on
    average."""
    length = gap[1] - gap[0]
    bound = min(max(1, length // LARGEST_PART), length - 1, most)
    place = b"".join(day.to_bytes(4, "big") for day in gap)
    number = int.from_bytes(key.digest(b"gap:" + place + _bytes(person)), "big")
    return number % (2 * bound + 1) - bound


def _moving_with(name: str, shifts: Mapping[str, DateShift]) -> tuple[str, ...]:
    """The fields whose dates decide where the dates of `name` go, that field first."""
    if not shifts[name].is_by_dates:
        return (name,)
    return (
        name,
        *(other for other in shifts if other != name and shifts[other].per == shifts[name].per),
    )


def _lookup(
    engine: Engine, name: str, *, shift: DateShift, fields: tuple[str, ...], key: Key
) -> Lookup:
    columns = (f"key:{shift.per}", f"key:{name}", f"new:{name}")

    def batches() -> Iterator[Mapping[str, NDArray[Any]]]:
        entries: list[tuple[Label, Label, Label]] = []
        for person, rows in groupby(_rows(engine, (shift.per, *fields)), key=itemgetter(0)):
            entries += _entries(person, list(rows), shift=shift, key=key)
            if len(entries) >= BATCH:
                yield _columns(columns, entries)
                entries = []
        if entries:
            yield _columns(columns, entries)

    return Lookup(keys=(shift.per, name), fields=(name,), batches=batches)


def _entries(
    person: Label, rows: Sequence[tuple[Label, ...]], *, shift: DateShift, key: Key
) -> Iterator[tuple[Label, Label, Label]]:
    """One person's entries. A row is the person and then dates, of which the first is the field
    looked up.

    The rows of one person follow each other in whatever order an engine has, so only equality is
    relied on."""
    texts = {text for row in rows for text in row[1:] if text is not None}
    if person is None and texts:
        raise Bug("a date without a person passed the check.")
    days = {text: _day_of(text) for text in texts}
    moved = moved_days(
        key, person or "", {day for day in days.values() if day is not None}, shift=shift
    )
    for text in dict.fromkeys(row[1] for row in rows):
        day = None if text is None else days[text]
        if text is not None and day is None:
            raise Bug("a value that is no date passed the check.")
        yield person, text, None if text is None or day is None else _iso(moved[day]) + text[10:]


def _rows(engine: Engine, fields: Sequence[str]) -> Iterator[tuple[Label, ...]]:
    for batch in engine.distinct(fields):
        yield from zip(*(batch[name].tolist() for name in fields), strict=True)


def _columns(names: Sequence[str], entries: Sequence[tuple[Label, ...]]) -> dict[str, NDArray[Any]]:
    out: dict[str, NDArray[Any]] = {}
    for name, values in zip(names, zip(*entries, strict=True), strict=True):
        out[name] = np.empty(len(values), dtype=object)
        out[name][:] = values
    return out


def _check_policy(shifts: Mapping[str, DateShift]) -> None:
    problems = []
    first: dict[str, tuple[str, DateShift]] = {}
    for name, shift in shifts.items():
        where = f"fields.{name}.shift"
        if shift.days < 1:
            problems.append(
                Problem(where=f"{where}.days", found=f"{shift.days} days.", attempt="at least 1.")
            )
        if shift.weekdays and shift.days < WEEK:
            problems.append(
                Problem(
                    where=f"{where}.days",
                    found=f"weekdays are kept by whole weeks, and {shift.days} days hold none.",
                    attempt="days = 182.",
                )
            )
        if shift.per == name:
            found = "a field cannot name the person of its own dates."
            problems.append(
                Problem(
                    where=f"{where}.per", found=found, attempt="the field that names the person."
                )
            )
        other, same = first.setdefault(shift.per, (name, shift))
        if same != shift:
            found = (
                f"dates of one {shift.per} move together, but {other} asks for other days or "
                "intervals."
            )
            problems.append(
                Problem(where=where, found=found, attempt="the same days and intervals for both.")
            )
    if problems:
        raise PolicyError(problems)


def _check_source(engine: Engine, shifts: Mapping[str, DateShift]) -> None:
    problems: list[Problem] = []
    for name, shift in shifts.items():
        margin = max(shift.days, YEAR)
        total = strangers = orphans = ends = 0
        for person, text in _rows(engine, (shift.per, name)):
            if text is None:
                continue
            day = _day_of(text)
            total += 1
            strangers += day is None
            orphans += person is None
            ends += day is not None and not FIRST_DAY + margin <= day <= LAST_DAY - margin
        problems += _problems(
            name, shift, total=total, strangers=strangers, orphans=orphans, ends=ends
        )
    if problems:
        raise PolicyError(problems)


def _check_holidays(engine: Engine, shifts: Mapping[str, DateShift]) -> None:
    """Refuse a shift that keeps the holidays of fewer than half of all people, or of those who have
    a holiday: for the others, every shift to no holiday does."""
    for name, shift in shifts.items():
        if not shift.holidays:
            continue
        people, kept = [0, 0], [0, 0]
        fields = (shift.per, *_moving_with(name, shifts))
        for _, rows in groupby(_rows(engine, fields), key=itemgetter(0)):
            texts = {text for row in rows for text in row[1:] if text is not None}
            days = [day for text in texts if (day := _day_of(text)) is not None]
            if days:
                has_any = HolidayCalendar.of(shift.holidays).has_any(np.array(days, np.int64))
                people[has_any] += 1
                kept[has_any] += len(_keeping_holidays(days, shift)) >= FEWEST_SHIFTS
        whom = {"people": (sum(people), sum(kept)), "people with a holiday": (people[1], kept[1])}
        found = [
            f"for {some:,} of {all_:,} {who} {FEWEST_SHIFTS} shifts or more keep all holidays."
            for who, (all_, some) in whom.items()
            if 2 * some < all_
        ]
        if found:
            rather = (
                "holidays without weekdays"
                if shift.weekdays
                else "weekdays = true in place of holidays"
            )
            raise PolicyError(
                [
                    Problem(
                        where=f"fields.{name}.shift.holidays",
                        found=found[0],
                        attempt=f"more days, a list with all holidays of more years, or {rather}.",
                    )
                ]
            )


def _problems(
    name: str, shift: DateShift, *, total: int, strangers: int, orphans: int, ends: int
) -> Iterator[Problem]:
    where, of = f"fields.{name}.shift", f"of {total:,} distinct pairs of {shift.per} and {name}"
    if strangers:
        found = f"{strangers:,} {of} hold no ISO date or timestamp."
        yield Problem(
            where=where, found=found, attempt="a source that has them as dates, or as null."
        )
    if orphans:
        found = (
            f"{orphans:,} {of} have no {shift.per}, so it is not known which dates move together."
        )
        yield Problem(
            where=where,
            found=found,
            attempt=f"a source with {shift.per} filled in, or without those dates.",
        )
    if ends:
        found = (
            f"{ends:,} {of} are at an end of the calendar, where a placeholder would reveal "
            "the shift."
        )
        yield Problem(
            where=where, found=found, attempt="null in the source in place of such placeholders."
        )


def _day_of(text: str) -> int | None:
    """The day number of an ISO date or timestamp; None for anything else."""
    if len(text) == 10:
        return _day(text)
    return _day(text[:10]) if _TIME.fullmatch(text, 10) else None


@lru_cache(maxsize=BATCH)
def _day(text: str) -> int | None:
    try:
        return date.fromisoformat(text).toordinal() if _DATE.fullmatch(text) else None
    except ValueError:
        return None


@lru_cache(maxsize=BATCH)
def _iso(day: int) -> str:
    return date.fromordinal(day).isoformat()


def _bytes(person: str) -> bytes:
    return person.encode("utf-8", "surrogatepass")
