"""From a question about PostgreSQL's catalogue to one over the made-up tables of the pad."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Final

import sqlglot
from sqlglot import exp

from sfumato.errors import NotAdmitted

from .functions import FUNCTIONS, CatalogueContext, class_oid, said, schema_oid, type_oid
from .relations import INFORMATION, PG, relations
from .rows import ASKER_NAME

_TEXTS: Final = (
    "text name char bpchar varchar cstring aclitem pg_node_tree unknown json jsonb regproc "
    "regprocedure regrole "
    "regoper regoperator regconfig regdictionary regcollation inet xml"
).split()
_PLAIN: Final[Mapping[str, str]] = {
    **dict.fromkeys(_TEXTS, "VARCHAR"), "oid": "UINTEGER", "xid": "BIGINT", "cid": "BIGINT", "int2": "SMALLINT",
    "int4": "INTEGER", "int8": "BIGINT", "bool": "BOOLEAN", "float4": "DOUBLE", "float8": "DOUBLE",
    "numeric": "DOUBLE", "int2vector": "SMALLINT[]", "oidvector": "UINTEGER[]", "timestamptz": "TIMESTAMP",
    "integer": "INTEGER", "bigint": "BIGINT", "smallint": "SMALLINT", "boolean": "BOOLEAN",
}  # fmt: skip
_NAMED: Final = {"pg_roles": "rolname", "pg_user": "usename"}
_WORDS: Final = ("user", "current_role", "current_user", "session_user")


def for_pad(tree: exp.Expr, around: CatalogueContext) -> exp.Expr:
    """The same question over the pad's tables; inner parts first, so that what a function is made
    into is left alone.

    Example:
        >>> from .rows import CatalogueFacts
        >>> around = CatalogueContext(told=CatalogueFacts("sfumato", ()), user="ann", process=1, version="16")
        >>> tree = sqlglot.parse_one("SELECT current_user, pg_catalog.version()", read="postgres")
        >>> print(for_pad(tree, around).sql("duckdb"))
        SELECT 'ann' AS "current_user", '16' AS "version"
    """
    root = tree.copy()
    _name_columns(root)
    for node in reversed(list(root.walk(bfs=True))):
        found = _rewritten(node, around)
        if found is not node:
            node.replace(found)
    return root


def _name_columns(tree: exp.Expr) -> None:
    """PostgreSQL calls a column after its function; the pad would call it after the function's
    text."""
    for select in tree.find_all(exp.Select):
        for each in list(select.expressions):
            name = _called(each)
            if name:
                each.replace(exp.alias_(each.copy(), name, quoted=True))


def _called(node: exp.Expr) -> str:
    match node:
        case exp.Alias() | exp.Star():
            return ""
        case exp.Column():
            return node.name.lower() if node.name.lower() in _WORDS and not node.table else ""
        case exp.Dot() if isinstance(node.expression, exp.Func):
            return _called(node.expression)
        case exp.Anonymous():
            return node.name.lower()
        case exp.Cast():
            return node.this.name if isinstance(node.this, exp.Column) else _called_inside(node)
        case exp.Case():
            return "case"
        case exp.CurrentVersion():
            return "version"
        case exp.GroupConcat():
            return "string_agg"
        case exp.CurrentTimestamp():
            return "now"
        case exp.Func():
            return node.sql_name().lower()
        case exp.Subquery() | exp.Paren():
            return ""
    return "" if isinstance(node, exp.Dot) else "?column?"


def _called_inside(node: exp.Expr) -> str:
    found = _called(node.this)
    return found if found not in ("", "?column?") else _type_name(node)


def _rewritten(node: exp.Expr, around: CatalogueContext) -> exp.Expr:
    if type(node) in _BY_NODE:
        return _BY_NODE[type(node)](node, around)
    if isinstance(node, (exp.CurrentUser, exp.SessionUser)):
        return exp.Literal.string(around.user)
    if isinstance(node, (exp.CurrentDatabase, exp.CurrentCatalog)):
        return exp.Literal.string(around.told.database)
    return node


def _table(node: exp.Expr, around: CatalogueContext) -> exp.Expr:
    if not isinstance(node.this, exp.Identifier):
        return _called_as_table(node)
    schema = (node.text("db") or PG).lower()
    relation = relations().get((schema, node.name.lower()))
    if relation is None:
        return node
    alias = node.args.get("alias") or exp.TableAlias(this=exp.to_identifier(relation.name))
    made = f"{relation.pad_schema}.{relation.name}"
    if relation.name in _NAMED:
        column = _NAMED[relation.name]
        name = f"REPLACE({column}, '{ASKER_NAME}', {exp.Literal.string(around.user).sql('duckdb')})"
        inner = sqlglot.parse_one(
            f"SELECT * REPLACE ({name} AS {column}) FROM {made}", read="duckdb"
        )
        return exp.Subquery(this=inner, alias=alias.copy(), joins=node.args.get("joins"))
    node.set("db", exp.to_identifier(relation.pad_schema))
    node.set("this", exp.to_identifier(relation.name))
    node.set("catalog", None)
    node.set("alias", alias)
    return node


def _called_as_table(node: exp.Expr) -> exp.Expr:
    node.set("db", None)
    inner = node.this
    if isinstance(inner, exp.Subquery):
        return exp.Subquery(
            this=inner.this, alias=node.args.get("alias"), joins=node.args.get("joins")
        )
    return node


def _dot(node: exp.Expr, _: CatalogueContext) -> exp.Expr:
    """A function or type with its schema before it."""
    return (
        node.expression
        if node.this.name.lower() in (PG, INFORMATION) and _is_name(node.this)
        else node
    )


def _is_name(node: exp.Expr) -> bool:
    return isinstance(node, (exp.Identifier, exp.Column))


def _column(node: exp.Expr, around: CatalogueContext) -> exp.Expr:
    node.set("db", None)
    if not node.text("table") and node.name.lower() in _WORDS and not node.this.args.get("quoted"):
        return exp.Literal.string(around.user)
    if node.name.lower() == "tableoid":
        return exp.Literal.number(0)
    return node


def _function(node: exp.Expr, around: CatalogueContext) -> exp.Expr:
    name = node.name.lower()
    return FUNCTIONS[name](node.expressions, around) if name in FUNCTIONS else node


def _operator(node: exp.Expr, _: CatalogueContext) -> exp.Expr:
    """`a OPERATOR(pg_catalog.~) b` and its like."""
    operator = node.text("operator").rpartition(".")[2]
    left, right = node.this, node.expression
    match operator:
        case "~":
            return exp.RegexpLike(this=left, expression=right)
        case "!~":
            return exp.Not(this=exp.RegexpLike(this=left, expression=right))
        case "~*":
            return exp.RegexpILike(this=left, expression=right)
        case "=":
            return exp.EQ(this=left, expression=right)
        case "<>":
            return exp.NEQ(this=left, expression=right)
    raise NotAdmitted(
        "The question about the catalogue uses an operator that is not listed.", code="not-listed"
    )


def _cast(node: exp.Expr, around: CatalogueContext) -> exp.Expr:
    name, inner = _type_name(node), node.this
    literal = inner.name if isinstance(inner, exp.Literal) else None
    if name in ("regclass", "regtype", "regnamespace"):
        return _named_object(name, inner, literal, around)
    if name.endswith("[]"):
        return _list(inner, literal, name.removesuffix("[]"))
    if name in _PLAIN:
        return exp.cast(inner, exp.DataType.build(_PLAIN[name], dialect="duckdb"))
    if node.args["to"].this is exp.DType.USERDEFINED:
        raise NotAdmitted(f"There is no type {name!r}.", code="unknown-type")
    return node


def _named_object(
    kind: str, inner: exp.Expr, literal: str | None, around: CatalogueContext
) -> exp.Expr:
    if literal is not None:
        if literal.isdigit():
            return exp.cast(exp.Literal.number(literal), "UINTEGER", dialect="duckdb")
        if kind == "regclass":
            return class_oid(literal, around.told)
        return type_oid(literal) if kind == "regtype" else schema_oid(literal)
    number = exp.TryCast(this=inner.copy(), to=exp.DataType.build("UINTEGER", dialect="duckdb"))
    return said(kind.removeprefix("reg"))([number], around)


def _list(inner: exp.Expr, literal: str | None, element: str) -> exp.Expr:
    kind = exp.DataType.build(f"{_PLAIN.get(element, 'VARCHAR')}[]", dialect="duckdb")
    return exp.cast(inner if literal is None else _parts(literal), kind)


def _parts(literal: str) -> exp.Expr:
    """`{a,b}` as a list."""
    plain = literal.strip().removeprefix("{").removesuffix("}")
    return exp.Array(
        expressions=[
            exp.Literal.string(each.strip().strip('"')) for each in plain.split(",") if each
        ]
    )


def _any(node: exp.Expr, _: CatalogueContext) -> exp.Expr:
    inner = node.this.unnest()
    if isinstance(inner, exp.Literal):
        node.set("this", exp.Paren(this=_parts(inner.name)))
    return node


def _unequal(node: exp.Expr, _: CatalogueContext) -> exp.Expr:
    """`a <> ALL (list)`."""
    right = node.expression
    if isinstance(right, exp.Anonymous) and right.name.lower() == "all" and right.expressions:
        inner = right.expressions[0].unnest()
        listed = _parts(inner.name) if isinstance(inner, exp.Literal) else inner
        return exp.Not(this=exp.func("LIST_CONTAINS", listed, node.this))
    return node


def _type_name(node: exp.Expr) -> str:
    """The name of the type that a cast is to, without its schema."""
    to = node.args["to"]
    if isinstance(to, exp.ObjectIdentifier):
        return str(to.this).lower()
    if to.this is exp.DType.ARRAY and to.expressions:
        return _type_name(exp.Cast(this=exp.Null(), to=to.expressions[0].copy())) + "[]"
    if to.this is exp.DType.USERDEFINED:
        kind = to.args.get("kind")
        last = kind.expression if isinstance(kind, exp.Dot) else kind
        name = last.name if isinstance(last, exp.Expr) else str(last)
        return name.strip('"').rpartition(".")[2].lower()
    name = str(to.sql("postgres")).lower()
    return {"int": "int4", "character varying": "varchar"}.get(name, name)


_BY_NODE: Final[dict[type[exp.Expr], Callable[[exp.Expr, CatalogueContext], exp.Expr]]] = {
    exp.Table: _table,
    exp.Dot: _dot,
    exp.Column: _column,
    exp.Anonymous: _function,
    exp.Operator: _operator,
    exp.Cast: _cast,
    exp.Any: _any,
    exp.NEQ: _unequal,
    exp.ByteString: lambda node, _: exp.Literal.string(node.name),
    exp.RawString: lambda node, _: exp.Literal.string(node.name),
    exp.Collate: lambda node, _: node.this,
    exp.CurrentTimestamp: lambda _, __: exp.cast(
        exp.Literal.string(f"{datetime.now(UTC):%Y-%m-%d %X}"), "TIMESTAMP"
    ),
    exp.CurrentDate: lambda _, __: exp.cast(
        exp.Literal.string(f"{datetime.now(UTC):%Y-%m-%d}"), "DATE"
    ),
    exp.CurrentVersion: lambda _, around: exp.Literal.string(around.version),
    exp.CurrentSchema: lambda _, __: exp.Literal.string("public"),
    exp.CurrentSchemas: lambda _, __: exp.array(exp.Literal.string("public")),
    exp.JSONArrayAgg: lambda _, __: exp.cast(exp.Null(), "VARCHAR"),
}
