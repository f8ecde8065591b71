"""Datafly II: generalise whole fields until at most maxDrop rows are in bins under k, then drop
those rows.

Sweeney 2000, section 6.2. The field to generalise is the one whose distortion the recipient
tolerates most. Among equals it is the one most likely to be used for linking, then the one with
most distinct values. The paper does not decide further ties: here the field generalised the least
so far is taken, which reproduces Fig. 29. Then it is the first in the policy's order.

Datafly's level A is k = (r2 - r1) * A + r1 over the whole quasi-identifier (`anonymity` in a
policy). With `distortion_as = "bound"`, a field climbs no further than the share of its levels that
the recipient tolerates; with `"weight"`, fields climb in proportion to it. None is suppressed whole
before another is touched.

Departures: the paper's k requirement may be any set of protection models over the same bins. A
field whose linking likelihood is 0 belongs to no quasi-identifier and is not recoded."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.bins import Bins, GlobalRecoding
from sfumato.errors import NoRecodingFound
from sfumato.parts import parameter
from sfumato.protection import Model

from .declaration import (
    COUNTED,
    RecodingKind,
    Shape,
    SolverAbilities,
    SolverDeclaration,
    SolverRequest,
)
from .solver import Hierarchies, Solution, Step, failing_rows


@dataclass(frozen=True, kw_only=True)
class Datafly2:
    """Greedy full-domain generalisation with row suppression.

    Example:
        >>> from sfumato.hierarchies import Hierarchy
        >>> from sfumato.protection import KAnonymity
        >>> bins = Bins.of(("zip",), {("02138",): 1, ("02139",): 1})
        >>> zips = Hierarchy.from_rows([("02138", "0213*", "*"), ("02139", "0213*", "*")])
        >>> solver = Datafly2(models=(KAnonymity(k=2, fields=("zip",)),))
        >>> solver.solve(bins, {"zip": zips}).recoding.levels
        {'zip': 1}
    """

    models: Sequence[Model]
    max_suppression: float = 0.0
    linking: Mapping[str, float] = field(default_factory=dict)
    distortion: Mapping[str, float] = field(default_factory=dict)
    distortion_as: str = "order"

    name: ClassVar[str] = "datafly2"

    def solve(self, bins: Bins, hierarchies: Hierarchies) -> Solution:
        steps: list[Step] = []
        for what, levels in self.climb(bins, hierarchies):
            coarse = bins.recode(hierarchies, levels)
            failing = failing_rows(bins, hierarchies, levels, self.models)
            rows_failing = int(bins.rows_in_bins[failing].sum())
            steps.append(
                Step(what=what, levels=levels, bins=len(coarse), rows_failing=rows_failing)
            )
            if bins.may_leave_out(failing, self.max_suppression):
                return Solution(
                    solver=self.name,
                    recoding=GlobalRecoding(levels=levels, suppressed=failing),
                    steps=tuple(steps),
                )
        raise _not_found(self, bins, bins.people_in(failing))

    def climb(self, bins: Bins, hierarchies: Hierarchies) -> Iterator[tuple[str, dict[str, int]]]:
        """Each step in words and the levels after it, up to the top. Which field is next depends on
        the fields alone, not on what fails."""
        levels = {name: hierarchies[name].finest for name in bins.fields}
        values = {name: bins.distinct_at(name, hierarchies[name].up) for name in bins.fields}
        yield "start: every field as it is", dict(levels)
        while chosen := self._next_field(values, hierarchies, levels):
            levels[chosen] += 1
            reached = hierarchies[chosen].level_name(levels[chosen])
            yield f"generalise {chosen} to {reached}", dict(levels)

    def _next_field(
        self,
        values: Mapping[str, Sequence[int]],
        hierarchies: Hierarchies,
        levels: Mapping[str, int],
    ) -> str | None:
        """`values` has for each field how many labels occur at each level."""
        open_fields = [
            name
            for name in values
            if levels[name] < self._top(name, hierarchies) and self.linking.get(name, 1.0) > 0
        ]
        return max(
            open_fields,
            key=lambda name: (
                self._tolerance(name, levels[name], hierarchies),
                self.linking.get(name, 1.0),
                values[name][levels[name]],
                -levels[name],
            ),
            default=None,
        )

    def _tolerance(self, name: str, level: int, hierarchies: Hierarchies) -> float:
        """What the recipient tolerates of a field; as a weight, for each share of its levels that
        it has climbed after one more."""
        tolerated = self.distortion.get(name, 0.5)
        if self.distortion_as != "weight":
            return tolerated
        return tolerated * hierarchies[name].height / (level + 1)

    def _top(self, name: str, hierarchies: Hierarchies) -> int:
        """The coarsest level that a field may reach: its top, or as much of its levels as the
        recipient tolerates."""
        height = hierarchies[name].height
        if self.distortion_as != "bound":
            return height
        return math.floor(self.distortion.get(name, 0.5) * height + 1e-9)


def _not_found(solver: Datafly2, bins: Bins, inside: int) -> NoRecodingFound:
    share = inside / bins.people if bins.people else 0.0
    return NoRecodingFound(
        f"No recoding of ({', '.join(bins.fields)}) meets "
        f"{', '.join(_told(m) for m in solver.models)} with at most "
        f"{solver.max_suppression:.1%} of {bins.unit} suppressed.",
        found=f"Even with every field at {'its bound' if solver.distortion_as == 'bound' else 'its top level'}, "
        f"{inside} of {bins.people} {bins.unit} "
        f"({share:.1%}) are in "
        "bins that fail.",
        attempt="a smaller k, a larger max_suppression, or a profile in which fewer fields are "
        "known.",
    )


def _told(model: Model) -> str:
    k = getattr(model, "k", None)
    return model.name if k is None else f"{model.name} with k = {k}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Datafly2Settings:
    """How the recipient's tolerated distortion is read: as the order in which fields are
    generalised, as a bound besides, or as a weight."""

    distortion_as: str = parameter(
        "fields are generalised in the order of what the recipient tolerates; or also no further "
        "than that share of their levels; or level by level, in proportion to it",
        default="order",
        words=("order", "bound", "weight"),
    )


def datafly2_of(request: SolverRequest, *, distortion_as: str = "order") -> Datafly2:
    """Datafly II as a policy asks for it."""
    return Datafly2(
        models=request.models,
        max_suppression=request.max_suppression,
        linking={name: request.policy.profile.links_on(name) for name in request.known},
        distortion=request.tolerated,
        distortion_as=distortion_as,
    )


def _build(settings: Datafly2Settings, request: SolverRequest) -> Datafly2:
    return datafly2_of(request, distortion_as=settings.distortion_as)


DECLARATION = SolverDeclaration(
    key="datafly2",
    doc="Datafly II: the field with most values is generalised until few enough rows fail",
    settings=Datafly2Settings,
    abilities=SolverAbilities(
        recodes=RecodingKind.GLOBAL,
        shapes=COUNTED | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.HOUSEHOLDS},
        rolls_up=True,
        holds_finest=True,
        only_climbs=True,
        level_is_k=True,
    ),
    build=_build,
)
