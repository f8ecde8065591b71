"""The population behind a table: how many people share the values of each bin, counted or
estimated.

Four facts may be known of it, taken in this order: a table of everyone, survey weights, the sampled
share of the population, or its size. Where none is, the population is not judged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, match_counts, population_counts, wild_cells
from sfumato.engines import Engine
from sfumato.errors import Mistake
from sfumato.measures import Subject
from sfumato.policy import NullRule
from sfumato.protection import SampleSizes

from .individual_risk import individual_risks
from .intervals import BY_RESAMPLING, OVER_BINS, ResampledBins, interval_over_bins, middle
from .pitman_people import average_chance, expected_chances

Reals = NDArray[np.float64]
Counts = NDArray[np.int64]
Known = Literal["table", "weights", "fraction", "size", "nothing"]

_LARGEST = 10_000_000  # bin sizes up to which a table of all sizes is kept


@dataclass(frozen=True, slots=True, eq=False)
class Alike:
    """Bins with the same estimate, taken together: `rows` each of them has, and how many `bins`
    there are.

    Where only its size matters for a bin, all bins of one size are taken together. Millions of bins
    then have a few hundred entries. `place` maps bins to entries. Where each bin has its own
    number, it is None."""

    rows: Reals
    bins: Reals
    place: Counts | None

    @classmethod
    def each(cls, counts: Counts) -> Alike:
        return cls(counts.astype(float), np.ones(len(counts)), None)

    @classmethod
    def by_size(cls, counts: Counts) -> Alike:
        sample = size_histogram(counts)
        if not len(counts) or int(counts.max()) > _LARGEST:
            return cls(sample.sizes, sample.bins, np.searchsorted(sample.sizes, counts))
        place = np.zeros(int(counts.max()) + 1, np.int64)
        place[sample.sizes.astype(np.int64)] = np.arange(len(sample.sizes))
        return cls(sample.sizes, sample.bins, place[counts])

    def per_bin(self, numbers: Reals) -> Reals:
        return numbers if self.place is None else numbers[self.place]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PopulationCounts:
    """The people behind the bins of one table.

    `sizes[i]` is the number of people who share the values of each bin of entry i of `alike`.
    `chance[i]` is the expectation of 1 over it: the chance to name the right one. `total` is the
    size of the population. `uncovered` are the rows in bins in which the population's table has
    fewer people than the table itself. `interval` is about the average chance of a row. Where
    `reason` is given, nothing else is."""

    known: Known
    said: str
    reason: str = ""
    total: float = 0.0
    alike: Alike | None = field(default=None, repr=False)
    sizes: Reals | None = None
    chance: Reals | None = None
    uncovered: int = 0
    interval: tuple[float, float] | None = None
    interval_by: str = ""

    @property
    def estimated(self) -> bool:
        return self.known != "table"


def sizes_of(bins: Bins, nulls: NullRule) -> Counts:
    """How many rows each bin could be confused with: its size, or more where null matches
    anything."""
    if nulls is NullRule.VALUE or not len(bins):
        return bins.counts
    wild = wild_cells(bins, suppressed=False, nulls=nulls)
    return match_counts(bins, wild, range(len(bins.fields))) if wild.any() else bins.counts


def size_histogram(counts: Counts) -> SampleSizes:
    """How many bins there are of each size, without sorting them.

    Example:
        >>> size_histogram(np.array([5, 1, 1])).sizes.tolist()
        [1.0, 5.0]
    """
    if not len(counts) or int(counts.max()) > _LARGEST:
        return SampleSizes.of(counts)
    bins = np.bincount(counts)
    sizes = np.flatnonzero(bins)
    return SampleSizes(sizes.astype(float), bins[sizes].astype(float))


def population_size(subject: Subject, rows: int) -> float | None:
    """How many people there are, for a table of so many rows before anything was suppressed; None
    where unknown."""
    fraction, size = subject.sampling_fraction, subject.population_size
    if fraction is not None and size is not None:
        raise Mistake(
            "A sampling fraction and a size of the population were given.",
            found="Each follows from the other.",
            attempt="giving one of them.",
        )
    if fraction is not None and not 0 < fraction <= 1:
        raise Mistake(
            "The sampling fraction is the share of the population that the table holds.",
            found=f"{fraction:g} is not above 0 and at most 1.",
            attempt="sampling_fraction = 0.1 for one person in ten.",
        )
    if size is not None and size < rows:
        raise Mistake(
            f"A population of {size} people was given.",
            found=f"The table has {rows} rows, and each of them is a person of the population.",
            attempt="the size of the whole population that the table was drawn from.",
        )
    if fraction is not None:
        return rows / fraction
    return None if size is None else float(size)


def people_behind(
    subject: Subject,
    engine: Engine,
    bins: Bins,
    *,
    population: Bins | None,
    total: float | None,
    sizes: ResampledBins,
) -> PopulationCounts:
    """The people behind the bins of `engine`, the release or the source.

    `population` are the bins of everyone, `total` how many there are, `sizes` those of the bins.
    """
    if population is not None:
        return _counted(subject, bins, population)
    if subject.weight is not None:
        return weighted_people(subject, engine, bins)
    if total is not None:
        return _estimated(subject, bins, total, sizes)
    return PopulationCounts(
        known="nothing",
        said="The population is unknown.",
        reason="no table of the population, no survey weights, no sampling fraction and no size "
        "of the population "
        "were given",
    )


def _counted(subject: Subject, bins: Bins, population: Bins) -> PopulationCounts:
    said = f"Counted in a table of {population.rows:,} people."
    rows = bins.rows
    if population.rows < rows:
        reason = (
            f"the population's table has {population.rows:,} people and the table itself "
            f"{rows:,} rows"
        )
        return PopulationCounts(known="table", said=said, reason=reason)
    found = population_counts(bins, population, bins.fields, subject.hierarchies)
    short = found < bins.counts
    sizes = np.maximum(found, bins.counts).astype(float)
    return PopulationCounts(
        known="table",
        said=said,
        total=float(population.rows),
        alike=Alike.each(bins.counts),
        sizes=sizes,
        chance=np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0),
        uncovered=int(bins.counts[short].sum()),
    )


def weighted_people(subject: Subject, engine: Engine, bins: Bins) -> PopulationCounts:
    """Weights of the table itself; where the release does not carry them, those of the source under
    its labels."""
    weight = str(subject.weight)
    holder = engine if any(info.name == weight for info in engine.fields()) else subject.source
    said = f"Estimated from the survey weights in {weight} (Benedetti and Franconi 1998)."
    if holder is None or not any(info.name == weight for info in holder.fields()):
        return PopulationCounts(
            known="weights",
            said=said,
            reason=f"neither the release nor the source has the field {weight}",
        )
    weighted = Bins.count(holder, bins.fields, weight=weight)
    hierarchies = {} if holder is engine else subject.hierarchies
    sizes = population_counts(bins, weighted, bins.fields, hierarchies).astype(float)
    if not len(bins):
        return PopulationCounts(known="weights", said=said, reason="the table is empty")
    chance = individual_risks(bins.counts.astype(float), sizes)
    interval = interval_over_bins(bins.counts.astype(float), chance)
    return PopulationCounts(
        known="weights",
        said=said,
        total=float(weighted.rows),
        alike=Alike.each(bins.counts),
        sizes=sizes,
        chance=chance,
        interval=interval,
        interval_by=OVER_BINS if interval else "",
    )


def _estimated(
    subject: Subject, bins: Bins, total: float, resampled: ResampledBins
) -> PopulationCounts:
    """From the sizes of all bins, by Pitman's model; the bins themselves where the table is the
    population."""
    known: Known = "fraction" if subject.sampling_fraction is not None else "size"
    rows, counts = bins.rows, bins.counts
    alike = Alike.by_size(counts)
    if rows >= total:
        said = "The table is the whole population."
        return PopulationCounts(
            known=known,
            said=said,
            total=total,
            alike=alike,
            sizes=alike.rows,
            chance=1 / alike.rows,
        )
    what = (
        f"a sampling fraction of {subject.sampling_fraction:g}"
        if subject.sampling_fraction is not None
        else f"a population of {total:,.0f} people"
    )
    said = f"Estimated from {what} and the sizes of all bins, by Pitman's model (Hoshino 2001)."
    if not rows:
        return PopulationCounts(known=known, said=said, reason="the table is empty")
    sample, fit = resampled.sample, resampled.fit
    if fit.reason:
        return PopulationCounts(known=known, said=said, reason=fit.reason)
    chances = expected_chances(sample.sizes, fit, rows=rows, population=total)
    # A bin of f rows has f + (N - n)(f - alpha)/(theta + n) people on average.
    means = sample.sizes + (total - rows) * (sample.sizes - fit.alpha) / (fit.theta + rows)
    share = total / rows
    interval = middle(
        [
            average_chance(again, fitted, again.rows * share)
            for again, fitted in zip(resampled.again, resampled.fits, strict=True)
        ]
    )
    return PopulationCounts(
        known=known,
        said=said,
        total=total,
        alike=alike,
        sizes=means,
        chance=chances,
        interval=interval,
        interval_by=BY_RESAMPLING if interval else "",
    )
