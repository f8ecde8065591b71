"""Fit: the distribution of largest entropy that agrees with noisy marginals as far as their noise
lets them be trusted.

With n people, noisy counts y of variance v and weights theta for each measured cell, the dual is

    n * log Z(theta) - <theta, y> + ridge / 2 * <v, theta²>,

convex and smooth, with gradient n * marginals - y + ridge * v * theta. It is solved by L-BFGS on the
junction tree, where McKenna, Sheldon and Miklau (2019) take mirror descent on the primal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from sfumato.errors import MissingExtra
from sfumato.runs import one_thread

from .coded_table import Reals
from .junction_tree import Fields, JunctionTree, tree_of

RIDGE: Final = 0.02
ROUNDS: Final = 300
MOST_VALUES: Final = 4 * ROUNDS
"""Values of the dual that a fit looks at, at most. Of some 200 runs on Adult one took 115 CPU s in
place of 5, about as long as the 15,000 values that SciPy allows."""
IMPOSSIBLE: Final = -1e9
"""The logarithm of the weight of a combination that cannot be: no noise outweighs it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class NoisyMarginal:
    """Noisy counts over some fields, and the variance of each."""

    fields: Fields
    counts: Reals = field(repr=False)
    variance: Reals = field(repr=False)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedModel:
    """A distribution over a junction tree: log-probabilities of each clique's cells."""

    tree: JunctionTree
    beliefs: tuple[Reals, ...] = field(repr=False)
    weights: Reals = field(default_factory=lambda: np.zeros(0), repr=False)
    """Theta, for a fit of the same marginals and further ones."""

    def marginal(self, fields: Fields) -> Reals:
        """Probabilities of some fields that are together in a clique."""
        home = self.tree.home(fields)
        return _marginal(np.exp(self.beliefs[home]), self.tree.cliques[home], fields)


def check_optimiser() -> None:
    """Refuse before anything is charged where SciPy is not installed."""
    _minimise()


def fit_model(
    marginals: Sequence[NoisyMarginal],
    sizes: Sequence[int],
    *,
    total: float,
    impossible: Sequence[tuple[Fields, Reals]] = (),
    ridge: float = RIDGE,
    before: FittedModel | None = None,
) -> FittedModel:
    """The fitted distribution. `impossible` are fields with an array that is 1 where a combination
    cannot be, and nearly as forbidding where it is a part of 1. A model of the first of the
    marginals, fitted `before`, is where the search starts; the dual is convex, so that it ends at
    the same place."""
    groups = [each.fields for each in marginals] + [names for names, _ in impossible]
    tree = tree_of(groups, sizes)
    start = [np.zeros([sizes[n] for n in clique]) for clique in tree.cliques]
    for names, where in impossible:
        home = tree.home(names)
        start[home] += IMPOSSIBLE * _spread(where.astype(float), names, tree.cliques[home])
    dual = _Dual(
        tree=tree, marginals=tuple(marginals), total=max(total, 1.0), ridge=ridge, start=start
    )
    point = np.zeros(dual.cells)
    if before is not None:
        known = len(before.weights)
        point[:known] = before.weights / dual.scale[:known]
    with one_thread():
        _minimise()(
            dual.value,
            point,
            jac=True,
            method="L-BFGS-B",
            options={
                "maxiter": ROUNDS,
                "maxfun": MOST_VALUES,
                "maxcor": 12,
                "ftol": 1e-9,
                "gtol": 1e-5,
            },
        )
    beliefs, _ = tree.calibrate(dual.potentials(dual.lowest))
    return FittedModel(tree=tree, beliefs=tuple(beliefs), weights=dual.lowest * dual.scale)


@dataclass(eq=False, kw_only=True)
class _Dual:
    """The dual, and the point of its lowest value so far."""

    tree: JunctionTree
    marginals: tuple[NoisyMarginal, ...]
    total: float
    ridge: float
    start: list[Reals]

    def __post_init__(self) -> None:
        self.lowest_value = math.inf
        self.homes = [self.tree.home(each.fields) for each in self.marginals]
        self.counts = np.concatenate([each.counts.ravel() for each in self.marginals])
        self.penalty = self.ridge * np.concatenate(
            [each.variance.ravel() for each in self.marginals]
        )
        # Cells with many people bend the dual more: in these units all of them bend alike.
        self.scale = 1 / np.sqrt(np.maximum(self.counts, 0.0) + self.penalty + 1.0)
        self.cells = len(self.counts)
        self.lowest = np.zeros(self.cells)

    def potentials(self, point: Reals) -> list[Reals]:
        theta, out, place = point * self.scale, [each.copy() for each in self.start], 0
        for each, home in zip(self.marginals, self.homes, strict=True):
            block = theta[place : place + each.counts.size].reshape(each.counts.shape)
            out[home] += _spread(block, each.fields, self.tree.cliques[home])
            place += each.counts.size
        return out

    def value(self, point: Reals) -> tuple[float, Reals]:
        beliefs, log_total = self.tree.calibrate(self.potentials(point))
        shares: dict[int, Reals] = {home: np.exp(beliefs[home]) for home in set(self.homes)}
        model = np.concatenate(
            [
                _marginal(shares[home], self.tree.cliques[home], each.fields).ravel()
                for each, home in zip(self.marginals, self.homes, strict=True)
            ]
        )
        theta = point * self.scale
        value = self.total * log_total - theta @ self.counts + (self.penalty @ theta**2) / 2
        if value < self.lowest_value:
            self.lowest_value, self.lowest = float(value), point.copy()
        slope = (self.total * model - self.counts + self.penalty * theta) * self.scale
        return float(value) / self.total, slope / self.total


def _spread(block: Reals, fields: Fields, clique: Fields) -> Reals:
    """An array over some fields of a clique, both in ascending order, with an axis for each."""
    sizes = dict(zip(fields, block.shape, strict=True))
    return block.reshape([sizes.get(name, 1) for name in clique])


def _marginal(shares: Reals, clique: Fields, fields: Fields) -> Reals:
    axes = tuple(n for n, name in enumerate(clique) if name not in fields)
    found: Reals = shares.sum(axis=axes) if axes else shares
    return found


def _minimise() -> Any:
    try:
        from scipy.optimize import minimize
    except ImportError:
        raise MissingExtra("Private synthesis", extra="synthesis") from None
    return minimize
