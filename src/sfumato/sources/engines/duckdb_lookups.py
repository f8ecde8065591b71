"""Bringing a lookup's entries into a DuckDB table, batch by batch, so that they may be more than memory holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from .. import queries
from ..engine import Lookup
from .duckdb_session import Session

# Up to this many labels a looked-up field travels as a small integer: sorting gets 4x faster.
ENUM_LABELS = 2_000


def fill(session: Session, name: str, lookup: Lookup) -> None:
    """Make table `name` and put every batch into it. A batch may itself have been asked of the same engine."""
    kinds = _kinds(lookup)
    parts = [exp.ColumnDef(this=exp.to_identifier(c, quoted=True), kind=kind) for c, kind in kinds.items()]
    schema = exp.Schema(this=queries.table(name), expressions=parts)
    session.run(exp.Create(this=schema, kind="TABLE"))
    entries = exp.select(*(queries.column(c) for c in kinds)).from_(queries.table("batch"))
    insert = exp.insert(entries, queries.table(name))
    for batch in _batches(lookup):
        with session.batch(batch):
            session.run(insert)


def itself(name: str, values: NDArray[Any]) -> Lookup:
    """A lookup that leaves a field as it is."""
    batch = {f"key:{name}": values, f"new:{name}": values}
    return Lookup(keys=(name,), fields=(name,), batches=lambda: iter([batch]))


def _kinds(lookup: Lookup) -> dict[str, exp.DataType]:
    text, whole = exp.DataType.build("TEXT"), exp.DataType.build("BIGINT")
    names = [f"key:{key}" for key in lookup.keys] + [f"new:{field}" for field in lookup.fields]
    return dict.fromkeys(names, text) | (dict.fromkeys(("first", "last"), whole) if lookup.portions else {})


def _batches(lookup: Lookup) -> Iterator[Mapping[str, NDArray[Any]]]:
    """Text as arrays of objects: NumPy's own text type is not read by DuckDB and cannot hold null."""
    for batch in lookup.batches():
        yield {
            name: values if name in ("first", "last") else np.asarray(values, object) for name, values in batch.items()
        }


def with_enumerations(session: Session, name: str, lookup: Lookup) -> exp.Select:
    """What table `name` holds, its few-labelled new fields as enumerations."""
    shown: list[exp.Expr] = []
    for c in _kinds(lookup):
        labels = _labels(session, name, c) if c.startswith("new:") else []
        if 0 < len(labels) <= ENUM_LABELS and not any("\0" in label for label in labels):
            literals = [exp.Literal.string(label) for label in labels]
            kind = exp.DataType(this=exp.DataType.Type.ENUM, expressions=literals)
            shown.append(queries.named(exp.cast(queries.column(c), kind), c))
        else:
            shown.append(queries.column(c))
    return exp.select(*shown).from_(queries.table(name))


def _labels(session: Session, name: str, field: str) -> list[str]:
    """The labels of a new field in order, and one more than an enumeration takes where there are too many."""
    column = queries.column(field)
    present = exp.Not(this=exp.Is(this=column.copy(), expression=exp.null()))
    query = exp.select(column).distinct().from_(queries.table(name)).where(present)
    return [row[0] for row in session.rows(query.order_by("1").limit(ENUM_LABELS + 1))]
