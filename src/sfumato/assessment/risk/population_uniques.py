"""Population uniqueness: the share of the population that is unique with its values, by every
estimator in use.

Pitman (Hoshino 2001), slide negative binomial (Chen and Keller-McNulty 1998), Zayatz (1991), and
the rule that chooses among them. The rule is that of Dankar, El Emam, Neisa and Roffey (2012,
"Estimating the re-identification risk of clinical data sets"): Pitman for a sampling fraction of at
most 0.1, and the smaller of slide negative binomial and Zayatz above it. An estimator that does not
fit states it and gives no number; the rule then takes the next one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, group, lowest_codes
from sfumato.hierarchies import Hierarchy
from sfumato.protection import SampleSizes, pitman_share, slide_negative_binomial, zayatz

from .intervals import BY_RESAMPLING, ResampledBins, middle
from .pitman_people import PitmanFit

SMALL_FRACTION = 0.1
_EDGE = (
    "Pitman's model does not fit: its best parameter is at the edge of its range, as in too "
    "small a sample"
)
_ALL_ALONE = "every row is unique, so the number of kinds of people is unbounded"
_NO_PAIRS = "no two rows share their values alone, which the negative binomial needs"
_NO_FIT = "no negative binomial expects as many bins of one and of two rows as there are"

Estimator = Callable[[SampleSizes, PitmanFit, float], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class UniquesEstimate:
    """The share of the population that is unique, or why it cannot be estimated."""

    estimator: str
    value: float | None = None
    interval: tuple[float, float] | None = None
    interval_by: str = ""
    reason: str = ""
    chose: str = ""

    def as_dict(self) -> dict[str, Any]:
        return {
            "estimator": self.estimator,
            "value": self.value,
            "interval": None if self.interval is None else list(self.interval),
            "interval_by": self.interval_by,
            "reason": self.reason,
            "chose": self.chose,
        }


def estimate_uniqueness(sizes: ResampledBins, population: float) -> tuple[UniquesEstimate, ...]:
    """Every estimate from the bin sizes of a sample, the decision rule's last; counted where all
    are in the sample.

    Example:
        >>> import numpy as np
        >>> sample = SampleSizes.of(np.array([1] * 40 + [2] * 8 + [3] * 4 + [5] * 4 + [12] * 2 + [30]))
        >>> for found in estimate_uniqueness(ResampledBins(sample, np.random.default_rng(1)), 1420):
        ...     print(found.estimator, round(found.value, 3), *filter(None, [found.chose]))
        Pitman 0.118
        slide negative binomial 0.1
        Zayatz 0.131
        Dankar 0.118 Pitman
    """
    sample = sizes.sample
    if not sample.rows:
        return (UniquesEstimate(estimator="Dankar", reason="the table is empty"),)
    if population <= sample.rows:
        return (UniquesEstimate(estimator="counted", value=sample.unique / sample.rows),)
    found = (
        _estimate("Pitman", sizes, population, by=_pitman, reason=_why_not_pitman(sample)),
        _estimate(
            "slide negative binomial", sizes, population, by=_snb, reason=_why_not_snb(sample)
        ),
        _estimate("Zayatz", sizes, population, by=_zayatz, reason=_ALL_ALONE),
    )
    return (*found, dankar(*found, fraction=sample.rows / population))


def dankar(
    by_pitman: UniquesEstimate,
    by_snb: UniquesEstimate,
    by_zayatz: UniquesEstimate,
    *,
    fraction: float,
) -> UniquesEstimate:
    """The decision rule. Where Pitman does not fit, the next in line is taken, which counts more
    people as unique."""
    others = [found for found in (by_snb, by_zayatz) if found.value is not None]
    chosen = min(others, key=lambda found: found.value or 0.0) if others else None
    if fraction <= SMALL_FRACTION and by_pitman.value is not None:
        chosen = by_pitman
    if chosen is None:
        return UniquesEstimate(estimator="Dankar", reason=by_pitman.reason or by_zayatz.reason)
    return UniquesEstimate(
        estimator="Dankar",
        value=chosen.value,
        interval=chosen.interval,
        interval_by=chosen.interval_by,
        chose=chosen.estimator,
    )


def counted_uniqueness(
    population: Bins,
    told: Bins | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    *,
    people: NDArray[np.float64] | None = None,
) -> UniquesEstimate:
    """The true share, where there is a table of everyone: people who are unique in the released
    bins `told`.

    Where each field is released at one level, the population is raised to these levels. Where
    levels differ from row to row, the level of an absent person is unknown. A person then counts
    who is the only one that a bin covers: `people` has how many each bin covers.

    Example:
        >>> everyone = Bins.of(("zip",), {("02138",): 1, ("02139",): 1, ("02141",): 1, ("02142",): 4})
        >>> counted_uniqueness(everyone).value
        0.42857142857142855
        >>> zips = Hierarchy.from_rows([("02138", "0213*"), ("02139", "0213*"), ("02141", "0214*"), ("02142", "0215*")])
        >>> released = Bins.of(("zip",), {("0213*",): 1, ("0214*",): 1})
        >>> counted_uniqueness(everyone, released, {"zip": zips}).value
        0.14285714285714285
    """
    if not population.rows:
        return UniquesEstimate(estimator="counted", reason="the population's table is empty")
    levels = _one_level_each(told, hierarchies or {}) if told is not None else {}
    if levels is None:
        alone = 0 if people is None else int((people == 1).sum())
    else:
        alone = int((_raised_sizes(population, hierarchies or {}, levels) == 1).sum())
    return UniquesEstimate(estimator="counted", value=alone / population.rows)


def _one_level_each(told: Bins, hierarchies: Mapping[str, Hierarchy]) -> dict[str, int] | None:
    """The finest level of each field that has all of its labels; None where a field has none."""
    levels = {}
    for name, labels in zip(told.fields, told.labels, strict=True):
        if name not in hierarchies:
            continue
        used = {label for label in labels if label is not None}
        fitting = (
            level for level, names in enumerate(hierarchies[name].labels) if used <= set(names)
        )
        level = next(fitting, None)
        if level is None:
            return None
        levels[name] = level
    return levels


def _raised_sizes(
    population: Bins, hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int]
) -> NDArray[np.int64]:
    """The sizes of the population's bins at these levels; a value that a hierarchy does not know
    stays as it is."""
    if not any(levels.values()):
        return population.counts
    lowest = lowest_codes(population, hierarchies)
    codes, widths = population.codes.astype(np.int32), [len(names) for names in population.labels]
    for column, name in enumerate(population.fields):
        level = levels.get(name, 0)
        if level:
            names, at = hierarchies[name].labels[level], lowest[:, column]
            codes[:, column] = np.where(
                at >= 0, hierarchies[name].up[level][at], len(names) + codes[:, column]
            )
            widths[column] += len(names)
    groups, first = group(codes, widths)
    return np.bincount(groups, population.counts, minlength=len(first)).astype(np.int64)


def _estimate(
    name: str, sizes: ResampledBins, population: float, *, by: Estimator, reason: str
) -> UniquesEstimate:
    sample = sizes.sample
    if not sample.unique:
        return UniquesEstimate(estimator=name, value=0.0)
    value = by(sample, sizes.fit, population)
    if math.isnan(value):
        return UniquesEstimate(estimator=name, reason=reason)
    per_row = population / sample.rows
    interval = middle(
        [
            by(again, fit, again.rows * per_row)
            for again, fit in zip(sizes.again, sizes.fits, strict=True)
        ]
    )
    return UniquesEstimate(
        estimator=name,
        value=value,
        interval=interval,
        interval_by=BY_RESAMPLING
        if interval
        else "no interval: too few samples of bins drawn again could be fitted",
    )


def _pitman(sample: SampleSizes, fit: PitmanFit, population: float) -> float:
    """Pitman's estimate, nan where its model does not fit. At the edge its number swings between
    0.2 and 0.6 on a hundredth of Adult, where the truth is 0.51."""
    if not sample.unique:
        return 0.0
    return pitman_share(fit.theta, fit.alpha, population) if fit.alpha else math.nan


def _snb(sample: SampleSizes, fit: PitmanFit, population: float) -> float:
    return slide_negative_binomial(sample, population)


def _zayatz(sample: SampleSizes, fit: PitmanFit, population: float) -> float:
    """Zayatz's estimate; where every row is unique it would be 1 whatever the sample."""
    return math.nan if sample.many == sample.rows else zayatz(sample, population)


def _why_not_pitman(sample: SampleSizes) -> str:
    return _ALL_ALONE if sample.many == sample.rows else _EDGE


def _why_not_snb(sample: SampleSizes) -> str:
    return _NO_FIT if (sample.sizes == 2).any() else _NO_PAIRS
