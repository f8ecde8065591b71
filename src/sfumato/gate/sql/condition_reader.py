"""From a parsed condition to a predicate: fields against constants, joined by AND, OR and NOT;
nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from sfumato.errors import NotAdmitted

from .predicates import (
    SWAPPED,
    Comparison,
    Constant,
    IsNull,
    Like,
    Predicate,
    among,
    both,
    either,
    negated,
)

_OPERATORS: Final[dict[type[exp.Expr], str]] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
}


def conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    """The parts that must all hold, but for those that programs write in front of others: 1 = 1,
    TRUE."""
    match condition:
        case exp.Paren():
            yield from conjuncts(condition.this)
        case exp.And():
            yield from conjuncts(condition.this)
            yield from conjuncts(condition.expression)
        case exp.Boolean() if condition.this:
            return
        case exp.EQ(this=exp.Literal() as left, expression=exp.Literal() as right) if left == right:
            return
        case _:
            yield condition


def predicate_of(tree: exp.Expr) -> Predicate:
    """The predicate of a condition; `NotAdmitted` for anything but fields and constants.

    Example:
        >>> import sqlglot
        >>> one, other = ("NOT (a < 3 OR b IN ('x', 'y'))", "b <> 'y' AND 3.0 <= a AND 'x' <> b")
        >>> predicate_of(sqlglot.parse_one(one)).canonical() == predicate_of(sqlglot.parse_one(other)).canonical()
        True
    """
    match tree:
        case exp.Paren():
            return predicate_of(tree.this)
        case exp.And():
            return both(predicate_of(tree.this), predicate_of(tree.expression))
        case exp.Or():
            return either(predicate_of(tree.this), predicate_of(tree.expression))
        case exp.Not():
            return negated(predicate_of(tree.this))
        case exp.Between():
            name = _field(tree.this)
            low, high = _constant(tree.args["low"]), _constant(tree.args["high"])
            return both(Comparison(name, ">=", low), Comparison(name, "<=", high))
        case exp.In() if tree.expressions:
            return among(_field(tree.this), {_constant(each) for each in tree.expressions})
        case exp.Is() if isinstance(tree.expression, exp.Null):
            missing = IsNull(_field(tree.this))
            return negated(missing) if tree.args.get("negate") else missing
        case exp.Is() if isinstance(tree.expression, exp.Boolean):
            found = Comparison(_field(tree.this), "=", _constant(tree.expression))
            return negated(found) if tree.args.get("negate") else found
        case exp.Like() | exp.ILike():
            return Like(_field(tree.this), _text(tree.expression), isinstance(tree, exp.ILike))
        case exp.Column():
            return Comparison(tree.name, "=", "true")
    if type(tree) in _OPERATORS:
        return _comparison(tree, _OPERATORS[type(tree)])
    raise _not_plain()


def _comparison(tree: exp.Expr, operator: str) -> Predicate:
    left, right = _bare(tree.this), _bare(tree.expression)
    if isinstance(left, exp.Column):
        return Comparison(left.name, operator, _constant(right))
    return Comparison(_field(right), SWAPPED[operator], _constant(left))


def _bare(tree: exp.Expr) -> exp.Expr:
    while isinstance(tree, exp.Paren):
        tree = tree.this
    return tree


def _field(tree: exp.Expr) -> str:
    found = _bare(tree)
    if not isinstance(found, exp.Column):
        raise _not_plain()
    return found.name


def _text(tree: exp.Expr) -> str:
    found = _constant(tree)
    if not isinstance(found, str):
        raise _not_plain()
    return found


def _constant(tree: exp.Expr) -> Constant:
    found = _bare(tree)
    match found:
        case exp.Literal():
            return found.this if found.is_string else float(found.this)
        case exp.Neg():
            inner = _constant(found.this)
            if isinstance(inner, float):
                return -inner
        case exp.Boolean():
            return "true" if found.this else "false"
        case exp.Cast():
            return _constant(found.this)
    raise _not_plain()


def _not_plain() -> NotAdmitted:
    return NotAdmitted(
        "Conditions compare a field with a constant.",
        code="not-listed",
        found="A condition has another element.",
        attempt="field = constant, IN, BETWEEN, LIKE, IS NULL, joined by AND, OR and NOT.",
    )
