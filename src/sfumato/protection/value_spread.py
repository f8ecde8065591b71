"""Value spread: no narrow interval holds most of a bin's numbers, and their deviation is large
enough.

Interval width follows Li, Tao and Xiao 2008, "Preservation of proximity privacy in publishing
numerical sensitive data". There an interval is centred on a value of the bin, and the rule is not
monotone; here any interval counts, so that two bins that pass also pass together. The deviation is
LeFevre, DeWitt and Ramakrishnan's variance diversity (2008, "Workload-aware anonymization
techniques for large-scale datasets")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.hierarchies import Label, exact
from sfumato.parts import Direction, ParameterKind, Shape, parameter
from sfumato.policy import ROWS, LooksAt, RequirementForm, Role

from .declaration import ModelContext, ModelDeclaration
from .histograms import ROUNDING, Counts, Reals, inside, largest, per_bin, summed
from .model import Model, verdict_of
from .value_steps import plain_name
from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueSpreadRequirement:
    """In each bin, an interval narrower than `width` holds at most `share` of the numbers; their
    standard deviation is at least `deviation`."""

    width: float = parameter(
        "an interval narrower than this must not hold more than the share",
        above=0,
        example="1000",
        stricter=Direction.UP,
    )
    share: float = parameter(
        "the largest share of a bin's rows in such an interval",
        default=0.5,
        above=0,
        most=1,
        stricter=Direction.DOWN,
    )
    deviation: float | None = parameter(
        "the least standard deviation of a bin's numbers",
        default=None,
        above=0,
        stricter=Direction.UP,
    )
    fields: tuple[str, ...] = parameter(
        "sensitive numbers; all sensitive fields where none is named",
        default=(),
        kind=ParameterKind.FIELDS,
        stricter=Direction.MORE,
    )


class ReadNumbers:
    """The numbers of a histogram's values, NaN where a text is none; the last tuple is cached."""

    def __init__(self) -> None:
        self._last: tuple[tuple[Label, ...], Reals] = ((), np.zeros(0))

    def __call__(self, values: tuple[Label, ...]) -> Reals:
        seen, found = self._last
        if seen is not values:
            found = np.array([_number(value) for value in values], float)
            self._last = (values, found)
        return found


def _number(value: Label) -> float:
    read = None if value is None else exact(value)
    return float("nan") if read is None else float(read)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalWidth:
    """In each bin, at most the share `share` of the rows has its number of `sensitive` in an
    interval narrower than `width`.

    A text that is no number could mean any, so such rows count in every interval. Null counts as a
    value of its own.

    Assumes: one row per person; `fields` are all that a recipient could link on. Does not protect:
    a number that most people have anyway; a recipient who knows others' numbers in the bin.
    Reference: Li, Tao and Xiao 2008; docs/protection/value-spread.md.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> pay = [("021**", "900"), ("021**", "2500"), ("946**", "1900"), ("946**", "1950")]
        >>> bins = bins_of_rows(("zip",), pay, sensitive=("pay",))
        >>> model = IntervalWidth(width=100, share=0.5, fields=("zip",), sensitive="pay")
        >>> model.largest_shares(bins).tolist(), model.failing(bins).tolist()
        ([0.5, 1.0], [False, True])
    """

    width: float
    share: float
    fields: tuple[str, ...]
    sensitive: str
    _read: ReadNumbers = field(default_factory=ReadNumbers, repr=False, compare=False)

    name: ClassVar[str] = "interval width"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = True
    bin_monotone: ClassVar[bool] = False

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.sensitive,)

    def largest_shares(self, bins: Bins) -> Reals:
        """For each bin: the largest share of its rows in an interval narrower than `width`."""
        return per_bin(bins, self.fields, self._largest_shares)

    def _largest_shares(self, bins: Bins) -> Reals:
        histogram = inside(bins, self.sensitive)
        numbers = self._read(histogram.values)
        nulls = np.array([value is None for value in histogram.values], bool)
        is_number = ~np.isnan(numbers)[histogram.value_of]
        is_null = nulls[histogram.value_of] if len(nulls) else np.zeros(0, bool)
        words = summed(histogram, np.where(is_number | is_null, 0, histogram.counts), len(bins))
        rank, end = _windows(numbers, self.width)
        at = np.flatnonzero(is_number)
        places = len(numbers) + 1
        keys = histogram.bin_of[at] * places + rank[histogram.value_of[at]]
        order = np.argsort(keys, kind="stable")
        at, keys = at[order], keys[order]
        upto = np.concatenate(([0], np.cumsum(histogram.counts[at])))
        ends = histogram.bin_of[at] * places + end[histogram.value_of[at]]
        within = upto[np.searchsorted(keys, ends)] - upto[:-1]
        most = words
        np.maximum.at(most, histogram.bin_of[at], within + words[histogram.bin_of[at]])
        nulled = largest(histogram, np.where(is_null, histogram.counts, 0), len(bins))
        found: Reals = np.maximum(most, nulled) / bins.counts
        return found

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        return self.largest_shares(bins) > self.share + ROUNDING

    def judge(self, bins: Bins) -> Verdict:
        shares = self.largest_shares(bins)
        return verdict_of(
            self,
            bins,
            requirement=f"share = {self.share:g} within {self.width:g} for {self.sensitive}",
            fields=self.fields,
            smallest=bins.smallest,
            measured=f"the largest share in a narrower interval is {shares.max(initial=0.0):.4g}",
        )


def _windows(numbers: Reals, width: float) -> tuple[Counts, Counts]:
    """For each value its rank among the numbers, and the rank of the first that is `width` above
    it."""
    order = np.argsort(numbers, kind="stable")
    rising = numbers[order][: int((~np.isnan(numbers)).sum())]
    rank = np.zeros(len(numbers), np.int64)
    end = np.zeros(len(numbers), np.int64)
    at = order[: len(rising)]
    rank[at] = np.arange(len(rising))
    end[at] = np.searchsorted(rising, rising + width)
    return rank, np.maximum(end, rank + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceDiversity:
    """In each bin, the numbers of `sensitive` have a standard deviation of at least `deviation`.

    A bin with a text that is no number, or with nothing but null, breaks the rule.

    Assumes: one row per person; `fields` are all that a recipient could link on. Does not protect:
    most numbers of a bin that are close, where one is far away; see `IntervalWidth`. Reference:
    LeFevre, DeWitt and Ramakrishnan 2008; docs/protection/value-spread.md.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> pay = [("021**", "900"), ("021**", "2500"), ("946**", "1900"), ("946**", "1950")]
        >>> bins = bins_of_rows(("zip",), pay, sensitive=("pay",))
        >>> VarianceDiversity(deviation=100, fields=("zip",), sensitive="pay").failing(bins).tolist()
        [False, True]
    """

    deviation: float
    fields: tuple[str, ...]
    sensitive: str
    _read: ReadNumbers = field(default_factory=ReadNumbers, repr=False, compare=False)

    name: ClassVar[str] = "variance diversity"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = True
    bin_monotone: ClassVar[bool] = False

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.sensitive,)

    def deviations(self, bins: Bins) -> Reals:
        """For each bin: the standard deviation of its numbers; -1 where it cannot be known."""
        return per_bin(bins, self.fields, self._deviations)

    def _deviations(self, bins: Bins) -> Reals:
        histogram = inside(bins, self.sensitive)
        numbers = self._read(histogram.values)
        nulls = np.array([value is None for value in histogram.values], bool)
        is_null = nulls[histogram.value_of] if len(nulls) else np.zeros(0, bool)
        is_word = np.isnan(numbers)[histogram.value_of] & ~is_null
        counts = np.where(is_null | is_word, 0, histogram.counts)
        told = np.where(counts > 0, numbers[histogram.value_of], 0.0)
        rows = np.maximum(summed(histogram, counts, len(bins)), 1)
        means = summed(histogram, told * counts, len(bins)) / rows
        away = np.where(counts > 0, told - means[histogram.bin_of], 0.0)
        spread = np.sqrt(summed(histogram, away * away * counts, len(bins)) / rows)
        unknown = summed(histogram, is_word, len(bins)) > 0
        unknown |= summed(histogram, counts, len(bins)) == 0
        found: Reals = np.where(unknown, -1.0, spread)
        return found

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self.deviations(bins) < self.deviation * (1 - ROUNDING)
        return found

    def judge(self, bins: Bins) -> Verdict:
        least = self.deviations(bins).min(initial=np.inf)
        return verdict_of(
            self,
            bins,
            requirement=f"deviation = {self.deviation:g} for {self.sensitive}",
            fields=self.fields,
            smallest=bins.smallest,
            measured=f"the least standard deviation is {least:.4g}"
            if least >= 0
            else "some bin has a value that is no number, or none",
        )


def _build(asked: ValueSpreadRequirement, context: ModelContext) -> Iterator[Model]:
    # It compares the numbers themselves, also of a field with steps for the models that count values.
    for name in map(plain_name, context.sensitive(asked.fields)):
        yield IntervalWidth(
            width=asked.width, share=asked.share, fields=context.known, sensitive=name
        )
        if asked.deviation is not None:
            yield VarianceDiversity(deviation=asked.deviation, fields=context.known, sensitive=name)


_OWN_NUMBERS = "a person's own numbers would be counted against each other"

DECLARATION = ModelDeclaration(
    key="value_spread",
    doc="no narrow interval holds more than a share of the sensitive numbers of a bin",
    record=ValueSpreadRequirement,
    form=RequirementForm.TABLES,
    looks_at=LooksAt.SENSITIVE,
    alike=lambda asked: float(asked.width),
    roles={"fields": (Role.SENSITIVE,)},
    shapes=ROWS | {Shape.GATE},
    reasons={Shape.SEVERAL_ROWS: _OWN_NUMBERS, Shape.ACROSS_TABLES: _OWN_NUMBERS},
    build=_build,
    models=(IntervalWidth, VarianceDiversity),
    place=205,
)
