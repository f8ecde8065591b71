"""Values of medicine that a label names: "HR 88", "Na 138", "ASA II"; how labels and values are
written."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

from ..bids import Bid
from ..word_reading import WordReading

SURE: Final = 0.95
"""The score of a value whose label and form are those of medicine."""
BETWEEN: Final = (
    r"(?:[ \t]{0,2}[:=(]|[ \t](?:is|was|of|at|to|score|level))?[ \t]{0,3}[<>~≥≤]?[ \t]?"
)
NUMBER: Final = r"-?\d{1,4}(?:[.,]\d{1,3})?"
AFTER: Final = r"(?![\w]|[-/.,]\d)"
"""A value ends here: no further digits, as phone numbers and dates have them."""
DATED: Final = re.compile(
    r"(?:[ \t]{0,2}:)?[ \t]{1,2}(?:on )?"
    r"(?:(?:\d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d\d)|(?:19|20)\d\d-\d\d-\d\d)(?![\w/]|[.-]\d)"
    r"|(?:0?[1-9]|1[0-2])/(?:[12]\d|3[01]|0?[1-9])(?=:?[ \t]{1,2}[<>~]?\d))"
)
"""A date between a label and its value; a day and month only where a value follows."""
ROMAN: Final = r"(?:I{1,3}|IV|V|VI{0,2})[ABCabc]?[1-3]?"


@dataclass(frozen=True, slots=True, kw_only=True)
class MedicalLabels:
    """Labels and the form of the values behind them; bids are of no kind.

    `labels` are as they are written, in any case; `exact` only as written: "K", "P", "Na". Where
    values are `dated`, a date may be between label and value; no bid keeps that date."""

    detector: str
    reason: str
    value: re.Pattern[str]
    labels: frozenset[str]
    exact: frozenset[str] = frozenset()
    score: float = SURE
    dated: bool = False
    folds: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        folds = {label.lower() for label in self.exact} | self.labels
        object.__setattr__(self, "folds", frozenset(folds))

    def bids(self, read: WordReading) -> Iterator[Bid]:
        """A bid for each label with its value."""
        for place in read.places(self.folds):
            start, end = read.span(place, place)
            if read.folds[place] not in self.labels and read.text[start:end] not in self.exact:
                continue
            if self.dated and (date := DATED.match(read.text, end)):
                if found := self.value.match(read.text, date.end()):
                    span = date.end(), found.end()
                    yield Bid(*span, None, self.score, self.detector, self.reason)
            elif found := self.value.match(read.text, end):
                yield Bid(start, found.end(), None, self.score, self.detector, self.reason)


def words(text: str) -> frozenset[str]:
    """The words of a list that is written as one text."""
    return frozenset(text.split())


def has_before(read: WordReading, place: int, folds: Collection[str]) -> bool:
    """Whether one of the words is right before the place, in the same sentence."""
    return bool(place) and read.folds[place - 1] in folds and read.before(place) in (" ", ". ")
