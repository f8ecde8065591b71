"""Making a view in a DuckDB session: what every reader of a file, a table or a frame needs."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from sfumato.policy import AS_FOUND, SourceFormat

from ..field_names import check_names
from ..formula_cells import QUOTED
from ..sql.queries import SOURCE, column, named, number, table
from .session import DuckDBSession


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """A person's options for a file, `scratch`, the engine's own folder, and the name of the view.

    `title` is the name of the file where it is read from a copy; `table_name` that of the table, if
    it is one of several."""

    scratch: Path
    view: str = SOURCE
    format: SourceFormat = AS_FOUND
    table: str = ""
    title: str = ""
    table_name: str = ""


def create_view(
    session: DuckDBSession,
    query: exp.Select,
    options: ReadOptions,
    *,
    empty_is_null: bool = False,
    parsed: Path | None = None,
) -> None:
    """Make a view out of a query: empty text becomes null, an enumeration its text.

    With `empty_is_null`, the query already gives null for empty text. `parsed` is a file of text
    that would be parsed again for every question: its rows are kept as a table, in their order.
    """
    described = session.rows(exp.Describe(this=query))
    check_names(options.title or "The source", [row[0] for row in described])
    shown = exp.select(
        *(_plain(name, declared, empty_is_null=empty_is_null) for name, declared, *_ in described)
    )
    if options.format.quoted_formulas and empty_is_null:
        shown = exp.select(*(_unquoted(name) for name, *_ in described))
    rows = shown.from_(query.subquery("as_read"))
    if parsed is not None:
        fits = session.has_room_for(parsed.stat().st_size)
        kept = session.keep(rows, large=not fits, in_order=True)
        rows = exp.select("*").from_(table(kept))
    session.run(exp.Create(this=table(options.view), kind="VIEW", expression=rows))


def _plain(name: str, declared: str, *, empty_is_null: bool) -> exp.Expr:
    text: exp.Expr = column(name)
    if "ENUM(" in declared or declared == '"NULL"':
        text = exp.cast(text, exp.DataType.Type.TEXT)
    elif declared != "VARCHAR" or empty_is_null:
        return text
    return named(exp.Nullif(this=text, expression=exp.Literal.string("")), name)


def _unquoted(name: str) -> exp.Expr:
    """A cell of CSV without the apostrophe that keeps a spreadsheet from running it."""
    quoted = exp.RegexpLike(this=column(name), expression=exp.Literal.string(QUOTED))
    rest = exp.Substring(this=column(name), start=number(2))
    return named(exp.Case().when(quoted, rest).else_(column(name)), name)


def call(function: str, path: Path | Sequence[Path], **options: object) -> exp.Select:
    """`SELECT * FROM function(path, option = value, …)`; characters of a glob in the path are taken
    literally."""
    paths = [path] if isinstance(path, Path) else path
    files = [exp.Literal.string(glob.escape(str(file.absolute()))) for file in paths]
    arguments: list[exp.Expr] = [files[0] if len(files) == 1 else exp.Array(expressions=files)]
    arguments.extend(
        exp.PropertyEQ(this=exp.to_identifier(name), expression=_literal(value))
        for name, value in options.items()
    )
    return exp.select("*").from_(
        exp.Table(this=exp.Anonymous(this=function, expressions=arguments))
    )


def _literal(value: object) -> exp.Expr:
    if isinstance(value, dict):
        pairs = [
            exp.PropertyEQ(this=exp.Literal.string(k), expression=_literal(v))
            for k, v in value.items()
        ]
        return exp.Struct(expressions=pairs)
    return exp.convert(value)
