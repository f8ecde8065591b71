"""Confidence gain: the release raises the confidence in any sensitive value of a person by
little."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Histogram
from sfumato.hierarchies import Label
from sfumato.parts import Direction, ParameterKind, Shape, parameter
from sfumato.policy import ROWS, LooksAt, OutsideNeed, RequirementForm, Role

from .declaration import ModelContext, ModelDeclaration
from .histograms import ROUNDING, Reals, inside, largest, most_kept, per_bin, summed
from .model import Model, verdict_of
from .reference import LabelAlignment, reference_of
from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceGainRequirement:
    """In no bin does confidence in a value grow by more than `gain` of the distance to certainty.
    This holds even for an attacker who knows that `facts` other people of the bin do not have the
    value."""

    gain: float = parameter(
        "the largest gain in confidence, below 1, which is certainty",
        above=0,
        most=1,
        example="0.1",
        stricter=Direction.DOWN,
    )
    facts: int = parameter(
        "other people of the bin whom the recipient knows not to have the value",
        default=0,
        least=0,
        stricter=Direction.UP,
    )
    fields: tuple[str, ...] = parameter(
        "sensitive fields; all where none is named",
        default=(),
        kind=ParameterKind.FIELDS,
        stricter=Direction.MORE,
    )

    def conflicts(self, given: frozenset[str]) -> Iterator[tuple[str, str, str]]:
        if self.gain == 1:
            yield "gain", "It is 1, which even certainty meets.", "a number below 1."


@dataclass(frozen=True, kw_only=True)
class ConfidenceGain:
    """For each value in each bin, (belief - share in the source) / (1 - share in the source) is at
    most `gain`.

    The belief is that of an attacker who knows someone's bin. The attacker also knows of up to
    `facts` other people in the bin that they do not have the value. With n rows, c of them with the
    value, the belief is c / (n - facts). It is certainty where the facts rule out everybody else. A
    value that the whole source has cannot be gained; one that becomes rarer breaks nothing.

    Two bins that pass also pass together: (c1 + c2) / (n1 + n2 - facts) is at most (c1 + c2) / ((n1
    - facts) + (n2 - facts)), which is at most the larger of the two beliefs. Where one bin lacks
    the value, its rows only lower the belief of the other.

    Assumes: one row per person; `fields` are all a recipient could link on, who knows the
    distribution in the whole source anyway. Does not protect: a recipient who knows of more people,
    or who can rule out values of the person that they look for, see `DistinctLDiversity`; learning
    that a value is unlikely, see `DeltaDisclosure`. Reference: Francis 2018, "GDA score overview";
    Giomi et al. 2022, "A unified framework for quantifying privacy risk in synthetic data";
    docs/protection/confidence-gain.md.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> rows = [("021**", "flu"), ("021**", "cold"), ("021**", "gout"), ("946**", "flu"), ("946**", "flu")]
        >>> bins = bins_of_rows(("zip",), rows, sensitive=("problem",))
        >>> shares = {"flu": 0.6, "cold": 0.2, "gout": 0.2}
        >>> model = ConfidenceGain(gain=0.4, facts=1, fields=("zip",), sensitive="problem", reference=shares)
        >>> model.gains(bins).round(3).tolist(), model.failing(bins).tolist()
        ([0.375, 1.0], [False, True])
    """

    gain: float
    facts: int = 0
    fields: tuple[str, ...]
    sensitive: str
    reference: Mapping[Label, float] = field(repr=False)

    name: ClassVar[str] = "confidence gain"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = True
    bin_monotone: ClassVar[bool] = False

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.sensitive,)

    @cached_property
    def _shares(self) -> LabelAlignment:
        return LabelAlignment(self.reference)

    @cached_property
    def _caps(self) -> LabelAlignment:
        """The largest belief in each value that a bin may give; unlimited for a value that
        everybody has."""
        caps = {value: share + self.gain * (1 - share) for value, share in self.reference.items()}
        everybodys = {value: np.inf for value, share in self.reference.items() if share >= 1}
        return LabelAlignment(caps | everybodys, otherwise=self.gain)

    def gains(self, bins: Bins) -> Reals:
        """For each bin: the largest gain in confidence over the source, at least 0; 1 is
        certainty."""
        return per_bin(bins, self.fields, self._gains)

    def _gains(self, bins: Bins) -> Reals:
        histogram = inside(bins, self.sensitive)
        expected = self._shares(histogram.values)[histogram.value_of]
        left = np.where(expected < 1, 1 - expected, np.inf)
        return largest(histogram, (self._beliefs(bins, histogram) - expected) / left, len(bins))

    def _beliefs(self, bins: Bins, histogram: Histogram) -> Reals:
        """For each entry: the attacker's belief that somebody in its bin has its value."""
        left = bins.counts[histogram.bin_of] - self.facts
        found: Reals = np.where(
            left > histogram.counts, histogram.counts / np.maximum(left, 1), 1.0
        )
        return found

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        return per_bin(bins, self.fields, self._failing)

    def _failing(self, bins: Bins) -> NDArray[np.bool_]:
        histogram = inside(bins, self.sensitive)
        out = np.zeros(len(bins), bool)
        over = (
            self._beliefs(bins, histogram)
            > self._caps(histogram.values)[histogram.value_of] + ROUNDING
        )
        out[histogram.bin_of[over]] = True
        return out

    def stuck(self, bins: Bins) -> Reals:
        """For each bin: rows that break the rule in it and in all its parts.

        A part that passes also passes without facts, which bounds its rows from above. Its values
        add up, m <= (m - facts) * sum of caps, which bounds them from below; where the bounds
        cross, nothing can stay."""
        if bins.fields != self.fields or max(self.reference.values(), default=0.0) >= 1:
            return np.zeros(len(bins))
        histogram = inside(bins, self.sensitive)
        caps = self._caps(histogram.values)[histogram.value_of] + ROUNDING
        most, room = (
            most_kept(bins, histogram, caps, covered=1.0),
            summed(histogram, caps, len(bins)),
        )
        return np.where(most * (room - 1) < self.facts * room, bins.counts, bins.counts - most)

    def judge(self, bins: Bins) -> Verdict:
        known = f"{self.facts} known {'fact' if self.facts == 1 else 'facts'}"
        return verdict_of(
            self,
            bins,
            requirement=f"gain = {self.gain:g} for {self.sensitive}, {known}",
            fields=self.fields,
            smallest=bins.smallest,
            measured=f"the largest gain is {self.gains(bins).max(initial=0.0):.4g}",
        )


def _build(asked: ConfidenceGainRequirement, context: ModelContext) -> Iterator[Model]:
    assert context.source is not None
    for name in context.sensitive(asked.fields):
        shares = reference_of(context.source, name)
        yield ConfidenceGain(
            gain=asked.gain,
            facts=asked.facts,
            fields=context.known,
            sensitive=name,
            reference=shares,
        )


DECLARATION = ModelDeclaration(
    key="confidence_gain",
    doc="the release raises the confidence in any sensitive value of a person by little",
    record=ConfidenceGainRequirement,
    form=RequirementForm.TABLES,
    looks_at=LooksAt.SENSITIVE,
    needs=OutsideNeed.SOURCE,
    counts_values=True,
    roles={"fields": (Role.SENSITIVE,)},
    shapes=ROWS | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.GATE},
    build=_build,
    models=(ConfidenceGain,),
    place=230,
)
