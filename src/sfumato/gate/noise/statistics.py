"""Statistics of noisy sums: the sums and counts of an average, a variance or a correlation, and its
value where those are noisy.

Variances and correlations are made of sums around the middle of the declared bounds. A sum of
squares around the middle needs far less noise than one around zero, and the middle is declared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from ..sql.derivation import DerivedField, name_of
from ..sql.questions import Aggregate, Question
from .error_bars import Span

Numbers = NDArray[np.float64]
Bounds = Mapping[str, tuple[float, float]]
OF_ONE: Final = ("var_samp", "var_pop", "stddev_samp", "stddev_pop")
REGRESSIONS: Final = (
    "regr_slope", "regr_intercept", "regr_r2", "regr_count", "regr_avgx", "regr_avgy",
    "regr_sxx", "regr_syy", "regr_sxy",
)  # fmt: skip
OF_TWO: Final = ("corr", "covar_samp", "covar_pop", *REGRESSIONS)
LEAST_FREEDOM: Final = 10
"""A coefficient has at least so many residual degrees of freedom."""
STATISTICS: Final = (*OF_ONE, *OF_TWO)
QUANTILE: Final = "quantile"
_DRAWS: Final = 400
"""How often noise is imitated to see how far a statistic may be off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistic:
    """The sums and counts that an aggregate is made of, and what it is made of them."""

    parts: tuple[Aggregate, ...]
    made: Callable[[Sequence[Numbers]], Numbers] | None = None
    """None for a count or a sum, which is its only part, and for an average."""
    derived: tuple[DerivedField, ...] = ()
    widest: float = 0.0
    """How far it is off at the most, where noise has left nothing of it; 0 where that has no bound."""
    is_fitted: bool = False
    """Whether it is of a regression, which has no value where too little is left to fit."""

    def span(self, values: Sequence[Numbers], within: Sequence[float]) -> Span:
        """The statistic of noisy numbers, with how far it is off where noise of the same size is
        added to them once more."""
        assert self.made is not None
        value = self.made(values)
        chance = np.random.default_rng(0)  # It imitates noise; nothing is protected by it.
        scale = [each / 1.959964 for each in within]
        noisy = [
            number[None, :] + chance.normal(0, sigma, (_DRAWS, len(number)))
            for number, sigma in zip(values, scale, strict=True)
        ]
        off = np.abs(self.made(noisy) - value)
        if self.is_fitted:  # Where noise may have left nothing to fit, few errors have a bound.
            off = np.where(np.isnan(off), self.widest or np.inf, off)
            reach = np.quantile(off, 0.95, axis=0, method="higher") if len(value) else value
            return Span(value=value, low=value - reach, high=value + reach)
        reach = np.quantile(np.nan_to_num(off, nan=0.0), 0.95, axis=0) if len(value) else value
        gone = (reach <= 0) | (value == 0) | (values[0] < 2)
        reach = np.where(gone, self.widest, reach)
        return Span(value=value, low=value - reach, high=value + reach)


def statistic(aggregate: Aggregate, bounds: Bounds) -> Statistic:
    """The parts of an aggregate, with fields between these bounds."""
    name, function = aggregate.field, aggregate.function
    count = Aggregate(function="count", field=name)
    if function == "avg":
        return Statistic(parts=(Aggregate(function="sum", field=name), count))
    if function in OF_ONE:
        one = _around(name, bounds)
        square = _square(one)
        derived: tuple[DerivedField, ...] = (_derived(one, (name,)), _derived(square, (name,)))
        parts = (count, *(Aggregate(function="sum", field=each.name) for each in derived))
        half = (bounds[name][1] - bounds[name][0]) / 2
        widest = half if function.startswith("stddev") else half**2
        return Statistic(parts=parts, made=_MADE[function], derived=derived, widest=widest)
    if function in OF_TWO:
        both = (name, aggregate.other)
        one, other = (_where(_around(a, bounds), b) for a, b in (both, both[::-1]))
        trees = (_product(one, other), one, other, _square(one), _square(other))
        derived = tuple(_derived(tree, both) for tree in trees)
        pairs = Aggregate(function="count", field=derived[0].name)
        parts = (pairs, *(Aggregate(function="sum", field=each.name) for each in derived))
        if function in REGRESSIONS:
            middles = [(bounds[each][0] + bounds[each][1]) / 2 for each in both]
            made = partial(_regression, function=function, middles=middles)
            widest = 1.0 if function == "regr_r2" else 0.0
            return Statistic(parts=parts, made=made, derived=derived, widest=widest, is_fitted=True)
        halves = [(bounds[each][1] - bounds[each][0]) / 2 for each in both]
        widest = 1.0 if function == "corr" else halves[0] * halves[1]
        return Statistic(parts=parts, made=_MADE[function], derived=derived, widest=widest)
    return Statistic(parts=() if function == QUANTILE else (aggregate,))


def with_statistics(question: Question, bounds: Bounds) -> Question:
    """A question with the fields that its statistics are made of."""
    more: dict[str, DerivedField] = {}
    for each in question.aggregates:
        if each.function in STATISTICS and {each.field, *_second(each)} <= bounds.keys():
            spelt = (_expanded(made, question) for made in statistic(each, bounds).derived)
            more |= {made.name: made for made in spelt}
    return replace(question, derived={**question.derived, **more}) if more else question


def _expanded(made: DerivedField, question: Question) -> DerivedField:
    """By the fields of the table, where a statistic is of something derived."""
    out = exp.Paren(this=made.tree.copy())
    for column in [*out.find_all(exp.Column)]:
        if column.name in question.derived:
            column.replace(exp.Paren(this=question.derived[column.name].tree.copy()))
    used = tuple(dict.fromkeys(column.name for column in out.find_all(exp.Column)))
    return replace(made, tree=out.this, fields=used)


def parts_of(aggregates: Iterable[Aggregate], bounds: Bounds) -> list[Aggregate]:
    """The counts and sums that are needed, each once."""
    found: dict[str, Aggregate] = {}
    for each in aggregates:
        for part in statistic(each, bounds).parts:
            found.setdefault(part.canonical(), part)
    return list(found.values())


def _second(aggregate: Aggregate) -> tuple[str, ...]:
    return (aggregate.other,) if aggregate.function in OF_TWO else ()


def _column(name: str) -> exp.Expr:
    return exp.column(exp.to_identifier(name, quoted=True))


def _around(name: str, bounds: Bounds) -> exp.Expr:
    low, high = bounds[name]
    middle = exp.Literal.number(f"{(low + high) / 2:.12g}")
    if (low + high) / 2 < 0:
        middle = exp.Literal.number(f"{-(low + high) / 2:.12g}")
        return exp.Paren(this=exp.Add(this=_column(name), expression=middle))
    return exp.Paren(this=exp.Sub(this=_column(name), expression=middle))


def _where(value: exp.Expr, other: str) -> exp.Expr:
    """A value where another field is there too."""
    there = exp.Not(this=exp.Is(this=_column(other), expression=exp.Null()))
    return exp.Case(ifs=[exp.If(this=there, true=value)])


def _square(value: exp.Expr) -> exp.Expr:
    return _product(value, value)


def _product(one: exp.Expr, other: exp.Expr) -> exp.Expr:
    return exp.Mul(this=one.copy(), expression=other.copy())


def _derived(tree: exp.Expr, fields: tuple[str, ...]) -> DerivedField:
    return DerivedField(name=name_of(tree), tree=tree, fields=fields, is_known=False)


def _variance(parts: Sequence[Numbers], *, sample: bool) -> Numbers:
    count, total, squares = parts
    many = np.maximum(count, 2.0)
    spread = np.maximum(squares - total**2 / many, 0.0)
    return np.asarray(spread / (many - 1 if sample else many))


def _covariance(parts: Sequence[Numbers], *, sample: bool) -> Numbers:
    count, products, one, other, *_ = parts
    many = np.maximum(count, 2.0)
    return np.asarray((products - one * other / many) / (many - 1 if sample else many))


def _correlation(parts: Sequence[Numbers]) -> Numbers:
    count, products, one, other, ones, others = parts
    many = np.maximum(count, 2.0)
    spreads = np.maximum(ones - one**2 / many, 0.0) * np.maximum(others - other**2 / many, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (products - one * other / many) / np.sqrt(spreads)
    return np.asarray(np.clip(np.nan_to_num(found, nan=0.0), -1.0, 1.0))


def _regression(parts: Sequence[Numbers], *, function: str, middles: Sequence[float]) -> Numbers:
    """A number of the regression of the first field on the second; NaN where fewer than
    `LEAST_FREEDOM` residual degrees of freedom are left, or the second does not vary."""
    count, products, ys, xs, squared_ys, squared_xs = parts
    many = np.maximum(count, 2.0)
    mean_y, mean_x = ys / many, xs / many
    of_x = squared_xs - xs * mean_x
    of_y = squared_ys - ys * mean_y
    of_both = products - xs * mean_y
    if function == "regr_count":
        return np.asarray(np.maximum(count, 0.0))
    is_fitted = (count - 2 >= LEAST_FREEDOM) & (of_x > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = np.where(is_fitted, of_both / np.where(is_fitted, of_x, 1.0), np.nan)
        shown = {
            "regr_slope": slope,
            "regr_intercept": mean_y + middles[0] - slope * (mean_x + middles[1]),
            "regr_r2": np.clip(slope * of_both / np.where(of_y > 0, of_y, np.nan), 0.0, 1.0),
            "regr_avgx": mean_x + middles[1],
            "regr_avgy": mean_y + middles[0],
            "regr_sxx": of_x,
            "regr_syy": of_y,
            "regr_sxy": of_both,
        }[function]
    return np.asarray(np.where(count - 2 >= LEAST_FREEDOM, shown, np.nan))


_MADE: Final[Mapping[str, Callable[[Sequence[Numbers]], Numbers]]] = {
    "var_samp": lambda parts: _variance(parts, sample=True),
    "var_pop": lambda parts: _variance(parts, sample=False),
    "stddev_samp": lambda parts: np.sqrt(_variance(parts, sample=True)),
    "stddev_pop": lambda parts: np.sqrt(_variance(parts, sample=False)),
    "covar_samp": lambda parts: _covariance(parts, sample=True),
    "covar_pop": lambda parts: _covariance(parts, sample=False),
    "corr": _correlation,
}
