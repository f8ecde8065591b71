"""Tallies: how many people there are in each unit, and how many of them have each value of a field.

Units are bins, or *cells*: the bins that a question and all earlier answers do not distinguish. A
question is decided on its cells, of which there are far fewer. People with several rows may be in
several units, so that numbers do not add up. Then the people themselves are kept, as numbers.
Values are those of one row of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Histogram
from sfumato.hierarchies import Codes, Label

from .protected_table import ProtectedTable

Wholes = NDArray[np.int64]
CLASS = ("class",)
"""The one field over which classes are bins."""

_SPARSE = 8
"""A table with room for every key is used up to so many places for each entry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Values:
    """Entries `(unit, value, number)`; the number counts people, or is one person's."""

    labels: tuple[Label, ...] = field(repr=False)
    unit: Wholes
    value: Codes
    number: Wholes


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The people of units. `adds_up` is whether numbers of people may be summed over units."""

    units: int
    adds_up: bool
    everyone: int
    unit: Wholes = field(repr=False)
    number: Wholes = field(repr=False)
    values: Mapping[str, _Values] = field(repr=False)

    @classmethod
    def of_people(cls, holding: ProtectedTable) -> Tally:
        """The people of a protected table's bins."""
        bins, links = len(holding.bins), holding.links
        in_bin, person = holding.bin_of, holding.person_of
        adds_up, everyone = holding.one_row_each, holding.people
        if links is not None:
            in_bin, person = links.unit, links.person
            adds_up, everyone = links.each_once, links.everyone
        unit, number = _counted(in_bin, person, bins, everyone, adds_up=adds_up)
        return cls(
            units=bins,
            adds_up=adds_up,
            everyone=everyone,
            unit=unit,
            number=number,
            values={},
        )

    @classmethod
    def of_values(cls, holding: ProtectedTable, fields: Iterable[str]) -> Tally:
        """The people who are represented in a table's bins by their own row, each in one, and their
        values there."""
        bins, (row, in_bin, person) = len(holding.bins), standing_rows(holding)
        links = holding.links
        adds_up = links is None or links.each_once
        everyone = holding.people if links is None else links.everyone
        unit, number = _counted(in_bin, person, bins, everyone, adds_up=adds_up)
        values = {}
        for name in fields:
            held = holding.fields[name]
            width = max(len(held.values), 1)
            keys = in_bin * width + held.codes[row]
            entry, count = _counted(keys, person, bins * width, everyone, adds_up=adds_up)
            values[name] = _Values(
                labels=held.values,
                unit=entry // width,
                value=(entry % width).astype(np.int32),
                number=count,
            )
        return cls(
            units=bins,
            adds_up=adds_up,
            everyone=everyone,
            unit=unit,
            number=number,
            values=values,
        )

    def merged(self, into: Wholes, count: int, fields: Iterable[str]) -> Tally:
        """The tally of coarser units: `into` has for each unit which of `count` units contains
        it."""
        unit, number = self._summed(into[self.unit], self.number, count)
        values = {}
        for name in fields:
            old = self.values[name]
            width = max(len(old.labels), 1)
            entry, number_ = self._summed(
                into[old.unit] * width + old.value, old.number, count * width
            )
            values[name] = _Values(
                labels=old.labels,
                unit=entry // width,
                value=(entry % width).astype(np.int32),
                number=number_,
            )
        return Tally(
            units=count,
            adds_up=self.adds_up,
            everyone=self.everyone,
            unit=unit,
            number=number,
            values=values,
        )

    def bins(self, classes: Wholes, fields: Iterable[str]) -> Bins:
        """Classes of units as bins that count people, with how many of them have each value of some
        fields."""
        count = int(classes.max(initial=-1)) + 1
        people = self._people(classes[self.unit], self.number, count)
        histograms = {}
        for name in fields:
            old = self.values[name]
            width = max(len(old.labels), 1)
            entry, number = self._summed(
                classes[old.unit] * width + old.value, old.number, count * width
            )
            if not self.adds_up:
                entry, number = np.unique(entry, return_counts=True)
            histograms[name] = Histogram(
                values=old.labels,
                bin_of=entry // width,
                value_of=(entry % width).astype(np.int32),
                counts=number,
            )
        unread = cast(
            tuple[str, ...], range(count)
        )  # As many labels as there are classes; nobody reads them.
        return Bins(CLASS, (unread,), np.arange(count, dtype=np.int32)[:, None], people, histograms)

    def _summed(self, keys: Wholes, numbers: Wholes, span: int) -> tuple[Wholes, Wholes]:
        """Entries with the same key as one; those of the same person, where people are kept."""
        if self.adds_up:
            return summed(keys, numbers, span)
        pairs = np.unique(keys * self.everyone + numbers)
        return pairs // self.everyone, pairs % self.everyone

    def _people(self, keys: Wholes, numbers: Wholes, count: int) -> Wholes:
        if self.adds_up:
            return np.bincount(keys, weights=numbers, minlength=count).astype(np.int64)
        pairs = np.unique(keys * self.everyone + numbers)
        return np.bincount(pairs // self.everyone, minlength=count).astype(np.int64)


def standing_rows(holding: ProtectedTable) -> tuple[Wholes, Wholes, Wholes]:
    """The rows that represent their person, with the bin and the person of each. A row is listed
    once for each joint bin that it is in."""
    rows = np.flatnonzero(holding.stands)
    if holding.links is None:
        return rows, holding.bin_of[rows], holding.person_of[rows]
    links, alone = holding.links, holding.alone
    span = len(alone.bins)
    keys = links.joint_person[alone.person_of[rows]] * span + alone.bin_of[rows]
    order = np.argsort(keys)
    pairs = links.person * span + np.maximum(links.own[links.unit], 0)
    place = np.minimum(np.searchsorted(keys[order], pairs), len(rows) - 1)
    there = (keys[order][place] == pairs) & links.present[links.unit]
    return rows[order[place[there]]], links.unit[there], links.person[there]


def _counted(
    keys: Wholes, people: Wholes, span: int, everyone: int, *, adds_up: bool
) -> tuple[Wholes, Wholes]:
    if adds_up:
        return summed(keys, np.ones(len(keys), np.int64), span)
    pairs = np.unique(keys * everyone + people)
    return pairs // everyone, pairs % everyone


def summed(keys: Wholes, numbers: Wholes, span: int) -> tuple[Wholes, Wholes]:
    """The different keys, in order, and the sum of the numbers of each; keys are below `span`.

    Example:
        >>> summed(np.array([3, 1, 3]), np.array([1, 5, 2]), 9)
        (array([1, 3]), array([5, 3]))
    """
    if span <= _SPARSE * len(keys):
        table = np.bincount(keys, weights=numbers, minlength=span)
        found = np.flatnonzero(table)
        return found, table[found].astype(np.int64)
    found, place = np.unique(keys, return_inverse=True)
    return found, np.bincount(place, weights=numbers, minlength=len(found)).astype(np.int64)


def numbered(keys: Wholes, span: int) -> tuple[Wholes, int]:
    """Equal keys numbered alike from 0, in their order, and how many different ones there are.

    Example:
        >>> numbered(np.array([30, 10, 30]), 40)
        (array([1, 0, 1]), 2)
    """
    if span <= _SPARSE * len(keys):
        there = np.zeros(span, bool)
        there[keys] = True
        rank = np.cumsum(there) - 1
        return rank[keys], int(rank[-1]) + 1 if span else 0
    found, place = np.unique(keys, return_inverse=True)
    return place.astype(np.int64), len(found)
