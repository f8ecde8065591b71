"""How likely a person is unique in the population, from a small sample: the Gaussian copula of
Rocher et al. 2019.

Rocher, Hendrickx and de Montjoye 2019, "Estimating the success of re-identifications in incomplete
datasets using generative models". Each field keeps its own distribution, and fields depend on each
other as in a multivariate normal. Its correlations give the same mutual information for each pair
of fields. With p(x) the share of people with the values x, somebody with these values is unique
among N people with chance (1 - p(x))^(N-1). The average over people is the uniqueness of the
population.

Departures: shares of values are those of the sample (the paper also tries parametric ones). Mutual
information is corrected for the size of the sample by Miller's formula and matched on at most 24
classes of each field. Its sign is that of the rank correlation, and p(x) is computed by Geweke,
Hajivassiliou and Keane's sampler. Written from the paper; the authors' own code is under the GPL.
Needs the extra "assess"."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import MissingExtra, Mistake

from .copula_fit import correlations, ordered
from .population_uniques import UniquesEstimate

Reals = NDArray[np.float64]
Codes = NDArray[np.int64]

ROWS = 20_000  # to which the model is fitted at most
PEOPLE = 2_000  # over whom uniqueness is averaged
DRAWS = 256  # for the share of each
REFITS = 12
BY_REFITTING = f"95 %, from {REFITS} models fitted to rows drawn again"
_FEWEST = 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Copula:
    """The model: per field the normal quantiles between its values, and the root of the correlation
    matrix."""

    edges: tuple[Reals, ...] = field(repr=False)
    root: Reals = field(repr=False)

    def drawn(self, people: int, chance: np.random.Generator) -> Codes:
        """People of the model, as codes of their values."""
        normal = chance.standard_normal((people, len(self.edges))) @ self.root.T
        return np.stack(
            [np.searchsorted(edges[1:-1], normal[:, f]) for f, edges in enumerate(self.edges)],
            axis=1,
        ).astype(np.int64)

    def shares(self, codes: Codes, chance: np.random.Generator, *, draws: int = DRAWS) -> Reals:
        """The share of people with each row of values: the normal's mass over a box, field after
        field."""
        from scipy.special import ndtr, ndtri

        before = np.zeros((len(codes), draws, len(self.edges)))
        mass = np.ones((len(codes), draws))
        for f, edges in enumerate(self.edges):
            shift = before[:, :, :f] @ self.root[f, :f]
            low = ndtr((edges[codes[:, f]][:, None] - shift) / self.root[f, f])
            high = ndtr((edges[codes[:, f] + 1][:, None] - shift) / self.root[f, f])
            mass *= high - low
            inside = low + chance.random(low.shape) * (high - low)
            before[:, :, f] = ndtri(np.clip(inside, 1e-15, 1 - 1e-15))
        return np.asarray(mass.mean(axis=1))

    def alone(self, codes: Codes, population: float, chance: np.random.Generator) -> Reals:
        """The chance that nobody else of the population has the values of each row: (1 -
        p)^(N-1)."""
        found: Reals = np.exp(
            (population - 1) * np.log1p(-np.minimum(self.shares(codes, chance), 1 - 1e-15))
        )
        return found

    def uniqueness(
        self, population: float, chance: np.random.Generator, *, people: int = PEOPLE
    ) -> float:
        """The share of the population that is unique."""
        return float(self.alone(self.drawn(people, chance), population, chance).mean())


def fit_copula(bins: Bins, chance: np.random.Generator, *, rows: int = ROWS) -> Copula:
    """The model of the people of these bins, from at most so many of them."""
    codes = _some_rows(bins, chance, rows)
    return _fitted(
        [ordered(column, names) for column, names in zip(codes.T, bins.labels, strict=True)]
    )


def individual_uniqueness(bins: Bins, population: float, chance: np.random.Generator) -> Reals:
    """For each bin, the chance that somebody with its values is unique in the population."""
    model = fit_copula(bins, chance)
    codes = np.stack(
        [ordered(column, names) for column, names in zip(bins.codes.T, bins.labels, strict=True)],
        axis=1,
    )
    parts = [
        model.alone(codes[start : start + PEOPLE], population, chance)
        for start in range(0, len(codes), PEOPLE)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def copula_uniqueness(
    bins: Bins, population: float, chance: np.random.Generator
) -> UniquesEstimate:
    """The estimated share of the population that is unique, with an interval from models fitted
    again."""
    if bins.rows < _FEWEST or not bins.fields:
        return UniquesEstimate(
            estimator="copula", reason=f"the model needs {_FEWEST} rows and a field"
        )
    codes = _some_rows(bins, chance, ROWS)
    columns = [ordered(column, names) for column, names in zip(codes.T, bins.labels, strict=True)]
    value = _fitted(columns).uniqueness(population, chance)
    again = []
    for _ in range(REFITS):
        drawn = chance.integers(len(codes), size=len(codes))
        again.append(
            _fitted([column[drawn] for column in columns]).uniqueness(
                population, chance, people=PEOPLE // 4
            )
        )
    half = 1.959964 * float(np.std(again, ddof=1))
    return UniquesEstimate(
        estimator="copula",
        value=value,
        interval=(max(value - half, 0.0), min(value + half, 1.0)),
        interval_by=BY_REFITTING,
    )


def _some_rows(bins: Bins, chance: np.random.Generator, rows: int) -> NDArray[Any]:
    """At most so many rows, as codes; drawn from the bins without writing all rows out."""
    if not bins.rows:
        raise Mistake("A model of the population was asked for.", found="The table is empty.")
    if bins.rows <= rows:
        return np.repeat(bins.codes, bins.counts, axis=0)
    taken = np.sort(chance.choice(bins.rows, size=rows, replace=False, shuffle=False))
    return bins.codes[np.searchsorted(np.cumsum(bins.counts), taken, side="right")]


def _fitted(columns: list[Codes]) -> Copula:
    try:
        from scipy.special import ndtri
    except ImportError:
        raise MissingExtra("The copula model of population uniqueness", extra="assess") from None
    edges = []
    for column in columns:
        reached = np.cumsum(np.bincount(column)) / len(column)
        edges.append(ndtri(np.concatenate(([0.0], np.minimum(reached[:-1], 1.0), [1.0]))))
    return Copula(
        edges=tuple(edges), root=np.asarray(np.linalg.cholesky(correlations(columns)), float)
    )
