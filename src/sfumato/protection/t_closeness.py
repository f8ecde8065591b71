"""t-closeness: the sensitive values in each bin are spread nearly as in the whole source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import Mistake, PolicyError, Problem
from sfumato.hierarchies import Hierarchy, HierarchySpec, Label
from sfumato.parts import Direction, ParameterKind, Shape, parameter
from sfumato.policy import ROWS, LooksAt, OutsideNeed, Policy, RequirementForm, Role

from .declaration import ModelContext, ModelDeclaration
from .earth_mover import Equal, Hierarchical, OrderedDistance
from .histograms import ROUNDING, Reals, inside, most_kept, per_bin
from .model import Model, verdict_of
from .reference import LabelAlignment, reference_of
from .verdict import Verdict


class Distance(StrEnum):
    """The distance of two values for t-closeness: equal for all, by their order, or by the level
    where they meet."""

    EQUAL = "equal"
    ORDERED = "ordered"
    HIERARCHICAL = "hierarchical"


@dataclass(frozen=True, slots=True, kw_only=True)
class TClosenessRequirement:
    """Each bin is within `t` of the source. `order` and `hierarchy` are for the distances that need
    them."""

    t: float = parameter(
        "the largest distance from the source",
        least=0,
        most=1,
        example="0.2",
        stricter=Direction.DOWN,
    )
    distance: Distance = parameter("how far apart two values are", default=Distance.EQUAL)
    order: tuple[str, ...] = parameter(
        "values from the least to the most, for the ordered distance; as numbers where "
        "none are given",
        default=(),
    )
    hierarchy: HierarchySpec | None = parameter(
        "hierarchy of the values, for the hierarchical distance",
        default=None,
        kind=ParameterKind.HIERARCHY,
    )
    fields: tuple[str, ...] = parameter(
        "sensitive fields; all where none is named",
        default=(),
        kind=ParameterKind.FIELDS,
        stricter=Direction.MORE,
    )

    def conflicts(self, given: frozenset[str]) -> Iterator[tuple[str, str, str]]:
        if self.order and self.distance is not Distance.ORDERED:
            yield "order", "Only the ordered distance has an order.", 'distance = "ordered".'
        if len(set(self.order)) < len(self.order):
            yield "order", "It names a value twice.", ""
        if "hierarchy" in given and self.distance is not Distance.HIERARCHICAL:
            yield (
                "hierarchy",
                "Only the hierarchical distance has a hierarchy.",
                'distance = "hierarchical".',
            )
        if "hierarchy" not in given and self.distance is Distance.HIERARCHICAL:
            yield "hierarchy", "The hierarchical distance needs it.", 'hierarchy = "diagnosis.csv".'


@dataclass(frozen=True, kw_only=True)
class TCloseness:
    """The distance from the values of `sensitive` in each bin to `reference`, those of the source,
    is at most `t`.

    The distance is the earth mover's: *equal*, all values differ alike; *ordered*, by the places
    between them in `order`, or as numbers where no order is given; *hierarchical*, by the level of
    `hierarchy` where they meet.

    Assumes: the recipient knows the distribution in the whole source anyway. Does not protect:
    inference from the distribution in the source; membership in the release. Reference: Li, Li and
    Venkatasubramanian 2007, "t-Closeness: privacy beyond k-anonymity and l-diversity";
    docs/protection/t-closeness.md.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
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
    def ground(self) -> Equal | OrderedDistance | Hierarchical:
        """The ground on which distances are measured; Mistake where order or hierarchy do not fit
        the values."""
        if self.distance == "equal":
            return Equal(self.reference)
        if self.distance == "ordered":
            return OrderedDistance(self.reference, self.order)
        if self.hierarchy is None:
            raise Mistake(
                f"The hierarchical distance of {self.sensitive} needs a hierarchy.",
                attempt="hierarchy = ….",
            )
        return Hierarchical(self.reference, self.hierarchy)

    @cached_property
    def _shares(self) -> LabelAlignment:
        return LabelAlignment(self.reference)

    def distances(self, bins: Bins) -> Reals:
        """For each bin: how far its values are from those of the source."""
        return per_bin(
            bins,
            self.fields,
            lambda found: self.ground(found, inside(found, self.sensitive, spread=True)),
        )

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        return self.distances(bins) > self.t + ROUNDING

    def stuck(self, bins: Bins) -> Reals:
        """For each bin: rows that break the rule in it and in all its parts; known for the equal
        distance only."""
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


def _build(asked: TClosenessRequirement, context: ModelContext) -> Iterator[Model]:
    """The models, with their ground, so that an order or hierarchy that does not fit is refused
    before any search."""
    assert context.source is not None
    for name in context.sensitive(asked.fields):
        reference = reference_of(context.source, name, spread=True)
        try:
            model = TCloseness(
                t=asked.t,
                fields=context.known,
                sensitive=name,
                reference=reference,
                distance=asked.distance.value,
                order=asked.order,
                hierarchy=None
                if asked.hierarchy is None
                else asked.hierarchy.bind(tuple(reference)),
            )
            model.ground  # noqa: B018
        except Mistake as error:
            found = f"{name}: {error.asked} {error.found}".strip()
            problem = Problem(where="require.t_closeness", found=found, attempt=error.attempt)
            raise PolicyError([problem], name=f"Policy {context.policy.name}") from None
        yield model


def _one_order(policy: Policy, unclear: frozenset[str]) -> Iterator[Problem]:
    """An order or a hierarchy belongs to one field."""
    for asked in policy.require.each("t_closeness"):
        several = asked.fields or policy.named(Role.SENSITIVE)
        if (asked.order or asked.hierarchy is not None) and len(several) > 1 and not unclear:
            yield Problem(
                where="require.t_closeness.fields",
                found=f"One order or hierarchy is given for {len(several)} fields: "
                f"{', '.join(several)}.",
                attempt="a list of tables, one for each field.",
            )


DECLARATION = ModelDeclaration(
    key="t_closeness",
    doc="the values of a sensitive field in each bin are within t of those of the whole source",
    record=TClosenessRequirement,
    form=RequirementForm.TABLES,
    looks_at=LooksAt.SENSITIVE,
    needs=OutsideNeed.SOURCE,
    roles={"fields": (Role.SENSITIVE,)},
    shapes=ROWS | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.GATE},
    checks=(_one_order,),
    build=_build,
    models=(TCloseness,),
    place=200,
)
