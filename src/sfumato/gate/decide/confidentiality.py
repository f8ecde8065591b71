"""Whether an exposure keeps to the policy: its classes as bins, judged by the policy's own
protection models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import PolicyError, Problem
from sfumato.parts import Shape
from sfumato.policy import Policy, declared_model
from sfumato.protection import ConfidenceGain, KAnonymity, Model, needs_of
from sfumato.releases import models_for, needed_fields

from .exposure import Exposure
from .lattice import KnownLattice
from .people_counts import CLASS, Tally
from .protected_table import ProtectedTable

Marks = NDArray[np.bool_]
Wholes = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Conditions:
    """The confidentiality conditions of one recipient profile over one holding (Chiang et al. 2001,
    section 3).

    Rules about how many people there are look at the classes of all answers; rules about the values
    of a field look at the classes of the answers that touched it."""

    holding: ProtectedTable
    policy: Policy = field(repr=False)
    _lattices: dict[tuple[str, ...], KnownLattice] = field(default_factory=dict, repr=False)

    @cached_property
    def needed(self) -> tuple[str, ...]:
        return needed_fields(self.policy, CLASS)

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """What is judged, over classes. A requirement that classes cannot be held to is refused,
        not passed over."""
        require = self.policy.require
        strange = [key for key in require.keys if Shape.GATE not in declared_model(key).shapes]
        if strange:
            problems = [
                Problem(
                    where=f"require.{name}",
                    found="the gate cannot judge it.",
                    attempt="k and rules about values.",
                )
                for name in strange
            ]
            raise PolicyError(problems, name=self.policy.name)
        sizes = {
            (declared.key, declared.least(asked))
            for declared, asked in require.items()
            if declared.least
        }
        plain = replace(require, quasi_identifiers=()).without(key for key, _ in sizes)
        plain = plain.with_models(k=max((size for _, size in sizes), default=1))
        whole = self.values_tally.bins(np.zeros(len(self.holding.bins), np.int64), self.needed)
        models = models_for(
            replace(self.policy, require=plain),
            CLASS,
            len(self.holding),
            hierarchies={},
            source=whole,
        )
        return tuple(models)

    @cached_property
    def of_people(self) -> tuple[Model, ...]:
        return tuple(model for model in self.models if not needs_of(model))

    @cached_property
    def of_values(self) -> Mapping[str, tuple[Model, ...]]:
        """By field; a rule about several fields is one about each."""
        return {
            name: tuple(_about(model, name) for model in self.models if name in needs_of(model))
            for name in self.needed
        }

    @cached_property
    def k(self) -> int:
        return max((model.k for model in self.models if isinstance(model, KAnonymity)), default=1)

    @cached_property
    def counts_only(self) -> bool:
        """Whether all that is asked of people is that there are k, and numbers of them may be
        summed over bins."""
        plain = all(
            isinstance(model, KAnonymity) and model.monotone_generalisation
            for model in self.of_people
        )
        return plain and self.tally.adds_up

    @cached_property
    def lasting(self) -> bool:
        """Whether a class that breaks a rule about values does so in every finer class."""
        return all(
            model.monotone_generalisation for models in self.of_values.values() for model in models
        )

    @cached_property
    def people_of(self) -> Wholes:
        """How many people each bin has, where they may be summed."""
        return np.bincount(
            self.tally.unit, weights=self.tally.number, minlength=self.tally.units
        ).astype(np.int64)

    def fewest(self, shows: Iterable[str]) -> int:
        """Fewer people than this keep to no rule about the values of these fields, whatever values
        they have."""
        return max([self.k, *(self._fewest[name] for name in shows if name in self._fewest)])

    @cached_property
    def _fewest(self) -> Mapping[str, int]:
        """For each field: how many people it takes for the values of all but some to say little
        about one of them."""
        out: dict[str, int] = {}
        for name, models in self.of_values.items():
            for model in models:
                if isinstance(model, ConfidenceGain) and len(model.reference) > 1:
                    room = model.gain * (len(model.reference) - 1)
                    out[name] = max(out.get(name, 0), int(np.ceil(model.facts * (1 + room) / room)))
        return out

    @cached_property
    def tally(self) -> Tally:
        """The people of the holding's bins, counted once."""
        return self.values_tally if self.holding.one_row_each else Tally.of_people(self.holding)

    @cached_property
    def values_tally(self) -> Tally:
        """Those who stand there for themselves, and the values they have."""
        return Tally.of_values(self.holding, self.needed)

    def lattice(self, known: tuple[str, ...]) -> KnownLattice:
        """The lattice of some known fields, made when first asked for."""
        if known not in self._lattices:
            self._lattices[known] = KnownLattice.of(
                known, self.holding, self.tally, self.values_tally
            )
        return self._lattices[known]

    def failing(self, exposure: Exposure, *, shows: Iterable[str]) -> Marks:
        """The bins whose class breaks a rule. Where there are too few people, rules about values
        are not looked at. `shows` are the fields whose classes may have changed."""
        out = self.too_few(exposure)
        return out if out.any() else self.too_alike(exposure, shows=shows)

    def too_few(self, exposure: Exposure, *, tally: Tally | None = None) -> Marks:
        """The units whose class breaks a rule about people: bins, or those of a tally."""
        return self._failing(exposure.anyone, (), self.of_people, tally or self.tally)

    def too_alike(
        self, exposure: Exposure, *, shows: Iterable[str], tally: Tally | None = None
    ) -> Marks:
        """The units whose class breaks a rule about values."""
        counted = tally or self.values_tally
        out = np.zeros(counted.units, bool)
        for name in shows:
            models = self.of_values.get(name, ())
            if models:
                out |= self._failing(exposure.classes_of(name), (name,), models, counted)
        return out

    def broken_rules(
        self, exposure: Exposure, *, shows: Iterable[str], tally: Tally, values_tally: Tally
    ) -> dict[str, int]:
        """For the steward: each rule that an exposure breaks, and in how many classes."""
        out: dict[str, int] = {}
        about: list[tuple[tuple[str, ...], Wholes, tuple[Model, ...]]] = [
            ((), exposure.anyone, self.of_people)
        ]
        about += [
            ((name,), exposure.classes_of(name), self.of_values.get(name, ())) for name in shows
        ]
        for fields, classes, models in about:
            if not models:
                continue
            bins = (values_tally if fields else tally).bins(classes, fields)
            for model in models:
                count = int((model.failing(bins) & (bins.counts > 0)).sum())
                if count:
                    told = model.judge(bins)
                    out[f"{told.model}, {told.requirement}"] = count
        return out

    def _failing(
        self, classes: Wholes, fields: tuple[str, ...], models: Iterable[Model], tally: Tally
    ) -> Marks:
        bins = tally.bins(classes, fields)
        broken = np.zeros(len(bins), bool)
        for model in models:
            broken |= model.failing(bins)
        return np.asarray(
            (broken & (bins.counts > 0))[classes], bool
        )  # Of nobody nothing is shown.


def _about(model: Any, name: str) -> Model:
    """A rule about several fields as one about one of them."""
    return cast(
        Model, replace(model, sensitive=(name,)) if isinstance(model.sensitive, tuple) else model
    )
