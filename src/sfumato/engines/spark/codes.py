"""Numbering the values of an answer: Arrow's columns of text become codes into sorted values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute
from numpy.typing import NDArray


def coded(
    found: pyarrow.Table, names: Sequence[str]
) -> tuple[dict[str, NDArray[Any]], list[tuple[str, ...]]]:
    """Columns c0, c1, … for the names, masked where they are null, with n as it is; and the values
    in order.

    Example:
        >>> table = pyarrow.table({"q0": ["b", None, "a"], "n": [1, 2, 3]})
        >>> found, values = coded(table, ["q0"])
        >>> found["c0"].tolist(), values
        ([1, None, 0], [('a', 'b')])
    """
    columns: dict[str, NDArray[Any]] = {"n": found.column("n").fill_null(0).to_numpy()}
    values: list[tuple[str, ...]] = []
    for i, name in enumerate(names):
        columns[f"c{i}"], texts = _numbered(found.column(name))
        values.append(texts)
    return columns, values


def _numbered(column: pyarrow.ChunkedArray) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Arrow sorts text by its bytes in UTF-8, which is the order of code points."""
    encoded = column.dictionary_encode().unify_dictionaries().combine_chunks()
    if isinstance(encoded, pyarrow.ChunkedArray):
        encoded = (
            encoded.chunk(0)
            if encoded.num_chunks
            else pyarrow.array([], column.type).dictionary_encode()
        )
    order = pyarrow.compute.sort_indices(encoded.dictionary).to_numpy()
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    nulls = encoded.indices.is_null().to_numpy(zero_copy_only=False)
    codes = (
        place[encoded.indices.fill_null(0).to_numpy()]
        if len(place)
        else np.zeros(len(nulls), np.int64)
    )
    texts = tuple(encoded.dictionary.take(order).to_pylist())
    return (np.ma.masked_array(codes, nulls) if nulls.any() else codes), texts
