"""All measures of risk of one release, before and after: the result that the page, the board and a
manifest read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Engine
from sfumato.errors import MissingExtra, Mistake
from sfumato.hierarchies import Label
from sfumato.measures import HouseholdFinding, Subject, measure_households
from sfumato.protection import reference_of

from .attribute_disclosure import AttributeDisclosure, attribute_disclosure
from .copula import copula_uniqueness
from .intervals import ResampledBins
from .population import (
    PopulationCounts,
    people_behind,
    population_size,
    size_histogram,
    sizes_of,
    weighted_people,
)
from .population_uniques import UniquesEstimate, counted_uniqueness, estimate_uniqueness
from .probabilities import Probability, inclusion, kirp, rmp, uirp
from .uniqueness_table import UniquenessRow, uniqueness_table, usual_combinations

Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableRisks:
    """The risks of one table. Arrays in the probabilities are per bin, in the order of the bins
    they were taken from.

    `people` is the knowledge of the population. `alone_in_both` is the share of rows that are
    unique in the table and, as counted, in the population's table; None where there is no such
    table."""

    rows: int
    bins: int
    unique_rows: int
    smallest: int
    kirp: Probability
    uirp: Probability
    rmp: Probability
    inclusion: Probability
    people: PopulationCounts
    uniqueness: tuple[UniquesEstimate, ...]
    alone_in_both: float | None
    attributes: tuple[AttributeDisclosure, ...]
    households: HouseholdFinding | None
    table: tuple[UniquenessRow, ...]

    @property
    def probabilities(self) -> tuple[Probability, ...]:
        return self.kirp, self.uirp, self.rmp, self.inclusion

    @property
    def expected_reidentifications(self) -> float | None:
        """How many rows are expected to get the right name when each is given one: n times ARMP."""
        return None if self.rmp.average is None else self.rows * self.rmp.average

    def as_dict(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "bins": self.bins,
            "unique_rows": self.unique_rows,
            "smallest_bin": self.smallest,
            "average_bin_size": self.rows / self.bins if self.bins else 0.0,
            "probabilities": {found.name: found.as_dict() for found in self.probabilities},
            "expected_reidentifications": self.expected_reidentifications,
            "population": {
                "known": self.people.known,
                "said": self.people.said,
                "people": self.people.total or None,
                "rows_not_covered": self.people.uncovered,
                "reason": self.people.reason,
            },
            "population_uniqueness": [found.as_dict() for found in self.uniqueness],
            "rows_alone_in_table_and_population": self.alone_in_both,
            "attributes": [found.as_dict() for found in self.attributes],
            "households": None if self.households is None else self.households.as_dict(),
            "uniqueness": [line.as_dict() for line in self.table],
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Risks:
    """The risks of a release beside those of its source, over the fields that a recipient may
    know."""

    known: tuple[str, ...]
    sensitive: tuple[str, ...]
    after: TableRisks
    before: TableRisks | None = None
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            "known": list(self.known),
            "sensitive": list(self.sensitive),
            "before": None if self.before is None else self.before.as_dict(),
            "after": self.after.as_dict(),
            "notes": list(self.notes),
        }


def measure_risks(subject: Subject, *, copula: bool = True) -> Risks:
    """Every measure of risk but SUDA2, of the release and, where it is there, of the source.

    The copula model of Rocher et al. is fitted to a sample of rows and takes seconds;
    `copula=False` omits it."""
    if not subject.known:
        raise Mistake(
            "Risk is measured over the fields that a recipient may know of a person.",
            found="No field is counted as known.",
            attempt="naming the quasi-identifiers, or a recipient who knows some of them.",
        )
    released, original = subject.released, subject.original
    whole = released.rows if original is None else max(original.rows, released.rows)
    total = population_size(subject, whole)
    population = None
    if subject.population is not None:
        subject.progress("Counting the population")
        population = Bins.count(subject.population, subject.known)
    notes: list[str] = []
    measure = _Measure(
        subject=subject, population=population, total=total, copula=copula, notes=notes
    )
    subject.progress("Measuring the risk of the release")
    after = measure.table(subject.release, released, "release")
    before = None
    if subject.source is not None and original is not None:
        subject.progress("Measuring the risk of the source")
        before = measure.table(subject.source, original, "source")
    return Risks(
        known=subject.known,
        sensitive=subject.sensitive,
        after=after,
        before=before,
        notes=tuple(dict.fromkeys(notes)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measure:
    """The common parts of the tables of one assessment."""

    subject: Subject
    population: Bins | None
    total: float | None
    copula: bool
    notes: list[str]

    def table(self, engine: Engine, bins: Bins, name: str) -> TableRisks:
        subject = self.subject
        counts, sizes = bins.counts, sizes_of(bins, subject.nulls)
        resampled = ResampledBins(size_histogram(counts), subject.generator(f"bins of the {name}"))
        people = people_behind(
            subject, engine, bins, population=self.population, total=self.total, sizes=resampled
        )
        if people.reason:
            self.notes.append(
                f"Measures of the {name} that depend on the population are undecided: "
                f"{people.reason}."
            )
        if people.uncovered:
            self.notes.append(
                f"{people.uncovered:,} rows of the {name} are in bins with fewer people in "
                "the population's table than in the table itself; they are counted as if it "
                "had as many, which overstates their risk."
            )
        return TableRisks(
            rows=bins.rows,
            bins=len(bins),
            unique_rows=int(counts[sizes == 1].sum()),
            smallest=int(sizes.min(initial=bins.rows)),
            kirp=kirp(counts, sizes),
            uirp=uirp(people),
            rmp=rmp(people),
            inclusion=inclusion(people),
            people=people,
            uniqueness=self._uniqueness(bins, people, resampled),
            alone_in_both=_alone_in_both(counts, people),
            attributes=tuple(
                attribute_disclosure(bins, field, prior=self._prior(field, engine))
                for field in subject.sensitive
            ),
            households=self._households(engine, bins, name),
            table=self._table(engine, bins),
        )

    def _prior(self, field: str, engine: Engine) -> dict[Label, float] | None:
        """The prior of a sensitive field: its shares in the source, where its values were kept."""
        subject, original = self.subject, self.subject.original
        mine = subject.released.histograms[field].values
        kept = original is not None and set(mine) <= set(original.histograms[field].values)
        if subject.person is not None:
            holder = subject.source if kept and subject.source is not None else engine
            return _shares_of_people(holder, field, subject.person)
        return reference_of(original, field) if kept and original is not None else None

    def _uniqueness(
        self, bins: Bins, people: PopulationCounts, sizes: ResampledBins
    ) -> tuple[UniquesEstimate, ...]:
        if self.population is not None:
            hierarchies = self.subject.hierarchies
            return (counted_uniqueness(self.population, bins, hierarchies, people=people.sizes),)
        total = people.total or self.total
        if not total:
            return ()
        found = estimate_uniqueness(sizes, total)
        if not self.copula or total <= bins.rows or not bins.rows:
            return found
        try:
            return (*found, copula_uniqueness(bins, total, self.subject.generator("copula")))
        except MissingExtra as missing:
            self.notes.append(str(missing.asked))
            return found

    def _households(self, engine: Engine, bins: Bins, name: str) -> HouseholdFinding | None:
        field = self.subject.household
        if field is None:
            return None
        if field not in {info.name for info in engine.fields()}:
            self.notes.append(
                f"The {name} has no field {field}, so its households cannot be distinguished."
            )
            return None

        def chance_of(found: Bins) -> Reals:
            """With survey weights the individual risk, otherwise that of someone known to be in the
            table."""
            if self.subject.weight is not None:
                people = weighted_people(self.subject, engine, found)
                if people.chance is not None:
                    return people.chance  # one for each bin
            return 1.0 / found.counts

        return measure_households(engine, bins, field, chance_of=chance_of)

    def _table(self, engine: Engine, bins: Bins) -> tuple[UniquenessRow, ...]:
        combinations = usual_combinations(bins.fields, len(bins))
        if self.subject.person is not None:  # Bins of people do not add up.
            return uniqueness_table(engine, combinations, person=self.subject.person)
        return uniqueness_table(bins, combinations)


def _shares_of_people(engine: Engine, field: str, person: str) -> dict[Label, float]:
    """The share of people who have each value in some row of theirs; one with several counts for
    each of them."""
    found = Bins.count(engine, (field,), person=person)
    everyone = max(Bins.count(engine, (), person=person).rows, 1)
    return {label: count / everyone for (label,), count in found.sizes().items()}


def _alone_in_both(counts: NDArray[np.int64], people: PopulationCounts) -> float | None:
    if people.known != "table" or people.sizes is None or not counts.sum():
        return None
    return float(counts[(counts == 1) & (people.sizes == 1)].sum()) / float(counts.sum())
