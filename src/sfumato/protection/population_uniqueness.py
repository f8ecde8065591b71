"""Population uniqueness: the estimated share of the population with a unique combination is
limited."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import Mistake
from sfumato.parts import Shape, parameter
from sfumato.policy import ROWS

from .declaration import ModelContext, ModelDeclaration
from .histograms import ROUNDING
from .model import Model, verdict_of
from .uniqueness_estimators import SampleSizes, pitman, zayatz
from .verdict import Verdict


class Estimator(StrEnum):
    """The estimator of how many people are unique in a population."""

    PITMAN = "pitman"
    ZAYATZ = "zayatz"


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationUniquenessRequirement:
    """At most the share `threshold` of the population is estimated to be unique, given its size or
    the sampling fraction."""

    threshold: float = parameter(
        "the largest share of the population that is unique", least=0, most=1, example="0.05"
    )
    population_size: int | None = parameter(
        "people in the population", default=None, least=1, example="300000"
    )
    sampling_fraction: float | None = parameter(
        "share of the population that is in the source, in place of its size",
        default=None,
        above=0,
        most=1,
    )
    estimator: Estimator = parameter("what estimates", default=Estimator.PITMAN)

    def conflicts(self, given: frozenset[str]) -> Iterator[tuple[str, str, str]]:
        if ("population_size" in given) == ("sampling_fraction" in given):
            said = "It needs the size of the population or the sampling fraction, and not both."
            yield "population_size", said, "population_size = 300000, or sampling_fraction = 0.1."


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationUniqueness:
    """The estimated share of the population with a unique combination of `fields` is at most
    `threshold`.

    The release is taken as a random sample of a population of `population_size` people, or of one
    of which it is the share `sampling_fraction`. An estimate, not a count: the verdict states it,
    with the estimator. Where the estimator gives no number the rule counts as broken. A rule about
    the table as a whole: when it breaks every bin fails, when it holds none does. Where people have
    several rows, the estimate is a share of pairs of a person and a bin of the population. It is
    the share of pairs in which the person is alone in the bin.

    Assumes: the release is a simple random sample of the population; the estimator's model of it.
    Does not protect: the few who are unique; someone whom the recipient knows to be in the release.
    Reference: Dankar, El Emam, Neisa and Roffey 2012, "Estimating the re-identification risk of
    clinical data sets"; Hoshino 2001; Zayatz 1991; docs/protection/population-uniqueness.md.

    Example:
        >>> bins = Bins.of(("zip",), {(str(n),): 1 if n < 40 else 2 if n < 60 else 5 for n in range(68)})
        >>> model = PopulationUniqueness(threshold=0.05, fields=("zip",), sampling_fraction=0.1)
        >>> round(model.uniqueness(bins), 4), model.judge(bins).outcome
        (0.0508, 'fail')
    """

    threshold: float
    fields: tuple[str, ...]
    population_size: int | None = None
    sampling_fraction: float | None = None
    estimator: Literal["pitman", "zayatz"] = "pitman"

    name: ClassVar[str] = "population uniqueness"
    monotone_generalisation: ClassVar[bool] = False
    monotone_suppression: ClassVar[bool] = False
    bin_monotone: ClassVar[bool] = False

    def population(self, rows: int) -> float:
        """How many people there are, for a release of so many rows."""
        if (self.population_size is None) == (self.sampling_fraction is None):
            raise Mistake(
                "Population uniqueness needs the size of the population or the sampling "
                "fraction, and not both.",
                attempt="population_size = 300000, or sampling_fraction = 0.1.",
            )
        if self.population_size is not None:
            return float(max(self.population_size, rows))
        return rows / min(self.sampling_fraction or 1.0, 1.0)

    def uniqueness(self, bins: Bins) -> float:
        """The estimated share of the population that is unique; nan where the estimator gives no
        number."""
        counts = bins.counts if bins.fields == self.fields else bins.group_of(self.fields)[1]
        if not len(counts):
            return 0.0
        population = self.population(bins.people) * float(counts.sum()) / max(bins.people, 1)
        sample = SampleSizes.of(counts)
        if population <= sample.rows:
            return sample.unique / sample.rows
        return (
            pitman(sample, population) if self.estimator == "pitman" else zayatz(sample, population)
        )

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        return np.full(len(bins), not self.uniqueness(bins) <= self.threshold + ROUNDING)

    def judge(self, bins: Bins) -> Verdict:
        found = self.uniqueness(bins)
        told = (
            "no estimate was possible"
            if math.isnan(found)
            else f"estimated: {found:.4g} of the population is unique"
        )
        return verdict_of(
            self,
            bins,
            requirement=f"at most {self.threshold:g} of {self.population(bins.people):.0f} people, "
            f"estimated with {self.estimator.capitalize()}",
            fields=self.fields,
            smallest=bins.smallest,
            measured=told,
        )


def _build(asked: PopulationUniquenessRequirement, context: ModelContext) -> Iterator[Model]:
    yield PopulationUniqueness(
        threshold=asked.threshold,
        fields=context.known,
        population_size=asked.population_size,
        sampling_fraction=asked.sampling_fraction,
        estimator=asked.estimator.value,
    )


DECLARATION = ModelDeclaration(
    key="population_uniqueness",
    doc="the estimated share of the population with a unique combination is at most the threshold",
    record=PopulationUniquenessRequirement,
    shapes=ROWS | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES},
    build=_build,
    models=(PopulationUniqueness,),
    place=330,
)
