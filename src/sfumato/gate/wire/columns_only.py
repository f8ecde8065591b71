"""Questions for no rows, as clients ask them to learn what columns a query has: `WHERE 0 = 1`,
`LIMIT 0`.

They are answered with the columns alone, from the policy: nobody is looked at, nothing is shown,
nothing is spent."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Final

from sqlglot import exp

from ..sql.condition_reader import conjuncts

_HOLDS: Final[Mapping[type[exp.Expr], Callable[[int, int], bool]]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.GT: operator.gt,
    exp.LT: operator.lt,
}


def only_columns(tree: exp.Expr | None) -> exp.Expr | None:
    """The query without what keeps every row out; None where it asks for rows.

    A number over no rows is a row all the same, unless rows are limited to none.

    Example:
        >>> import sqlglot
        >>> for end in ("WHERE (0 = 1) AND a > 2", "LIMIT 0", "LIMIT 1"):
        ...     found = only_columns(sqlglot.parse_one(f"SELECT a FROM t {end}", read="postgres"))
        ...     print(found and found.sql())
        SELECT a FROM t WHERE a > 2
        SELECT a FROM t
        None
    """
    if not isinstance(tree, exp.Select):
        return None
    limit = tree.args.get("limit")
    if isinstance(limit, exp.Limit) and limit.expression.is_number and limit.expression.name == "0":
        out = tree.copy()
        out.set("limit", None)
        return out
    where = tree.args.get("where")
    parts = list(conjuncts(where.this)) if where else []
    kept = [part for part in parts if not _never(part)]
    if len(kept) == len(parts) or any(each.find(exp.AggFunc) for each in tree.expressions):
        return None
    out = tree.copy()
    out.set("where", exp.Where(this=exp.and_(*kept)) if kept else None)
    return out


def _never(condition: exp.Expr) -> bool:
    """Whether a condition compares whole numbers that are written out, and does not hold; or is
    FALSE."""
    if isinstance(condition, exp.Boolean):
        return not condition.this
    holds = _HOLDS.get(type(condition))
    left, right = _whole(condition.args.get("this")), _whole(condition.args.get("expression"))
    return holds is not None and left is not None and right is not None and not holds(left, right)


def _whole(side: object) -> int | None:
    return int(side.name) if isinstance(side, exp.Literal) and side.is_int else None
