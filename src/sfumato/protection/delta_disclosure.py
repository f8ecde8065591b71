"""delta-disclosure: each sensitive value is about as frequent in each bin as in the source, neither
more nor less."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.hierarchies import Label
from sfumato.parts import Direction, ParameterKind, Shape, parameter
from sfumato.policy import ROWS, LooksAt, OutsideNeed, RequirementForm, Role

from .declaration import ModelContext, ModelDeclaration
from .histograms import ROUNDING, Reals, inside, largest, most_kept, per_bin, shares, summed
from .model import Model, verdict_of
from .reference import LabelAlignment, reference_of
from .verdict import Verdict


class Absent(StrEnum):
    """Whether a value that a bin lacks breaks delta-disclosure, as published, or is ignored, as in
    ARX."""

    FAILS = "fails"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaDisclosureRequirement:
    """In each bin each value is, up to a factor of 2 to the `delta`, as frequent as in the
    source."""

    delta: float = parameter(
        "the largest logarithm, to base 2, of the ratio of shares",
        above=0,
        example="1.5",
        stricter=Direction.DOWN,
    )
    absent: Absent = parameter("whether a value that a bin lacks breaks it", default=Absent.FAILS)
    fields: tuple[str, ...] = parameter(
        "sensitive fields; all where none is named",
        default=(),
        kind=ParameterKind.FIELDS,
        stricter=Direction.MORE,
    )


@dataclass(frozen=True, kw_only=True)
class DeltaDisclosure:
    """In each bin, |log2(share of a value in the bin / its share in the source)| < `delta`, for
    every value.

    As published, a value of the source that a bin lacks breaks the rule, because its absence
    discloses something. `absent="ignored"` reads only the values that a bin holds, as ARX does.
    That reading is weaker: it may hold at a recoding and break at a coarser one.

    Assumes: the recipient knows the distribution in the whole source anyway. Does not protect:
    inference from the distribution in the source. Reference: Brickell and Shmatikov 2008, "The cost
    of privacy: destruction of data-mining utility in anonymized data publishing";
    docs/protection/delta-disclosure.md.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> rows = [("021**", "flu"), ("021**", "cold"), ("946**", "flu"), ("946**", "flu")]
        >>> bins = bins_of_rows(("zip",), rows, sensitive=("problem",))
        >>> shares = {"flu": 0.75, "cold": 0.25}
        >>> DeltaDisclosure(delta=1.5, fields=("zip",), sensitive="problem", reference=shares).failing(bins).tolist()
        [False, True]
    """

    delta: float
    fields: tuple[str, ...]
    sensitive: str
    reference: Mapping[Label, float] = field(repr=False)
    absent: Literal["fails", "ignored"] = "fails"

    name: ClassVar[str] = "delta-disclosure"
    monotone_suppression: ClassVar[bool] = True
    bin_monotone: ClassVar[bool] = False

    @property
    def monotone_generalisation(self) -> bool:
        return self.absent == "fails"

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.sensitive,)

    @cached_property
    def _shares(self) -> LabelAlignment:
        return LabelAlignment(self.reference)

    @cached_property
    def _values(self) -> int:
        """How many values the source has."""
        return sum(1 for share in self.reference.values() if share > 0)

    def disclosures(self, bins: Bins) -> Reals:
        """For each bin: the largest |log2| of its shares over the source's; infinite for a value
        only one has."""
        return per_bin(bins, self.fields, self._disclosures)

    def _disclosures(self, bins: Bins) -> Reals:
        histogram = inside(bins, self.sensitive)
        expected = self._shares(histogram.values)[histogram.value_of]
        with np.errstate(divide="ignore"):
            out = largest(histogram, np.abs(np.log2(shares(bins, histogram) / expected)), len(bins))
        if self.absent == "fails":
            out[summed(histogram, expected > 0, len(bins)) < self._values] = np.inf
        return out

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        return self.disclosures(bins) > self.delta - ROUNDING

    def stuck(self, bins: Bins) -> Reals:
        """For each bin: rows that break the rule in it and in all its parts."""
        if bins.fields != self.fields or self.absent != "fails":
            return np.zeros(len(bins))
        histogram = inside(bins, self.sensitive)
        expected = self._shares(histogram.values)[histogram.value_of]
        most = most_kept(bins, histogram, expected * 2**self.delta, covered=1.0)
        lacks = summed(histogram, expected > 0, len(bins)) < self._values
        return np.where(lacks, bins.counts, bins.counts - most)

    def judge(self, bins: Bins) -> Verdict:
        absent = "breaks it" if self.absent == "fails" else "is ignored"
        return verdict_of(
            self,
            bins,
            requirement=f"delta = {self.delta:g} for {self.sensitive}; a value that a bin lacks "
            f"{absent}",
            fields=self.fields,
            smallest=bins.smallest,
            measured=f"the largest disclosure is {self.disclosures(bins).max(initial=0.0):.4g}",
        )


def _build(asked: DeltaDisclosureRequirement, context: ModelContext) -> Iterator[Model]:
    assert context.source is not None
    for name in context.sensitive(asked.fields):
        shares = reference_of(context.source, name)
        yield DeltaDisclosure(
            delta=asked.delta,
            absent=asked.absent.value,
            fields=context.known,
            sensitive=name,
            reference=shares,
        )


DECLARATION = ModelDeclaration(
    key="delta_disclosure",
    doc="each sensitive value is in each bin nearly as frequent as in the source",
    record=DeltaDisclosureRequirement,
    form=RequirementForm.TABLES,
    looks_at=LooksAt.SENSITIVE,
    needs=OutsideNeed.SOURCE,
    roles={"fields": (Role.SENSITIVE,)},
    shapes=ROWS | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.GATE},
    build=_build,
    models=(DeltaDisclosure,),
    place=210,
)
