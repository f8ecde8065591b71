"""Error bars: the bounds of a column that a query makes of noisy numbers (interval arithmetic)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from ..sql.scalar_subqueries import WITHIN

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A number of each group, and its usual bounds."""

    value: Numbers = field(repr=False)
    low: Numbers = field(repr=False)
    high: Numbers = field(repr=False)

    @classmethod
    def around(cls, value: Numbers, within: float) -> Span:
        return cls(value=value, low=value - within, high=value + within)

    @classmethod
    def constant(cls, number: float, count: int) -> Span:
        value = np.full(count, number)
        return cls(value=value, low=value, high=value)

    @property
    def within(self) -> Numbers:
        with np.errstate(invalid="ignore"):  # A value may be infinite as well.
            found = np.maximum(self.high - self.value, self.value - self.low)
        return np.asarray(np.nan_to_num(found, nan=np.inf, posinf=np.inf))

    def among(self, one: Numbers, *others: Numbers) -> Span:
        """A span between the least and the greatest of some outcomes."""
        ends = np.stack([one, *others])
        return Span(
            value=self.value,
            low=np.minimum(ends.min(axis=0), self.value),
            high=np.maximum(ends.max(axis=0), self.value),
        )

    def overlaps(self) -> NDArray[np.bool_]:
        """For each group, whether another one could be its equal: then their order is uncertain."""
        before = np.searchsorted(np.sort(self.high), self.low, "left")
        until = np.searchsorted(np.sort(self.low), self.high, "right")
        return np.asarray(until - before > 1)


def average(total: Span, count: Span, bounds: tuple[float, float]) -> Span:
    """A sum over a count: of few people it may be anywhere between the bounds of its field, and
    beyond by noise."""
    value = total.value / np.maximum(count.value, 1)
    least, most = np.maximum(count.low, 1), np.maximum(count.high, 1)
    span = Span(value=value, low=value, high=value).among(
        total.low / least, total.low / most, total.high / least, total.high / most
    )
    low, high = np.maximum(span.low, bounds[0]), np.minimum(span.high, bounds[1])
    return Span(value=value, low=np.minimum(low, value), high=np.maximum(high, value))


def _sum(one: Span, other: Span) -> Span:
    return Span(value=one.value + other.value, low=one.low + other.low, high=one.high + other.high)


def _difference(one: Span, other: Span) -> Span:
    return Span(value=one.value - other.value, low=one.low - other.high, high=one.high - other.low)


def _product(one: Span, other: Span) -> Span:
    value = one.value * other.value
    ends = (one.low * other.low, one.low * other.high, one.high * other.low, one.high * other.high)
    return Span(value=value, low=value, high=value).among(*ends)


def _quotient(one: Span, other: Span) -> Span:
    """A divisor that may be zero can give anything."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value = one.value / other.value
        ends = [a / b for a in (one.low, one.high) for b in (other.low, other.high)]
    through_zero = (other.low <= 0) & (other.high >= 0)
    ends = [np.where(through_zero, np.inf, end) for end in ends]
    return Span(value=value, low=value, high=value).among(*ends)


_OF_TWO: Final[Mapping[type[exp.Expr], Callable[[Span, Span], Span]]] = {
    exp.Add: _sum,
    exp.Sub: _difference,
    exp.Mul: _product,
    exp.Div: _quotient,
}


def span_of(node: exp.Expr, known: Callable[[exp.Expr], Span | None], count: int) -> Span | None:
    """The bounds of an expression; None where they are unknown. `known` gives it for aggregates."""
    inner: Any = node.this
    if isinstance(node, exp.AggFunc):
        return known(node)
    if isinstance(node, exp.Literal):
        if node.is_string:
            return None
        return Span.around(np.full(count, float(node.name)), node.meta.get(WITHIN, 0.0))
    if isinstance(node, (exp.Alias, exp.Paren)):
        return span_of(inner, known, count)
    if isinstance(node, (exp.Round, exp.Cast)):
        return rounded(node, span_of(inner, known, count))
    if isinstance(node, exp.Neg):
        return _negated(span_of(inner, known, count))
    if isinstance(node, exp.Abs):
        return _absolute(span_of(inner, known, count))
    if type(node) not in _OF_TWO:
        return None
    one, other = span_of(inner, known, count), span_of(node.expression, known, count)
    return None if one is None or other is None else combined(node, one, other)


def combined(node: exp.Expr, one: Span, other: Span) -> Span:
    """The bounds of a sum, a difference, a product or a quotient."""
    return _OF_TWO[type(node)](one, other)


def rounded(node: exp.Expr, span: Span | None) -> Span | None:
    """Rounding moves a number by half a step at the most; a cast may cut off a whole one."""
    if span is None:
        return None
    digits = node.args.get("decimals")
    places = int(digits.name) if isinstance(digits, exp.Literal) and digits.is_int else 0
    step = 1.0 if isinstance(node, exp.Cast) else 0.5 * 10.0**-places
    return Span(value=span.value, low=span.low - step, high=span.high + step)


def _negated(span: Span | None) -> Span | None:
    return None if span is None else Span(value=-span.value, low=-span.high, high=-span.low)


def _absolute(span: Span | None) -> Span | None:
    if span is None:
        return None
    straddles = (span.low < 0) & (span.high > 0)
    ends = np.abs(span.low), np.abs(span.high)
    return Span(
        value=np.abs(span.value),
        low=np.where(straddles, 0.0, np.minimum(*ends)),
        high=np.maximum(*ends),
    )
