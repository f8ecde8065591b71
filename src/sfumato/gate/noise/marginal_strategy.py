"""Strategies for marginals: which tables of counts to measure with noise, and how precisely, so that
all tables of a plan are as near as possible at the same cost.

A measured marginal tells something about each table of the plan that shares fields with it. Its
parts by *component* (the total, what one field adds to it, what two add to that, and so on) are
independent directions, the same for all marginals. So the information of all measurements about a
component is a sum over those that contain it, and least squares is done component by component
(McKenna, Miklau, Hay and Machanavajjhala 2018, HDMM, and Xiao, Li and Zhang 2023, ResidualPlanner;
here each measurement is a whole marginal with independent noise, and their precisions are chosen by
expected error). All answers are marginals of one table, so they agree with each other."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Fields = frozenset[str]
MOST_CELLS: Final = 10_000
"""Cells of a marginal that is measured."""
MOST_FIELDS: Final = 10
_ROUNDS: Final = 400
_LEAST_SHARE: Final = 1e-3
"""Measurements with a smaller share of the cost are left out."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MarginalStrategy:
    """Marginals to measure, each with its share of the whole cost; `sizes` has how many values each
    field has.

    Example:
        >>> wanted = [frozenset("ab"), frozenset("ac"), frozenset("bc")]
        >>> strategy = MarginalStrategy.chosen(dict(a=2, b=3, c=4), wanted)
        >>> all(strategy.variance(each) < 3.0 for each in wanted)
        True
    """

    sizes: Mapping[str, int]
    shares: Mapping[Fields, float]

    @classmethod
    def chosen(cls, sizes: Mapping[str, int], wanted: Sequence[Fields]) -> MarginalStrategy:
        """The strategy with the least expected error of the wanted marginals, each relative to its
        error where all are measured by themselves; none is worse than that."""
        alone = cls(sizes=sizes, shares=dict.fromkeys(wanted, 1 / len(wanted)))
        candidates = _candidates(sizes, wanted)
        importance = {each: 1 / alone.variance(each) for each in wanted}
        before = {each: float(len(wanted)) for each in wanted}
        for _ in range(4):
            found = cls(sizes=sizes, shares=_optimised(sizes, candidates, importance))
            worse = [each for each in wanted if found.variance(each) > before[each]]
            if not worse:
                return found
            importance |= {each: importance[each] * 3 for each in worse}
        return alone

    @cached_property
    def _components(self) -> dict[Fields, float]:
        """The information about each component, as one unit of cost gives it."""
        out: dict[Fields, float] = {}
        for measured, share in self.shares.items():
            for component in _subsets(measured):
                out[component] = out.get(component, 0.0) + share * self._outside(measured)
        return out

    def variance(self, wanted: Fields) -> float:
        """The expected squared error of a cell of a marginal, where measuring one marginal at the
        whole cost has an expected squared error of 1."""
        parts = (prod(self.sizes[name] - 1 for name in each) for each in _subsets(wanted))
        known = (self._components[each] for each in _subsets(wanted))
        total = sum(part / info for part, info in zip(parts, known, strict=True))
        return self._outside(wanted) * total / prod(self.sizes[name] for name in wanted)

    def reconstructed(
        self, order: Sequence[str], measured: Mapping[Fields, tuple[Sequence[str], Numbers]]
    ) -> Numbers:
        """The marginal of the fields `order`, by least squares from what was measured: for each
        marginal the order of its fields, and its numbers."""
        wanted = frozenset(order)
        out = np.zeros([self.sizes[name] for name in order])
        for component in _subsets(wanted):
            found = np.zeros([self.sizes[name] for name in order if name in component])
            for fields, share in self.shares.items():
                if component <= fields:
                    found = found + share * _residual(component, order, *measured[fields])
            found *= self._outside(wanted) / self._components[component]
            shape = [self.sizes[name] if name in component else 1 for name in order]
            out = out + found.reshape(shape)
        return out

    def _outside(self, fields: Fields) -> float:
        return float(prod(size for name, size in self.sizes.items() if name not in fields))


def _residual(
    component: Fields, order: Sequence[str], own: Sequence[str], numbers: Numbers
) -> Numbers:
    """What the fields of a component add to all smaller ones, in a measured marginal."""
    gone = tuple(place for place, name in enumerate(own) if name not in component)
    kept = [name for name in own if name in component]
    out = numbers.mean(axis=gone) if gone else numbers
    for axis in range(len(kept)):
        out = out - out.mean(axis=axis, keepdims=True)
    wanted = [name for name in order if name in component]
    return np.asarray(np.transpose(out, [kept.index(name) for name in wanted]))


def _subsets(fields: Fields) -> list[Fields]:
    names = sorted(fields)
    return [
        frozenset(some)
        for size in range(len(names) + 1)
        for some in itertools.combinations(names, size)
    ]


def _candidates(sizes: Mapping[str, int], wanted: Iterable[Fields]) -> list[Fields]:
    """The wanted marginals, smaller ones that they contain, and unions of them that are not too
    large."""
    known = {some for each in wanted for some in _subsets(each)}
    known |= {one | other for one, other in itertools.product([*known], repeat=2)}
    known.add(frozenset().union(*wanted))
    small = [each for each in known if prod(sizes[name] for name in each) <= MOST_CELLS]
    return sorted(small, key=lambda each: (len(each), sorted(each)))


def _optimised(
    sizes: Mapping[str, int], candidates: Sequence[Fields], importance: Mapping[Fields, float]
) -> dict[Fields, float]:
    """The shares with the least expected error: multiplicative updates for A-optimal designs, under
    which the error falls in every round (Silvey, Titterington and Torsney 1978)."""
    everything = prod(sizes.values())
    components = sorted({c for each in importance for c in _subsets(each)}, key=sorted)
    inside = {each: prod(sizes[name] for name in each) for each in (*candidates, *importance)}
    gives = np.array(
        [
            [everything / inside[s] if component <= s else 0.0 for s in candidates]
            for component in components
        ]
    )
    needs = np.zeros(len(components))
    for place, component in enumerate(components):
        size = prod(sizes[name] - 1 for name in component)
        for wanted, weight in importance.items():
            if component <= wanted:
                needs[place] += weight * size * everything / inside[wanted] ** 2
    shares = np.full(len(candidates), 1 / len(candidates))
    for _ in range(_ROUNDS):
        slope = gives.T @ (needs / (gives @ shares) ** 2)
        shares = shares * np.sqrt(slope)
        shares /= shares.sum()
    shares[shares < _LEAST_SHARE] = 0.0
    if np.any(gives @ shares <= 0):
        raise AssertionError("every component of a wanted marginal is measured")
    shares /= shares.sum()
    return {each: float(s) for each, s in zip(candidates, shares, strict=True) if s > 0}
