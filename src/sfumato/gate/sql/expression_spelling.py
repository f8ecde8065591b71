"""One spelling of an expression, so that expressions that mean the same are one derived field.

Only rewritings that change no outcome, null included: a comparison with the constant behind, NOT
inside of comparisons, BETWEEN as two comparisons, lists and commuted operands in one order, and no
parentheses around a name, a constant, a function or other parentheses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from sqlglot import exp

from .qualification import dialect

_SWAPPED: Final[Mapping[type[exp.Expr], type[exp.Expr]]] = {
    exp.EQ: exp.EQ, exp.NEQ: exp.NEQ, exp.LT: exp.GT, exp.GT: exp.LT, exp.LTE: exp.GTE, exp.GTE: exp.LTE,
}  # fmt: skip
_OPPOSITE: Final[Mapping[type[exp.Expr], type[exp.Expr]]] = {
    exp.EQ: exp.NEQ, exp.NEQ: exp.EQ, exp.LT: exp.GTE, exp.GTE: exp.LT, exp.GT: exp.LTE, exp.LTE: exp.GT,
}  # fmt: skip
_DATES: Final = (exp.Interval, exp.IntervalSpan)


def respelt(tree: exp.Expr) -> exp.Expr:
    """A copy of an expression in the one spelling.

    Example:
        >>> import sqlglot
        >>> spelt = lambda sql: respelt(sqlglot.parse_one(sql)).sql()
        >>> spelt("NOT (3 >= a) AND b IN (2, 1, 2)"), spelt("CASE WHEN (a) NOT BETWEEN 1 AND 2 THEN 2 * a END")
        ('a > 3 AND b IN (1, 2)', 'CASE WHEN a < 1 OR a > 2 THEN a * 2 END')
    """
    root: exp.Paren = exp.Paren(this=tree.copy())
    for node in [*root.walk(bfs=False)][::-1]:  # What is inside comes first.
        if node is root or node.parent is None:
            continue
        for rewrite in _REWRITINGS:
            made = rewrite(node)
            if made is not None and made is not node:
                node.replace(made)
                node = made
    while isinstance(root.this, exp.Paren):
        root = root.this
    out: exp.Expr = root.this.pop()
    return out


def _without_parentheses(node: exp.Expr) -> exp.Expr | None:
    if not isinstance(node, exp.Paren):
        return None
    inner: exp.Expr = node.this
    return inner if isinstance(node.parent, (exp.If, exp.Where)) or _is_closed(inner) else None


def _is_closed(node: exp.Expr) -> bool:
    """Whether it reads the same wherever it stands."""
    if isinstance(node, (exp.Binary, exp.Connector)):
        return False
    return isinstance(node, (exp.Column, exp.Literal, exp.Paren, exp.Func))


def _between(node: exp.Expr) -> exp.Expr | None:
    if not isinstance(node, exp.Between):
        return None
    least = exp.GTE(this=node.this.copy(), expression=node.args["low"].copy())
    most = exp.LTE(this=node.this.copy(), expression=node.args["high"].copy())
    return exp.Paren(this=_ordered(exp.And(this=least, expression=most)))


def _negation(node: exp.Expr) -> exp.Expr | None:
    return _opposite(node.this) if isinstance(node, exp.Not) else None


def _opposite(node: exp.Expr) -> exp.Expr | None:
    """The negation of a condition; None where NOT has to stay."""
    match node:
        case exp.Paren():
            return _opposite(node.this)
        case exp.Not():
            inner: exp.Expr = node.this.copy()
            return inner if isinstance(inner, (exp.Paren, exp.Column)) else exp.Paren(this=inner)
        case exp.And() | exp.Or():
            kind = exp.Or if isinstance(node, exp.And) else exp.And
            sides = [_opposite(each) or _not(each) for each in (node.this, node.expression)]
            return exp.Paren(this=_ordered(kind(this=sides[0], expression=sides[1])))
    if type(node) in _OPPOSITE:
        return _OPPOSITE[type(node)](this=node.this.copy(), expression=node.expression.copy())
    return None


def _not(node: exp.Expr) -> exp.Expr:
    return exp.Paren(this=exp.Not(this=node.copy()))


def _constant_behind(node: exp.Expr) -> exp.Expr | None:
    kind = _SWAPPED.get(type(node))
    if kind is None or not _is_constant(node.this) or _is_constant(node.expression):
        return None
    return kind(this=node.expression.copy(), expression=node.this.copy())


def _is_constant(node: exp.Expr) -> bool:
    return node.find(exp.Column) is None


def _list(node: exp.Expr) -> exp.Expr | None:
    if not isinstance(node, exp.In) or not node.expressions:
        return None
    found = {_text(each): each for each in node.expressions}
    if len(found) == 1:
        return exp.EQ(this=node.this.copy(), expression=node.expressions[0].copy())
    node.set("expressions", [found[text].copy() for text in sorted(found)])
    return None


def _ordered(node: exp.Expr) -> exp.Expr:
    """AND, OR, sums and products with their operands in one order. Of AND and OR all operands, of
    sums and products two at a time: (a + b) + c may differ from a + (b + c) in the last digit."""
    if isinstance(node, (exp.And, exp.Or)) and not isinstance(node.parent, type(node)):
        parts = {_text(each): each.copy() for each in _operands(node, type(node))}
        first, *others = (parts[text] for text in sorted(parts))
        for each in others:
            first = type(node)(this=first, expression=each)
        return first
    if isinstance(node, (exp.Add, exp.Mul)) and not node.find(*_DATES):
        one, other = node.this, node.expression
        if _is_closed(one) and _is_closed(other) and _rank(other) < _rank(one):
            return type(node)(this=other.copy(), expression=one.copy())
    return node


def _rank(node: exp.Expr) -> tuple[bool, str]:
    return _is_constant(node), _text(node)


def _operands(node: exp.Expr, kind: type[exp.Expr]) -> Iterator[exp.Expr]:
    bare = node
    while isinstance(bare, exp.Paren) and isinstance(bare.this, (exp.Paren, kind)):
        bare = bare.this
    if isinstance(bare, kind):
        yield from _operands(bare.this, kind)
        yield from _operands(bare.expression, kind)
    else:
        yield node if isinstance(_bare(node), exp.Connector) else _bare(node)


def _bare(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _text(node: exp.Expr) -> str:
    return dialect().generate(node)


_REWRITINGS: Final[tuple[Callable[[exp.Expr], exp.Expr | None], ...]] = (
    _without_parentheses,
    _between,
    _constant_behind,
    _list,
    _negation,
    _ordered,
    _without_parentheses,
)
