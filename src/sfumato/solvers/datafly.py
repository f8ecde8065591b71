"""Datafly of 1997: a bin size per field, and one for the fields that the recipient will surely link
on, together.

Sweeney 1997, sections 3.1 to 3.6. Each field's replacement algorithm is its hierarchy. A field that
must be generalised beyond its last useful level ends at its top, where it is suppressed as a whole
(section 3.9).

Departures: Fig. 1 as printed adds to `sum` only once it already exceeds the loss, so that nothing
would ever be counted. The text's meaning is followed. Dropping the outliers of one field can take
others under their bin size, so the rows to drop are counted again until none fails. r2 of the
sawtooth is at most N; for N <= 10 the printed formula gives 10 N. Other models may be required as
well; their rows count against the limit of all fields together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sfumato.bins import Bins, GlobalRecoding
from sfumato.errors import NoRecodingFound
from sfumato.policy import Role
from sfumato.protection import BinSizes, KAnonymity, Model, Sizes, sizes_for

from .declaration import (
    COUNTED,
    RecodingKind,
    Shape,
    SolverAbilities,
    SolverDeclaration,
    SolverNeed,
    SolverRequest,
)
from .solver import Hierarchies, Solution, Step, failing_rows


@dataclass(frozen=True, kw_only=True)
class Datafly:
    """Generalise each field until few enough values are rarer than its bin size; drop the rows that
    hold them.

    `level` is A, and `linking` holds P_f per field (1 where it is not named). `e` is the bin size
    that outweighs the recipient's effort (r2 where it is not given). `loss` is the share of rows
    that one field may drop. `max_suppression` is the share that all may drop together, twice the
    loss where it is not given. `models` are required besides the bin sizes."""

    level: float
    linking: Mapping[str, float] = field(default_factory=dict)
    r1: float = 0.0
    r2: float | str = "sawtooth"
    e: float | None = None
    loss: float = 0.10
    max_suppression: float | None = None
    models: Sequence[Model] = ()

    name: ClassVar[str] = "datafly"

    def sizes(self, fields: tuple[str, ...], rows: int) -> Sizes:
        """The requirement of the level for this many rows, or people."""
        return sizes_for(
            fields, rows, level=self.level, linking=self.linking, r1=self.r1, r2=self.r2, e=self.e
        )

    @property
    def limit(self) -> float:
        """The share of rows that all fields may drop together: section 3.5, or less where less is
        allowed."""
        return (
            2 * self.loss
            if self.max_suppression is None
            else min(2 * self.loss, self.max_suppression)
        )

    def solve(self, bins: Bins, hierarchies: Hierarchies) -> Solution:
        sizes = self.sizes(bins.fields, bins.people)
        levels = {name: hierarchies[name].finest for name in bins.fields}
        steps: list[Step] = []
        parts: list[tuple[tuple[str, ...], Model]] = [
            ((name,), BinSizes(sizes={name: size})) for name, size in sizes.per_field.items()
        ]
        if sizes.concatenated:
            parts.append(
                (sizes.concatenated, KAnonymity(k=sizes.together, fields=sizes.concatenated))
            )
        for fields, model in parts:
            while self._lost(bins, hierarchies, levels, model) > self.loss * bins.people:
                if not self._generalise(bins, hierarchies, levels, fields, steps):
                    break
        parts += [(bins.fields, model) for model in self._others(sizes)]
        return self._within_global_limit(bins, hierarchies, levels, parts, steps)

    def _others(self, sizes: Sizes) -> list[Model]:
        """The models that the bin sizes do not keep anyway."""
        together, fields = sizes.together, set(sizes.concatenated)
        return [
            model
            for model in self.models
            if model not in sizes.models()
            and not (
                isinstance(model, KAnonymity)
                and model.k <= together
                and set(model.fields) <= fields
            )
        ]

    def _within_global_limit(
        self,
        bins: Bins,
        hierarchies: Hierarchies,
        levels: dict[str, int],
        parts: list[tuple[tuple[str, ...], Model]],
        steps: list[Step],
    ) -> Solution:
        """Section 3.5: where more rows than the limit are dropped, the field that drops the most is
        generalised."""
        models = [model for _, model in parts]
        while True:
            failing = failing_rows(bins, hierarchies, levels, models)
            if bins.may_leave_out(failing, self.limit):
                recoding = GlobalRecoding(levels=levels, suppressed=failing)
                return Solution(solver=self.name, recoding=recoding, steps=tuple(steps))
            by_loss = sorted(
                parts, key=lambda part: -self._lost(bins, hierarchies, levels, part[1])
            )
            if not any(
                self._generalise(bins, hierarchies, levels, fields, steps) for fields, _ in by_loss
            ):
                found = self._others(self.sizes(bins.fields, bins.people))
                others = "".join(
                    f" and {name}" for name in dict.fromkeys(model.name for model in found)
                )
                raise NoRecodingFound(
                    f"No recoding of ({', '.join(bins.fields)}) reaches anonymity level "
                    f"{self.level:g}{others} with at "
                    f"most {self.limit:.0%} of {bins.unit} dropped.",
                    found=f"Even with every field at its top level, {bins.people_in(failing)} of "
                    f"{bins.people} "
                    f"{bins.unit} are in bins that would be dropped.",
                    attempt="a lower level, a smaller e or r2, or a larger loss.",
                )

    def _lost(
        self, bins: Bins, hierarchies: Hierarchies, levels: Mapping[str, int], model: Model
    ) -> int:
        coarse = bins.recode(hierarchies, levels)
        return coarse.people_lost(model.failing(coarse))

    def _generalise(
        self,
        bins: Bins,
        hierarchies: Hierarchies,
        levels: dict[str, int],
        fields: tuple[str, ...],
        steps: list[Step],
    ) -> bool:
        """Raise the field with most bins among `fields` (ties: the one raised least so far); False
        if none can be."""
        open_fields = [name for name in fields if levels[name] < hierarchies[name].height]
        if not open_fields:
            return False
        coarse = bins.recode(hierarchies, levels)
        chosen = max(open_fields, key=lambda name: (coarse.distinct(name), -levels[name]))
        levels[chosen] += 1
        coarse = bins.recode(hierarchies, levels)
        sizes = self.sizes(bins.fields, bins.people)
        failing = np.zeros(len(coarse), bool)
        for model in sizes.models():
            failing |= model.failing(coarse)
        what = f"generalise {chosen} to {hierarchies[chosen].level_name(levels[chosen])}"
        rows_failing = int(coarse.rows_in_bins[failing].sum())
        steps.append(
            Step(what=what, levels=dict(levels), bins=len(coarse), rows_failing=rows_failing)
        )
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class DataflySettings:
    """Datafly has no settings: the anonymity level is a requirement, and the recipient's profile
    has the P_f."""


def _build(settings: DataflySettings, request: SolverRequest) -> Datafly:
    """By the anonymity level; where only k is asked, that is the bin size of all fields together.

    Under an anonymity level, its loss limits the rows that are dropped, and max_suppression where
    that is smaller."""
    policy = request.policy
    asked, most = policy.require.one("anonymity"), request.max_suppression
    if asked is None:
        k = float(policy.require.k or 1)
        return Datafly(level=0.0, r2=k, e=k, loss=most, max_suppression=most, models=request.models)
    linking = {name: policy.profile.links_on(name) for name in policy.named(Role.QUASI)}
    return Datafly(
        level=asked.level,
        linking=linking,
        r1=asked.r1,
        r2=asked.r2,
        e=asked.e,
        loss=asked.loss,
        max_suppression=most,
        models=request.models,
    )


DECLARATION = SolverDeclaration(
    key="datafly",
    doc="Datafly of 1997: each field is generalised until its bin size is reached",
    settings=DataflySettings,
    abilities=SolverAbilities(
        recodes=RecodingKind.GLOBAL,
        shapes=COUNTED | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.HOUSEHOLDS},
        need=SolverNeed(
            requirements=("anonymity", "k"),
            because="works towards bin sizes",
            example="anonymity = { level = 0.7 }",
            exclude=True,
        ),
        rolls_up=True,
        holds_finest=True,
        only_climbs=True,
        holds_unlinked=True,
    ),
    build=_build,
)
