"""Errors that people make in writing: a letter, a few days, a number or two. For attackers whose
knowledge is not exact."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np

from sfumato.hierarchies import Label
from sfumato.measures import Records, as_days, as_number

from .field_scale import measure_of

DAYS = 7
"""A date is written down wrongly by up to so many days, a number by up to two in a hundred of its
field's range."""
SHARE = 0.02


def blurred(people: Records, fields: Sequence[str], *, chance: np.random.Generator) -> Records:
    """The same people with one of `fields` written down wrongly in each, a field that is not empty
    where there is one.

    Example:
        >>> people = Records(("name",), (("Robert",),), np.zeros((1, 1), np.int32))
        >>> other = blurred(people, ("name",), chance=np.random.default_rng(1))
        >>> other.labels[0] == ("Robert",), abs(len(other.labels[0][0]) - 6) <= 1
        (False, True)
    """
    columns = [people.fields.index(name) for name in fields]
    wrong = (
        np.array(columns)[chance.integers(len(columns), size=len(people))]
        if columns
        else np.zeros(0, int)
    )
    labels: list[tuple[Label, ...]] = []
    codes = people.codes.copy()
    for at in range(len(people.fields)):
        who = np.flatnonzero(wrong == at)
        index = {label: code for code, label in enumerate(people.labels[at])}
        change = _Slip(people.labels[at], chance=chance)
        for number in who.tolist():
            label = people.labels[at][people.codes[number, at]]
            if label is not None:
                codes[number, at] = index.setdefault(change(label), len(index))
        labels.append(tuple(index))
    return Records(people.fields, tuple(labels), codes)


class _Slip:
    """How a value of one field is written down wrongly, by what the field holds."""

    def __init__(self, values: Sequence[Label], *, chance: np.random.Generator) -> None:
        self.chance = chance
        self.measure = measure_of(values)
        numbers = (
            [as_number(value) for value in values if value is not None]
            if self.measure is as_number
            else []
        )
        known = [number for number in numbers if number is not None]
        self.step = max((max(known) - min(known)) * SHARE, 1.0) if known else 1.0

    def __call__(self, value: str) -> str:
        if self.measure is as_days:
            return self._date(value)
        if self.measure is as_number:
            return self._number(value)
        return self._text(value)

    def _date(self, value: str) -> str:
        by = timedelta(
            days=int(self.chance.integers(1, DAYS + 1)) * int(self.chance.choice((-1, 1)))
        )
        day = date(1970, 1, 1) + timedelta(days=int(np.floor(as_days(value) or 0)))
        return (day + by if date.min - day < by < date.max - day else day - by).isoformat()

    def _number(self, value: str) -> str:
        by = int(np.ceil(self.chance.random() * self.step)) * int(self.chance.choice((-1, 1)))
        number = (as_number(value) or 0.0) + by
        return str(int(number)) if number == int(number) else repr(number)

    def _text(self, value: str) -> str:
        """A letter omitted, doubled, swapped with the next or replaced; the result always differs
        from the value."""
        at = int(self.chance.integers(len(value))) if value else 0
        letter = value[at : at + 1]
        another = chr(ord("a") + int(self.chance.integers(26)))
        ways = (
            value[:at] + value[at + 1 :],
            value[:at] + letter + value[at:],
            value[:at] + value[at + 1 : at + 2] + letter + value[at + 2 :],
            value[:at] + another + value[at + 1 :],
        )
        chosen = ways[int(self.chance.integers(len(ways)))]
        return chosen if chosen and chosen != value else value + another
