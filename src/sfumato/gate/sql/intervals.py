"""Bounds of expressions, given the bounds of their fields (interval arithmetic).

They follow from the declarations and the query, never from rows. A value outside of them is counted
as the nearer one, so noise that covers them covers everybody."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from .condition_reader import conjuncts
from .derivation import name_of
from .predicates import Both, Comparison, Predicate

Interval = tuple[float, float]
_MOST_STEPS: Final = 200_000
"""Steps in which the numbers of an expression are summed at the most, where they are not whole."""
_PARTS_OF_DATES: Final = {
    "QUARTER": (1.0, 4.0), "MONTH": (1.0, 12.0), "WEEK": (1.0, 53.0), "DAY": (1.0, 31.0),
    "DOW": (0.0, 6.0), "ISODOW": (1.0, 7.0), "DOY": (1.0, 366.0), "HOUR": (0.0, 23.0),
    "MINUTE": (0.0, 59.0),
}  # fmt: skip
_MONOTONE: Final[Mapping[type[exp.Expr], Callable[[float], float]]] = {
    exp.Floor: math.floor, exp.Ceil: math.ceil, exp.Trunc: math.trunc, exp.Exp: math.exp,
}  # fmt: skip
_ANYWHERE: Final = (-math.inf, math.inf)
_ORDERS: Final[Mapping[type[exp.Expr], str]] = {
    exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<=", exp.EQ: "=",
}  # fmt: skip
_OPPOSITES: Final[Mapping[type[exp.Expr], type[exp.Expr]]] = {
    exp.GT: exp.LTE, exp.GTE: exp.LT, exp.LT: exp.GTE, exp.LTE: exp.GT,
}  # fmt: skip
_TRUTHS: Final = (
    exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.Between, exp.Like,
    exp.ILike, exp.Boolean,
)  # fmt: skip
_SWAPPED: Final = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "=": "="}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredNumbers:
    """The declared bounds of fields, and the fields that are whole numbers.

    Example:
        >>> import sqlglot
        >>> declared = DeclaredNumbers(between={"nights": (0.0, 12.0), "cost": (0.0, 900.0)}, whole={"nights"})
        >>> [declared.interval(sqlglot.parse_one(each)) for each in ("nights * 2 - 1", "cost / nights")]
        [(-1.0, 23.0), None]
        >>> declared.interval(sqlglot.parse_one("CASE WHEN nights > 0 THEN cost / nights END"))
        (0.0, 900.0)
        >>> [declared.interval(sqlglot.parse_one(each)) for each in ("weight", "LEAST(GREATEST(weight, 0), 200)")]
        [None, (0.0, 200.0)]
        >>> declared.interval(sqlglot.parse_one("CAST(cost > 100 AS INT)"))
        (0.0, 1.0)
    """

    between: Mapping[str, Interval]
    whole: frozenset[str] | set[str] = frozenset()
    truths: frozenset[str] | set[str] = frozenset()
    """The fields that are true or false."""

    def interval(self, tree: exp.Expr) -> Interval | None:
        """The bounds of an expression; None where that does not follow."""
        try:
            found = self._interval(tree)
        except (OverflowError, ValueError, ZeroDivisionError):
            return None
        return found if found is not None and all(map(math.isfinite, found)) else None

    def step(self, tree: exp.Expr, between: Interval) -> float:
        """In which steps an expression is summed: whole numbers in ones, others in decimal steps
        that are small beside their bounds."""
        return 1.0 if self.is_whole(tree) else self.step_for(between)

    @staticmethod
    def step_for(between: Interval) -> float:
        """Decimal steps that are small beside some bounds."""
        reach = max(abs(between[0]), abs(between[1]), between[1] - between[0], 1e-9)
        return float(10.0 ** math.ceil(math.log10(reach / _MOST_STEPS)))

    def is_whole(self, tree: exp.Expr) -> bool:
        match tree:
            case exp.Literal():
                return not tree.is_string and float(tree.this).is_integer()
            case exp.Column():
                return tree.name in self.whole
            case exp.Floor() | exp.Ceil() | exp.Extract() | exp.Length() | exp.Sign():
                return True
            case exp.Round():
                return tree.args.get("decimals") is None
            case exp.Cast():
                return tree.to.this in exp.DataType.INTEGER_TYPES
            case exp.Case():
                return all(map(self.is_whole, _branches(tree)))
            case exp.Add() | exp.Sub() | exp.Mul():
                return self.is_whole(tree.this) and self.is_whole(tree.expression)
            case exp.Greatest() | exp.Least():
                return all(map(self.is_whole, (tree.this, *tree.expressions)))
            case exp.Paren() | exp.Neg() | exp.Abs() | exp.Nullif():
                return self.is_whole(tree.this)
        return False

    def under(self, condition: exp.Expr) -> DeclaredNumbers:
        """The same where a condition holds."""
        out = self
        for part in conjuncts(condition):
            operator = _ORDERS.get(type(part))
            if operator is None:
                continue
            left, right = part.this, part.expression
            if _number(right) is not None:
                out = out.narrowed(_key(left), operator, _number(right))
            elif _number(left) is not None:
                out = out.narrowed(_key(right), _SWAPPED[operator], _number(left))
        return out

    def otherwise(self, condition: exp.Expr) -> DeclaredNumbers:
        """The same where a condition does not hold, if that is one comparison."""
        parts = [*conjuncts(condition)]
        opposite = _OPPOSITES.get(type(parts[0])) if len(parts) == 1 else None
        if opposite is None:
            return self
        return self.under(opposite(this=parts[0].this, expression=parts[0].expression))

    def narrowed(self, name: str, operator: str, number: float | None) -> DeclaredNumbers:
        """The same where a field, or an expression by its text, compares so with a number."""
        if number is None:
            return self
        low, high = self.between.get(name, _ANYWHERE)
        one = name in self.whole
        if operator in (">", ">=", "="):
            edge = (
                (math.floor(number) + 1 if operator == ">" else math.ceil(number))
                if one
                else number
            )
            low = max(low, float(edge))
        if operator in ("<", "<=", "="):
            edge = (
                (math.ceil(number) - 1 if operator == "<" else math.floor(number))
                if one
                else number
            )
            high = min(high, float(edge))
        if low > high:
            return self
        return replace(self, between={**self.between, name: (low, high)})

    def meeting(
        self, conditions: Iterable[Predicate | None], derived: Mapping[str, exp.Expr]
    ) -> DeclaredNumbers:
        """The same for the rows that meet all conditions, with the expressions of `derived` fields."""
        out = self
        for condition in conditions:
            parts = condition.parts if isinstance(condition, Both) else (condition,)
            for part in parts:
                if not isinstance(part, Comparison):
                    continue
                tree = derived.get(part.field)
                if isinstance(part.constant, float):
                    key = part.field if tree is None else _key(tree)
                    out = out.narrowed(key, part.operator, part.constant)
                elif tree is not None and (part.operator, part.constant) == ("=", "true"):
                    out = out.under(tree)
        return out

    def _interval(self, tree: exp.Expr) -> Interval | None:
        """The bounds of an expression, which may be infinite; None where it is no number of numbers."""
        number = _number(tree)
        if number is not None:
            return number, number
        found = self._by_parts(tree)
        stated = None if isinstance(tree, exp.Column) else self.between.get(_key(tree))
        if found is None or stated is None:
            return found or stated
        low, high = max(found[0], stated[0]), min(found[1], stated[1])
        return (low, high) if low <= high else found

    def _by_parts(self, tree: exp.Expr) -> Interval | None:
        monotone = _MONOTONE.get(type(tree))
        if monotone is not None:
            return _ends(self._interval(tree.this), monotone)
        match tree:
            case exp.Column():
                return self.between.get(tree.name, _ANYWHERE)
            case exp.Cast() if tree.to.this in exp.DataType.INTEGER_TYPES:  # It may round.
                if self._is_truth(tree.this):
                    return 0.0, 1.0
                low, high = self._interval(tree.this) or _ANYWHERE
                return (
                    math.floor(low) if math.isfinite(low) else low,
                    math.ceil(high) if math.isfinite(high) else high,
                )
            case exp.Paren() | exp.Cast():
                return self._interval(tree.this)
            case exp.Neg():
                inner = self._interval(tree.this)
                return None if inner is None else (-inner[1], -inner[0])
            case exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
                return _of_two(tree, self._interval(tree.this), self._interval(tree.expression))
            case exp.Pow():
                return _power(self._interval(tree.this), _number(tree.expression))
            case exp.Case():
                return self._case(tree)
            case exp.Coalesce():
                return _union(map(self._interval, (tree.this, *tree.expressions)))
            case exp.Nullif():
                return self._nullif(tree)
            case exp.Extract():
                return part_of_dates(tree) or _ANYWHERE
        return self._function(tree)

    def _is_truth(self, tree: exp.Expr) -> bool:
        """Whether it is true or false, as a number one or zero."""
        inner = tree.unnest()
        return isinstance(inner, _TRUTHS) or (
            isinstance(inner, exp.Column) and inner.name in self.truths
        )

    def _function(self, tree: exp.Expr) -> Interval | None:
        match tree:
            case exp.Abs():
                return _absolute(self._interval(tree.this))
            case exp.Sign():
                return -1.0, 1.0
            case exp.Sqrt() | exp.Ln():
                inner = self._interval(tree.this)
                if inner is None or inner[0] < 0 or (isinstance(tree, exp.Ln) and inner[0] <= 0):
                    return None
                return _ends(inner, math.sqrt if isinstance(tree, exp.Sqrt) else math.log)
            case exp.Round():
                digits = _number(tree.args["decimals"]) if tree.args.get("decimals") else 0.0
                inner = self._interval(tree.this)
                half = 0.5 * 10.0 ** -(digits or 0.0)
                return None if inner is None else (inner[0] - half, inner[1] + half)
            case exp.Greatest() | exp.Least():
                return self._extreme(tree)
        return None

    def _extreme(self, tree: exp.Expr) -> Interval | None:
        """Of the values that are not null; constants never are."""
        parts = (tree.this, *tree.expressions)
        around = _union(map(self._interval, parts))
        constants = [each for each in map(_number, parts) if each is not None]
        if around is None or not constants:
            return around
        low, high = around
        if isinstance(tree, exp.Greatest):
            return max(low, *constants), high
        return low, min(high, *constants)

    def _case(self, tree: exp.Expr) -> Interval | None:
        if tree.this is not None:  # CASE field WHEN value: a value is met by the branch alone.
            return _union(map(self._interval, _branches(tree)))
        found, rest = [], self
        for each in tree.args["ifs"]:
            if not isinstance(each.args["true"], exp.Null):
                found.append(rest.under(each.this)._interval(each.args["true"]))
            rest = rest.otherwise(each.this)
        default = tree.args.get("default")
        if default is not None and not isinstance(default, exp.Null):
            found.append(rest._interval(default))
        return _union(found)

    def _nullif(self, tree: exp.Expr) -> Interval | None:
        inner = self._interval(tree.this)
        gone = _number(tree.expression)
        if inner is None or gone is None or not self.is_whole(tree.this) or inner[0] == inner[1]:
            return inner
        low, high = inner
        return (low + 1 if gone == low else low), (high - 1 if gone == high else high)


def part_of_dates(tree: exp.Extract) -> Interval | None:
    """Between which numbers a part of a date is. The same part of a span of time has no bounds."""
    between = tree.expression.find_all(exp.Sub)
    is_span = any(each.find(exp.Interval) is None for each in between)
    return None if is_span else _PARTS_OF_DATES.get(tree.name.upper())


def _key(tree: exp.Expr) -> str:
    """A field by its name, an expression by its one spelling."""
    return tree.name if isinstance(tree, exp.Column) else name_of(tree)


def _told(tree: exp.Expr) -> list[exp.Expr]:
    return [each for each in tree.args["ifs"] if not isinstance(each.args["true"], exp.Null)]


def _branches(tree: exp.Expr) -> list[exp.Expr]:
    default = tree.args.get("default")
    more = [default] if default is not None and not isinstance(default, exp.Null) else []
    return [*(each.args["true"] for each in _told(tree)), *more]


def _number(tree: exp.Expr | None) -> float | None:
    match tree:
        case exp.Literal() if not tree.is_string:
            return float(tree.this)
        case exp.Neg():
            inner = _number(tree.this)
            return None if inner is None else -inner
        case exp.Paren() | exp.Cast():
            return _number(tree.this)
    return None


def _ends(inner: Interval | None, function: Callable[[float], float]) -> Interval | None:
    if inner is None:
        return None
    ends = sorted(float(function(end)) if math.isfinite(end) else end for end in inner)
    return ends[0], ends[1]


def _union(found: Iterable[Interval | None]) -> Interval | None:
    every = list(found)
    kept = [each for each in every if each is not None]
    if not kept or len(kept) < len(every):
        return None
    return min(low for low, _ in kept), max(high for _, high in kept)


def _of_two(tree: exp.Expr, one: Interval | None, other: Interval | None) -> Interval | None:
    if one is None or other is None:
        return _ANYWHERE
    if isinstance(tree, exp.Add):
        return one[0] + other[0], one[1] + other[1]
    if isinstance(tree, exp.Sub):
        return one[0] - other[1], one[1] - other[0]
    if isinstance(tree, exp.Div):
        if other[0] <= 0 <= other[1]:
            return None
        ends = [left / right for left in one for right in other]
    else:
        ends = [left * right for left in one for right in other]
        if tree.this == tree.expression and not any(map(math.isnan, ends)):
            return (0.0 if one[0] <= 0 <= one[1] else min(ends)), max(ends)  # Not below zero.
    return _ANYWHERE if any(map(math.isnan, ends)) else (min(ends), max(ends))


def _power(base: Interval | None, exponent: float | None) -> Interval | None:
    if base is None or exponent is None or exponent < 0:
        return None
    if not exponent.is_integer() and base[0] < 0:
        return None
    ends = [end**exponent for end in base]
    even = exponent.is_integer() and int(exponent) % 2 == 0
    return (0.0 if even and base[0] <= 0 <= base[1] else min(ends)), max(ends)


def _absolute(inner: Interval | None) -> Interval | None:
    if inner is None:
        return None
    low, high = sorted(map(abs, inner))
    return (0.0 if inner[0] <= 0 <= inner[1] else low), high
