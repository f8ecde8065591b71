"""Entries of a lookup that an engine keeps, for fields of any name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .engine import Lookup


def with_null(lookup: Lookup) -> Iterator[Mapping[str, NDArray[Any]]]:
    """The entries of a lookup of one key and one field as `key:0` and `new:0`, and null for null
    where it has none."""
    ((key,), (field,)) = lookup.keys, lookup.fields
    seen = False
    for batch in lookup.batches():
        old, new = (
            np.asarray(batch[f"key:{key}"], object),
            np.asarray(batch[f"new:{field}"], object),
        )
        seen = seen or any(value is None for value in old)
        yield {"key:0": old, "new:0": new}
    if not seen:
        yield {"key:0": np.array([None], object), "new:0": np.array([None], object)}


def whole_keys(lookup: Lookup) -> Iterator[Mapping[str, NDArray[Any]]]:
    """The entries of a lookup whose keys are whole numbers, as such."""
    keys = [f"key:{key}" for key in lookup.keys]
    for batch in lookup.batches():
        numbers = {
            name: np.array([None if k is None else int(k) for k in batch[name]], object)
            for name in keys
        }
        yield {**batch, **numbers}
