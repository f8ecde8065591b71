"""Qualifying: which field each name means, and one SELECT over one table in place of nested
queries.

Names in nested queries are a hard matter and are left to sqlglot's optimizer. A plain SELECT whose
names are the table's own needs none of that, and most queries are such. They are only put into the
form in which the optimizer would leave them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Final, TypeVar

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.eliminate_ctes import eliminate_ctes
from sqlglot.optimizer.merge_subqueries import merge_subqueries
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from sfumato.errors import NotAdmitted

DIALECT: Final = "postgres"
Schema = Mapping[str, Collection[str]]
"""The fields of each table."""
Node = TypeVar("Node", bound=exp.Expr)

_PLAIN: Final[Mapping[type[exp.Expr], frozenset[str]]] = {
    exp.Select: frozenset(("expressions", "from_", "where", "group", "limit")),
    exp.Table: frozenset(("this", "alias", "db")),
    exp.TableAlias: frozenset(("this",)),
    exp.Group: frozenset(("expressions",)),
    exp.Column: frozenset(("this", "table")),
}
"""The parts that these have in a plain query."""


@cache
def dialect() -> Dialect:
    """The gate's SQL; made once, because it is made slowly."""
    return Dialect.get_or_raise(DIALECT)


def nodes_of(tree: exp.Expr) -> list[exp.Expr]:
    """Every node of a query, from the outside to the inside; listed once, because walking takes as
    long as parsing."""
    return list(tree.walk())


def among(nodes: Iterable[exp.Expr], kind: type[Node]) -> list[Node]:
    """The nodes of one kind."""
    return [node for node in nodes if isinstance(node, kind)]


def one_block(tree: exp.Expr, nodes: Sequence[exp.Expr], schema: Schema) -> exp.Select:
    """One SELECT over one table, each name written whole; `NotAdmitted` where the query is more
    than that.

    Example:
        >>> import sqlglot
        >>> tree = sqlglot.parse_one('SELECT "a", COUNT(*) FROM "t" WHERE "b" > 3 GROUP BY "a"')
        >>> one_block(tree, nodes_of(tree), {"t": ("a", "b")}).sql()
        'SELECT "a" AS "a", COUNT(*) AS "_col_1" FROM "t" WHERE "b" > 3 GROUP BY "a"'
    """
    if isinstance(tree, exp.Select) and _is_plain(tree, nodes, schema):
        return _with_names(tree)
    return _merged(_qualified(tree, schema))


def _is_plain(tree: exp.Select, nodes: Sequence[exp.Expr], schema: Schema) -> bool:
    """Whether it is one SELECT over one table in which every name is a field of that table, and
    nothing else is called like a field."""
    tables = among(nodes, exp.Table)
    if (
        len(tables) != 1
        or len(among(nodes, exp.Select)) != 1
        or tree.args["from_"].this is not tables[0]
    ):
        return False
    fields = schema.get(tables[0].name, ())
    own = ("", tables[0].alias_or_name)
    called = (each.alias for each in tree.expressions if isinstance(each, exp.Alias))
    return (
        all(map(_has_plain_parts, nodes))
        and all(isinstance(each.parent, exp.Count) for each in among(nodes, exp.Star))
        and all(
            isinstance(each, exp.Column)
            for group in among(nodes, exp.Group)
            for each in group.expressions
        )
        and all(each.name in fields and each.table in own for each in among(nodes, exp.Column))
        and not any(name in fields for name in called)
    )


def _has_plain_parts(node: exp.Expr) -> bool:
    plain = _PLAIN.get(type(node))
    return plain is None or all(name in plain for name, value in node.args.items() if value)


def _with_names(tree: exp.Select) -> exp.Select:
    """Every column of the answer with its name."""
    columns = enumerate(tree.expressions)
    shown = [
        each if isinstance(each, exp.Alias) else _named(each, place) for place, each in columns
    ]
    tree.set("expressions", shown)
    return tree


def _named(shown: exp.Expr, place: int) -> exp.Alias:
    name = shown.name if isinstance(shown, exp.Column) else f"_col_{place}"
    return exp.Alias(this=shown, alias=exp.Identifier(this=name, quoted=True))


def _qualified(tree: exp.Expr, schema: Schema) -> exp.Expr:
    told: dict[str, object] = {
        name: dict.fromkeys(fields, "text") for name, fields in schema.items()
    }
    for table in tree.find_all(exp.Table):
        table.set("db", None)
    try:
        known = MappingSchema(told, dialect=DIALECT, normalize=False)  # Names as they are.
        return qualify(tree, schema=known, dialect=DIALECT, quote_identifiers=True)
    except (SqlglotError, RecursionError, ValueError, KeyError):
        raise NotAdmitted(
            "The query is not one that the gate understands.", code="syntax"
        ) from None


def _merged(tree: exp.Expr) -> exp.Select:
    """Common table expressions and derived tables put into the query itself; one SELECT over one
    table is left."""
    merged = eliminate_ctes(merge_subqueries(tree))
    selects = list(merged.find_all(exp.Select))
    tables = list(merged.find_all(exp.Table))
    if len(selects) != 1 or len(tables) != 1 or not isinstance(merged, exp.Select):
        raise NotAdmitted(
            "The query does more than one thing at a time.",
            code="too-deep",
            found=f"{len(selects)} SELECTs over {len(tables)} tables remain.",
            attempt="one SELECT over one table; count, sort and limit in it, and join the answers "
            "yourself.",
        )
    return merged
