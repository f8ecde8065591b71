"""delta-presence: being in the population discloses little about being in the release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, one_meaning, population_counts
from sfumato.hierarchies import Hierarchy
from sfumato.parts import ParameterKind, Shape, parameter
from sfumato.policy import ROWS, OutsideNeed, Role

from .declaration import ModelContext, ModelDeclaration
from .histograms import ROUNDING, Reals, per_bin
from .model import Model, verdict_of
from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaPresenceRequirement:
    """Of the people of the `population` table whom a tuple covers, a share from `min` to `max` is
    in the release."""

    population: str = parameter(
        "table of the population, from where the policy is",
        kind=ParameterKind.FILE,
        example='"voters.csv"',
    )
    min: float = parameter("the least share that is in the release", default=0.0, least=0, most=1)
    max: float = parameter("the largest share that is in the release", default=1.0, least=0, most=1)
    fields: tuple[str, ...] = parameter(
        "quasi fields; all that the recipient knows where none is named",
        default=(),
        kind=ParameterKind.FIELDS,
    )

    def conflicts(self, given: frozenset[str]) -> Iterator[tuple[str, str, str]]:
        if not self.population:
            yield (
                "population",
                "Presence is compared with a table of the population.",
                'population = "voters.csv".',
            )
        if self.min > self.max:
            yield "min", f"It is {self.min:g}, and must not be more than max = {self.max:g}.", ""


@dataclass(frozen=True, kw_only=True)
class DeltaPresence:
    """Of the people of the population whom a released tuple covers, a share from `min` to `max` is
    in the release.

    That share is what a recipient learns about whether someone is in it. With `min` above 0, people
    whom no released tuple covers break the rule too, because they are certainly not in the release.
    Then every bin fails, and suppressing bins makes it worse.

    Assumes: the population's bins cover everyone the recipient could think of, with values of level
    0; the release is a part of them, one row per person; released tuples do not overlap, as after a
    global recoding. Does not protect: which row is whose, or a sensitive value shared by the bin;
    see `KMap` and `NonUniqueness`. Reference: Nergiz, Atzori and Clifton 2007, "Hiding the presence
    of individuals from shared databases"; docs/protection/delta-presence.md.

    Example:
        >>> population = Bins.of(("zip",), {("021**",): 4, ("946**",): 2})
        >>> release = Bins.of(("zip",), {("021**",): 1, ("946**",): 2})
        >>> model = DeltaPresence(min=0, max=0.5, fields=("zip",), population=population)
        >>> model.presence(release).tolist(), model.failing(release).tolist()
        ([0.25, 1.0], [False, True])
    """

    min: float
    max: float
    fields: tuple[str, ...]
    population: Bins = field(repr=False)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, repr=False)

    name: ClassVar[str] = "delta-presence"
    bin_monotone: ClassVar[bool] = False
    reads_labels: ClassVar[bool] = True

    @property
    def monotone_generalisation(self) -> bool:
        """True where each label has one meaning, so that it covers the people of all labels merged
        into it."""
        return all(
            name in self.hierarchies and one_meaning(self.hierarchies[name]) for name in self.fields
        )

    @property
    def monotone_suppression(self) -> bool:
        """False where everyone must be covered."""
        return self.min <= 0

    def presence(self, bins: Bins) -> Reals:
        """For each bin: the share of the people it covers who are in the release; infinite where it
        covers none."""
        return per_bin(bins, self.fields, self._presence)

    def _presence(self, bins: Bins) -> Reals:
        people = population_counts(bins, self.population, self.fields, self.hierarchies)
        out = np.full(len(bins), np.inf)
        np.divide(bins.counts, people, out=out, where=people > 0)
        return out

    def uncovered(self, bins: Bins) -> int:
        """How many people of the population no released tuple covers."""
        over = bins if bins.fields == self.fields else bins.project(self.fields)
        people = population_counts(over, self.population, self.fields, self.hierarchies)
        if not self.population.adds_up:
            return (
                self.population.people
            )  # Who is covered by several tuples is not known: then nobody is said to be.
        return max(self.population.people - int(people.sum()), 0)

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        presence = self.presence(bins)
        if self.min > 0 and self.uncovered(bins):
            return np.ones(len(bins), bool)
        return (presence < self.min - ROUNDING) | (presence > self.max + ROUNDING)

    def judge(self, bins: Bins) -> Verdict:
        presence = self.presence(bins)
        uncovered = f"; {self.uncovered(bins)} people are surely not in it" if self.min > 0 else ""
        lowest, highest = presence.min(initial=np.inf), presence.max(initial=0.0)
        return verdict_of(
            self,
            bins,
            requirement=f"from {self.min:g} to {self.max:g} of a population of {self.population.people}",
            fields=self.fields,
            smallest=bins.smallest,
            measured=f"shares run from {lowest:.4g} to {highest:.4g}{uncovered}",
        )


def _build(asked: DeltaPresenceRequirement, context: ModelContext) -> Iterator[Model]:
    people = context.population
    assert people is not None
    yield DeltaPresence(
        min=asked.min,
        max=asked.max,
        fields=people.fields,
        population=people,
        hierarchies=context.hierarchies,
    )


DECLARATION = ModelDeclaration(
    key="delta_presence",
    doc="of the people of a population whom a tuple covers, a share within bounds is in the "
    "release",
    record=DeltaPresenceRequirement,
    needs=OutsideNeed.POPULATION,
    roles={"fields": (Role.QUASI,)},
    shapes=ROWS | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES},
    build=_build,
    models=(DeltaPresence,),
    place=300,
)
