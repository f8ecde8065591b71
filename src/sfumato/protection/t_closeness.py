"""t-closeness: the sensitive values in each bin are spread nearly as in the whole source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import Mistake
from sfumato.policy.hierarchies import Hierarchy, Label

from .earth_mover import Equal, Hierarchical, Ordered
from .inside import ROUNDING, Reals, inside, most_kept, per_bin
from .model import verdict_of
from .reference import Aligned
from .verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class TCloseness:
    """The distance from the values of `sensitive` in each bin to `reference`, those of the source, is at most `t`.

    The distance is the earth mover's: *equal*, all values differ alike; *ordered*, by the places between them in
    `order`, or as numbers where no order is given; *hierarchical*, by the level of `hierarchy` where they meet.

    Assumes: the recipient knows the distribution in the whole source anyway.
    Does not protect: what the distribution in the source already tells; who is in the release.
    Reference: Li, Li and Venkatasubramanian 2007, "t-Closeness: privacy beyond k-anonymity and l-diversity";
    docs/protection/t-closeness.md.

    Example:
        >>> from sfumato.bins.by_hand import bins_of_rows
        >>> rows = [("021**", "flu"), ("021**", "cold"), ("946**", "flu"), ("946**", "flu")]
        >>> bins = bins_of_rows(("zip",), rows, sensitive=("problem",))
        >>> model = TCloseness(t=0.25, fields=("zip",), sensitive="problem", reference={"flu": 0.5, "cold": 0.5})
        >>> model.distances(bins).tolist(), model.judge(bins).outcome
        ([0.0, 0.5], 'fail')
    """

    t: float
    fields: tuple[str, ...]
    sensitive: str
    reference: Mapping[Label, float] = field(repr=False)
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"
    order: tuple[Label, ...] = field(default=(), repr=False)
    hierarchy: Hierarchy | None = field(default=None, repr=False)

    name: ClassVar[str] = "t-closeness"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = True
    bin_monotone: ClassVar[bool] = False

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.sensitive,)

    @cached_property
    def ground(self) -> Equal | Ordered | Hierarchical:
        """The ground on which distances are measured; Mistake where order or hierarchy do not fit the values."""
        if self.distance == "equal":
            return Equal(self.reference)
        if self.distance == "ordered":
            return Ordered(self.reference, self.order)
        if self.hierarchy is None:
            raise Mistake(f"The hierarchical distance of {self.sensitive} needs a hierarchy.", attempt="hierarchy = ….")
        return Hierarchical(self.reference, self.hierarchy)

    @cached_property
    def _shares(self) -> Aligned:
        return Aligned(self.reference)

    def distances(self, bins: Bins) -> Reals:
        """For each bin: how far its values are from those of the source."""
        return per_bin(bins, self.fields, lambda found: self.ground(found, inside(found, self.sensitive, spread=True)))

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        return self.distances(bins) > self.t + ROUNDING

    def stuck(self, bins: Bins) -> Reals:
        """For each bin: rows that break the rule in it and in all its parts; known for the equal distance only."""
        if bins.fields != self.fields or self.distance != "equal":
            return np.zeros(len(bins))
        histogram = inside(bins, self.sensitive)
        caps = self._shares(histogram.values)[histogram.value_of]
        found: Reals = bins.counts - most_kept(bins, histogram, caps, covered=1 - self.t - ROUNDING)
        return found

    def judge(self, bins: Bins) -> Verdict:
        return verdict_of(
            self,
            bins,
            requirement=f"t = {self.t:g} for {self.sensitive}, {self.distance} distance",
            fields=self.fields,
            smallest=bins.smallest,
            measured=f"the largest distance is {self.distances(bins).max(initial=0.0):.4g}",
        )
