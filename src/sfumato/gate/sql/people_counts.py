"""COUNT(DISTINCT key): the number of people, spelt with the name of their key.

The key itself is never released, and how many different keys there are is COUNT(DISTINCT person).
`COUNT(DISTINCT CASE WHEN condition THEN key END)` counts the people who meet a condition. In a LEFT
JOIN the key of the second table is null for whoever is missing from it, so that counting it is
another question; it is left as it is, and refused."""

from __future__ import annotations

from sqlglot import exp

from .queryable_table import Catalogue, QueryableTable


def spell_out_people(tree: exp.Expr, catalogue: Catalogue, *, person: str) -> None:
    """COUNT(DISTINCT key) as COUNT(DISTINCT person), where both count the same people, and COUNT(key) as
    COUNT(*), where every row has one.

    Example:
        >>> import sqlglot
        >>> visits = QueryableTable(known=(), unknown=("ward",), never=("id",), counted_key="id")
        >>> tree = sqlglot.parse_one("SELECT COUNT(DISTINCT v.ID) AS n FROM visits AS v")
        >>> spell_out_people(tree, {"visits": visits}, person="person")
        >>> tree.sql()
        'SELECT COUNT(DISTINCT person) AS n FROM visits AS v'
        >>> tree = sqlglot.parse_one("SELECT COUNT(DISTINCT CASE WHEN ward = 'a' THEN id END) FROM visits")
        >>> spell_out_people(tree, {"visits": visits}, person="person")
        >>> tree.sql()
        "SELECT COUNT(DISTINCT person) FILTER(WHERE ward = 'a') FROM visits"
    """
    for node in [*tree.find_all(exp.Count)]:
        distinct = isinstance(node.this, exp.Distinct)
        inside = node.this.expressions if distinct else [node.this, *node.expressions]
        select = node.find_ancestor(exp.Select)
        if len(inside) != 1 or select is None:
            continue
        key, condition = _chosen_key(inside[0])
        owner = _owner(key, select, catalogue) if isinstance(key, exp.Column) else None
        if owner is None or person in owner.shown or not (distinct or owner.keyed_rows):
            continue
        inside[0].replace(exp.column(person) if distinct else exp.Star())
        if condition is not None:
            _filter(node, condition)


def _chosen_key(counted: exp.Expr) -> tuple[exp.Expr, exp.Expr | None]:
    """What is counted, and the condition under which it is: that of a CASE whose branches have one
    value, and nothing otherwise."""
    inner = counted.unnest()
    if not isinstance(inner, exp.Case):
        return inner, None
    otherwise, branches = inner.args.get("default"), inner.args["ifs"]
    values = [each.args["true"].unnest() for each in branches]
    is_null = otherwise is None or isinstance(otherwise, exp.Null)
    if not is_null or any(value != values[0] for value in values):
        return inner, None
    conditions = [each.this for each in branches]
    if inner.this is not None:
        conditions = [exp.EQ(this=inner.this, expression=each) for each in conditions]
    return values[0], exp.or_(*conditions)


def _filter(count: exp.Expr, condition: exp.Expr) -> None:
    """Count those who meet a condition, and that of FILTER where there is one."""
    outer = count.parent
    if isinstance(outer, exp.Filter):
        where = outer.expression
        where.set("this", exp.and_(where.this, condition))
        return
    count.replace(exp.Filter(this=count.copy(), expression=exp.Where(this=condition.copy())))


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
