"""beta-likeness: no sensitive value is much more frequent in a bin than in the source, relative to
its share there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.hierarchies import Label
from sfumato.parts import Direction, ParameterKind, Shape, parameter
from sfumato.policy import ROWS, LooksAt, OutsideNeed, RequirementForm, Role

from .declaration import ModelContext, ModelDeclaration
from .histograms import ROUNDING, Reals, inside, largest, most_kept, per_bin, shares
from .model import Model, verdict_of
from .reference import LabelAlignment, reference_of
from .verdict import Verdict


class Likeness(StrEnum):
    """The two bounds of beta-likeness."""

    ENHANCED = "enhanced"
    BASIC = "basic"


@dataclass(frozen=True, slots=True, kw_only=True)
class BetaLikenessRequirement:
    """In no bin is a value more frequent than in the source by more than `beta` times its share
    there."""

    beta: float = parameter(
        "the largest gain of a value's share, relative to the source",
        above=0,
        example="2.0",
        stricter=Direction.DOWN,
    )
    kind: Likeness = parameter("which bound", default=Likeness.ENHANCED)
    fields: tuple[str, ...] = parameter(
        "sensitive fields; all where none is named",
        default=(),
        kind=ParameterKind.FIELDS,
        stricter=Direction.MORE,
    )


@dataclass(frozen=True, kw_only=True)
class BetaLikeness:
    """For each value in each bin, (share in the bin - share in the source) / share in the source is
    at most `beta`.

    With `enhanced` the bound is the smaller of beta and -ln(share in the source). A value that is
    frequent in the source cannot fill a bin either. A value that becomes rarer breaks nothing.

    Assumes: the recipient knows the distribution in the whole source anyway.
    Does not protect: learning that a value is unlikely; see `DeltaDisclosure`.
    Reference: Cao and Karras 2012, "Publishing microdata with a robust privacy guarantee";
    docs/protection/beta-likeness.md.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> rows = [("021**", "flu"), ("021**", "cold"), ("946**", "flu"), ("946**", "flu")]
        >>> bins = bins_of_rows(("zip",), rows, sensitive=("problem",))
        >>> shares = {"flu": 0.75, "cold": 0.25}
        >>> model = BetaLikeness(beta=0.5, fields=("zip",), sensitive="problem", reference=shares, enhanced=False)
        >>> model.gains(bins).round(3).tolist(), model.failing(bins).tolist()
        ([1.0, 0.333], [True, False])
    """

    beta: float
    fields: tuple[str, ...]
    sensitive: str
    reference: Mapping[Label, float] = field(repr=False)
    enhanced: bool = True

    name: ClassVar[str] = "beta-likeness"
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
        """The largest share of each value that a bin may have."""
        return LabelAlignment(
            {
                value: (1 + self._bound(share)) * share
                for value, share in self.reference.items()
                if share
            }
        )

    def _bound(self, share: float) -> float:
        return min(self.beta, -float(np.log(share))) if self.enhanced else self.beta

    def gains(self, bins: Bins) -> Reals:
        """For each bin: the largest gain of a value's share over the source, relative to it, at
        least 0."""
        return per_bin(bins, self.fields, self._gains)

    def _gains(self, bins: Bins) -> Reals:
        histogram = inside(bins, self.sensitive)
        expected = self._shares(histogram.values)[histogram.value_of]
        with np.errstate(divide="ignore"):
            return largest(histogram, shares(bins, histogram) / expected - 1, len(bins))

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        return per_bin(bins, self.fields, self._failing)

    def _failing(self, bins: Bins) -> NDArray[np.bool_]:
        histogram = inside(bins, self.sensitive)
        out = np.zeros(len(bins), bool)
        over = shares(bins, histogram) > self._caps(histogram.values)[histogram.value_of] + ROUNDING
        out[histogram.bin_of[over]] = True
        return out

    def stuck(self, bins: Bins) -> Reals:
        """For each bin: rows that break the rule in it and in all its parts."""
        if bins.fields != self.fields:
            return np.zeros(len(bins))
        histogram = inside(bins, self.sensitive)
        caps = self._caps(histogram.values)[histogram.value_of] + ROUNDING
        found: Reals = bins.counts - most_kept(bins, histogram, caps, covered=1.0)
        return found

    def judge(self, bins: Bins) -> Verdict:
        kind = "enhanced" if self.enhanced else "basic"
        return verdict_of(
            self,
            bins,
            requirement=f"beta = {self.beta:g} for {self.sensitive}, {kind}",
            fields=self.fields,
            smallest=bins.smallest,
            measured=f"the largest gain is {self.gains(bins).max(initial=0.0):.4g}",
        )


def _build(asked: BetaLikenessRequirement, context: ModelContext) -> Iterator[Model]:
    assert context.source is not None
    for name in context.sensitive(asked.fields):
        shares = reference_of(context.source, name)
        yield BetaLikeness(
            beta=asked.beta,
            enhanced=asked.kind is Likeness.ENHANCED,
            fields=context.known,
            sensitive=name,
            reference=shares,
        )


DECLARATION = ModelDeclaration(
    key="beta_likeness",
    doc="no sensitive value is in a bin much more frequent than in the source",
    record=BetaLikenessRequirement,
    form=RequirementForm.TABLES,
    looks_at=LooksAt.SENSITIVE,
    needs=OutsideNeed.SOURCE,
    roles={"fields": (Role.SENSITIVE,)},
    shapes=ROWS | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.GATE},
    build=_build,
    models=(BetaLikeness,),
    place=220,
)
