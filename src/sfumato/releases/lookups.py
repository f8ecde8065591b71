"""A recoding as the lookups and dropped tuples that an engine applies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, GlobalRecoding, LabelledRecoding, LocalRecoding, Recoding
from sfumato.engines import Lookup
from sfumato.hierarchies import Hierarchy, Label

Batch = Mapping[str, NDArray[Any]]


def recoding_lookups(
    bins: Bins, hierarchies: Mapping[str, Hierarchy], recoding: Recoding
) -> tuple[tuple[Lookup, ...], Lookup | None]:
    """The lookups that recode, and the tuples whose rows are dropped. Where no field is known,
    every row stays."""
    if not bins.fields:
        return (), None
    if isinstance(recoding, LocalRecoding | LabelledRecoding):
        return (_local(bins, hierarchies, recoding),), None
    return _global(bins, hierarchies, recoding.levels), _dropped(bins, recoding)


def _global(
    bins: Bins, hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int]
) -> tuple[Lookup, ...]:
    """One lookup per field that climbs; a field at level 0 is copied as it is and keeps its
    type."""
    out = []
    for column, name in enumerate(bins.fields):
        level = levels.get(name, 0)
        if level:
            out.append(
                level_lookup(name, hierarchies[name], level, values=len(bins.labels[column]))
            )
    return tuple(out)


def level_lookup(
    name: str, hierarchy: Hierarchy, level: int, *, values: int | None = None
) -> Lookup:
    """A field at a level of its hierarchy, whose first `values` values occur, or all of them."""
    old = _texts(hierarchy.labels[0][:values])
    new = _texts(hierarchy.labels[level])[hierarchy.up[level][: len(old)]]
    return Lookup(
        keys=(name,), fields=(name,), batches=_once({f"key:{name}": old, f"new:{name}": new})
    )


def _dropped(bins: Bins, recoding: GlobalRecoding) -> Lookup | None:
    if not recoding.suppressed.any():
        return None
    codes = bins.codes[recoding.suppressed]
    batch = {
        f"key:{name}": _texts(bins.labels[f])[codes[:, f]] for f, name in enumerate(bins.fields)
    }
    return Lookup(keys=bins.fields, fields=(), batches=_once(batch))


def _local(
    bins: Bins, hierarchies: Mapping[str, Hierarchy], recoding: LocalRecoding | LabelledRecoding
) -> Lookup:
    """One lookup over the whole tuple; a bin that is cut into portions gets one entry, with
    ordinals, for each."""
    labels, cells = recoding.cells(bins, hierarchies)
    split = recoding.split if isinstance(recoding, LocalRecoding) else None
    value_of = np.zeros(len(recoding.bin_of), np.int64) if split is None else split.value_of
    order = np.lexsort((value_of, recoding.bin_of))
    bin_of, rows, value = recoding.bin_of[order], recoding.rows[order], value_of[order]
    last_overall = np.cumsum(rows)
    starts = np.ones(len(bin_of), bool)
    starts[1:] = (bin_of[1:] != bin_of[:-1]) | (value[1:] != value[:-1])
    before = (
        np.maximum.accumulate(np.where(starts, last_overall - rows, 0))
        if len(bin_of)
        else last_overall
    )
    kept = ~recoding.suppressed[order]
    chosen = order[kept]
    changed = np.flatnonzero(recoding.changed(bins).any(axis=0)).tolist()
    batch: dict[str, NDArray[Any]] = {}
    for f, name in enumerate(bins.fields):
        batch[f"key:{name}"] = _texts(bins.labels[f])[bins.codes[recoding.bin_of[chosen], f]]
        if f in changed:
            batch[f"new:{name}"] = _texts(labels[f])[cells[chosen, f]]
    if split is not None:
        batch[f"key:{split.name}"] = _texts(split.labels)[value_of[chosen]]
    portions = bool((~starts).any())
    if portions:
        batch["first"] = (last_overall - rows - before + 1)[kept]
        batch["last"] = (last_overall - before)[kept]
    return Lookup(
        keys=bins.fields if split is None else (*bins.fields, split.name),
        fields=tuple(bins.fields[f] for f in changed),
        batches=_once(batch),
        portions=portions,
    )


def _once(batch: Batch) -> Any:
    def batches() -> Iterator[Batch]:
        yield batch

    return batches


def _texts(labels: tuple[Label, ...]) -> NDArray[np.object_]:
    out = np.empty(len(labels), object)
    out[:] = labels
    return out
