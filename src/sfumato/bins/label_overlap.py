"""The labels of a field that can mean the same value: ranges, sets, prefixes, `*` and blanks.

Labels are read as they are written in releases. Names of a hierarchy, such as a country and its
continent, overlap here only with themselves. A count of compatible people from these overlaps may
be too low, never too high."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import SUPPRESSED, Label

_NUMBER = r"-?\d+(?:\.\d+)?"
_CLOSED = re.compile(rf"({_NUMBER})\.\.({_NUMBER})|(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)")
_HALF_OPEN = re.compile(rf"\[({_NUMBER}), ({_NUMBER})\)")
_BELOW, _FROM = re.compile(rf"<({_NUMBER})"), re.compile(rf"≥({_NUMBER})")
_PLAIN = re.compile(_NUMBER)
_PREFIX = re.compile(r"([^*]+)(\*+)")
MOST_COMPARED = 4_000_000
"""Pairs of labels of one field that are compared; where there are more, overlaps are not known."""


@dataclass(frozen=True, slots=True)
class _Meaning:
    """The possible meaning of a label: anything; numbers from `low` to `high`; texts of a length
    that begin alike; or some values."""

    is_wild: bool = False
    low: float = math.inf
    high: float = -math.inf
    prefix: tuple[str, int] | None = None
    values: frozenset[str | None] = frozenset()

    @property
    def is_plain(self) -> bool:
        """Whether it is one value, which overlaps with no other plain value."""
        return not self.is_wild and self.prefix is None and self.low == math.inf

    def meets(self, other: _Meaning) -> bool:
        if self.is_wild or other.is_wild:
            return True
        if self.values & other.values:
            return True
        return any(
            (one.low <= two.high and two.low <= one.high)
            or any(one._holds(value) for value in two.values)
            or one._begins_like(two)
            for one, two in ((self, other), (other, self))
        )

    def _holds(self, value: str | None) -> bool:
        if value is None:
            return False
        if self.prefix is not None:
            return value.startswith(self.prefix[0]) and len(value) == self.prefix[1]
        return bool(_PLAIN.fullmatch(value)) and self.low <= float(value) <= self.high

    def _begins_like(self, other: _Meaning) -> bool:
        if self.prefix is None or other.prefix is None:
            return False
        return self.prefix[0].startswith(other.prefix[0]) and self.prefix[1] == other.prefix[1]


def overlapping(labels: Sequence[Label]) -> NDArray[np.int32] | None:
    """The pairs of labels that can be about the same value, each once, as places in `labels`; None
    where there are too many to compare.

    Example:
        >>> overlapping(["20-29", "27", "*", "31"]).tolist()
        [[0, 1], [0, 2], [1, 2], [2, 3]]
    """
    meanings = [_meaning(label) for label in labels]
    wide = [at for at, each in enumerate(meanings) if not each.is_plain or len(each.values) > 1]
    if sum(not meanings[at].is_wild for at in wide) * len(labels) > MOST_COMPARED:
        return None
    pairs = set()
    for at in wide:
        mine = meanings[at]
        for other in range(len(labels)):
            if other != at and mine.meets(meanings[other]):
                pairs.add((min(at, other), max(at, other)))
    return np.array(sorted(pairs), np.int32).reshape(-1, 2)


def _meaning(label: Label) -> _Meaning:
    if label is None or label == SUPPRESSED:
        return _Meaning(is_wild=True)
    if found := _CLOSED.fullmatch(label):
        low, high = (float(each) for each in found.groups() if each is not None)
        if low <= high:  # Otherwise it is a month, such as 2020-06.
            return _Meaning(low=low, high=high)
    if found := _HALF_OPEN.fullmatch(label):
        return _Meaning(low=float(found[1]), high=math.nextafter(float(found[2]), -math.inf))
    if found := _BELOW.fullmatch(label):
        return _Meaning(low=-math.inf, high=math.nextafter(float(found[1]), -math.inf))
    if found := _FROM.fullmatch(label):
        return _Meaning(low=float(found[1]), high=math.inf)
    if found := _PREFIX.fullmatch(label):
        return _Meaning(prefix=(found[1], len(label)))
    if label.startswith("{") and label.endswith("}"):
        return _Meaning(values=frozenset(_members(label[1:-1])))
    return _Meaning(values=frozenset((label,)))


def _members(text: str) -> list[str | None]:
    """The values of a set, of which those in quotes may hold anything."""
    (members,) = csv.reader([text], skipinitialspace=True)
    return [None if each == "null" else each for each in members]
