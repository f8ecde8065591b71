"""Intervals of noisy numbers: where the real number is, given the noisy counts and sums that a number
is made of.

The noise of each count and sum is Gaussian, and its scale is public. It is imitated many times around
the noisy parts, the number is computed from each imitation, and the interval is between two quantiles
of the outcomes. For sums, counts and their differences this is the exact interval; quotients, slopes
and correlations are close to it as long as their divisors are well above the noise. Where a divisor is
not, the number may be anywhere.

Imitated noise protects nobody and comes from a fixed seed, so that one answer has one interval."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.engines.duckdb import run_over

from ..noise.noisy_rows import column_of
from ..noise.quantiles import HIGH, LOW
from ..noise.statistics import QUANTILE, statistic
from ..sql.admission import ANSWER
from ..sql.derivation import aggregates_of
from ..sql.questions import Aggregate, Question

Numbers = NDArray[np.float64]
Parts = Mapping[str, Numbers]
Bounds = Mapping[str, tuple[float, float]]
DRAWS: Final = 20_000
_WIDER: Final = 1.01
"""Imitated noise is so much wider than the noise: that covers the error of its quantiles."""
LEAST_DIVISOR: Final = 3.0
"""So many times the scale of its noise a count is at least, for a number that is divided by it."""
_OTHER_SIGN: Final = 0.00135
"""How often noise of a third of a number changes its sign."""
_USUALLY: Final = 1.959964
"""A normal number is within so many standard deviations 95 times of 100."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyEstimate:
    """A noisy number, and between which numbers the real one usually is."""

    number: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


def estimate_of(
    question: Question, record: Mapping[str, Any], *, confidence: float
) -> NoisyEstimate:
    """The number of a question with one number, from the record of its noisy answer."""
    quantile = next((each for each in question.aggregates if each.function == QUANTILE), None)
    if quantile is not None:
        name = quantile.canonical()
        number, low, high = (record["numbers"][name + end][0] for end in ("", LOW, HIGH))
        return NoisyEstimate(number=number, low=low, high=high)
    parts = {name: np.array(values, float) for name, values in record["numbers"].items()}
    return estimate(
        question, parts, record["noise"], bounds=record["bounds"], confidence=confidence
    )


def estimate(
    question: Question,
    parts: Parts,
    within: Mapping[str, float],
    *,
    bounds: Bounds,
    confidence: float,
) -> NoisyEstimate:
    """The number that noisy `parts` make, where each is usually `within` so much of the real one."""
    number = float(_values(question, parts, bounds)[0][0])
    if not math.isfinite(number) or _is_lost(question, parts, within, bounds):
        return NoisyEstimate(number=number, low=-math.inf, high=math.inf)
    chance = np.random.default_rng(0)
    drawn = {
        name: part + chance.permutation(_normal_scores()) * (within[name] / _USUALLY * _WIDER)
        for name, part in sorted(parts.items())
    }
    values, *divisors = _values(question, drawn, bounds)
    if any(_may_be_zero(each) for each in divisors):
        return NoisyEstimate(number=number, low=-math.inf, high=math.inf)
    finite = np.isfinite(values)
    tail = (1 - confidence) / 2
    low = np.quantile(np.where(finite, values, -np.inf), tail, method="lower")
    high = np.quantile(np.where(finite, values, np.inf), 1 - tail, method="higher")
    return NoisyEstimate(number=number, low=float(low), high=float(high))


@cache
def _normal_scores() -> Numbers:
    """Normal numbers whose every quantile is right; one part has an exact interval with them."""
    normal = NormalDist()
    return np.array([normal.inv_cdf((place + 0.5) / DRAWS) for place in range(DRAWS)])


def number_of(question: Question, record: Mapping[str, Any]) -> float:
    """The number of a record that has no noise."""
    quantile = next((each for each in question.aggregates if each.function == QUANTILE), None)
    if quantile is not None:
        return float(record["numbers"][quantile.canonical()][0])
    parts = {name: np.array(values, float) for name, values in record["numbers"].items()}
    return float(_values(question, parts, record["bounds"])[0][0])


def is_linear(question: Question) -> bool:
    """Whether a number is a sum or a difference of counts and sums: then its noise has the same
    scale, whatever they are."""
    allowed = (exp.Alias, exp.Identifier, exp.Paren, exp.Add, exp.Sub, exp.Neg, exp.AggFunc)
    tree = question.after.expressions[0]
    nodes = tree.walk(prune=lambda node: isinstance(node, exp.AggFunc))
    return all(isinstance(node, allowed) for node in nodes) and all(
        each.function in ("count", "sum") for each in question.aggregates
    )


def _is_lost(question: Question, parts: Parts, within: Mapping[str, float], bounds: Bounds) -> bool:
    """Whether a number is divided by a count that noise may have made of nobody."""
    counts = (
        part.canonical()
        for each in question.aggregates
        if len(made := statistic(each, bounds).parts) > 1
        for part in made
        if part.function == "count"
    )
    return any(float(parts[name][0]) < LEAST_DIVISOR * within[name] / _USUALLY for name in counts)


def _may_be_zero(divisor: Numbers) -> bool:
    """Whether noise may have changed the sign of something that is divided by."""
    positive = np.count_nonzero(divisor > 0)
    return bool(min(positive, len(divisor) - positive) > _OTHER_SIGN * len(divisor))


def _values(question: Question, parts: Parts, bounds: Bounds) -> list[Numbers]:
    """The number of the query for each row of parts, and what it divides by; what cannot be worked
    out is not a number."""
    columns = {each.canonical(): _aggregate(each, parts, bounds) for each in question.aggregates}
    after = question.after.copy()
    for node in list(aggregates_of(after)):
        node.replace(exp.column(exp.to_identifier(column_of(node), quoted=True)))
    shown = after.expressions[0].unalias()
    if isinstance(shown, exp.Column):
        return [columns[shown.name]]
    divisors = [node.expression.copy() for node in shown.find_all(exp.Div, exp.Mod, exp.IntDiv)]
    places = [exp.alias_(each, f"n{place}") for place, each in enumerate((shown, *divisors))]
    after.set("expressions", places)
    found = run_over(after, ANSWER, columns)[1]
    return [_plain(cells) for cells in zip(*found, strict=True)]


def _aggregate(aggregate: Aggregate, parts: Parts, bounds: Bounds) -> Numbers:
    made = statistic(aggregate, bounds)
    values: Sequence[Numbers] = [parts[part.canonical()] for part in made.parts]
    if made.made is not None:
        return made.made(values)
    if len(values) == 2:
        return np.asarray(values[0] / np.maximum(values[1], 1.0))
    return values[0]


def _plain(cells: Iterable[Any]) -> Numbers:
    return np.array([math.nan if cell is None else float(cell) for cell in cells], float)
