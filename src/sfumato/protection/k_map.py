"""k-map: each released record could be at least k people of a population (Sweeney 2000, section
5)."""

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
from .model import Model, verdict_of
from .verdict import Verdict

ESTIMATED = "estimated from survey weights"


@dataclass(frozen=True, slots=True, kw_only=True)
class KMapRequirement:
    """Every released record could be at least `k` people of the `population` table.

    In place of the table, the field `weight` may have the number of people that each row of the
    source represents."""

    k: int = parameter("people of the population that a record could be", least=1, example="5")
    population: str = parameter(
        "table of the population, from where the policy is",
        default="",
        kind=ParameterKind.FILE,
        example='"voters.csv"',
    )
    weight: str = parameter(
        "field with survey weights, in place of the population",
        default="",
        kind=ParameterKind.FIELD,
    )
    fields: tuple[str, ...] = parameter(
        "quasi fields; all that the recipient knows where none is named",
        default=(),
        kind=ParameterKind.FIELDS,
    )

    def conflicts(self, given: frozenset[str]) -> Iterator[tuple[str, str, str]]:
        if bool(self.population) == bool(self.weight):
            said = (
                "A k-map needs a table of the population or a field with survey weights, and "
                "not both."
            )
            yield "population", said, 'population = "voters.csv", or weight = "survey_weight".'


@dataclass(frozen=True, kw_only=True)
class KMap:
    """Each released record could belong to at least `k` people in the population.

    Sizes are read from the population's bins, not from the release. A record that is unique in the
    release still passes when k people of the population share its values. `population` holds values
    of level 0; a released label covers every population value under it. With `estimated`, the
    population was not counted but estimated from survey weights: each row represents as many people
    as its weight.

    Assumes: the population's bins cover everyone the recipient could link to, one row per person;
    where it is estimated, that the weights were made for these fields, and small bins are the least
    certain. Does not protect: a recipient who knows that someone is in the release; a sensitive
    value shared by the bin. Reference: Sweeney 2000, section 5; docs/protection/k-map.md.

    Example:
        >>> population = Bins.of(("zip", "sex"), {("021**", "F"): 7, ("946**", "M"): 2})
        >>> release = Bins.of(("zip", "sex"), {("021**", "F"): 1, ("946**", "M"): 1})
        >>> KMap(k=3, fields=("zip", "sex"), population=population).judge(release).bins_below
        1
    """

    k: int
    fields: tuple[str, ...]
    population: Bins = field(repr=False)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, repr=False)
    estimated: bool = False

    name: ClassVar[str] = "k-map"
    monotone_suppression: ClassVar[bool] = True
    reads_labels: ClassVar[bool] = True

    @property
    def monotone_generalisation(self) -> bool:
        """True where each label has one meaning: a label with few people at a finer level is
        counted as those few."""
        return all(
            name in self.hierarchies and one_meaning(self.hierarchies[name]) for name in self.fields
        )

    @property
    def bin_monotone(self) -> bool:
        return self.monotone_generalisation

    def sizes(self, bins: Bins) -> NDArray[np.int64]:
        """For each released bin: how many of the population it could be."""
        return population_counts(bins, self.population, self.fields, self.hierarchies)

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        return self.sizes(bins) < self.k

    def judge(self, bins: Bins) -> Verdict:
        smallest = int(self.sizes(bins).min()) if len(bins) else 0
        requirement = f"k = {self.k} in a population of {self.population.people}"
        requirement += f", {ESTIMATED}" if self.estimated else ""
        return verdict_of(
            self, bins, requirement=requirement, fields=self.fields, smallest=smallest
        )


def _build(asked: KMapRequirement, context: ModelContext) -> Iterator[Model]:
    people = context.population
    assert people is not None
    yield KMap(
        k=asked.k,
        fields=people.fields,
        population=people,
        hierarchies=context.hierarchies,
        estimated=bool(asked.weight),
    )


DECLARATION = ModelDeclaration(
    key="k_map",
    doc="each released record could be at least k people of a population",
    record=KMapRequirement,
    needs=lambda asked: OutsideNeed.WEIGHTS if asked.weight else OutsideNeed.POPULATION,
    roles={"fields": (Role.QUASI,), "weight": ()},
    shapes=ROWS | {Shape.WEIGHTS, Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES},
    counted=True,
    build=_build,
    models=(KMap,),
    place=20,
)
