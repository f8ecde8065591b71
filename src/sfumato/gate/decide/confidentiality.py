"""Whether an exposure keeps to the policy: its classes as bins, judged by the policy's own
protection models."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
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

from ..sql.questions import Question
from .exposed_fields import plain
from .exposure import Exposure
from .lattice import MOST_DERIVED_PLACES, MOST_PLACES, KnownLattice
from .people_counts import CLASS, Tally
from .protected_table import ProtectedTable
from .sensitive_numbers import Dominance, adds_up, looks_at_closeness, measurements

Marks = NDArray[np.bool_]
Wholes = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Conditions:
    """The confidentiality conditions of one recipient profile over one protected table (Chiang et
    al. 2001, section 3).

    Rules about numbers of people apply to the classes of all answers. Rules about the values of a
    field apply to the classes of the answers that touched it. Where a table is judged together with
    others about the same people, `beside` has their conditions, which hold for its answers too.
    Fields are then named as the exposure names them."""

    holding: ProtectedTable
    policy: Policy = field(repr=False)
    beside: tuple[Conditions, ...] = field(default=(), repr=False)
    most_places: int = MOST_PLACES
    _lattices: dict[tuple[str, ...], KnownLattice] = field(default_factory=dict, repr=False)

    def over(self, derived: ProtectedTable) -> Conditions:
        """The same over the same bins, with further known fields: rules and counts stay."""
        made = replace(self, holding=derived, most_places=MOST_DERIVED_PLACES, _lattices={})
        _ = self.of_people, self.of_values, self.measurements, self.tally, self.values_tallies
        own = {"holding", "policy", "beside", "most_places", "_lattices"}
        vars(made).update({key: value for key, value in vars(self).items() if key not in own})
        return made

    @cached_property
    def needed(self) -> tuple[str, ...]:
        return needed_fields(self.policy, CLASS)

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """The judged models, over classes. A requirement that classes cannot be held to is refused,
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
            raise PolicyError(problems, name=f"Policy {self.policy.name}")
        sizes = {
            (declared.key, declared.least(asked))
            for declared, asked in require.items()
            if declared.least
        }
        bare = replace(require, quasi_identifiers=()).without(key for key, _ in sizes)
        bare = bare.with_models(k=max((size for _, size in sizes), default=1))
        whole = self.values_tally.bins(np.zeros(len(self.holding.bins), np.int64), self.needed)
        models = models_for(
            replace(self.policy, require=bare),
            CLASS,
            len(self.holding),
            hierarchies={},
            source=whole,
        )
        return tuple(models)

    @cached_property
    def of_people(self) -> tuple[Model, ...]:
        own = tuple(model for model in self.models if not needs_of(model))
        return (*own, *(model for other in self.beside for model in other.of_people))

    @cached_property
    def of_values(self) -> Mapping[str, tuple[Model, ...]]:
        """By field of this table; a rule about several fields is one about each. No class of a
        sensitive number may be dominated by one person."""
        found = {
            name: tuple(_about(model, name) for model in self.models if name in needs_of(model))
            for name in self.needed
        }
        return {
            name: (*models, Dominance(fields=CLASS, sensitive=name))
            if models and name in self.measurements
            else models
            for name, models in found.items()
        }

    @cached_property
    def measurements(self) -> frozenset[str]:
        """The sensitive numbers of this table."""
        return measurements(self.holding)

    def is_open(self, question: Question) -> bool:
        """Whether a question about sensitive numbers may be answered exactly at all: it adds them
        up, and a rule limits how close they may be. Whether it is safe is decided after that."""
        asked = self.measurements & set(question.unknown)
        close = all(looks_at_closeness(self.of_values.get(name, ())) for name in asked)
        return close and adds_up(question, self.measurements)

    @cached_property
    def all_tables(self) -> tuple[Conditions, ...]:
        """The conditions of this table and of those beside it."""
        return (self, *self.beside)

    @cached_property
    def _exposed(self) -> Mapping[str, tuple[Conditions, str]]:
        """Each field with a rule, as an exposure names it: whose it is, and its name there."""
        return {
            exposed: (conditions, name)
            for conditions in self.all_tables
            for name in conditions.of_values
            for exposed in conditions.holding.exposed((name,))
        }

    def has_rule(self, names: Iterable[str]) -> bool:
        """Whether some rule is about one of these fields, as an exposure names them."""
        return any(
            self._exposed[name][0].of_values[self._exposed[name][1]]
            for name in names
            if name in self._exposed
        )

    def needed_of(self, touched: Collection[str]) -> dict[str, list[str]]:
        """By table, this one first: the fields whose values rules look at, of those that an answer
        touches."""
        out: dict[str, list[str]] = {self.holding.name: []}
        for name in self._exposed.keys() & set(touched):
            conditions, own = self._exposed[name]
            out.setdefault(conditions.holding.name, []).append(own)
        return out

    @cached_property
    def k(self) -> int:
        return max((each.k for each in self.of_people if isinstance(each, KAnonymity)), default=1)

    @cached_property
    def counts_only(self) -> bool:
        """Whether all that is asked of people is that there are k, and numbers of them may be
        summed over bins."""
        only_k = all(
            isinstance(model, KAnonymity) and model.monotone_generalisation
            for model in self.of_people
        )
        return only_k and self.tally.adds_up

    @cached_property
    def lasting(self) -> bool:
        """Whether a class that breaks a rule about values does so in every finer class."""
        return all(
            model.monotone_generalisation
            for conditions in self.all_tables
            for models in conditions.of_values.values()
            for model in models
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
        own = [plain(name)[1] for name in shows]
        return max([self.k, *(self._fewest[name] for name in own if name in self._fewest)])

    @cached_property
    def _fewest(self) -> Mapping[str, int]:
        """For each field: how many people a class needs, so that the values of all but some
        disclose little about one of them."""
        out: dict[str, int] = {}
        for name, models in self.of_values.items():
            for model in models:
                if isinstance(model, ConfidenceGain) and len(model.reference) > 1:
                    room = model.gain * (len(model.reference) - 1)
                    out[name] = max(out.get(name, 0), int(np.ceil(model.facts * (1 + room) / room)))
        return out

    @cached_property
    def tally(self) -> Tally:
        """The people of the protected table's bins, counted once."""
        alone = self.holding.one_row_each and self.holding.links is None
        return self.values_tally if alone else Tally.of_people(self.holding)

    @cached_property
    def values_tally(self) -> Tally:
        """The people who are represented there by their own row, and their values."""
        return Tally.of_values(self.holding, self.needed)

    @cached_property
    def values_tallies(self) -> Mapping[str, Tally]:
        """The same of every table, by its name."""
        return {each.holding.name: each.values_tally for each in self.all_tables}

    def lattice(self, known: tuple[str, ...]) -> KnownLattice:
        """The lattice of some known fields, made when first asked for. Those asked lately are
        kept."""
        found = self._lattices.pop(known, None)
        if found is None:
            found = KnownLattice.of(
                known, self.holding, self.tally, self.values_tally, most=self.most_places
            )
        self._lattices[known] = found
        while sum(each.places for each in self._lattices.values()) > self.most_places:
            del self._lattices[next(iter(self._lattices))]
        return found

    def failing(self, exposure: Exposure, *, shows: Collection[str]) -> Marks:
        """The bins whose class breaks a rule. Where there are too few people, rules about values
        are not looked at. `shows` are the fields whose classes may have changed."""
        out = self.too_few(exposure)
        return out if out.any() else self.too_alike(exposure, shows=shows)

    def too_few(self, exposure: Exposure, *, tally: Tally | None = None) -> Marks:
        """The units whose class breaks a rule about people: bins, or those of a tally."""
        return self._failing(exposure.anyone, (), self.of_people, tally or self.tally)

    def too_alike(
        self,
        exposure: Exposure,
        *,
        shows: Collection[str],
        tallies: Mapping[str, Tally] | None = None,
    ) -> Marks:
        """The units whose class breaks a rule about values; `shows` as the exposure names them."""
        counted = tallies or self.values_tallies
        out = np.zeros(len(exposure.anyone), bool)
        for name in shows:
            conditions, own = self._exposed.get(name, (self, ""))
            models = conditions.of_values.get(own, ())
            if models:
                tally = counted[conditions.holding.name]
                out |= self._failing(exposure.classes_of(name), (own,), models, tally)
        return out

    def broken_rules(
        self,
        exposure: Exposure,
        *,
        shows: Iterable[str],
        tally: Tally,
        values_tallies: Mapping[str, Tally],
    ) -> dict[str, int]:
        """For the steward: each rule that an exposure breaks, and in how many classes."""
        out: dict[str, int] = {}
        about: list[tuple[tuple[str, ...], Wholes, tuple[Model, ...], Tally]] = [
            ((), exposure.anyone, self.of_people, tally)
        ]
        about += [
            (
                (own,),
                exposure.classes_of(name),
                where.of_values[own],
                values_tallies[where.holding.name],
            )
            for name, (where, own) in self._exposed.items()
            if name in set(shows)
        ]
        for fields, classes, models, counted in about:
            if not models:
                continue
            bins = counted.bins(classes, fields)
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
