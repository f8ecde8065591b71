"""Recognising a question about the catalogue: it names only tables of the catalogue, and uses only
what is listed.

As everywhere at the gate, lists name what may pass. An admitted query only ever runs over made-up
tables. The lists keep out functions that would read files, take long on purpose, or disclose
something about the machine."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from sqlglot import exp

from sfumato.errors import NotAdmitted

from .functions import FUNCTIONS
from .relations import PG, relations

_QUERY: Final = (
    exp.Select, exp.Union, exp.Intersect, exp.Except, exp.Values, exp.Subquery, exp.CTE, exp.With, exp.From, exp.Join,
    exp.Where, exp.Group, exp.Having, exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Fetch, exp.Distinct,
    exp.Window, exp.WindowSpec, exp.Table, exp.TableAlias, exp.Lateral, exp.Alias, exp.Column, exp.Identifier, exp.Star,
    exp.Literal, exp.Boolean, exp.Null, exp.Tuple, exp.Paren, exp.Dot, exp.Bracket, exp.Var, exp.ByteString,
    exp.RawString, exp.DataType, exp.DataTypeParam, exp.ObjectIdentifier, exp.Filter, exp.Unnest,
)  # fmt: skip
_OPERATORS: Final = (
    exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is, exp.In, exp.Between, exp.Like,
    exp.ILike, exp.Escape, exp.RegexpLike, exp.RegexpILike, exp.Operator, exp.Collate, exp.DPipe, exp.Add, exp.Sub,
    exp.Mul, exp.Div, exp.Mod, exp.Neg, exp.BitwiseAnd, exp.BitwiseOr, exp.Cast, exp.Case, exp.If, exp.Array, exp.Any,
    exp.All, exp.Exists, exp.NullSafeEQ, exp.NullSafeNEQ,
)  # fmt: skip
_FUNCTIONS: Final = (
    exp.Coalesce, exp.Nullif, exp.Count, exp.Min, exp.Max, exp.Sum, exp.ArrayAgg, exp.GroupConcat, exp.Substring,
    exp.Lower, exp.Upper, exp.Trim, exp.Replace, exp.Concat, exp.Length, exp.RowNumber, exp.LogicalAnd, exp.LogicalOr,
    exp.Explode, exp.ExplodingGenerateSeries, exp.StrPosition, exp.Left, exp.Right, exp.Greatest, exp.Least,
    exp.SplitPart, exp.ArraySize, exp.CurrentDatabase, exp.CurrentCatalog, exp.CurrentSchema, exp.CurrentSchemas,
    exp.CurrentUser, exp.SessionUser, exp.CurrentVersion, exp.CurrentTimestamp, exp.CurrentDate,
    exp.JSONArrayAgg, exp.Anonymous,
)  # fmt: skip
LISTED: Final = frozenset((*_QUERY, *_OPERATORS, *_FUNCTIONS))
_SAYS_ALL: Final = "all"


def about_catalogue(tree: exp.Expr, tables: Container[str]) -> bool:
    """Whether a query names no table but the catalogue's; `tables` are those that are not.

    Example:
        >>> import sqlglot
        >>> [about_catalogue(sqlglot.parse_one(sql), {"people"}) for sql in ("SELECT 1", "SELECT age FROM people")]
        [True, False]
    """
    own = {cte.alias for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if not isinstance(table.this, exp.Identifier):
            continue
        bare = not table.db
        if bare and table.name in own:
            continue
        if table.args.get("catalog") and not _here(table):
            return False
        if bare and table.name.lower() in tables:
            return False
        if (table.db.lower() or PG, table.name.lower()) not in relations():
            return False
    return isinstance(tree, exp.Query)


def check_listed(tree: exp.Expr) -> None:
    """`NotAdmitted` for anything that is not on the lists."""
    for node in tree.walk():
        if isinstance(node, exp.Anonymous):
            if node.name.lower() not in FUNCTIONS and node.name.lower() != _SAYS_ALL:
                raise NotAdmitted(
                    f"There is no function {node.name.lower()!r}.",
                    code="unknown-function",
                    attempt="fields, conditions, COUNT, SUM, AVG, MIN and MAX over a table of the "
                    "catalogue.",
                )
        elif type(node) not in LISTED:
            raise NotAdmitted(
                "The question about the catalogue uses an element that is not allowed.",
                code="not-listed",
                found=f"{node.key.upper()} is not on the list.",
            )


def _here(table: exp.Table) -> bool:
    """Some clients write the database before the schema; there is one, whatever it is called."""
    return bool(table.db)
