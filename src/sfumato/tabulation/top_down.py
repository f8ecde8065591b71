"""Private counts over a tree of areas: measured with noise level by level, then made consistent
from the top down.

Follows the TopDown algorithm of the U.S. Census Bureau (Abowd and others 2022): each level has its
share of rho. Non-negative whole numbers are fixed for the whole first, then for the areas inside
each area, with its counts as their sums. It departs from it in two ways. Each level is measured by
its cells and by the number of people of each area alone. Lower levels improve the estimates of
upper ones (Hay and others 2010) before anything is fixed. Everything after the measurements is
post-processing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import Measurement, PrivacyAccount, sigma_for

from .area_tree import AreaTree
from .simplex import on_simplex, whole_with_sum, with_margins

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
TOTALS_SHARE: Final = Fraction(1, 4)
"""The share of a level's rho for the number of people of each area; the whole has none of it."""
CELLS, TOTALS = "counts of cells by area", "people by area"
_CLASSES: Final = (0, 1, 5, 20, 100, 1_000)
_SIMULATED: Final = 50_000
"""About so many counts are simulated to estimate the size of errors."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LevelNoise:
    """The measurement of one level: noisy cells and noisy totals with their sigma. Totals are None
    where they were not measured; where they are invariant, `sigma_of_totals` is 0."""

    cells: Whole = field(repr=False)
    sigma: float
    totals: Whole | None = field(default=None, repr=False)
    sigma_of_totals: float = 0.0


@dataclass(frozen=True, kw_only=True)
class ExpectedError:
    """How far released counts are from true ones, for cells of one level with a count from `least`
    to `most` people. `bias` is that of non-negativity: empty cells are too large on average, at the
    cost of others."""

    level: str
    least: int
    most: int | None
    cells: int
    bias: float
    root_mean_square: float


@dataclass(frozen=True, eq=False, kw_only=True)
class PrivateCounts:
    """Counts by level, area and cell, and the measurements."""

    counts: tuple[Whole, ...] = field(repr=False)
    noise: tuple[LevelNoise, ...] = field(repr=False)
    errors: tuple[ExpectedError, ...] = ()


def measure_and_fit(
    tree: AreaTree,
    leaves: Whole,
    account: PrivacyAccount,
    *,
    rho: Fraction,
    fields: Sequence[str],
    rows_per_person: int = 1,
    invariants: Sequence[str] = (),
    shares: Mapping[str, float] | None = None,
) -> PrivateCounts:
    """Charge and measure every level of `leaves` (smallest areas by cells), and fit counts.

    `invariants` name levels whose numbers of people are released exactly. `shares` are those of
    each level in the budget, by default alike."""
    exact = _summed(tree, leaves)
    noise = _measured(
        tree,
        exact,
        account,
        fields=tuple(fields),
        most=rows_per_person,
        invariants=frozenset(invariants),
        parts=level_parts(tree, rho, shares),
    )
    counts = _fitted(tree, noise)
    errors = _expected_errors(tree, counts, noise)
    return PrivateCounts(counts=counts, noise=noise, errors=errors)


def level_parts(
    tree: AreaTree, rho: Fraction, shares: Mapping[str, float] | None = None
) -> list[Fraction]:
    """The budget of each level, from the whole down; together never above all of it."""
    if not shares:
        return [rho / tree.depth] * tree.depth
    given = [Fraction(shares[name]) for name in tree.levels]
    return [rho * each / sum(given) for each in given]


def _summed(tree: AreaTree, leaves: Whole) -> list[Whole]:
    """Counts of every level, from the whole down."""
    out = [leaves]
    for level in range(tree.depth - 1, 0, -1):
        out.insert(0, tree.sums(out[0], level))
    return out


def _measured(
    tree: AreaTree,
    exact: Sequence[Whole],
    account: PrivacyAccount,
    *,
    parts: Sequence[Fraction],
    fields: tuple[str, ...],
    most: int,
    invariants: frozenset[str],
) -> tuple[LevelNoise, ...]:
    asked: list[tuple[Measurement, Whole]] = []

    def line(what: str, name: str, cells: int, part: Fraction) -> Measurement:
        return Measurement(
            what=f"{what}, level {name}",
            fields=fields,
            cells=cells,
            sigma=sigma_for(part, most**2),
            squared_sensitivity=most**2,
            rows_per_person=most,
        )

    for level, name in enumerate(tree.levels):
        has_totals = level > 0 and exact[level].shape[1] > 1 and name not in invariants
        share = parts[level]
        part = share * (1 - TOTALS_SHARE) if has_totals else share
        asked.append((line(CELLS, name, exact[level].size, part), exact[level]))
        if has_totals:
            totals = exact[level].sum(axis=1)
            asked.append((line(TOTALS, name, totals.size, share * TOTALS_SHARE), totals))
    noisy = iter(zip(account.measure_all(asked), asked, strict=True))
    out = []
    for level, name in enumerate(tree.levels):
        cells, (of_cells, _) = next(noisy)
        if name in invariants:
            out.append(
                LevelNoise(cells=cells, sigma=of_cells.sigma, totals=exact[level].sum(axis=1))
            )
        elif level > 0 and exact[level].shape[1] > 1:
            totals, (of_totals, _) = next(noisy)
            out.append(
                LevelNoise(
                    cells=cells,
                    sigma=of_cells.sigma,
                    totals=totals,
                    sigma_of_totals=of_totals.sigma,
                )
            )
        else:
            out.append(LevelNoise(cells=cells, sigma=of_cells.sigma))
    return tuple(out)


def _fitted(tree: AreaTree, noise: Sequence[LevelNoise]) -> tuple[Whole, ...]:
    totals = _totals(tree, noise)
    estimates = _helped(tree, [each.cells for each in noise], [each.sigma**2 for each in noise])
    whole = on_simplex(estimates[0], totals[0].astype(float))
    out = [np.array([whole_with_sum(whole[0], int(totals[0][0]))])]
    for level in range(1, tree.depth):
        found = np.zeros(estimates[level].shape, np.int64)
        for above, inside in enumerate(tree.children(level)):
            found[inside] = with_margins(
                estimates[level][inside], totals[level][inside], out[-1][above]
            )
        out.append(found)
    return tuple(out)


def _totals(tree: AreaTree, noise: Sequence[LevelNoise]) -> list[Whole]:
    """The number of people of every area: non-negative whole numbers that add up."""
    own, variances = [], []
    for each in noise:
        value, variance = each.cells.sum(axis=1).astype(float), each.cells.shape[1] * each.sigma**2
        if each.totals is not None and each.sigma_of_totals:
            weight = variance / (variance + each.sigma_of_totals**2)
            value = weight * each.totals + (1 - weight) * value
            variance *= 1 - weight
        own.append(value)
        variances.append(variance)
    estimates = _helped(tree, own, variances)
    exact = [
        each.totals if each.totals is not None and not each.sigma_of_totals else None
        for each in noise
    ]
    for level in range(tree.depth - 1, 0, -1):
        below = exact[level]
        if below is not None and exact[level - 1] is None:
            exact[level - 1] = tree.sums(below, level)
    out: list[Whole] = []
    for level, fixed in enumerate(exact):
        if fixed is not None:
            out.append(fixed)
        elif level == 0:
            out.append(np.array([max(0, round(float(estimates[0][0])))], np.int64))
        else:
            found = np.zeros(len(estimates[level]), np.int64)
            for above, inside in enumerate(tree.children(level)):
                total = int(out[-1][above])
                near = on_simplex(estimates[level][inside][None, :], np.array([float(total)]))
                found[inside] = whole_with_sum(near[0], total)
            out.append(found)
    return out


def _helped(
    tree: AreaTree, noisy: Sequence[NDArray[np.generic]], variances: Sequence[float]
) -> list[Floats]:
    """Each level's numbers, weighed with the sums of the level below by their variances."""
    out = [np.asarray(noisy[-1], float)]
    variance = np.full(len(out[0]), variances[-1])
    for level in range(tree.depth - 1, 0, -1):
        own = np.asarray(noisy[level - 1], float)
        sums, spread = np.zeros(own.shape), np.zeros(len(own))
        np.add.at(sums, tree.parents[level], out[0])
        np.add.at(spread, tree.parents[level], variance)
        weight = spread / (spread + variances[level - 1])
        shaped = weight.reshape(-1, *(1,) * (own.ndim - 1))
        out.insert(0, shaped * own + (1 - shaped) * sums)
        variance = weight * variances[level - 1]
    return out


def _expected_errors(
    tree: AreaTree, counts: Sequence[Whole], noise: Sequence[LevelNoise]
) -> tuple[ExpectedError, ...]:
    """The errors of a table whose true counts are the released ones: noise of the same sigma is
    simulated on them and fitted again. Nothing here looks at the source."""
    chance = np.random.default_rng()
    times = int(np.clip(_SIMULATED // max(1, counts[-1].size), 1, 20))
    errors: dict[tuple[int, int], list[Whole]] = {}
    for _ in range(times):
        fitted = _fitted(
            tree, [_simulated(c, n, chance) for c, n in zip(counts, noise, strict=True)]
        )
        for level, (true, found) in enumerate(zip(counts, fitted, strict=True)):
            of_class = np.searchsorted(_CLASSES, true.ravel(), side="right") - 1
            difference = (found - true).ravel()
            for each in np.unique(of_class):
                errors.setdefault((level, int(each)), []).append(difference[of_class == each])
    return tuple(
        _error_of(tree.levels[level], each, np.concatenate(parts), times)
        for (level, each), parts in sorted(errors.items())
    )


def _error_of(level: str, of_class: int, errors: Whole, times: int) -> ExpectedError:
    most = _CLASSES[of_class + 1] - 1 if of_class + 1 < len(_CLASSES) else None
    return ExpectedError(
        level=level,
        least=_CLASSES[of_class],
        most=most,
        cells=len(errors) // times,
        bias=float(errors.mean()),
        root_mean_square=float(np.sqrt((errors.astype(float) ** 2).mean())),
    )


def _simulated(counts: Whole, noise: LevelNoise, chance: np.random.Generator) -> LevelNoise:
    cells = counts + np.rint(chance.normal(0, noise.sigma, counts.shape)).astype(np.int64)
    totals = counts.sum(axis=1)
    if noise.totals is None:
        return LevelNoise(cells=cells, sigma=noise.sigma)
    spread = chance.normal(0, 1, len(totals)) * noise.sigma_of_totals
    return LevelNoise(
        cells=cells,
        sigma=noise.sigma,
        totals=totals + np.rint(spread).astype(np.int64),
        sigma_of_totals=noise.sigma_of_totals,
    )
