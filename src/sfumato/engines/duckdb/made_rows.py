"""Rows that were made and not read, written to a file: whole numbers come in batches, and become
labels, numbers and days in DuckDB."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.policy import Order
from sfumato.runs import scratch_folder

from ..engine import FieldInfo, FieldKind, MadeColumn, WritePlan
from ..sql.queries import Queries, column, named, number, table
from .session import DuckDBSession

MEMORY = "512MB"
"""Rows beyond it are spilled to disk."""
MADE, LABELS = "made", "labels"
NARROW: Final = {
    "whole of 1 byte": (1 << 7, np.int8),
    "whole of 2 bytes": (1 << 15, np.int16),
    "whole of 4 bytes": (1 << 31, np.int32),
}
"""Kinds by the numbers below which they hold."""


def write_made_rows(
    target: Path,
    columns: Mapping[str, MadeColumn],
    batches: Iterator[Mapping[str, NDArray[np.int64]]],
    *,
    constants: Mapping[str, str],
) -> int:
    """Write all batches, with further columns of one text, which a Parquet file also has in its
    metadata; the number of rows."""
    spill = scratch_folder()
    try:
        session = DuckDBSession(spill, MEMORY)
        try:
            with session.writing("the made rows", str(target)):
                kinds = {name: _kind(made) for name, made in columns.items()}
                loaded = session.load(kinds, _narrowed(batches, kinds), large=True)
                query = _query(session, loaded, columns, constants, csv=target.suffix == ".csv")
                plan = WritePlan(fields=(*columns, *constants), order=Order.SCRAMBLE)
                return session.copy(query, target, plan, marks=constants)
        finally:
            session.close()
    finally:
        shutil.rmtree(spill, ignore_errors=True)


def _kind(made: MadeColumn) -> str:
    """The narrowest kind of whole numbers from -1 on that a column needs: rows wait on the disk."""
    most = len(made.labels) or made.steps
    fits = (kind for kind, (limit, _) in NARROW.items() if 0 < most <= limit)
    return next(fits, "whole")


def _narrowed(
    batches: Iterator[Mapping[str, NDArray[np.int64]]], kinds: Mapping[str, str]
) -> Iterator[Mapping[str, NDArray[Any]]]:
    for batch in batches:
        yield {
            name: batch[name].astype(NARROW[kind][1]) if kind in NARROW else batch[name]
            for name, kind in kinds.items()
        }


def _query(
    session: DuckDBSession,
    loaded: str,
    columns: Mapping[str, MadeColumn],
    constants: Mapping[str, str],
    *,
    csv: bool,
) -> exp.Select:
    labels = {name: made.labels for name, made in columns.items() if made.labels}
    shown: list[exp.Expr] = []
    for name, made in columns.items():
        place = column(name, MADE)
        if made.labels:
            entry = exp.Add(this=exp.cast(place, exp.DataType.Type.BIGINT), expression=number(1))
            asked = [column(name, LABELS), entry]
            shown.append(named(exp.Anonymous(this="list_extract", expressions=asked), name))
        else:
            shown.append(named(_number(session.queries(), place, made, csv=csv), name))
    shown += [named(exp.Literal.string(text), name) for name, text in constants.items()]
    query = exp.select(*shown).from_(exp.alias_(table(loaded), MADE, table=True, quoted=True))
    if not labels:
        return query
    lists = _lists(session, labels).subquery(exp.to_identifier(LABELS, quoted=True))
    return query.join(lists, join_type="cross")


def _lists(session: DuckDBSession, labels: Mapping[str, Sequence[str | None]]) -> exp.Select:
    """One row with the labels of each column as a list. A join for each column would need some
    megabytes of memory for each of a hundred columns."""
    sizes = [len(each) for each in labels.values()]
    entries = {
        "place": np.repeat(np.arange(len(labels)), sizes),
        "code": np.concatenate([np.arange(size) for size in sizes]),
        "label": np.array([*chain.from_iterable(labels.values()), None], object)[:-1],
    }
    kept = session.load({"place": "whole", "code": "whole", "label": "text"}, iter([entries]))
    ascending = exp.Ordered(this=column("code"), nulls_first=False)
    lists = [
        exp.Filter(
            this=exp.ArrayAgg(this=exp.Order(this=column("label"), expressions=[ascending])),
            expression=exp.Where(this=exp.EQ(this=column("place"), expression=number(n))),
        )
        for n in range(len(labels))
    ]
    return exp.select(*(named(each, name) for each, name in zip(lists, labels, strict=True))).from_(
        table(kept)
    )


def _number(ask: Queries, place: exp.Expr, made: MadeColumn, *, csv: bool) -> exp.Expr:
    """The number or day of a step; nothing for what is below the first."""
    kind = exp.DataType.Type
    place = exp.cast(place, kind.BIGINT)
    if made.days or made.decimals == 0:
        steps = exp.Mul(this=place, expression=number(round(made.step)))
        value: exp.Expr = exp.Add(this=steps, expression=number(round(made.least)))
        if made.days:
            first = exp.cast(exp.Literal.string("0001-01-01"), kind.DATE)
            days = exp.cast(exp.Sub(this=value, expression=number(1)), kind.INT)
            value = exp.cast(exp.paren(exp.Add(this=first, expression=days)), kind.TEXT)
    else:
        wide = exp.Mul(this=place, expression=_real(made.step))
        value = exp.Round(
            this=exp.Add(this=wide, expression=_real(made.least)),
            decimals=number(made.decimals),
        )
        if csv:
            whole = exp.select(named(value, "x")).subquery("one")
            text = ask.as_text(FieldInfo("x", FieldKind.REAL, "DOUBLE"))
            value = exp.Subquery(this=exp.select(text).from_(whole))
    missing = exp.LT(this=place.copy(), expression=number(0))
    return exp.Case().when(missing, exp.null()).else_(value)


def _real(value: float) -> exp.Expr:
    return exp.cast(exp.Literal.string(repr(float(value))), exp.DataType.Type.DOUBLE)
