"""Rows per person: EXISTS, IN over a person key, and numbers of rows by person, read as fields of the
people whom a question is about.

`EXISTS (SELECT 1 FROM visits WHERE visits.id = patients.id)` is a fact about a patient: how many
rows they have in another table. So is each number of a query that is grouped by the person key.
Such a field is computed from all rows of one person alone. It is answered with noise, which covers
a person with all their rows in all tables. Where the inner query compares its rows with the row that
is asked about, the number is one of that row (`row_pairs`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from sqlglot import exp

from sfumato.errors import NotAdmitted

from .derivation import aggregates_of
from .queryable_table import Catalogue, QueryableTable
from .questions import Question
from .row_pairs import RowPairs

PEOPLE: Final = "people of "
"""How the table is called that has a row for each person of another one."""
FUNCTIONS: Final = ("count", "sum", "min", "max", "avg")
_OF_EXISTS: Final = frozenset(("expressions", "from_", "where"))
_BY_PERSON: Final = _OF_EXISTS | {"group", "having", "distinct"}
Reader = Callable[[str, Catalogue], Question]


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRows:
    """A number of each person: `rows` is the question that would give it for all of them. A person
    without a row has 0, or nothing (`missing`)."""

    name: str
    rows: Question = field(repr=False)
    missing: bool


@dataclass(slots=True, kw_only=True)
class PersonRowsReader:
    """Replaces the parts of a query about other rows of its people by fields. `read` admits a query
    over one table."""

    catalogue: Catalogue
    read: Reader
    found: dict[str, PersonRows] = field(default_factory=dict)
    _pairs: dict[str, QueryableTable] = field(default_factory=dict)

    def rewritten(self, tree: exp.Select) -> tuple[exp.Select, Catalogue]:
        """The query over one table, and the catalogue in which that table has further fields."""
        self._common_tables(tree)
        self._table_first(tree)
        name = self._source(tree)
        if name is None:
            return tree, self.catalogue
        self._joined(tree)
        for kind, part in (
            (exp.Exists, self._exists),
            (exp.In, self._among),
            (exp.Subquery, self._scalar),
        ):
            for node in [*tree.find_all(kind)]:
                found = part(node, tree)
                if found is not None:
                    node.replace(found)
        if not self.found:
            return tree, self.catalogue
        table = self.catalogue.get(name) or QueryableTable(known=(), unknown=())
        more = replace(table, unknown=(*table.unknown, *self.found))
        return tree, {**self.catalogue, name: more}

    # ------------------------------------------------------------------ where they stand

    def _common_tables(self, tree: exp.Select) -> None:
        """Common tables that are grouped by people, put where they are used."""
        common = tree.args.get("with_")
        if common is None:
            return
        for each in [*common.expressions]:
            if not self._is_by_person(each.this):
                continue
            for table in [*tree.find_all(exp.Table)]:
                if table.name == each.alias and not table.db:
                    alias = exp.TableAlias(this=exp.to_identifier(table.alias_or_name, quoted=True))
                    table.replace(exp.Subquery(this=each.this.copy(), alias=alias))
            each.pop()
        if not common.expressions:
            tree.set("with_", None)

    def _table_first(self, tree: exp.Select) -> None:
        """FROM (numbers by person) JOIN a table is FROM the table JOIN them: both mean the same."""
        source, joins = tree.args.get("from_"), tree.args.get("joins") or []
        if source is None or len(joins) != 1 or not isinstance(joins[0].this, exp.Table):
            return
        inner, (join,) = source.this, joins
        inside = (join.side.upper(), join.kind.upper()) in (("", ""), ("", "INNER"))
        if inside and isinstance(inner, exp.Subquery) and self._is_by_person(inner.this):
            table = join.this
            source.set("this", table)
            join.set("this", inner)

    def _source(self, tree: exp.Select) -> str | None:
        """The table that the query is about; the people of another one where it is over numbers by
        person."""
        source = tree.args["from_"].this if tree.args.get("from_") else None
        if isinstance(source, exp.Table):
            return source.name if source.name in self.catalogue else None
        if not isinstance(source, exp.Subquery) or not self._is_by_person(source.this):
            return None
        if tree.args.get("joins"):
            raise _refused("Numbers by person are joined to a table that stands first.")
        inner = source.this
        own = _table_of(inner)
        self._spread(tree, inner, alias=source.alias)
        name = PEOPLE + own
        source.replace(exp.Table(this=exp.Identifier(this=name, quoted=True)))
        return name

    def _joined(self, tree: exp.Select) -> None:
        """FROM a JOIN (numbers by person) AS b ON a.key = b.key: further fields of a."""
        for join in [*(tree.args.get("joins") or [])]:
            inner = join.this
            if not isinstance(inner, exp.Subquery) or not self._is_by_person(inner.this):
                continue
            outer = tree.args["from_"].this
            side, kind = join.side.upper(), join.kind.upper()
            if (side, kind) not in (("", ""), ("", "INNER"), ("LEFT", ""), ("LEFT", "OUTER")):
                raise _refused("Numbers by person are joined by JOIN or LEFT JOIN.")
            self._check_join(join, outer, inner)
            self._check_people(outer.name, _table_of(inner.this))
            self._spread(tree, inner.this, alias=inner.alias, outer=side == "LEFT")
            join.pop()
        if not tree.args.get("joins"):
            tree.set("joins", None)

    def _check_join(self, join: exp.Expr, outer: exp.Expr, inner: exp.Expr) -> None:
        keys = {
            outer.alias_or_name: self.catalogue[outer.name].person_key,
            inner.alias: self.catalogue[_table_of(inner.this)].person_key,
        }
        using = [each.name for each in join.args.get("using") or []]
        on = join.args.get("on")
        sides = [on.this, on.expression] if isinstance(on, exp.EQ) else []
        written = {each.table: each.name for each in sides if isinstance(each, exp.Column)}
        if written != keys and not (using and {*using} == {*keys.values()}):
            raise _refused("Numbers by person are joined on the person keys.")

    def _spread(
        self, tree: exp.Select, inner: exp.Expr, *, alias: str, outer: bool = False
    ) -> None:
        """The columns of numbers by person as fields of the query, and whom they leave out."""
        _check_parts(inner, _BY_PERSON)
        shown = {each.alias_or_name: each.unalias() for each in inner.expressions}
        key = self._key(inner)
        fields = {
            name: self._number(value, inner, missing=True)
            for name, value in shown.items()
            if not (isinstance(value, exp.Column) and value.name == key)
        }
        for column in [*tree.find_all(exp.Column)]:
            if column.find_ancestor(exp.Subquery) or column.table not in ("", alias):
                continue
            if column.name in fields and (column.table or column.name not in self._fields(tree)):
                own: exp.Expr = fields[column.name].copy()
                if isinstance(column.parent, exp.Select) and column.arg_key == "expressions":
                    own = exp.alias_(own, column.name, quoted=True)
                column.replace(own)
        conditions = [] if outer else [_at_least(self._rows(inner), 1)]
        having = self._having(inner, missing=True)
        if having is not None and outer:
            raise _refused("Numbers by person with HAVING are joined by JOIN.")
        _also(tree, *conditions, *([having] if having is not None else []))

    def _fields(self, tree: exp.Select) -> tuple[str, ...]:
        source = tree.args["from_"].this
        table = self.catalogue.get(source.name) if isinstance(source, exp.Table) else None
        return (*table.shown, *table.never) if table else ()

    def _exists(self, node: exp.Expr, tree: exp.Select) -> exp.Expr | None:
        inner = node.this
        if not isinstance(inner, exp.Select) or _table_of(inner) not in self.catalogue:
            return None
        _check_parts(inner, _OF_EXISTS)
        if any(True for each in inner.expressions for _ in aggregates_of(each)):
            raise _refused("EXISTS over a number is always true.")
        return exp.Paren(this=_at_least(self._rows(self._about_a_person(inner, tree)), 1))

    def _among(self, node: exp.Expr, tree: exp.Select) -> exp.Expr | None:
        """person_key IN (SELECT person_key FROM a table ...)."""
        inner = node.args.get("query")
        inner = inner.this if isinstance(inner, exp.Subquery) else inner
        if not isinstance(inner, exp.Select) or _table_of(inner) not in self.catalogue:
            return None
        outer = tree.args["from_"].this.name
        own = node.this
        shown = inner.expressions[0].unalias() if len(inner.expressions) == 1 else None
        if (
            not isinstance(own, exp.Column)
            or outer not in self.catalogue
            or own.name != self.catalogue[outer].person_key
            or not isinstance(shown, exp.Column)
            or shown.name != self._key(inner)
        ):
            return None
        self._check_people(outer, _table_of(inner))
        _check_parts(inner, _BY_PERSON)
        if not self._is_by_person(inner) and inner.args.get("group") is not None:
            return None
        if node.find_ancestor(exp.Not) is not None:
            raise _refused(
                "NOT IN over a query is true of nobody where a key is missing.",
                attempt="NOT EXISTS (SELECT 1 FROM b WHERE b.key = a.key).",
            )
        having = self._having(inner, missing=False)
        found = _at_least(self._rows(inner), 1)
        return exp.Paren(this=found if having is None else exp.And(this=found, expression=having))

    def _scalar(self, node: exp.Expr, tree: exp.Select) -> exp.Expr | None:
        """(SELECT COUNT(*) FROM a table WHERE its key = the key of the person asked about)."""
        inner = node.this
        if (
            isinstance(node.parent, (exp.From, exp.Join, exp.In))
            or not isinstance(inner, exp.Select)
            or _table_of(inner) not in self.catalogue
            or len(inner.expressions) != 1
            or not self._key(inner)
        ):
            return None
        _check_parts(inner, _OF_EXISTS)
        plain = self._about_a_person(inner, tree)
        value = plain.expressions[0].unalias()
        if _table_of(plain) in self._pairs and not isinstance(value, exp.Count):
            raise _refused("A number of rows beside the one that is asked about is COUNT.")
        return self._number(value, plain, missing=not isinstance(value, exp.Count))

    # ------------------------------------------------------------------ what they say

    def _is_by_person(self, inner: exp.Expr) -> bool:
        """Whether a query has a row for each person of a table."""
        if not isinstance(inner, exp.Select) or _table_of(inner) not in self.catalogue:
            return False
        group, key = inner.args.get("group"), self._key(inner)
        if not key or inner.args.get("joins"):
            return False
        if group is None:
            shown = [each.unalias() for each in inner.expressions]
            distinct = inner.args.get("distinct") is not None
            return distinct and len(shown) == 1 and _is_column(shown[0], key)
        return len(group.expressions) == 1 and _is_column(group.expressions[0], key)

    def _key(self, inner: exp.Expr) -> str:
        return self.catalogue[_table_of(inner)].person_key

    def _check_people(self, outer: str, inner: str) -> None:
        one, other = self.catalogue.get(outer), self.catalogue[inner]
        if one is None or not one.person_key or not other.person_key or one.people != other.people:
            raise _refused("The tables are not declared to be about the same people.")

    def _about_a_person(self, inner: exp.Select, tree: exp.Select) -> exp.Select:
        """The inner query without the condition that ties it to the person who is asked about. Where
        it names fields of the row that is asked about, it is one over pairs of rows."""
        source = tree.args["from_"].this
        outer, own = source.name, inner.args["from_"].this
        self._check_people(outer, own.name)
        tie = {
            (own.alias_or_name, self._key(inner)),
            (source.alias_or_name, self.catalogue[outer].person_key),
        }
        where = inner.args.get("where")
        parts = [*_parts(where.this)] if where else []
        rest = [each for each in parts if not _ties(each, tie)]
        if len(rest) != len(parts) - 1 or len(tie) != 2:
            key = f"{own.alias_or_name}.{self._key(inner)} = {source.alias_or_name}.{self.catalogue[outer].person_key}"
            raise _refused("The inner query is about the same person.", attempt=f"WHERE {key}.")
        if any(column.table == source.alias_or_name for column in _columns(rest, inner)):
            return self._paired(inner, rest, tree)
        out = inner.copy()
        out.set("where", None)
        _also(out, *(each.copy() for each in rest))
        return out

    def _paired(
        self, inner: exp.Select, conditions: list[exp.Expr], tree: exp.Select
    ) -> exp.Select:
        """A query that compares its rows with the row that is asked about."""
        source = tree.args["from_"].this
        if tree.args.get("joins"):
            raise _refused(
                "The inner query names fields of a join around it.",
                attempt="conditions about its own rows, beside the person key.",
            )
        pairs = RowPairs(of=source.name, other=_table_of(inner))
        own, other = self.catalogue[pairs.of], self.catalogue[pairs.other]
        self._pairs[str(pairs)] = pairs.table(own, other)
        return pairs.query(inner.expressions, conditions, own=source.alias_or_name)

    def _rows(self, inner: exp.Expr) -> exp.Column:
        return self._number(exp.Count(this=exp.Star()), inner, missing=False)

    def _number(self, value: exp.Expr, inner: exp.Expr, *, missing: bool) -> exp.Column:
        """A number of a person's rows, as a field."""
        source = inner.args["from_"].this
        query = exp.select(exp.alias_(value.copy(), "number")).from_(source.copy())
        where = inner.args.get("where")
        if where is not None:
            query.set("where", where.copy())
        question = self.read(query.sql("postgres"), {**self.catalogue, **self._pairs})
        plain = question.after.expressions[0].unalias()
        functions = [each.function for each in question.aggregates]
        whole = len(functions) == 1 and next(aggregates_of(plain), None) is plain
        if not whole or functions[0] not in FUNCTIONS or question.aggregates[0].distinct:
            raise _refused("One number of a person's rows is COUNT, SUM, AVG, MIN or MAX.")
        about = question.about.canonical() if question.about else ""
        having = question.having.canonical() if question.having else ""
        told = " and ".join(each for each in (about, having) if each)
        name = f"{question.aggregates[0].canonical()} of {question.table}" + (
            f" where {told}" if told else ""
        )
        name += " or nothing" if missing else ""
        self.found[name] = PersonRows(name=name, rows=question, missing=missing)
        return exp.column(exp.to_identifier(name, quoted=True))

    def _having(self, inner: exp.Expr, *, missing: bool) -> exp.Expr | None:
        having = inner.args.get("having")
        if having is None:
            return None
        out = exp.Paren(this=having.this.copy())
        for node in [*aggregates_of(out)]:
            node.replace(self._number(node, inner, missing=missing))
        return out


def asks_of_people(tree: exp.Expr) -> bool:
    """Whether a query may ask of other rows of its people."""
    return any(
        isinstance(node, (exp.Exists, exp.Subquery, exp.CTE))
        or (isinstance(node, exp.In) and node.args.get("query") is not None)
        for node in tree.walk()
    )


def _check_parts(inner: exp.Expr, read: frozenset[str]) -> None:
    """Whether an inner query has only parts that are read."""
    strange = [name for name, value in inner.args.items() if value and name not in read]
    if strange:
        raise _refused(f"The inner query has {strange[0].strip('_').upper()}.")


def _table_of(inner: exp.Expr) -> str:
    source = inner.args.get("from_")
    return source.this.name if source is not None and isinstance(source.this, exp.Table) else ""


def _is_column(tree: exp.Expr, name: str) -> bool:
    return isinstance(tree, exp.Column) and tree.name == name


def _parts(tree: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(tree, exp.And):
        yield from _parts(tree.this)
        yield from _parts(tree.expression)
    elif isinstance(tree, exp.Paren):
        yield from _parts(tree.this)
    else:
        yield tree


def _columns(conditions: list[exp.Expr], inner: exp.Select) -> Iterator[exp.Column]:
    for each in (*conditions, *inner.expressions):
        yield from each.find_all(exp.Column)


def _ties(tree: exp.Expr, keys: set[tuple[str, str]]) -> bool:
    sides = [tree.this, tree.expression] if isinstance(tree, exp.EQ) else []
    return {(each.table, each.name) for each in sides if isinstance(each, exp.Column)} == keys


def _at_least(column: exp.Expr, number: int) -> exp.Expr:
    return exp.GTE(this=column, expression=exp.Literal.number(number))


def _also(tree: exp.Select, *conditions: exp.Expr) -> None:
    """Further conditions that must hold as well."""
    for condition in conditions:
        where = tree.args.get("where")
        if where is None:
            tree.set("where", exp.Where(this=condition))
        else:
            where.set("this", exp.And(this=exp.Paren(this=where.this), expression=condition))


def _refused(found: str, *, attempt: str = "") -> NotAdmitted:
    return NotAdmitted(
        found,
        code="join",
        attempt=attempt
        or "EXISTS (SELECT 1 FROM b WHERE b.key = a.key), or a query that is grouped by the person key.",
    )
