"""Steps by which a sensitive number is judged: numbers of one step count as one value.

Where hardly two rows share a number, every bin has many different ones, however close they are. A
policy therefore gives a sensitive number `value_steps`. A model names the fields that it reads, and reads
them by `histograms.inside`. The name of a field with steps carries them, so that judge, solver,
recount and verification merge the same values, whichever model it is."""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from typing import Self

import numpy as np

from sfumato.bins import Bins
from sfumato.hierarchies import Label, exact
from sfumato.policy import NumberSteps

NO_NUMBER = "no number"
"""The value of all texts that are no number: they may mean any, and do not make a bin diverse."""


class SteppedField(str):
    """The name of a sensitive field whose numbers are judged in steps. It equals the plain name.

    Example:
        >>> pay = SteppedField.of("pay", (1000.0,))
        >>> [pay.step("1999"), pay.step("2000"), pay.step("n/a"), pay.step(None)]
        ['1000', '2000', 'no number', None]
        >>> bands = SteppedField.of("pay", (0.0, 500.0, 5000.0))
        >>> [bands.step("-3"), bands.step("0"), bands.step("4999.5"), bands.step("90000")]
        ['-1', '0', '500', '5000']
        >>> pay == "pay", f"t = 0.2 for {pay}"
        (True, 't = 0.2 for pay in steps of 1000')
        >>> pay.moved.step("1499"), pay.moved.step("1500"), pay.moved.in_words
        ('500', '1500', 'pay in steps of 1000 from 500')
    """

    cuts: tuple[Fraction, ...]
    start: Fraction
    _last: tuple[Bins, Bins] | None

    @classmethod
    def of(cls, name: str, steps: NumberSteps) -> Self:
        out = cls(name)
        out.cuts, out.start = tuple(Fraction(repr(each)) for each in steps), Fraction(0)
        out._last = None
        return out

    @property
    def moved(self) -> SteppedField | None:
        """The same steps, moved by half of their width; None for a list of steps.

        An interval of at most half a step is within one step of either grid."""
        if len(self.cuts) > 1:
            return None
        out = SteppedField(self)
        out.cuts, out.start, out._last = self.cuts, self.start + self.cuts[0] / 2, None
        return out

    def __getnewargs__(self) -> tuple[str]:
        return (plain_name(self),)

    def __format__(self, spec: str) -> str:
        return format(self.in_words, spec)

    @property
    def in_words(self) -> str:
        named = plain_name(self)
        if len(self.cuts) == 1:
            moved = f" from {_text(self.start)}" if self.start else ""
            return f"{named} in steps of {_text(self.cuts[0])}{moved}"
        return f"{named} in {len(self.cuts) + 1} steps"

    def step(self, value: Label) -> Label:
        """The least number of the step that a value is in; null stays null."""
        if value is None:
            return None
        number = exact(value)
        if number is None:
            return NO_NUMBER
        if len(self.cuts) == 1:
            return _text(self.cuts[0] * ((number - self.start) // self.cuts[0]) + self.start)
        at = bisect_right(self.cuts, number)
        return _text(self.cuts[at - 1] if at else self.cuts[0] - 1)

    def merged(self, bins: Bins) -> Bins:
        """The bins, in which the values of one step are one value. The last are cached: a model
        reads the same bins once for each combination of fields."""
        if self._last is not None and self._last[0] is bins:
            return self._last[1]
        found = bins.histograms.get(self)
        if found is None:
            return bins
        labels = [self.step(value) for value in found.values]
        place = {label: code for code, label in enumerate(dict.fromkeys(labels))}
        codes = np.array([place[label] for label in labels], np.int32)
        merged = bins.with_merged_values(plain_name(self), tuple(place), codes)
        self._last = bins, merged
        return merged


def plain_name(name: str) -> str:
    """The name of a field without its steps."""
    return str.__str__(name)


def as_judged(bins: Bins, name: str) -> Bins:
    """The bins as a model reads the values of a field: in steps where it has some."""
    return name.merged(bins) if isinstance(name, SteppedField) else bins


def limited_values(name: str, values: tuple[str, ...]) -> tuple[Label, ...]:
    """The values that a model limits, as it reads them: a number limits its whole step."""
    if not isinstance(name, SteppedField):
        return values
    return tuple(dict.fromkeys(name.step(value) for value in values))


def _text(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else repr(float(number))
