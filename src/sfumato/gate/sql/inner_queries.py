"""Inner queries written as one query: numbers in FROM, queries over the groups of another one, and
GROUPING SETS.

Each rule keeps the meaning of the query. A query that no rule fits stays as it is, and is read or
refused later. So a rule looks at every argument of the nodes that it takes apart."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from sqlglot import exp

from sfumato.errors import NotAdmitted

from .derivation import aggregates_of
from .queryable_table import Catalogue
from .questions import ONE_ROW

_ONE_ROW: Final = frozenset(("expressions", "from_", "where"))
_GROUPED: Final = _ONE_ROW | {"group", "having", "joins", "order"}
_AROUND: Final = frozenset(("expressions", "from_", "where", "order", "limit", "offset"))
_OVER_ALL: Final = (
    exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.Variance,
    exp.VariancePop,
)  # fmt: skip
"""Aggregates that are windows over the groups of an inner query."""
_SETS: Final = (exp.Rollup, exp.Cube, exp.GroupingSets)
_PARTS_OF_DATES: Final = (exp.Year, exp.Quarter, exp.Month, exp.Week, exp.Day)
MOST_BRANCHES: Final = 10
"""Queries that one query is answered as."""
_MOST_NODES: Final = 20_000
_MOST_COMMON: Final = 10
"""Places of common tables: each may double a query."""
Columns = Mapping[str, exp.Expr]
"""By their names in small letters, the expressions that the columns of an inner query are."""


def as_one_query(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr:
    """A query without the inner queries that can be written in it; GROUPING SETS as UNION ALL.

    Example:
        >>> import sqlglot
        >>> inner = "(SELECT town, COUNT(*) AS n FROM t GROUP BY town) AS s"
        >>> as_one_query(sqlglot.parse_one(f"SELECT MAX(n) AS most FROM {inner}"), {}).sql()
        'SELECT MAX(COUNT(*)) OVER () AS most FROM t GROUP BY town LIMIT 1'
        >>> as_one_query(sqlglot.parse_one(f"SELECT town FROM {inner} WHERE n > 9"), {}).sql()
        'SELECT town AS town FROM t GROUP BY town HAVING COUNT(*) > 9'
    """
    _spell_out(tree)
    if isinstance(tree, exp.Union):
        for part in ("this", "expression"):
            tree.set(part, as_one_query(tree.args[part], catalogue))
        return tree
    if not isinstance(tree, exp.Select):
        return tree
    _put_common_tables_in_place(tree)
    _put_numbers_in_place(tree, catalogue)
    return _by_sets(_over_groups(_about_a_table(tree, catalogue), catalogue))


def _spell_out(tree: exp.Expr) -> None:
    """IF as CASE, and YEAR(day) as EXTRACT."""
    for node in [*tree.find_all(exp.If)]:
        if not isinstance(node.parent, exp.Case):
            branch = exp.If(this=node.this, true=node.args["true"])
            node.replace(exp.Case(ifs=[branch], default=node.args.get("false")))
    for day in [*tree.find_all(*_PARTS_OF_DATES)]:
        if _has_only(day, frozenset(("this",))):
            part = exp.Var(this=day.key.upper())
            day.replace(exp.Extract(this=part, expression=day.this))


# ---------------------------------------------------------------------- numbers in FROM


def _put_common_tables_in_place(tree: exp.Select) -> None:
    """Common tables with numbers of their own, put where they are named."""
    common = tree.args.get("with_")
    if common is None or not _has_only(common, frozenset(("expressions",))):
        return
    if len([*tree.find_all(exp.With)]) > 1:
        return
    before: set[int] = set()
    places = 0
    for each in [*common.expressions]:
        inner = each.this
        if (
            not isinstance(inner, exp.Select)
            or not _has_only(each, frozenset(("this", "alias")))
            or not _has_only(each.args["alias"], frozenset(("this",)))
            or not _has_numbers(inner)
        ):
            before.update(map(id, each.walk()))
            continue
        each.pop()
        for table in [*tree.find_all(exp.Table)]:
            named = table.name.lower() == each.alias.lower() and id(table) not in before
            if named and _has_only(table, frozenset(("this", "alias"))):
                places += 1
                if places > _MOST_COMMON:
                    raise _too_long(f"Common tables are named at {places} places or more.")
                alias = table.args.get("alias") or exp.TableAlias(this=table.this.copy())
                table.replace(exp.Subquery(this=inner.copy(), alias=alias.copy()))
    if not common.expressions:
        tree.set("with_", None)


def _has_numbers(inner: exp.Select) -> bool:
    return any(True for each in inner.expressions for _ in aggregates_of(each))


def _put_numbers_in_place(tree: exp.Select, catalogue: Catalogue) -> None:
    """FROM people, (SELECT COUNT(*) AS all FROM people) AS whole: the number where it is named."""
    sources = [*_listed(tree.args.get("from_")), *_listed(tree.args.get("joins"))]
    numbers = [each for each in sources if _is_one_row(each)]
    rest = [each for each in sources if not any(each is number for number in numbers)]
    if not numbers or not all(isinstance(each.this, exp.Table) for each in rest):
        return
    if rest and isinstance(rest[0], exp.Join) and not _is_cross(rest[0]):
        return
    fields = (
        {name.lower() for table in catalogue.values() for name in (*table.shown, *table.never)}
        if rest
        else set()
    )
    given = _aliases(tree)
    named = [(each, names) for each in numbers if (names := _columns_of(each.this.this))]
    if len(named) < len(numbers):
        return
    for source, names in named:
        alias = source.this.alias.lower()
        columns = [
            column
            for column in _own(tree)
            if column.name.lower() in names
            and not _is_of_answer(column, given)
            and (
                column.table.lower() == alias
                or (not column.table and column.name.lower() not in fields)
            )
        ]
        _check_size(source.this.this for _ in columns)
        for column in columns:
            _put_number(column, names[column.name.lower()], source.this.this)
    tree.set("from_", exp.From(this=rest[0].this) if rest else None)
    tree.set("joins", rest[1:] or None)


def _is_one_row(source: exp.Expr) -> bool:
    """Whether it stands in FROM, and is one row of numbers whatever is in its table."""
    inner = source.this
    if not isinstance(inner, exp.Subquery) or not _is_named(inner):
        return False
    if isinstance(source, exp.Join) and not _is_cross(source):
        return False
    query = inner.this
    return (
        isinstance(query, exp.Select)
        and _has_only(query, _ONE_ROW)
        and query.args.get("from_") is not None
        and all(any(True for _ in aggregates_of(each)) for each in query.expressions)
    )


def _is_cross(join: exp.Expr) -> bool:
    on = join.args.get("on")
    return (
        _has_only(join, frozenset(("this", "kind", "on")))
        and (join.args.get("kind") or "").upper() in ("", "CROSS")
        and (on is None or (isinstance(on, exp.Boolean) and bool(on.this)))
    )


def _put_number(column: exp.Expr, value: exp.Expr, inner: exp.Expr) -> None:
    """A column as the number that it is; a constant decides no group."""
    if isinstance(column.parent, exp.Group):
        group = column.parent
        column.pop()
        if not any(group.args.values()):
            group.pop()
        return
    query = inner.copy()
    query.set("expressions", [value.copy()])
    number: exp.Expr = exp.Subquery(this=query)
    if isinstance(column.parent, exp.Select) and column.arg_key == "expressions":
        number = exp.Alias(this=number, alias=exp.to_identifier(column.name, quoted=True))
    column.replace(number)


def _about_a_table(tree: exp.Select, catalogue: Catalogue) -> exp.Select:
    """SELECT (SELECT COUNT(*) FROM a) / (SELECT COUNT(*) FROM b): a query about one of the tables.
    It is the one of a number that is likely noisy, because the error of an expression over noisy
    numbers and constants is known."""
    numbers = [each for each in tree.find_all(exp.Subquery) if _is_number(each)]
    if not numbers or not _has_only(tree, frozenset(("expressions",))):
        return tree
    protected = {name.lower() for table in catalogue.values() for name in table.unknown}
    found = next(
        (
            each
            for each in numbers
            if any(column.name.lower() in protected for column in each.find_all(exp.Column))
        ),
        numbers[0],
    )
    out: exp.Select = found.this.copy()
    number = out.expressions[0].unalias()
    around = tree.copy()
    for node in [*around.find_all(exp.Subquery)]:
        if node == found:
            node.replace(exp.Paren(this=number.copy()))
    out.set("expressions", around.expressions)
    return out


def _is_number(node: exp.Expr) -> bool:
    query = node.this
    return (
        _has_only(node, frozenset(("this",)))
        and isinstance(query, exp.Select)
        and _has_only(query, _ONE_ROW)
        and len(query.expressions) == 1
        and query.args.get("from_") is not None
        and _has_numbers(query)
    )


# ---------------------------------------------------------------------- over the groups of another


def _over_groups(tree: exp.Select, catalogue: Catalogue) -> exp.Select:
    """A query over the groups of another one: its groups chosen and sorted, or numbers of all of
    them."""
    source = tree.args.get("from_")
    inner = source.this if source is not None else None
    if not isinstance(inner, exp.Subquery) or not _is_named(inner) or not _has_only(tree, _AROUND):
        return tree
    query = _with_keys_written(inner.this, catalogue)
    known = _columns_of(query) if query is not None else None
    around = tree.copy()
    if query is None or known is None or not _numbers_as_windows(around):
        return tree
    _spread_star(around, query)
    given = _aliases(around)
    columns = [
        column
        for column in around.find_all(exp.Column)
        if not column.find_ancestor(exp.Subquery) and not _is_of_answer(column, given)
    ]
    own = ("", inner.alias.lower())
    if any(each.table.lower() not in own or each.name.lower() not in known for each in columns):
        return tree
    _check_size(known[each.name.lower()] for each in columns)
    for column in columns:
        _put(column, known[column.name.lower()])
    for part in ("expressions", "order", "limit", "offset"):
        query.set(part, around.args.get(part))
    chosen = [each.this for each in (query.args.get("having"), around.args.get("where")) if each]
    counted = any(True for each in (*query.expressions, *chosen) for _ in aggregates_of(each))
    if query.find(exp.Window) is not None and not counted:
        chosen.append(exp.GT(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(0)))
    if chosen:
        query.set("having", exp.Having(this=exp.and_(*chosen)))
    return query


def _with_keys_written(query: exp.Expr, catalogue: Catalogue) -> exp.Select | None:
    """A query with a row for each group of people, its groups written as expressions. None where it
    is another one: numbers of each person are read elsewhere."""
    group = query.args.get("group")
    if (
        not isinstance(query, exp.Select)
        or group is None
        or not _has_only(query, _GROUPED)
        or not _has_only(group, frozenset(("expressions",)))
        or query.find(exp.Window, *_SETS) is not None
    ):
        return None
    keys = {table.person_key.lower() for table in catalogue.values()}
    if any(each.name.lower() in keys for each in group.find_all(exp.Column)):
        return None
    out = query.copy()
    fields = {name.lower() for table in catalogue.values() for name in (*table.shown, *table.never)}
    aliases = {
        each.alias.lower(): each.this
        for each in out.expressions
        if isinstance(each, exp.Alias) and each.alias.lower() not in fields
    }
    group, having = out.args["group"], out.args.get("having")
    group.set("expressions", [_written(each, out, aliases) for each in group.expressions])
    columns = [
        column
        for column in (having.find_all(exp.Column) if having is not None else ())
        if not column.table and column.name.lower() in aliases
    ]
    _check_size(aliases[each.name.lower()] for each in columns)
    for column in columns:
        _put(column, aliases[column.name.lower()])
    return out


def _written(key: exp.Expr, query: exp.Select, aliases: Columns) -> exp.Expr:
    """What a query is grouped by, where that is written as a place or a name of a column."""
    if isinstance(key, exp.Literal) and key.is_int:
        place = int(key.this)
        if 0 < place <= len(query.expressions):
            chosen: exp.Expr = query.expressions[place - 1].unalias()
            return chosen.copy()
    if isinstance(key, exp.Column) and not key.table:
        return aliases.get(key.name.lower(), key).copy()
    return key


def _spread_star(tree: exp.Select, inner: exp.Select) -> None:
    (first, *more) = tree.expressions
    if isinstance(first, exp.Star) and not more and not any(first.args.values()):
        names = [exp.to_identifier(_name_of(each), quoted=True) for each in inner.expressions]
        tree.set("expressions", [exp.Column(this=each) for each in names])


def _put(column: exp.Expr, value: exp.Expr) -> None:
    own = value.copy()
    if not isinstance(own, (exp.Column, exp.Func, exp.Literal)):
        own = exp.Paren(this=own)
    if isinstance(column.parent, exp.Select) and column.arg_key == "expressions":
        own = exp.Alias(this=own, alias=column.this.copy())
    column.replace(own)


def _numbers_as_windows(around: exp.Select) -> bool:
    """Numbers of all groups as windows over them, in one row. False where a query has other
    numbers."""
    outer = [
        each
        for part in ("expressions", "where", "order")
        for tree in _listed(around.args.get(part))
        for each in aggregates_of(tree)
        if each.find_ancestor(exp.Subquery) is None
    ]
    if not outer:
        return True
    sorts = any(around.args.get(part) for part in ("order", "limit", "offset"))
    if sorts or around.find(exp.Window) is not None:
        return False
    for each in outer:
        plain = isinstance(each, _OVER_ALL) and not isinstance(each.this, exp.Distinct)
        if not plain or isinstance(each.parent, exp.Filter) or each.find_ancestor(exp.Where):
            return False
        each.replace(exp.Window(this=each.copy()))
    limit = exp.Limit(expression=exp.Literal.number(1))
    limit.meta[ONE_ROW] = True
    around.set("limit", limit)
    return True


# ---------------------------------------------------------------------- several groupings at once


def _by_sets(tree: exp.Select) -> exp.Expr:
    """GROUP BY ROLLUP, CUBE and GROUPING SETS: a query for each set of keys, one below the other."""
    group = tree.args.get("group")
    if group is None:
        return tree
    found = [each for each in group.expressions if isinstance(each, _SETS)]
    if len(found) != 1 or not _has_only(group, frozenset(("expressions",))):
        return tree
    if any(tree.args.get(part) for part in ("order", "limit", "offset", "distinct")):
        raise NotAdmitted(
            "Several groupings at once are answered one below the other.",
            code="not-listed",
            found=f"{found[0].key.upper()} with ORDER BY, LIMIT or DISTINCT is not on the list.",
            attempt="the query without it.",
        )
    always = [_key_of(each, tree) for each in group.expressions if each is not found[0]]
    sets = [[*always, *each] for each in _sets_of(found[0], tree)]
    every = [key for keys in sets for key in keys]
    parts = [_with_keys(tree, keys, every) for keys in sets]
    out: exp.Expr = parts[0]
    for part in parts[1:]:
        out = exp.Union(this=out, expression=part, distinct=False)
    return out


def _sets_of(node: exp.Expr, tree: exp.Select) -> list[list[exp.Expr]]:
    units = [[_key_of(key, tree) for key in _members(each)] for each in node.expressions]
    count = len(units) + isinstance(node, exp.Rollup)
    if isinstance(node, exp.Cube):
        count = 2 ** len(units)
    if count > MOST_BRANCHES:
        raise _too_long(f"{node.key.upper()} has {count:,} groupings.")
    if isinstance(node, exp.GroupingSets):
        return units
    if isinstance(node, exp.Rollup):
        chosen = [units[:size] for size in range(len(units), -1, -1)]
    else:
        sizes = range(len(units), -1, -1)
        chosen = [list(some) for size in sizes for some in itertools.combinations(units, size)]
    return [[key for unit in some for key in unit] for some in chosen]


def _members(unit: exp.Expr) -> list[exp.Expr]:
    if isinstance(unit, exp.Tuple):
        return list(unit.expressions)
    return [unit.unnest()]


def _key_of(key: exp.Expr, tree: exp.Select) -> exp.Expr:
    aliases = {
        each.alias.lower(): each.this for each in tree.expressions if isinstance(each, exp.Alias)
    }
    return _written(key, tree, aliases)


def _with_keys(tree: exp.Select, keys: list[exp.Expr], every: list[exp.Expr]) -> exp.Select:
    """The query grouped by some of its keys; the others are null."""
    out = tree.copy()
    out.set("group", exp.Group(expressions=[key.copy() for key in keys]) if keys else None)
    gone = [key for key in every if key not in keys]
    for outer in [*out.expressions, *_listed(out.args.get("having"))]:
        inside = {id(node) for each in aggregates_of(outer) for node in each.walk()}
        for node in [*outer.walk()]:
            if id(node) not in inside and any(node == key for key in gone):
                _put_null(node)
    return out


def _put_null(node: exp.Expr) -> None:
    null: exp.Expr = exp.Null()
    if isinstance(node.parent, exp.Select):
        null = exp.Alias(this=null, alias=exp.to_identifier(node.name, quoted=True))
    node.replace(null)


# ---------------------------------------------------------------------- what a query is made of


def _too_long(found: str) -> NotAdmitted:
    return NotAdmitted("The query stands for one that is too long.", code="too-long", found=found)


def _check_size(values: Iterable[exp.Expr]) -> None:
    """Whether expressions may be put in several places."""
    sizes: dict[int, int] = {}
    total = 0
    for each in values:
        size = sizes.get(id(each)) or sum(1 for _ in each.walk())
        sizes[id(each)] = size
        total += size
        if total > _MOST_NODES:
            raise _too_long("Long expressions of an inner query are named at many places.")


def _has_only(node: exp.Expr, names: frozenset[str]) -> bool:
    return all(name in names for name, value in node.args.items() if value)


def _is_named(inner: exp.Expr) -> bool:
    """Whether an inner query has at most a name, and no names for its columns."""
    alias = inner.args.get("alias")
    return _has_only(inner, frozenset(("this", "alias"))) and (
        alias is None or _has_only(alias, frozenset(("this",)))
    )


def _columns_of(query: exp.Select) -> Columns | None:
    """The columns of an inner query; None where a name is missing or is there twice."""
    names = [_name_of(each).lower() for each in query.expressions]
    if not all(names) or len({*names}) < len(names) or query.find(exp.Star) in query.expressions:
        return None
    return dict(zip(names, (each.unalias() for each in query.expressions), strict=True))


def _name_of(shown: exp.Expr) -> str:
    if isinstance(shown, (exp.Alias, exp.Column)):
        return shown.alias_or_name
    return shown.sql_name().lower() if isinstance(shown, exp.Func) else ""


def _aliases(tree: exp.Select) -> set[str]:
    return {each.alias.lower() for each in tree.expressions if isinstance(each, exp.Alias)}


def _is_of_answer(column: exp.Column, given: set[str]) -> bool:
    """Whether it sorts by a column of the answer."""
    sorts = column.find_ancestor(exp.Order) is not None
    return sorts and not column.table and column.name.lower() in given


def _listed(part: exp.Expr | list[exp.Expr] | None) -> list[exp.Expr]:
    if part is None:
        return []
    return part if isinstance(part, list) else [part]


def _own(tree: exp.Select) -> Iterator[exp.Column]:
    """The columns of a query that are in no query inside of it."""
    for column in tree.find_all(exp.Column):
        if column.find_ancestor(exp.Select) is tree:
            yield column
