"""COUNT(DISTINCT key): the number of people, spelt with the name of their key.

The key itself is never released, and how many different keys there are is COUNT(DISTINCT person). In
a LEFT JOIN the key of the second table is null for whoever is missing from it, so that counting it is
another question; it is left as it is, and refused."""

from __future__ import annotations

from sqlglot import exp

from .queryable_table import Catalogue, QueryableTable


def spell_out_people(tree: exp.Expr, catalogue: Catalogue, *, person: str) -> None:
    """COUNT(DISTINCT key) as COUNT(DISTINCT person), where both count the same people.

    Example:
        >>> import sqlglot
        >>> visits = QueryableTable(known=(), unknown=("ward",), never=("id",), counted_key="id")
        >>> tree = sqlglot.parse_one("SELECT COUNT(DISTINCT v.ID) AS n FROM visits AS v")
        >>> spell_out_people(tree, {"visits": visits}, person="person")
        >>> tree.sql()
        'SELECT COUNT(DISTINCT person) AS n FROM visits AS v'
    """
    for node in [*tree.find_all(exp.Count)]:
        inside = node.this.expressions if isinstance(node.this, exp.Distinct) else []
        select = node.find_ancestor(exp.Select)
        if len(inside) != 1 or not isinstance(inside[0], exp.Column) or select is None:
            continue
        owner = _owner(inside[0], select, catalogue)
        if owner is not None and person not in owner.shown:
            inside[0].replace(exp.column(person))


def _owner(column: exp.Column, select: exp.Select, catalogue: Catalogue) -> QueryableTable | None:
    """The table whose people a key counts: the only one, or one of a join in which everybody of the
    answer has that key."""
    source = select.args.get("from_")
    joins = select.args.get("joins") or []
    if source is None or len(joins) > 1:
        return None
    tables = [(source.this, True)]
    for join in joins:
        inner = (join.side.upper(), join.kind.upper()) in (("", ""), ("", "INNER"))
        tables.append((join.this, inner))
    counted = [
        (table, everybody)
        for each, everybody in tables
        if isinstance(each, exp.Table)
        and (table := _table(each, catalogue)) is not None
        and (not column.table or _is(column.args["table"], each.alias_or_name))
        and _is(column.this, table.counted_key)
    ]
    if joins and not column.table and not joins[0].args.get("using"):
        counted = counted if len(counted) == 1 else []
    return counted[0][0] if counted and counted[0][1] else None


def _table(node: exp.Table, catalogue: Catalogue) -> QueryableTable | None:
    found = [each for name, each in catalogue.items() if _is(node.this, name)]
    return found[0] if len(found) == 1 and found[0].counted_key else None


def _is(written: exp.Expr, name: str) -> bool:
    """Whether an identifier is this name; without quotes, case is irrelevant."""
    if not isinstance(written, exp.Identifier):
        return False
    if written.args.get("quoted"):
        return written.name == name
    return written.name.lower() == name.lower()
