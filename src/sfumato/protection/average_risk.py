"""Average risk: over all rows, the mean chance of picking the right row of a bin is limited."""

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
from .histograms import ROUNDING
from .model import Model, verdict_of
from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class AverageRiskRequirement:
    """Over all rows, the mean of 1 / bin size is at most `threshold`."""

    threshold: float = parameter(
        "the largest mean of 1 / bin size over all rows",
        above=0,
        most=1,
        example="0.1",
        stricter=Direction.DOWN,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AverageRisk:
    """The mean over all rows of 1 / bin size, which is bins / rows, is at most `threshold`.

    A rule about the table as a whole. When it breaks, every bin fails, because the model does not
    choose which bins to suppress; when it holds, none fails.

    Assumes: the recipient knows who is in the release and which bin they are in (the "prosecutor",
    KIRP of Garfinkel 2016); one row per person; `fields` are all a recipient could link on. Does
    not protect: a row that is unique where most are not; see `MaximumRisk`. Reference: Garfinkel
    2016, section 3.2.1; El Emam 2013, "Guide to the de-identification of personal health
    information"; docs/protection/average-risk.md.

    Example:
        >>> bins = Bins.of(("zip",), {("021**",): 5, ("946**",): 3})
        >>> AverageRisk(threshold=0.2, fields=("zip",)).judge(bins).reason
        '2 of 2 bins over (zip) break it; they hold 8 of 8 rows; the average risk is 0.25'
    """

    threshold: float
    fields: tuple[str, ...]

    name: ClassVar[str] = "average risk"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = False
    bin_monotone: ClassVar[bool] = False

    def risk(self, bins: Bins) -> float:
        """The mean of 1 / bin size over rows; 0 where there is none."""
        many = len(bins) if bins.fields == self.fields else len(bins.group_of(self.fields)[1])
        return many / bins.rows if bins.rows else 0.0

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        return np.full(len(bins), self.risk(bins) > self.threshold + ROUNDING)

    def judge(self, bins: Bins) -> Verdict:
        return verdict_of(
            self,
            bins,
            requirement=f"at most {self.threshold:g} on average",
            fields=self.fields,
            smallest=bins.smallest,
            measured=f"the average risk is {self.risk(bins):.4g}",
        )


def _build(asked: AverageRiskRequirement, context: ModelContext) -> Iterator[Model]:
    yield AverageRisk(threshold=asked.threshold, fields=context.known)


DECLARATION = ModelDeclaration(
    key="average_risk",
    doc="over all rows, the mean of 1 / bin size is at most the threshold",
    record=AverageRiskRequirement,
    form=RequirementForm.VALUE,
    shapes=ROWS | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.GATE},
    build=_build,
    models=(AverageRisk,),
    place=310,
)
