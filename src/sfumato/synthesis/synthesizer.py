"""Private synthesis of one table: looks, measurements, a model, rows.

1. Each field is counted with noise, again where that noise is much of the people, and cut into bins
   by those noisy counts.
2. A look at all pairs shows which are far from independence; those worth their noise are measured.
3. A model is fitted; a second look at pairs and triples shows what it misses, which is measured too.
4. The model is fitted again, rows are drawn, and values inside a bin follow the counts of step 1.

Every decision is made from noisy numbers, declared sizes and the budget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Final

import numpy as np

from sfumato.accounting import Measurement, PrivacyAccount, sigma_for

from .coarsening import bins_of, least_people, on_simplex
from .coded_table import CodedTable, Codes, DomainField, MarginalTable, Reals, Wholes
from .count_denoising import denoise
from .dual_fit import RIDGE, FittedModel, NoisyMarginal, check_optimiser, fit_model
from .junction_tree import Fields, cells_of, tree_cells
from .model_sample import sample_rows, systematic
from .private_look import PrivateScores, look_at, split

MOST_CELLS: Final = 150_000
"""The most cells of all cliques together: a fit takes about a second."""
MOST_TRIPLES: Final = 60
LEAST_DRAWN, MOST_DRAWN = 20_000, 300_000
SINGLE_RIDGE: Final = 0.1
LITTLE_NOISE: Final = 0.0025
"""The noise of a field's counts, as a share of people, above which fields get more of the budget."""
MOST_FOR_FIELDS: Final = 0.75
DROWNED: Final = 0.02
"""That noise, after all counts of fields, above which no pair is looked at: on tables of 1,470 and
7,214 people, looking cost more than it found."""
UNSEEN: Final = 1e-3
"""How impossible a missing value is that no noisy count shows, beside a combination that is ruled
out: where nothing else is left, the rules hold."""
CHUNK: Final = 250_000
"""Rows that are drawn at a time."""


@dataclass(frozen=True, kw_only=True)
class BudgetShares:
    """How a budget is divided. `fields` grows with the noise, at the cost of the steps after the
    first look. The last measurement gets the rest that no step spends."""

    fields: float = 0.35
    first_look: float = 0.06
    pairs: float = 0.38
    second_look: float = 0.06
    noise_price: float = 0.5
    ridge: float = RIDGE


@dataclass(frozen=True, eq=False, kw_only=True)
class SyntheticRows:
    """Rows of a fitted model, drawn when they are asked for; and which groups of fields the model
    measured together."""

    model: FittedModel | None = field(default=None, repr=False)
    inside: tuple[Reals, ...] = field(default=(), repr=False)
    """Weights of each code in each bin, by field."""
    groups: tuple[Fields, ...]
    rows: int
    bins: tuple[int, ...]
    maps: tuple[Wholes, ...] = field(default=(), repr=False)
    """The bin of each code, by field."""

    def chunks(self, chance: np.random.Generator) -> Iterator[tuple[Codes, ...]]:
        """Codes by field, in the order of the table's fields, some rows at a time: memory does not
        grow with their number."""
        assert self.model is not None
        for start in range(0, self.rows, CHUNK):
            coarse = sample_rows(self.model, min(CHUNK, self.rows - start), chance)
            yield tuple(
                systematic(weights, bins, chance)
                if len(weights) < weights.shape[1]
                else np.argmax(weights, axis=1)[bins]
                for weights, bins in zip(self.inside, coarse, strict=True)
            )

    @cached_property
    def codes(self) -> tuple[Codes, ...]:
        """All rows, drawn once."""
        drawn = zip(*self.chunks(np.random.default_rng()), strict=True)
        return tuple(np.concatenate(parts) for parts in drawn)


def synthesise(
    table: MarginalTable,
    account: PrivacyAccount,
    *,
    rho: Fraction,
    shares: BudgetShares | None = None,
) -> SyntheticRows:
    """Rows of a private model of `table`, which costs at most `rho` of the account."""
    check_optimiser()
    chance = np.random.default_rng()
    run = SynthesisRun(table=table, account=account, rho=rho, shares=shares or BudgetShares())
    run.count_fields()
    run.cut_bins()
    if len(table.fields) > 1 and run.sigma > DROWNED * run.total:
        run.count_again()
    elif len(table.fields) > 1:
        run.measure_pairs()
        if any(len(each.fields) > 1 for each in run.measured):
            run.measure_missed(chance)
        else:
            run.count_again()
    return run.fitted()


@dataclass(eq=False, kw_only=True)
class SynthesisRun:
    """One run: the measurements so far, and the rest of the budget.

    `exact` has counts that were asked for; only noisy ones leave this class. Fields are counted
    first, then all pairs of bins, then triples, each time by one question for all of them."""

    table: MarginalTable
    account: PrivacyAccount
    rho: Fraction
    shares: BudgetShares
    spent: Fraction = Fraction(0)
    rho_of_fields: Fraction = Fraction(0)
    noisy: list[Reals] = field(default_factory=list)
    ones: list[Reals] = field(default_factory=list)
    sigma: float = 0.0
    total: float = 0.0
    scale: float = 1.0
    maps: list[Wholes] = field(default_factory=list)
    measured: list[NoisyMarginal] = field(default_factory=list)
    gains: dict[Fields, float] = field(default_factory=dict)
    exact: dict[Fields, Wholes] = field(default_factory=dict, repr=False)
    singles: list[Wholes] = field(default_factory=list, repr=False)
    sizes: tuple[int, ...] = ()
    model: FittedModel | None = field(default=None, repr=False)

    def part(self, share: float) -> Fraction:
        return Fraction(share) * self.rho

    @property
    def left(self) -> Fraction:
        return self.rho - self.spent

    def count(self, groups: Sequence[Fields]) -> None:
        """Count those groups of bins that were not counted yet."""
        missing = [group for group in groups if group not in self.exact]
        if missing:
            found = self.table.marginals(missing, self.maps)
            self.exact |= dict(zip(missing, found, strict=True))

    @property
    def squared(self) -> int:
        return self.table.rows_per_person**2

    def count_fields(self) -> None:
        """One noisy count of each field; their mean total is the number of rows."""
        share = self.shares.fields if len(self.table.fields) > 1 else 1.0
        self.noisy, self.sigma = self.count_each(self.part(share))
        self.estimate_fields()
        wanted = share * self.sigma / self.total / LITTLE_NOISE
        wanted = min(max(wanted, share), max(MOST_FOR_FIELDS, share))
        if wanted > share:
            self.scale = (1 - wanted) / (1 - share)
            self.add_counts(self.part(wanted - share))

    def count_each(self, rho: Fraction) -> tuple[list[Reals], float]:
        self.rho_of_fields += rho
        fields = range(len(self.table.fields))
        sigma = sigma_for(rho / len(fields), self.squared)
        if not self.singles:
            self.singles = self.table.marginals([(n,) for n in fields])
        asked = [
            (self.line("counts of a field", (n,), self.table.fields[n].size, sigma), counts)
            for n, counts in zip(fields, self.singles, strict=True)
        ]
        return [counts.astype(float) for counts in self.charge(asked)], sigma

    def estimate_fields(self) -> None:
        weights = np.array([1 / len(counts) for counts in self.noisy])
        totals = np.array([counts.sum() for counts in self.noisy])
        self.total = max(1.0, float(weights @ totals / weights.sum()))
        self.ones = []
        for spec, noisy in zip(self.table.fields, self.noisy, strict=True):
            counts = noisy.copy()
            rare = [code for code in spec.rare if counts[code] < 3 * self.sigma]
            if len(rare) < spec.size:
                counts[rare] = -np.inf
            self.ones.append(_estimate(counts, self.sigma, self.total, ordered=spec.ordered))

    def count_again(self) -> None:
        """The fall-back: where no pair is worth its noise, the rest of the budget counts each field
        again."""
        self.add_counts(self.left)
        self.measured = self.single_marginals()

    def add_counts(self, rho: Fraction) -> None:
        """Count each field once more, and weigh both counts by their noise."""
        again, sigma = self.count_each(rho)
        old, new = self.sigma**-2, sigma**-2
        self.noisy = [
            (old * first + new * second) / (old + new)
            for first, second in zip(self.noisy, again, strict=True)
        ]
        self.sigma = (old + new) ** -0.5
        self.estimate_fields()

    def line(self, what: str, fields: Fields, cells: int, sigma: float) -> Measurement:
        return Measurement(
            what=what,
            fields=tuple(self.table.fields[n].name for n in fields),
            cells=cells,
            sigma=sigma,
            squared_sensitivity=self.squared,
            rows_per_person=self.table.rows_per_person,
        )

    def charge(self, asked: Sequence[tuple[Measurement, Wholes]]) -> list[Wholes]:
        noisy = self.account.measure_all(asked)
        self.spent += sum((line.rho for line, _ in asked), Fraction(0))
        return noisy

    def cut_bins(self, least: float = 0.0) -> None:
        """Cut each field into bins of at least so many people, and of as many as its noise
        asks for."""
        least = max(least, least_people(self.total, self.sigma))
        self.maps = [
            bins_of(spec, counts, least=least)
            for spec, counts in zip(self.table.fields, self.ones, strict=True)
        ]
        self.sizes = tuple(int(bins.max()) + 1 for bins in self.maps)
        self.exact.clear()
        self.measured = self.single_marginals()

    def single_marginals(self) -> list[NoisyMarginal]:
        return [
            NoisyMarginal(
                fields=(n,),
                counts=np.bincount(bins, weights=self.ones[n]).astype(float),
                # Fields alone are pulled to uniformity far less than pairs to independence.
                variance=np.bincount(bins).astype(float) * self.sigma**2 * SINGLE_RIDGE,
            )
            for n, bins in enumerate(self.maps)
        ]

    def measure_pairs(self) -> None:
        """Look at all pairs, then measure those that are worth their noise."""
        singles = [each.counts for each in self.measured]
        expected: dict[Fields, Reals] = {
            (a, b): np.outer(singles[a], singles[b]) / self.total
            for a, b in combinations(range(len(self.sizes)), 2)
            if min(self.sizes[a], self.sizes[b]) > 1
        }
        if not expected:
            return
        scores = self.look(
            expected,
            "distance of all pairs from independence",
            self.shares.first_look * self.scale,
        )
        rho = self.part(self.shares.pairs * self.scale)
        chosen = self.choose(scores, rho)
        if self.gain(chosen, scores, rho) < self.loss():
            return
        self.gains = dict(scores.beyond)
        self.measure(chosen, rho)

    def look(
        self, expected: Mapping[Fields, Reals], what: str, share: float, drawn: float = 0.0
    ) -> PrivateScores:
        self.count(tuple(expected))
        scores = look_at(
            self.exact,
            expected,
            self.account,
            names=[spec.name for spec in self.table.fields],
            rows_per_person=self.table.rows_per_person,
            rho=self.part(share),
            what=what,
            drawn=drawn,
        )
        self.spent += self.account.lines[-1].rho
        return scores

    def gain(self, chosen: Sequence[Fields], scores: PrivateScores, rho: Fraction) -> float:
        """The distance that measuring groups takes away, in rows, less that of its noise and less two
        standard deviations: groups are chosen by scores that chance has raised."""
        weighed = sum(self.weight(group) for group in chosen)
        far = sum(scores.beyond[group] for group in chosen) - 2 * scores.sigma * len(chosen) ** 0.5
        return float(far - self.price(rho) * weighed**1.5)

    def loss(self) -> float:
        """The distance that all pairs have more, in rows, where the rest of the budget does not count
        each field again: both fields of a pair have that much more noise."""
        fields = len(self.table.fields)
        known = self.rho_of_fields / (self.rho_of_fields + self.left)
        sigma = self.sigma * (1 - float(known) ** 0.5)
        cells = sum(int((counts > 0).sum()) for counts in self.ones)
        return float((fields - 1) * np.sqrt(2 / np.pi) * sigma * cells)

    def price(self, rho: Fraction) -> float:
        rows = self.table.rows_per_person
        return float(self.shares.noise_price * rows / np.sqrt(np.pi * float(rho)))

    def choose(self, scores: PrivateScores, rho: Fraction) -> list[Fields]:
        """Groups whose distance from the model exceeds the noise that measuring them adds, best
        first, as long as the cliques stay small.

        Budgets are in proportion to c^(2/3) for c cells, and S is the sum of c^(2/3). The L1
        distance that noise adds to all chosen groups is then sqrt(2 / pi) * S^(3/2) / sqrt(2
        rho)."""
        price = self.price(rho)
        chosen: list[Fields] = []
        have = [each.fields for each in self.measured]
        left = {g: far for g, far in scores.beyond.items() if far > 2 * scores.sigma}
        weighed = 0.0
        while left:
            worth = {
                group: far - price * ((weighed + self.weight(group)) ** 1.5 - weighed**1.5)
                for group, far in left.items()
            }
            best = max(worth, key=lambda group: worth[group])
            if worth[best] <= 0:
                break
            del left[best]
            # A group that does not fit now fits still less beside further ones.
            if tree_cells([*have, *chosen, best], self.sizes) > MOST_CELLS:
                continue
            chosen.append(best)
            weighed += self.weight(best)
            left = {group: far for group, far in left.items() if not set(group) <= set(best)}
        return chosen

    def weight(self, group: Fields) -> float:
        return float(cells_of(group, self.sizes) ** (2 / 3))

    def measure(self, groups: Sequence[Fields], rho: Fraction) -> None:
        if not groups:
            return
        self.count(groups)
        weights = [self.weight(group) for group in groups]
        asked = [
            (
                self.line(
                    "counts of bins",
                    group,
                    cells_of(group, self.sizes),
                    sigma_for(part, self.squared),
                ),
                self.exact[group],
            )
            for group, part in zip(groups, split(rho, weights), strict=True)
        ]
        for group, (line, _), noisy in zip(groups, asked, self.charge(asked), strict=True):
            self.measured.append(
                NoisyMarginal(
                    fields=group,
                    counts=noisy.astype(float),
                    variance=np.full(noisy.shape, line.sigma**2),
                )
            )

    def measure_missed(self, chance: np.random.Generator) -> None:
        """Look at pairs and triples that the model may miss, and measure those that it does."""
        model = self.model = self.fit()
        rows = int(min(max(4 * self.total, LEAST_DRAWN), MOST_DRAWN))
        drawn = CodedTable(
            fields=tuple(
                DomainField(name=spec.name, size=size)
                for spec, size in zip(self.table.fields, self.sizes, strict=True)
            ),
            codes=tuple(sample_rows(model, rows, chance)),
        )
        expected: dict[Fields, Reals] = {
            group: drawn.counts(group).astype(float) * (self.total / rows)
            for group in self.candidates()
        }
        first = [each.fields for each in self.measured if len(each.fields) > 1]
        if not expected:
            self.measure(first, self.left)
            return
        scores = self.look(
            expected,
            "distance of pairs and triples from the model",
            self.shares.second_look * self.scale,
            drawn=self.total / rows,
        )
        self.measure(self.choose(scores, self.left) or first, self.left)

    def candidates(self) -> list[Fields]:
        """Pairs that were not measured, and the triples of fields that depend on one another
        most."""
        have = {each.fields for each in self.measured}
        pairs = [pair for pair in self.gains if pair not in have]
        near = sorted({n for group in have if len(group) > 1 for n in group})
        triples = sorted(
            (
                group
                for group in combinations(near, 3)
                if cells_of(group, self.sizes) <= MOST_CELLS / 20
            ),
            key=lambda group: -sum(sorted(self.gains[pair] for pair in combinations(group, 2))[1:]),
        )
        return [*pairs, *triples[:MOST_TRIPLES]]

    def fit(self) -> FittedModel:
        impossible = [
            (
                rule.fields,
                _outer(
                    [
                        _bins_inside(self.maps[n], codes)
                        for n, codes in zip(rule.fields, rule.codes, strict=True)
                    ]
                ),
            )
            for rule in self.table.forbidden
        ]
        impossible += [((n,), UNSEEN * self.unseen_bins(n)) for n in range(len(self.maps))]
        return fit_model(
            self.measured,
            self.sizes,
            total=self.total,
            impossible=impossible,
            ridge=self.shares.ridge,
            before=self.model,
        )

    def unseen_bins(self, n: int) -> Reals:
        """1 for bins of rare codes alone that the noisy counts of a field do not show: neither the
        pull to uniform counts nor the noise of pairs may put rows there."""
        bins, spec = self.maps[n], self.table.fields[n]
        there = np.bincount(bins, weights=self.ones[n]) > 0
        rare: Reals = _bins_inside(bins, frozenset(spec.rare))
        return np.where(there, 0.0, rare)

    def fitted(self) -> SyntheticRows:
        return SyntheticRows(
            model=self.fit(),
            inside=tuple(self.weights_inside(n) for n in range(len(self.maps))),
            groups=tuple(
                dict.fromkeys(each.fields for each in self.measured if len(each.fields) > 1)
            ),
            rows=max(1, round(self.total)),
            bins=self.sizes,
            maps=tuple(self.maps),
        )

    def weights_inside(self, n: int) -> Reals:
        """Weights of a field's codes in each bin, by the counts of the field."""
        bins = self.maps[n]
        weights = np.zeros((int(bins.max()) + 1, len(bins)))
        weights[bins, np.arange(len(bins))] = np.maximum(self.ones[n], 0.0)
        for empty in np.flatnonzero(weights.sum(axis=1) <= 0):
            weights[empty, bins == empty] = 1.0
        return weights

    def values_inside(self, n: int, coarse: Codes, chance: np.random.Generator) -> Codes:
        """Codes of a field for bins that were drawn."""
        return systematic(self.weights_inside(n), coarse, chance)


def _estimate(noisy: Reals, sigma: float, total: float, *, ordered: bool) -> Reals:
    """Non-negative counts with the total; those of an ordered field without what is only noise."""
    out = np.zeros_like(noisy)
    kept = np.isfinite(noisy)
    smooth = denoise(noisy[kept], sigma) if ordered else noisy[kept]
    out[kept] = on_simplex(smooth, total)
    return out


def _bins_inside(bins: Wholes, codes: frozenset[int]) -> Reals:
    """1 for bins all of whose codes are named."""
    named = np.zeros(len(bins))
    named[list(codes)] = 1.0
    found: Reals = np.bincount(bins, weights=named) == np.bincount(bins)
    return found.astype(float)


def _outer(parts: Sequence[Reals]) -> Reals:
    out = np.ones(())
    for part in parts:
        out = np.multiply.outer(out, part)
    return out
