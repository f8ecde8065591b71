"""Admitting a query: it is parsed, checked against lists of what may pass, qualified, and taken
apart into a question.

Parsers read far more than questions: COPY, ATTACH, functions that open files, several statements in
one text. So the lists here name what may pass, never what may not. Everything is decided by the
query and the policy alone, before any row is read: the reason may be disclosed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from sfumato.errors import NotAdmitted
from sfumato.parts import with_question

from .ages import spell_out_ages
from .arguments import check_arguments, spell_out_negations
from .condition_reader import conjuncts, predicate_of
from .derivation import (
    REGRESSIONS,
    SCALARS,
    SIGN,
    Derivation,
    DerivedField,
    QuantileCont,
    aggregates_of,
    chosen_people,
    is_aggregate,
)
from .inner_queries import MOST_BRANCHES, as_one_query
from .joins import read_join
from .overflow import check_constants, check_products
from .people_counts import spell_out_people
from .person_rows import PersonRows, PersonRowsReader, asks_of_people
from .predicates import Predicate, both
from .qualification import DIALECT as DIALECT
from .qualification import among, dialect, nodes_of, one_block
from .queryable_table import PERSON as PERSON
from .queryable_table import Catalogue as Catalogue
from .queryable_table import QueryableTable as QueryableTable
from .questions import Aggregate, Question
from .scalar_subqueries import (
    ScalarNumber,
    UnmeasuredColumns,
    check_no_others,
    subqueries_of,
    unmeasured_columns,
    with_numbers,
)

LONGEST: Final = 20_000
"""Characters of a query."""
DEEPEST: Final = 60
PARENTHESES: Final = 200
"""How deep parentheses may be in the text, before it is parsed: a parser's time and stack grow with
them."""
_UNION: Final = frozenset(("this", "expression", "distinct"))
ANSWER: Final = "answer"

_SHAPE: Final = (
    exp.Select, exp.From, exp.Table, exp.TableAlias, exp.Where, exp.Group, exp.Having, exp.Order, exp.Ordered,
    exp.Limit, exp.Offset, exp.Distinct, exp.With, exp.CTE, exp.Subquery, exp.Paren, exp.Alias, exp.Column,
    exp.Identifier, exp.Star, exp.Literal, exp.Boolean, exp.Null, exp.Tuple, exp.DataType, exp.Var,
)  # fmt: skip
_CONDITIONS: Final = (
    exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In, exp.Is, exp.Like,
    exp.ILike, exp.Neg, exp.Cast,
)  # fmt: skip
_NUMBERS: Final = (
    exp.Count,
    exp.Sum,
    exp.Avg,
    exp.Min,
    exp.Max,
    exp.Round,
    exp.Abs,
    exp.Add,
    exp.Sub,
    exp.Mul,
    exp.Stddev,
    exp.StddevSamp,
    exp.StddevPop,
    exp.Variance,
    exp.VariancePop,
    exp.Corr,
    exp.CovarSamp,
    exp.CovarPop,
    *REGRESSIONS,
    exp.Median,
    exp.PercentileCont,
    exp.WithinGroup,
    exp.Filter,
)
_WINDOWS: Final = (
    exp.Window,
    exp.WindowSpec,
    exp.RowNumber,
    exp.Rank,
    exp.DenseRank,
    exp.Lag,
    exp.Lead,
)
ADMITTED: Final = frozenset((*_SHAPE, *_CONDITIONS, *_NUMBERS, *SCALARS, *_WINDOWS))
"""The node types that a query may contain."""
AGGREGATES: Final[Mapping[type[exp.Expr], str]] = {
    exp.Count: "count",
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Min: "min",
    exp.Max: "max",
    exp.Stddev: "stddev_samp",
    exp.StddevSamp: "stddev_samp",
    exp.StddevPop: "stddev_pop",
    exp.Variance: "var_samp",
    exp.VariancePop: "var_pop",
    exp.Corr: "corr",
    exp.CovarSamp: "covar_samp",
    exp.CovarPop: "covar_pop",
    QuantileCont: "quantile",
    **REGRESSIONS,
}

_SOME: Final = ScalarNumber(value=1)
Nodes = Sequence[exp.Expr]
_UNNAMED: Final = re.compile(r"_col_\d+")


def admit(sql: str, catalogue: Catalogue) -> Question:
    """The question that a query asks; `NotAdmitted` with the place and the reason where it may not
    pass.

    Example:
        >>> people = QueryableTable(known=("age", "zip"), unknown=("test",), never=("name",))
        >>> question = admit("SELECT test FROM people WHERE age > 30 AND NOT test <> '1'", {"people": people})
        >>> question.known, question.unknown, question.about.canonical(), question.having.canonical()
        (('age',), ('test',), "'age' > 30", "'test' = '1'")
    """
    tree = _read(sql, catalogue)
    if isinstance(tree, exp.Union) and tree.args.get("distinct") is False:
        raise NotAdmitted(
            "UNION ALL and GROUPING SETS have several answers, and no preview as a whole.",
            code="not-listed",
            attempt="each part by itself.",
        )
    tree = _select(tree)
    if subqueries_of(tree, catalogue):
        raise NotAdmitted(
            "A subquery is answered before the query around it, so the whole has no preview.",
            code="not-listed",
            attempt="its parts one by one, the number of the first as a constant in the other.",
        )
    return _admitted(tree, catalogue, nested=True)


def numbers_in(sql: str, catalogue: Catalogue) -> list[str]:
    """The subqueries of a query that are numbers by themselves, as queries."""
    return subqueries_of(_read(sql, catalogue), catalogue)


def unmeasured_numbers(sql: str, catalogue: Catalogue) -> list[UnmeasuredColumns]:
    """For each part of a query, the columns whose error does not contain that of its subqueries."""
    tree = _read(sql, catalogue)
    return [unmeasured_columns(each, catalogue) for each in _branches(tree)]


def admit_all(
    sql: str, catalogue: Catalogue, *, numbers: Mapping[str, ScalarNumber] | None = None
) -> tuple[Question, ...]:
    """The questions of a query: one, or those that UNION ALL puts one below the other. `numbers`
    has those of its subqueries; without them some constant is there, which is enough to tell
    whether the query may be asked and which columns it has."""
    tree = _read(sql, catalogue)
    known = numbers if numbers is not None else dict.fromkeys(subqueries_of(tree, catalogue), _SOME)
    with_numbers(tree, catalogue, known.__getitem__)
    branches = tuple(_branches(tree))
    if len(branches) > MOST_BRANCHES:
        raise NotAdmitted(
            "The query has too many parts.",
            code="too-long",
            found=f"{len(branches)} are joined by UNION ALL; at most {MOST_BRANCHES} are allowed.",
        )
    questions = tuple(_admitted(each, catalogue, nested=True) for each in branches)
    if len({len(each.columns) for each in questions}) > 1:
        raise NotAdmitted(
            "The parts of UNION ALL have different numbers of columns.", code="not-comparable"
        )
    return questions


def _branches(tree: exp.Expr) -> Iterator[exp.Select]:
    if not isinstance(tree, exp.Union):
        yield _select(tree.unnest() if isinstance(tree, exp.Subquery) else tree)
        return
    strange = [name for name, value in tree.args.items() if value and name not in _UNION]
    if strange or tree.args.get("distinct") is not False:
        raise NotAdmitted(
            "The query uses an element that is not allowed.",
            code="not-listed",
            found=f"UNION with {', '.join(strange).upper() or 'DISTINCT'} is not on the list.",
            attempt="UNION ALL of SELECT, without ORDER BY and LIMIT behind it.",
        )
    yield from _branches(tree.this)
    yield from _branches(tree.expression)


def _admitted(tree: exp.Select, catalogue: Catalogue, *, nested: bool) -> Question:
    """`nested` is whether it may ask of other rows of its people; those rows may not."""
    spell_out_negations(tree)
    spell_out_ages(tree)
    spell_out_people(tree, catalogue, person=PERSON)
    nodes = nodes_of(tree)
    people: Mapping[str, PersonRows] = {}
    if nested and asks_of_people(tree):
        _check_depth(nodes)
        _respell(nodes, catalogue)
        reader = PersonRowsReader(
            catalogue=catalogue,
            read=lambda inner, tables: _admitted(_select(_parsed(inner)), tables, nested=False),
        )
        tree, catalogue = reader.rewritten(tree)
        people, nodes = reader.found, nodes_of(tree)
    check_no_others(tree)
    if among(nodes, exp.Join):
        _respell(nodes, catalogue)
        tree, catalogue = read_join(tree, catalogue)
        nodes = nodes_of(tree)
    _check_nodes(nodes)
    check_arguments(nodes)
    _respell(nodes, catalogue)
    tables = _tables(nodes, catalogue)
    check_constants(nodes)
    check_products(nodes)
    _check_fields(nodes, tables)
    question = _question(one_block(tree, nodes, _schema(nodes, catalogue)), catalogue)
    return replace(
        question, people={n: each for n, each in people.items() if n in question.unknown}
    )


def _read(sql: str, catalogue: Catalogue) -> exp.Expr:
    tree = _parsed(sql)
    _check_depth(nodes_of(tree))
    return as_one_query(tree, catalogue)


def _parsed(sql: str) -> exp.Expr:
    if len(sql) > LONGEST:
        raise NotAdmitted(
            "The query is too long.",
            code="too-long",
            found=f"It has {len(sql):,} characters; at most {LONGEST:,} are allowed.",
        )
    if _parentheses(sql) > PARENTHESES:
        raise NotAdmitted(
            "The query is nested too deeply.", code="too-deep", attempt="a flatter one."
        )
    try:
        found = [each for each in dialect().parse(sql) if each is not None]
    except ParseError as error:
        first = error.errors[0] if error.errors else {}
        place = int(first.get("line") or 1), int(first.get("col") or 1)
        raise NotAdmitted(
            "The query is not SQL that the gate reads.",
            code="syntax",
            found=f"At line {place[0]}, column {place[1]}.",
            place=place,
        ) from None
    except (SqlglotError, RecursionError, ValueError):
        raise NotAdmitted("The query is not SQL that the gate reads.", code="syntax") from None
    if len(found) != 1:
        raise NotAdmitted(
            "One query is asked at a time.",
            code="several",
            found=f"{len(found)} statements.",
            attempt="one SELECT.",
        )
    return found[0]


def _select(tree: exp.Expr) -> exp.Select:
    if not isinstance(tree, exp.Select):
        raise NotAdmitted(
            "The gate takes only SELECT.",
            code="not-a-question",
            found=f"a statement {tree.key.upper()}.",
            attempt="SELECT fields FROM a table WHERE conditions.",
        )
    return tree


def _parentheses(sql: str) -> int:
    """How deep parentheses are nested at most; those in texts count too, which makes it no
    smaller."""
    opened = itertools.accumulate((sign == "(") - (sign == ")") for sign in sql)
    return max(opened, default=0)


def _check_depth(nodes: Nodes) -> None:
    deep: dict[int, int] = {}
    for node in nodes:  # The outer ones come first.
        deep[id(node)] = depth = deep.get(id(node.parent), -1) + 1
        if depth > DEEPEST:
            raise NotAdmitted(
                "The query is nested too deeply.", code="too-deep", attempt="a flatter one."
            )


def _check_nodes(nodes: Nodes) -> None:
    _check_depth(nodes)
    for node in nodes:
        if type(node) not in ADMITTED:
            said = node.name.upper() if isinstance(node, exp.Anonymous) else node.key.upper()
            raise NotAdmitted(
                "The query uses an element that is not allowed.",
                code="not-listed",
                found=f"{said} is not on the list.",
                attempt="fields, constants, comparisons, AND, OR, NOT, COUNT, SUM, AVG, MIN, MAX, "
                "GROUP BY, ORDER BY.",
            )


def _respell(nodes: Nodes, catalogue: Catalogue) -> None:
    """Names as the catalogue spells them, where they are written without quotes: there, case is
    irrelevant."""
    names = {name for table in catalogue.values() for name in (*table.shown, *table.never)}
    spelt = {name.lower(): name for name in (*names, *catalogue)}
    for each in among(nodes, exp.Identifier):
        if not each.args.get("quoted"):
            each.set("this", spelt.get(each.name.lower(), each.name.lower()))
        each.args["quoted"] = True


def _tables(nodes: Nodes, catalogue: Catalogue) -> dict[str, QueryableTable]:
    own = {cte.alias for cte in among(nodes, exp.CTE)}
    out: dict[str, QueryableTable] = {}
    for table in among(nodes, exp.Table):
        if not isinstance(table.this, exp.Identifier) or table.args.get("catalog"):
            raise NotAdmitted(
                "Only tables are asked.", code="not-listed", attempt="a table of the catalogue."
            )
        if table.name in own and not table.db:
            continue
        if table.name not in catalogue or table.db not in ("", "public"):
            raise NotAdmitted(
                with_question(f"There is no table {table.name!r}.", table.name, catalogue),
                code="unknown-table",
                found=f"There are: {', '.join(catalogue)}.",
                place=_place(table.this),
            )
        out[table.name] = catalogue[table.name]
    if not out:
        raise NotAdmitted(
            "The query asks no table.",
            code="unknown-table",
            found=f"There are: {', '.join(catalogue)}.",
        )
    return out


def _check_fields(nodes: Nodes, tables: Mapping[str, QueryableTable]) -> None:
    never = {name for table in tables.values() for name in table.never}
    shown = {name for table in tables.values() for name in table.shown}
    given = {
        each.alias for each in nodes if isinstance(each, (exp.Alias, exp.TableAlias)) and each.alias
    }
    for column in among(nodes, exp.Column):
        name = column.name
        if name == PERSON and name not in shown and _counts_people(column):
            continue
        if name in never - shown:
            raise NotAdmitted(
                f"The field {name!r} is never released.",
                code="never-shown",
                found="It names people, or is free text.",
                attempt="COUNT(DISTINCT person)."
                if _counts_people(column)
                else "EXISTS (SELECT 1 FROM a AS other WHERE other.key = a.key AND ...), which compares "
                "a row with the others of its person."
                if any(isinstance(each, exp.Window) for each in nodes)
                else f"{', '.join(sorted(shown))}.",
                place=_place(column.this),
            )
        if name not in shown | given and not isinstance(column.this, exp.Star):
            raise NotAdmitted(
                with_question(f"There is no field {name!r}.", name, shown),
                code="unknown-field",
                found=f"There are: {', '.join(sorted(shown))}.",
                place=_place(column.this),
            )


def _place(name: exp.Expr) -> tuple[int, int] | None:
    """Where a name ends in the text of the query."""
    line, column = name.meta.get("line"), name.meta.get("col")
    return (int(line), int(column)) if line and column else None


def _counts_people(column: exp.Column) -> bool:
    """Whether it is in COUNT(DISTINCT person), the one place where people themselves may be
    named."""
    return isinstance(column.parent, exp.Distinct) and isinstance(column.parent.parent, exp.Count)


def _person(table: QueryableTable) -> tuple[str, ...]:
    """People themselves, unless a field that is shown is called so; one that is never released may
    well be their key."""
    return () if PERSON in table.shown else (PERSON,)


def _schema(nodes: Nodes, catalogue: Catalogue) -> dict[str, tuple[str, ...]]:
    """The fields of each table, people among them where the query counts them."""
    people = any(column.name == PERSON for column in among(nodes, exp.Column))
    return {
        name: (*table.shown, *(_person(table) if people else ()))
        for name, table in catalogue.items()
    }


def _question(tree: exp.Select, catalogue: Catalogue) -> Question:
    name = next(tree.find_all(exp.Table)).name
    table = catalogue[name]
    _check_people(tree, table)
    _name_columns(tree)
    derivation = Derivation(table=table)
    tree = derivation.read(tree)
    about, having = _conditions(tree, table, derivation)
    tree.set("where", None)
    columns = list(tree.find_all(exp.Column))
    used = {column.name for column in columns}
    used.update(*(each.fields() for each in (about, having) if each is not None))
    derived = {name: each for name, each in derivation.found.items() if name in used}
    used.update(*(each.fields for each in derived.values() if not each.is_known))
    _check_groups(tree)
    aggregates = tuple(_aggregates(tree))
    if not aggregates:
        if tree.find(exp.Window) is not None:
            raise _windows_of_rows()
        _check_mixed(derived.values(), table)
    group = tree.args.get("group")
    return Question(
        table=name,
        known=(
            *(n for n in table.known if n in used),
            *(n for n, each in derived.items() if each.is_known),
        ),
        unknown=tuple(n for n in table.unknown if n in used),
        about=about,
        having=having,
        groups=tuple(each.name for each in group.expressions) if group else (),
        aggregates=aggregates,
        columns=tuple(each.alias_or_name for each in tree.expressions),
        derived=derived,
        after=_over_the_answer(tree, columns),
    )


def _name_columns(tree: exp.Select) -> None:
    """Columns without a name are called after their function, as PostgreSQL does; others by their
    place."""
    taken = {each.alias for each in tree.expressions}
    for place, each in enumerate(tree.expressions, 1):
        if not _UNNAMED.fullmatch(each.alias):
            continue
        inner = each.this
        inner = inner.this if isinstance(inner, (exp.Filter, exp.Window)) else inner
        name = inner.key if isinstance(inner, (exp.Func, exp.Case)) else f"column_{place}"
        if isinstance(inner, exp.Func) and type(inner) in AGGREGATES:
            name = inner.sql_name().lower()
        name = name if name not in taken else f"{name}_{place}"
        while name in taken:
            name += "_"
        taken.add(name)
        for column in [*tree.find_all(exp.Column)]:
            if column.name == each.alias and not column.table:
                column.set("this", exp.Identifier(this=name, quoted=True))
        each.set("alias", exp.Identifier(this=name, quoted=True))


def _check_mixed(derived: Iterable[DerivedField], table: QueryableTable) -> None:
    """Whether rows are chosen and shown by fields of one sort. An expression over known fields and
    others follows the known ones as they are, and rows show them at any level."""
    for each in derived:
        if not each.is_known and not set(table.known).isdisjoint(each.fields):
            raise NotAdmitted(
                "Rows are asked by what mixes fields that others may know with fields to be "
                "protected.",
                code="mixed-condition",
                found=f"{', '.join(sorted(each.fields))} are in one expression.",
                attempt="numbers, or conditions joined by AND, each over fields of one sort.",
            )


def _check_groups(tree: exp.Select) -> None:
    """Whether expressions outside of aggregates follow from the groups; and windows from numbers of
    groups."""
    group = tree.args.get("group")
    counted = any(True for each in tree.expressions for _ in aggregates_of(each))
    if not group and not counted:
        if tree.find(exp.Window) is not None:
            raise _windows_of_rows()
        return
    keys = {each.name for each in group.expressions} if group else set()
    for outer in tree.expressions:
        for node in outer.walk(prune=lambda each: is_aggregate(each)):
            if isinstance(node, exp.Column) and node.name not in keys:
                raise NotAdmitted(
                    f"{node.name.removeprefix(SIGN)!r} is neither in GROUP BY nor in an aggregate.",
                    code="not-grouped",
                    attempt="it in GROUP BY, or COUNT, SUM or AVG of it.",
                )


def _windows_of_rows() -> NotAdmitted:
    return NotAdmitted(
        "Windows are over numbers of groups.",
        code="not-listed",
        attempt="GROUP BY, with COUNT(*) or another number of each group beside the window or in it.",
    )


def _check_people(tree: exp.Select, table: QueryableTable) -> None:
    columns = [*tree.find_all(exp.Column)]
    if not _person(table) and any(
        column.name == PERSON and _counts_people(column) for column in columns
    ):
        raise NotAdmitted(
            "The table has a field 'person', so that COUNT(DISTINCT person) means two things.",
            code="not-listed",
            attempt="COUNT(*) in groups of that field, or asking the steward for another name.",
        )
    if _person(table) and any(
        column.name == PERSON and not _counts_people(column) for column in columns
    ):
        raise NotAdmitted(
            "People are counted, and never listed.",
            code="never-shown",
            attempt="COUNT(DISTINCT person).",
        )


def _over_the_answer(tree: exp.Select, columns: Sequence[exp.Column]) -> exp.Select:
    """The query without its conditions."""
    tree.set("from_", exp.From(this=exp.Table(this=exp.Identifier(this=ANSWER, quoted=False))))
    for column in columns:
        column.set("table", None)
    return tree


def _conditions(
    tree: exp.Select, table: QueryableTable, derivation: Derivation
) -> tuple[Predicate | None, Predicate | None]:
    """The condition over known fields, and the one over the others. A part that mixes them becomes
    a derived field, which counts among the others."""
    known = {*table.known, *(name for name, each in derivation.found.items() if each.is_known)}
    where = tree.args.get("where")
    about: list[Predicate] = []
    having: list[Predicate] = []
    for part in conjuncts(where.this) if where else ():
        found = predicate_of(part)
        used = found.fields()
        if not used <= known and not used.isdisjoint(known):
            found = predicate_of(derivation.whole(part))
            used = found.fields()
        (about if used <= known else having).append(found)
    return both(*about) if about else None, both(*having) if having else None


def _aggregates(tree: exp.Select) -> Iterator[Aggregate]:
    """Every aggregate, those that only sort or choose groups among them."""
    choosing = (tree.args.get(part) for part in ("having", "order"))
    for outer in (*tree.expressions, *(part for part in choosing if part is not None)):
        for node in aggregates_of(outer):
            yield read_aggregate(node, name=outer.alias_or_name)


def read_aggregate(node: exp.Expr, *, name: str = "") -> Aggregate:
    """An aggregate over fields; `name` is that of its column.

    Example:
        >>> import sqlglot
        >>> [read_aggregate(sqlglot.parse_one(each)).canonical() for each in ("COUNT(*)", "CORR(a, b)")]
        ['count(*)', 'corr(a, b)']
    """
    if type(node) not in AGGREGATES:
        raise NotAdmitted(
            "The query uses an element that is not allowed.",
            code="not-listed",
            found=f"{node.key.upper()} is not on the list.",
            attempt="COUNT, SUM, AVG, MIN, MAX, STDDEV, VARIANCE, CORR, REGR_SLOPE, "
            "PERCENTILE_CONT.",
        )
    inner, second = node.this, node.args.get("expression")
    distinct = isinstance(inner, exp.Distinct)
    if distinct and len(inner.expressions) != 1:
        raise NotAdmitted("One field is counted at a time.", code="not-listed")
    if distinct:
        inner = inner.expressions[0]
    chosen = chosen_people(inner)
    if chosen is not None:
        inner, second = exp.column(PERSON), chosen
    return Aggregate(
        function=AGGREGATES[type(node)],
        field=inner.name if isinstance(inner, exp.Column) else "",
        other=second.name if second is not None else "",
        distinct=distinct,
        name=name,
    )
