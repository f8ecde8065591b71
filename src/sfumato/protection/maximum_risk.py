"""Maximum risk: for every row, the chance of picking the right row of its bin is limited."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.parts import Direction, Shape, parameter
from sfumato.policy import ROWS, RequirementForm

from .declaration import ModelContext, ModelDeclaration
from .histograms import ROUNDING, per_bin
from .model import Model, verdict_of
from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class MaximumRiskRequirement:
    """For every row, 1 / bin size is at most `threshold`."""

    threshold: float = parameter(
        "the largest 1 / bin size of a row", above=0, most=1, example="0.1", stricter=Direction.DOWN
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MaximumRisk:
    """For every row, 1 / bin size is at most `threshold`: k-anonymity with k = 1 / threshold,
    rounded up.

    Suppressed cells are read strictly, as values of their own.

    Assumes: the recipient knows who is in the release and which bin they are in (the "prosecutor",
    KIRP of Garfinkel 2016); one row per person; `fields` are all a recipient could link on. Does
    not protect: a sensitive value shared by the whole bin. Reference: Garfinkel 2016, section
    3.2.1; El Emam 2013, "Guide to the de-identification of personal health information";
    docs/protection/maximum-risk.md.

    Example:
        >>> bins = Bins.of(("zip",), {("021**",): 5, ("946**",): 3})
        >>> MaximumRisk(threshold=0.2, fields=("zip",)).failing(bins).tolist()
        [False, True]
    """

    threshold: float
    fields: tuple[str, ...]

    name: ClassVar[str] = "maximum risk"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = True
    bin_monotone: ClassVar[bool] = True

    def sizes(self, bins: Bins) -> NDArray[np.int64]:
        """For each bin: how many rows share its values of `fields`."""
        return per_bin(bins, self.fields, lambda found: found.counts)

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        return self.sizes(bins) * (self.threshold + ROUNDING) < 1

    def judge(self, bins: Bins) -> Verdict:
        smallest = int(self.sizes(bins).min(initial=bins.rows))
        return verdict_of(
            self,
            bins,
            requirement=f"at most {self.threshold:g} for every row",
            fields=self.fields,
            smallest=smallest,
            measured=f"the highest risk is {1 / max(smallest, 1):.4g}",
        )


def _build(asked: MaximumRiskRequirement, context: ModelContext) -> Iterator[Model]:
    yield MaximumRisk(threshold=asked.threshold, fields=context.known)


DECLARATION = ModelDeclaration(
    key="maximum_risk",
    doc="for every row, 1 / bin size is at most the threshold",
    record=MaximumRiskRequirement,
    form=RequirementForm.VALUE,
    shapes=ROWS | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.GATE},
    build=_build,
    models=(MaximumRisk,),
    place=320,
)
