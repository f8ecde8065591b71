"""Arguments of a query's nodes: which of them the gate reads, and that there are no others.

A parser puts words into arguments of a node: NOT LIKE, BETWEEN SYMMETRIC, DISTINCT ON, the names of
columns behind an alias. A word that is read and passed over would make another question of the
query. So every argument that is set is on a list, or the query is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from sfumato.errors import NotAdmitted

_USUAL: Final = frozenset(("this", "expression", "expressions"))
_READ: Final[Mapping[type[exp.Expr], frozenset[str]]] = {
    kind: frozenset(names.split())
    for kind, names in {
        exp.Select: "expressions from_ where group having order limit offset distinct with_ joins",
        exp.From: "this",
        exp.Table: "this alias db",
        exp.TableAlias: "this",
        exp.Group: "expressions",
        exp.Ordered: "this desc nulls_first",
        exp.Limit: "expression",
        exp.Offset: "expression",
        exp.Distinct: "expressions",
        exp.With: "expressions",
        exp.CTE: "this alias",
        exp.Subquery: "this alias",
        exp.Alias: "this alias",
        exp.Column: "this table",
        exp.Identifier: "this quoted",
        exp.Literal: "this is_string",
        exp.Star: "",
        exp.DataType: "this expressions nested",
        exp.Between: "this low high",
        exp.In: "this expressions query",
        exp.Like: "this expression",
        exp.ILike: "this expression",
        exp.Is: "this expression",
        exp.Cast: "this to",
        exp.Count: "this big_int",
        exp.Sum: "this",
        exp.Avg: "this",
        exp.Min: "this",
        exp.Max: "this",
        exp.Round: "this decimals",
        exp.Div: "this expression typed safe",
        exp.Floor: "this",
        exp.Ceil: "this",
        exp.Trunc: "this decimals",
        exp.Case: "this ifs default",
        exp.If: "this true",
        exp.Greatest: "this expressions ignore_nulls",
        exp.Least: "this expressions ignore_nulls",
        exp.Substring: "this start length",
        exp.Trim: "this expression position",
        exp.Concat: "expressions safe coalesce",
        exp.DPipe: "this expression safe",
        exp.TimestampTrunc: "this unit",
        exp.DateTrunc: "this unit",
        exp.TimeToStr: "this format",
        exp.StrToDate: "this format",
        exp.WidthBucket: "this min_value max_value num_buckets",
        exp.Interval: "this unit",
        exp.Window: "this partition_by order spec over",
        exp.WindowSpec: "kind start start_side end end_side",
        exp.Lag: "this offset default",
        exp.Lead: "this offset default",
        exp.Join: "this side kind on using",
        exp.Length: "this",
        exp.Coalesce: "this expressions",
    }.items()
}


def spell_out_negations(tree: exp.Expr) -> None:
    """NOT LIKE, and whatever else the parser reads as a word of its node, as NOT around it.

    Example:
        >>> import sqlglot
        >>> tree = sqlglot.parse_one("SELECT 1 FROM t WHERE a NOT LIKE 'x%'", read="postgres")
        >>> spell_out_negations(tree)
        >>> tree.sql()
        "SELECT 1 FROM t WHERE (NOT a LIKE 'x%')"
    """
    for node in [*tree.walk()]:
        if node.args.get("negate"):
            node.set("negate", None)
            inner = node.copy()
            node.replace(exp.Paren(this=exp.Not(this=inner)))


def check_arguments(nodes: Sequence[exp.Expr]) -> None:
    """Whether every argument of every node is one that the gate reads."""
    for node in nodes:
        read = _READ.get(type(node), _USUAL)
        for name, value in node.args.items():
            if value and name not in read:
                raise NotAdmitted(
                    "The query uses an element that is not allowed.",
                    code="not-listed",
                    found=f"{node.key.upper()} with {name.strip('_').upper()} is not on the list.",
                    attempt="the same without it.",
                )
