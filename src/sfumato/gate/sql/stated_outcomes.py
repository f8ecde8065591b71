"""Outcomes that an expression states itself, whatever the values of its fields: the branches of a
CASE, true and false, the months of a year."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from .intervals import part_of_dates

Outcome = str | int | float | None
_MOST: Final = 400
_TRUTHS: Final = (
    exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In, exp.Like, exp.ILike,
    exp.And, exp.Or, exp.Not,
)  # fmt: skip


def stated_outcomes(tree: exp.Expr) -> tuple[Outcome, ...] | None:
    """All outcomes that an expression may have, in their order; None where they depend on values.

    Example:
        >>> import sqlglot
        >>> texts = "CASE WHEN a = 1 THEN 'x' ELSE 'y' END", "a > 1", "a + 1"
        >>> [stated_outcomes(sqlglot.parse_one(each)) for each in texts]
        [('x', 'y'), ('true', 'false', None), None]
    """
    found = _outcomes(tree)
    return tuple(dict.fromkeys(found)) if found is not None and len(found) <= _MOST else None


def _outcomes(tree: exp.Expr) -> list[Outcome] | None:
    match tree:
        case exp.Paren():
            return _outcomes(tree.this)
        case exp.Null():
            return [None]
        case exp.Boolean():
            return ["true" if tree.this else "false"]
        case exp.Literal():
            return [tree.this if tree.is_string else _number(tree.this)]
        case exp.Neg(this=exp.Literal(is_string=False) as inner):
            return [-_number(inner.this)]
        case exp.Case():
            return _of_branches(tree)
        case exp.Is() | exp.Not(this=exp.Is()):
            return ["true", "false"]
        case exp.Extract():
            between = part_of_dates(tree)
            if between is None:
                return None
            return [*range(int(between[0]), int(between[1]) + 1), None]
    return ["true", "false", None] if isinstance(tree, _TRUTHS) else None


def _of_branches(tree: exp.Case) -> list[Outcome] | None:
    default = tree.args.get("default")
    branches = [each.args["true"] for each in tree.args["ifs"]]
    found: list[Outcome] = []
    for each in (*branches, default if default is not None else exp.Null()):
        outcomes = _outcomes(each)
        if outcomes is None:
            return None
        found += outcomes
    return found


def _number(text: str) -> int | float:
    number = float(text)
    return int(number) if number.is_integer() else number
