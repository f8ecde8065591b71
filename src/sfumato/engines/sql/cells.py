"""Cells row by row, and rows put together anew: what techniques need that look at more than
bins."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np
from sqlglot import exp

from ..engine import Column, FieldInfo, FieldKind
from .codes import objects
from .queries import SOURCE, Queries, column, named, table
from .session import Batch, SqlSession

ROW = "row"
_WIDEST = {FieldKind.REAL: exp.DataType.Type.DOUBLE, FieldKind.INTEGER: exp.DataType.Type.BIGINT}
_TYPED = (FieldKind.INTEGER, FieldKind.REAL, FieldKind.DATE, FieldKind.TIMESTAMP, FieldKind.BOOLEAN)


class NumberedRows:
    """The rows of a source in a table of the session's own, each with a number; chance and order
    are settled there."""

    def __init__(
        self, session: SqlSession, source: exp.Expr, infos: Mapping[str, FieldInfo]
    ) -> None:
        self._session, self._infos = session, infos
        self._row = _unused(ROW, infos)
        own = [column(name, SOURCE) for name in infos]
        numbered = named(exp.Window(this=exp.RowNumber()), self._row)
        self.name = session.keep(exp.select(*own, numbered).from_(source), large=True)
        self._queries = session.queries(exp.alias_(table(self.name), SOURCE, table=True))

    def cells(self, fields: Sequence[str], size: int) -> Iterator[Mapping[str, Column]]:
        shown = [
            named(self._queries.as_text(self._infos[name], SOURCE), f"q{i}")
            for i, name in enumerate(fields)
        ]
        query = exp.select(named(column(self._row, SOURCE), ROW), *shown).from_(
            self._queries.source()
        )
        query = query.order_by(exp.Ordered(this=column(self._row, SOURCE)))
        for rows in self._session.stream(query, size):
            numbers, *cells = zip(*rows, strict=True)
            texts = {
                f"cell:{name}": objects(cell) for name, cell in zip(fields, cells, strict=True)
            }
            yield {ROW: np.array(numbers, np.int64), **texts}

    def gathered(self, fields: Mapping[str, FieldKind | None], batches: Iterator[Batch]) -> str:
        """The name of a table with the rows put together anew."""
        kinds = {ROW: "whole"} | {f"cell:{name}": "text" for name in fields}
        loaded = self._session.load(kinds, batches)
        try:
            shown = [
                named(self._typed(info, column(f"cell:{name}", loaded), fields[name]), name)
                if name in fields
                else column(name, SOURCE)
                for name, info in self._infos.items()
            ]
            same = exp.EQ(this=column(ROW, loaded), expression=column(self._row, SOURCE))
            query = (
                exp.select(*shown)
                .from_(table(loaded))
                .join(self._queries.source(), on=same, join_type="left")
            )
            return self._session.keep(query, large=True)
        finally:
            self._session.forget(loaded)

    def _typed(self, info: FieldInfo, text: exp.Expr, kind: FieldKind | None) -> exp.Expr:
        """A cell as the field's own type, or as another that it was given."""
        if kind in _WIDEST:
            return exp.cast(text, _WIDEST[kind])
        if kind is not None or info.kind not in _TYPED:
            return text
        with contextlib.suppress(Exception):  # a type that sqlglot has no word for stays text
            return exp.cast(text, exp.DataType.build(info.declared, dialect=self._queries.dialect))
        return text


def spread_rows(
    queries: Queries,
    infos: Mapping[str, FieldInfo],
    *,
    step: int,
    source: Callable[[int], exp.Expr] | None = None,
) -> exp.Select:
    """The text of some fields in every `step`-th row. Rows are numbered as they go by, so that none
    is kept or sorted for it. A view of joined tables is a `source`, which takes the step itself."""
    shown = [
        named(queries.as_text(info, SOURCE), f"q{place}")
        for place, info in enumerate(infos.values())
    ]
    rows = every_row(queries.source(), SOURCE, infos, step=step) if source is None else source(step)
    return exp.select(*shown).from_(rows)


def every_row(source: exp.Expr, alias: str, fields: Iterable[str], *, step: int) -> exp.Expr:
    """Every `step`-th row of a source, under the same alias."""
    if step == 1:
        return source
    names = list(fields)
    number = _unused(ROW, names)
    numbered = exp.select(
        *(column(name, alias) for name in names), named(exp.Window(this=exp.RowNumber()), number)
    ).from_(source)
    place = exp.Mod(this=column(number, alias), expression=exp.Literal.number(step))
    chosen = exp.EQ(this=place, expression=exp.Literal.number(0))
    quoted = exp.to_identifier(alias, quoted=True)
    rows = exp.select(*(column(name, alias) for name in names)).from_(numbered.subquery(quoted))
    return rows.where(chosen).subquery(quoted)


def _unused(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name += "'"
    return name
