"""Private rows of a table whose rows belong to parents: each field is drawn given a few fields of the
parent's row, and of its own row, that it depends on most.

A directed model in the spirit of PrivBayes (Zhang and others 2017), so that rows can be drawn for
parents that are there already. Departures: the fields that a field depends on are chosen by one
noisy look at all pairs, and noise is Gaussian. Conditional counts are shrunk towards the field's
own counts by how far their noise lets them be trusted (James and Stein 1961). All of it follows
from noisy numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import PrivacyAccount

from .coded_table import CodedTable, Codes, Reals, Wholes
from .junction_tree import Fields, cells_of
from .model_sample import systematic
from .private_look import PrivateScores
from .synthesizer import BudgetShares, SynthesisRun

MOST_DETERMINANTS: Final = 3
SIGMAS: Final = 2.0
"""People in a cell of a pair, on average, in units of its noise, about."""
NOISE_PRICE: Final = 0.5
"""The share of the noise that counts as a cost: shrinking removes about half of it."""
RAKING_ROUNDS: Final = 20
SHARES: Final = BudgetShares(fields=0.35, first_look=0.1)


@dataclass(frozen=True, eq=False, kw_only=True)
class ChildRows:
    """Rows of children: codes by field; the bin of each code; and the fields that each field was
    drawn given, as places in the joint table of own fields and then those of the parent."""

    codes: tuple[Codes, ...] = field(repr=False)
    maps: tuple[Wholes, ...] = field(repr=False)
    determinants: dict[int, Fields]


@dataclass(frozen=True, eq=False, kw_only=True)
class ForbiddenChildren:
    """A combination that cannot be: for each of some own fields a set of codes, in those rows whose
    parents have the rest of it."""

    fields: Fields
    codes: tuple[frozenset[int], ...]
    rows: NDArray[np.bool_] = field(repr=False)


def draw_children(
    joint: CodedTable,
    own: int,
    given: Sequence[Codes],
    account: PrivacyAccount,
    *,
    rho: Fraction,
    chance: np.random.Generator,
    forbidden: Sequence[ForbiddenChildren] = (),
) -> ChildRows:
    """Draw a row for each row of `given`, the parents' codes. The first `own` fields of `joint` are
    those of the children, and the others those of their parents. No row has a forbidden
    combination; no bin may mix its codes with others (`DomainField.apart`)."""
    run = SynthesisRun(table=joint, account=account, rho=rho, shares=SHARES)
    run.count_fields()
    # Pairs of bins have about as many cells as can be measured.
    cells = run.total / (SIGMAS * _sigma(run, own))
    run.cut_bins(least=run.total / max(float(np.sqrt(cells)), 4.0))
    scores = _look(run, own)
    chosen = _chosen(run, own, scores)
    asked = [tuple(sorted((n, *before))) for n, before in chosen.items() if before]
    if asked:
        run.measure(asked, run.left)
    measured = {each.fields: each for each in run.measured if len(each.fields) > 1}
    rows = len(given[0]) if given else 0
    coarse: dict[int, Codes] = {
        own + n: run.maps[own + n][column] for n, column in enumerate(given)
    }
    for n, before in chosen.items():
        alone: Reals = np.bincount(run.maps[n], weights=run.ones[n], minlength=run.sizes[n]).astype(
            float
        )
        table: Reals
        if not before:
            table, place = alone[None, :], np.zeros(rows, np.int64)
        else:
            found = measured[tuple(sorted((n, *before)))]
            counts = np.moveaxis(found.counts, found.fields.index(n), -1)
            order = tuple(name for name in found.fields if name != n)
            counts = np.where(run.unseen_bins(n) > 0, 0.0, counts).reshape(-1, run.sizes[n])
            table = shrunk(counts, alone, float(found.variance.flat[0]))
            place = np.zeros(rows, np.int64)
            for name in order:
                place = place * run.sizes[name] + coarse[name]
        bars = [
            (_rows_barred(rule, n, coarse, run.maps), _bins_of(rule, n, run.maps))
            for rule in forbidden
            if n in rule.fields and all(m == n or m in coarse for m in rule.fields)
        ]
        if bars:
            table, place = without_barred(table, place, alone, bars)
        coarse[n] = systematic(table, place, chance)
    codes = tuple(run.values_inside(n, coarse[n], chance) for n in range(own))
    return ChildRows(codes=codes, maps=tuple(run.maps[:own]), determinants=chosen)


def _bins_of(rule: ForbiddenChildren, n: int, maps: Sequence[Wholes]) -> Wholes:
    """The bins of a field that a rule names."""
    return np.unique(maps[n][list(rule.codes[rule.fields.index(n)])])


def _rows_barred(
    rule: ForbiddenChildren, n: int, drawn: Mapping[int, Codes], maps: Sequence[Wholes]
) -> NDArray[np.bool_]:
    """The rows that have all of a combination but its value of field `n`, which is drawn last."""
    out = rule.rows
    for m in rule.fields:
        if m != n:
            out = out & np.isin(drawn[m], _bins_of(rule, m, maps))
    return out


def without_barred(
    table: Reals,
    place: Codes,
    alone: Reals,
    bars: Sequence[tuple[NDArray[np.bool_], Wholes]],
) -> tuple[Reals, Codes]:
    """A table of weights, and the row of it for each row that is drawn, so that rows have no weight
    in the bins that are barred to them. Where nothing else has any, those of the field alone stand
    in, or all other bins alike. The other rows make up for it: where half of the people cannot be
    pregnant, the share of the pregnant is that of the other half.

    Example:
        >>> table, place = np.array([[1.0, 3.0]]), np.zeros(2, int)
        >>> bars = [(np.array([False, True]), np.array([0]))]
        >>> weights, rows = without_barred(table, place, np.array([1.0, 3.0]), bars)
        >>> (weights / weights.sum(axis=1, keepdims=True))[rows].round(2).tolist()
        [[0.5, 0.5], [0.0, 1.0]]
    """
    hits = np.stack([rows for rows, _ in bars], axis=1)
    kinds, kind = np.unique(hits, axis=0, return_inverse=True)
    parts: list[Reals] = []
    for each in kinds:
        barred = np.zeros(table.shape[1], bool)
        for hit, (_, bins) in zip(each.tolist(), bars, strict=True):
            barred[bins] |= hit
        part: Reals = np.where(barred, 0.0, np.maximum(table, 0.0))
        for instead in (np.where(barred, 0.0, np.maximum(alone, 0.0)), (~barred).astype(float)):
            part[part.sum(axis=1) <= 0] = instead
        parts.append(part)
    rows = kind.reshape(-1) * len(table) + place
    aim = np.bincount(place, minlength=len(table)) @ _shares(table)
    return _raked(np.concatenate(parts), rows, aim=aim), rows


def _raked(weights: Reals, rows: Codes, *, aim: Reals) -> Reals:
    """Weights whose columns are scaled until as many rows are drawn from each as `aim` has, as far as
    their zeros allow (Deming and Stephan 1940)."""
    drawn = np.bincount(rows, minlength=len(weights))
    out = _shares(weights)
    for _ in range(RAKING_ROUNDS):
        found = drawn @ out
        # A column that a row has nothing but keeps its weight.
        out = _shares(
            out * np.divide(aim, found, out=np.ones_like(aim), where=(found > 0) & (aim > 0))
        )
    return out


def _shares(weights: Reals) -> Reals:
    positive = np.maximum(weights, 0.0)
    sums = positive.sum(axis=1, keepdims=True)
    found: Reals = np.divide(positive, sums, out=np.zeros_like(positive), where=sums > 0)
    return found


def shrunk(counts: Reals, alone: Reals, variance: float) -> Reals:
    """Counts of a field in each context, shrunk to its own shares where most of the difference is
    noise.

    Example:
        >>> shrunk(np.array([[90.0, 10.0], [3.0, 1.0]]), np.array([50.0, 50.0]), 25.0).round().tolist()
        [[90.0, 10.0], [2.0, 2.0]]
    """
    shares = np.maximum(alone, 0.0) / max(float(np.maximum(alone, 0.0).sum()), 1e-9)
    people = np.maximum(counts.sum(axis=1, keepdims=True), 0.0)
    apart = counts - people * shares
    noise = variance * max(counts.shape[1] - 1, 1)
    trust = np.maximum(1 - noise / np.maximum((apart**2).sum(axis=1, keepdims=True), 1e-9), 0.0)
    out: Reals = np.maximum(people * shares + trust * apart, 0.0)
    out[out.sum(axis=1) <= 0] = shares
    return out


def _sigma(run: SynthesisRun, own: int) -> float:
    """The noise of a measured cell, where each field has as much of the budget that is left after
    the look."""
    left = float(run.left)
    return float(run.table.rows_per_person / np.sqrt(2 * left / max(own, 1)))


def _look(run: SynthesisRun, own: int) -> PrivateScores | None:
    """One noisy number for each pair with a field of the children."""
    singles = [each.counts for each in run.measured]
    expected: dict[Fields, Reals] = {
        (a, b): np.outer(singles[a], singles[b]) / run.total
        for a, b in combinations(range(len(run.sizes)), 2)
        if a < own and min(run.sizes[a], run.sizes[b]) > 1
    }
    if not expected:
        return None
    return run.look(expected, "distance of all pairs from independence", SHARES.first_look)


def _chosen(run: SynthesisRun, own: int, scores: PrivateScores | None) -> dict[int, Fields]:
    """The fields that each field is drawn given, in the order of drawing: fields that depend on
    others most are first."""
    if scores is None:
        return {n: () for n in range(own)}
    seen = {pair: gain for pair, gain in scores.beyond.items() if gain > 2 * scores.sigma}
    pull = [sum(gain for pair, gain in seen.items() if n in pair) for n in range(own)]
    noise = NOISE_PRICE * _sigma(run, own) * float(np.sqrt(2 / np.pi))
    out: dict[int, Fields] = {}
    for n in sorted(range(own), key=lambda n: -pull[n]):
        ready = [*range(own, len(run.sizes)), *out]
        near = sorted(
            (m for m in ready if (min(n, m), max(n, m)) in seen),
            key=lambda m: -seen[min(n, m), max(n, m)],
        )
        before: Fields = ()
        price = 0.0
        for m in near:
            # A further field adds less than its own distance: some of it was seen already.
            gain = seen[min(n, m), max(n, m)] / (1 + len(before))
            wider = noise * cells_of((n, *before, m), run.sizes)
            if len(before) < MOST_DETERMINANTS and gain > wider - price:
                before, price = (*before, m), wider
        out[n] = before
    return out
