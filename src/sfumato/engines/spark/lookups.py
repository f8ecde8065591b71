"""Bringing entries of lookups into Spark, batch by batch, as a Parquet file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet

from ..sql.session import Batch

_TYPES = {"text": pyarrow.string(), "whole": pyarrow.int64()}


def write_entries(file: Path, kinds: Mapping[str, str], batches: Iterator[Batch]) -> int:
    """A file of entries, and how many there are. `kinds` maps its columns to `text` or `whole`."""
    schema = pyarrow.schema([(column, _TYPES[kind]) for column, kind in kinds.items()])
    entries = 0
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        for batch in batches:
            part = pyarrow.table(
                [_arrow(batch[field.name], field.type) for field in schema], schema=schema
            )
            entries += part.num_rows
            writer.write_table(part)
    return entries


def _arrow(values: np.ndarray[Any, Any], kind: pyarrow.DataType) -> pyarrow.Array:
    """Text as objects: None is null there, and NumPy's own text cannot hold it."""
    return pyarrow.array(np.asarray(values, object) if kind == pyarrow.string() else values, kind)
