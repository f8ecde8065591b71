"""Joins: two tables about the same people, joined on their person keys, read as one table.

Only the keys that the policies declare may be in ON or USING. The keys themselves are in no answer.
Fields of the joined table are called by their table, so that nothing depends on which of two fields
of one name is meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from sfumato.errors import NotAdmitted

from .condition_reader import conjuncts
from .queryable_table import Catalogue, QueryableTable

INNER: Final = " JOIN "
LEFT: Final = " LEFT JOIN "
_KINDS: Final = {("", ""): INNER, ("", "INNER"): INNER, ("LEFT", ""): LEFT, ("LEFT", "OUTER"): LEFT}
_OF_A_TABLE: Final = frozenset(("this", "alias", "db"))
_PARTS: Final = frozenset(("this", "side", "kind", "on", "using"))


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedName:
    """The tables of a join, and whether the first keeps people who are not in the second."""

    left: str
    right: str
    outer: bool

    def __str__(self) -> str:
        return f"{self.left}{LEFT if self.outer else INNER}{self.right}"

    @classmethod
    def read(cls, name: str) -> JoinedName | None:
        """The join of a name; None where it is a table's own.

        Example:
            >>> JoinedName.read("patients LEFT JOIN visits")
            JoinedName(left='patients', right='visits', outer=True)
            >>> JoinedName.read("patients")
        """
        for sign, outer in ((LEFT, True), (INNER, False)):
            left, found, right = name.partition(sign)
            if found:
                return cls(left=left, right=right, outer=outer)
        return None


def joined_field(table: str, name: str) -> str:
    """The name of a field in a join."""
    return f"{table}.{name}"


def read_join(tree: exp.Select, catalogue: Catalogue) -> tuple[exp.Select, Catalogue]:
    """The query over one table that replaces its join, and the catalogue with that table; names are
    spelt as the catalogue spells them."""
    selects = list(tree.find_all(exp.Select))
    joins = tree.args.get("joins") or []
    first = tree.args["from_"].this if tree.args.get("from_") else None
    if len(selects) != 1 or len(joins) != 1 or not isinstance(first, exp.Table):
        raise _refused(
            "Two tables are joined at a time, in one SELECT.",
            attempt="FROM a JOIN b ON a.key = b.key; for numbers of each person, "
            "(SELECT COUNT(*) FROM b WHERE b.key = a.key) beside the fields of a.",
        )
    sources = {each.alias_or_name: each for each in (first, joins[0].this)}
    if len(sources) != 2 or not all(_is_plain(each, catalogue) for each in sources.values()):
        raise _refused("Two different tables of the catalogue are joined.")
    kind = _KINDS.get((joins[0].side.upper(), joins[0].kind.upper()))
    if kind is None or any(value for part, value in joins[0].args.items() if part not in _PARTS):
        raise _refused("Tables are joined by JOIN or LEFT JOIN.")
    names = {alias: each.name for alias, each in sources.items()}
    if kind == INNER:
        _sort_conditions(tree, joins[0], names, catalogue)
    _check_keys(joins[0], names, catalogue)
    left, right = names.values() if kind == LEFT else sorted(names.values())
    table = str(JoinedName(left=left, right=right, outer=kind == LEFT))
    tree.set("joins", None)
    _rename(tree, names, catalogue)
    tree.args["from_"].set("this", exp.Table(this=exp.Identifier(this=table, quoted=True)))
    return tree, {**catalogue, table: _as_one(catalogue[left], catalogue[right], (left, right))}


def _is_plain(table: exp.Expr, catalogue: Catalogue) -> bool:
    """Whether it is a table with a name and nothing else: no sample, no nested join, no names of its
    columns."""
    alias = table.args.get("alias")
    return (
        isinstance(table, exp.Table)
        and isinstance(table.this, exp.Identifier)
        and not any(value for part, value in table.args.items() if part not in _OF_A_TABLE)
        and not (alias is not None and alias.args.get("columns"))
        and table.db in ("", "public")
        and table.name in catalogue
    )


def _as_one(left: QueryableTable, right: QueryableTable, names: tuple[str, str]) -> QueryableTable:
    both = tuple(zip(names, (left, right), strict=True))
    return replace(
        left,
        known=tuple(joined_field(name, each) for name, table in both for each in table.known),
        unknown=tuple(joined_field(name, each) for name, table in both for each in table.unknown),
        never=tuple(joined_field(name, each) for name, table in both for each in table.never),
    )


def _check_keys(join: exp.Join, names: Mapping[str, str], catalogue: Catalogue) -> None:
    """Whether tables about the same people are joined on exactly their person keys."""
    keys = {alias: catalogue[name].person_key for alias, name in names.items()}
    people = {catalogue[name].people for name in names.values()}
    if len(set(names.values())) != 2:
        raise _refused(
            "A table is joined with another one, and not with itself.",
            attempt="EXISTS (SELECT 1 FROM a AS other WHERE other.key = a.key AND ...), which compares "
            "a row with the others of its person, or a query that is grouped by the person key.",
        )
    if len(people) != 1 or not all(keys.values()):
        raise _refused("The tables are not declared to be about the same people.")
    using = [each.name for each in join.args.get("using") or []]
    on = join.args.get("on")
    if _compared(on) == keys or (using and on is None and set(keys.values()) == set(using)):
        return
    parts = " = ".join(f"{alias}.{key}" for alias, key in keys.items())
    raise NotAdmitted(
        "Tables are joined on their person keys alone.", code="join", attempt=f"ON {parts}."
    )


def _compared(condition: exp.Expr | None) -> dict[str, str]:
    """By their tables, the fields that a condition requires to be equal."""
    sides = [condition.this, condition.expression] if isinstance(condition, exp.EQ) else []
    return {side.table: side.name for side in sides if isinstance(side, exp.Column) and side.table}


def _sort_conditions(
    tree: exp.Select, join: exp.Join, names: Mapping[str, str], catalogue: Catalogue
) -> None:
    """The person keys in ON, and all other conditions in WHERE: in an inner join they mean the
    same."""
    keys = {alias: catalogue[name].person_key for alias, name in names.items()}
    places = (join.args.get("on"), tree.args["where"].this if tree.args.get("where") else None)
    parts = [part for place in places if place is not None for part in conjuncts(place)]
    ties = [part for part in parts if _compared(part) == keys]
    if join.args.get("using") or not ties:
        return
    rest = [part.copy() for part in parts if part is not ties[0]]
    join.set("on", ties[0].copy())
    tree.set("where", exp.Where(this=exp.and_(*rest)) if rest else None)


def _rename(tree: exp.Select, names: Mapping[str, str], catalogue: Catalogue) -> None:
    """Every field by its table; the answer's columns keep the names that they had."""
    called = {each.alias for each in tree.expressions if isinstance(each, exp.Alias)}
    shown = [
        exp.alias_(each, each.name, quoted=True) if isinstance(each, exp.Column) else each
        for each in tree.expressions
    ]
    tree.set("expressions", shown)
    for column in list(tree.find_all(exp.Column)):
        if isinstance(column.this, exp.Star):
            continue
        owners = [
            table
            for alias, table in names.items()
            if (column.table == alias if column.table else _has(catalogue[table], column.name))
        ]
        if len(owners) > 1:
            raise _refused(
                f"The field {column.name!r} is in both tables.", attempt="its table before it."
            )
        if not owners and (column.table or column.name not in {*called, "person"}):
            raise NotAdmitted(
                f"There is no field {column.name!r} in the tables that are joined.",
                code="unknown-field",
            )
        if owners:
            full = joined_field(owners[0], column.name)
            column.set("this", exp.Identifier(this=full, quoted=True))
            column.set("table", None)


def _has(table: QueryableTable, name: str) -> bool:
    return name in table.shown or name in table.never


def _refused(found: str, *, attempt: str = "FROM a JOIN b ON a.key = b.key.") -> NotAdmitted:
    return NotAdmitted(found, code="join", attempt=attempt)
