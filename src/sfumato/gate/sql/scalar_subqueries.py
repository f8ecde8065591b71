"""Scalar subqueries: a number of its own inside a query, `COUNT(*) / (SELECT COUNT(*) FROM people)`.

Such a number is a question by itself. It is answered first, like any other, and its value stands in
the query as a constant. So a query with a subquery discloses what its two questions disclose, asked
one after the other. A subquery that names a field of the outer query is none of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from sfumato.errors import NotAdmitted

from .derivation import aggregates_of, is_aggregate
from .qualification import dialect
from .queryable_table import Catalogue

MOST: Final = 3
"""Subqueries of one query."""
WITHIN: Final = "within"
"""Under which name a constant keeps how far it may be off."""
_ELSEWHERE: Final = (
    exp.From,
    exp.Join,
    exp.Lateral,
    exp.CTE,
    exp.In,
    exp.Exists,
    exp.Subquery,
    exp.Union,
)
_MORE: Final = ("group", "joins", "having", "order", "limit", "offset", "distinct", "qualify")
"""Parts of a query with which it is no single number, or none at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalarNumber:
    """The answer to a subquery, None where it is null, and how far it may be off."""

    value: float | int | None
    within: float = 0.0

    def as_constant(self) -> exp.Expr:
        if self.value is None:
            return exp.Null()
        constant = exp.Literal.number(repr(abs(self.value)))
        if self.within:
            constant.meta[WITHIN] = self.within
        return constant if self.value >= 0 else exp.Paren(this=exp.Neg(this=constant))


Number = Callable[[str], ScalarNumber]
UnmeasuredColumns = Mapping[str, frozenset[int] | None]
"""By the text of a subquery, the places of columns that it moves by an unknown amount; None for
all of them."""
_MEASURED: Final = ("having", "order", "limit", "offset")
"""Parts of a query that choose and sort groups, and leave their numbers as they are."""


def subqueries_of(tree: exp.Expr, catalogue: Catalogue) -> list[str]:
    """The texts of the subqueries of a query, each once."""
    nodes = _nodes(tree, catalogue)
    found = dict.fromkeys(_text(each) for each in nodes)
    if any(node.find(exp.Min, exp.Max) for node in nodes):
        raise NotAdmitted(
            "A subquery is a number about several people.",
            code="not-listed",
            found="MIN and MAX are the value of one of them.",
            attempt="COUNT, SUM, AVG or PERCENTILE_CONT in it.",
        )
    if len(found) > MOST:
        raise NotAdmitted(
            "The query has too many subqueries.",
            code="too-long",
            found=f"{len(found)} numbers in parentheses; at most {MOST} are allowed.",
        )
    return list(found)


def with_numbers(tree: exp.Expr, catalogue: Catalogue, number: Number) -> None:
    """Put the numbers of subqueries into a query."""
    for node in _nodes(tree, catalogue):
        node.replace(number(_text(node)).as_constant())


def unmeasured_columns(tree: exp.Select, catalogue: Catalogue) -> UnmeasuredColumns:
    """The columns of a query that the error of a subquery moves by an unknown amount. In an
    expression over aggregates the error adds up; in a condition or inside an aggregate it decides
    who is counted, and with what."""
    out: dict[str, frozenset[int] | None] = {}
    for node in _nodes(tree, catalogue):
        place = _unmeasured(node, tree)
        before = out.get(_text(node), frozenset())
        out[_text(node)] = None if place is None or before is None else before | place
    return out


def _unmeasured(node: exp.Expr, tree: exp.Select) -> frozenset[int] | None:
    inside = False
    while node.parent is not None and node.parent is not tree:
        node = node.parent
        if isinstance(node, exp.Select):
            return None
        inside = inside or is_aggregate(node) or isinstance(node, exp.Filter)
    if node.arg_key == "expressions":
        return frozenset((node.index or 0,)) if inside else frozenset()
    return frozenset() if node.arg_key in _MEASURED else None


def check_no_others(tree: exp.Expr) -> None:
    """Refuse subqueries that are neither a number by themselves nor rows of one person."""
    for node in tree.find_all(exp.Subquery):
        if not isinstance(node.parent, (*_ELSEWHERE, type(None))) and not node.alias:
            raise NotAdmitted(
                "A subquery is one number of one table, and names no field of the query around it.",
                code="not-listed",
                attempt="COUNT, SUM or AVG of a table without GROUP BY, HAVING or LIMIT; rows of the same person, "
                "joined on the person key; or two questions, one after the other.",
            )


def _text(node: exp.Subquery) -> str:
    return dialect().generate(node.this)


def _nodes(tree: exp.Expr, catalogue: Catalogue) -> list[exp.Subquery]:
    """The outer ones; those inside of them are read with their own query."""
    found = [
        node
        for node in tree.find_all(exp.Subquery)
        if not isinstance(node.parent, (*_ELSEWHERE, exp.Limit, exp.Offset, type(None)))
        and isinstance(node.this, exp.Select)
        and not node.alias
        and _stands_alone(node.this, catalogue)
    ]
    return [node for node in found if not any(other in _above(node) for other in found)]


def _above(node: exp.Expr) -> Iterator[exp.Expr]:
    while node.parent is not None:
        node = node.parent
        yield node


def _stands_alone(inner: exp.Select, catalogue: Catalogue) -> bool:
    """Whether it is one number of one table, without a field of the outer query."""
    source = inner.args["from_"].this if inner.args.get("from_") else None
    if not isinstance(source, exp.Table) or any(inner.args.get(part) for part in _MORE):
        return False
    if len(inner.expressions) != 1 or not any(aggregates_of(inner.expressions[0])):
        return False
    spelt = {name.lower(): table for name, table in catalogue.items()}
    table = spelt.get(source.name.lower())
    if table is None:
        return False
    names = {name.lower() for name in (*table.shown, *table.never, "person")}
    own = {source.alias_or_name.lower(), ""}  # Behind an alias, the name is of the outer query.
    return all(
        column.table.lower() in own and column.name.lower() in names
        for column in inner.find_all(exp.Column)
        if not isinstance(column.this, exp.Star) and column.find_ancestor(exp.Select) is inner
    )
