"""Recounting the written table: every verdict rests on this count alone."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.bins import Bins
from sfumato.engines import Engine
from sfumato.hierarchies import SUPPRESSED
from sfumato.policy import Field, Method
from sfumato.protection import Model, Verdict, needs_of

from .treatments import LONGEST_NUMBER

MANY_VALUES = 5_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Recount:
    """The written table's bins and the verdicts of the models on them. `one_valued` maps a
    sensitive field to the bins in which it has a single value, so that membership in the bin
    reveals it."""

    rows: int
    bins: Bins
    verdicts: tuple[Verdict, ...]
    one_valued: dict[str, int]


def recount(
    written: Engine,
    known: Sequence[str],
    models: Sequence[Model],
    *,
    sensitive: Sequence[str] = (),
    suppressed: Container[str] = (),
) -> Recount:
    """Judge what was written. The fields that a model needs are always counted, however many values
    they have.

    `suppressed` are the sensitive fields in which the plan suppresses cells; in others `*` is a
    value of the source."""
    needed = needs_of(models)
    counted = [
        name
        for name in sensitive
        if name in needed or written.profile(name).distinct <= MANY_VALUES
    ]
    bins = Bins.count(written, known, sensitive=tuple(dict.fromkeys((*counted, *needed))))
    return Recount(
        rows=written.count_rows(),
        bins=bins,
        verdicts=tuple(model.judge(bins) for model in models),
        one_valued={
            name: _one_valued(bins, name, suppressed=name in suppressed) for name in counted
        },
    )


def _one_valued(bins: Bins, name: str, *, suppressed: bool) -> int:
    """A bin in which the field is suppressed throughout, because it follows another, discloses no
    value; nor does a field that is empty in every row."""
    found = bins.histograms[name]
    if all(found.values[code] is None for code in np.unique(found.value_of).tolist()):
        return 0
    values = np.bincount(found.bin_of, minlength=len(bins))
    told = np.array([not suppressed or value != SUPPRESSED for value in found.values], bool)[
        found.value_of
    ]
    return int((values[found.bin_of[told]] == 1).sum())


def values_left(source: Engine, written: Engine, field: Field) -> int:
    """How many values of a field are in both the source and the written table. Both are read in
    order and merged.

    Nothing is read where all values of one are longer than those of the other. Numbers in place of
    keys are longer than every original, unless an original is too long. Where one is not longer,
    all rows count."""
    name = field.name
    (shortest, longest), (least, most) = source.lengths(name), written.lengths(name)
    is_number = field.replace is not None and field.replace.method is Method.NUMBER
    if is_number and longest <= LONGEST_NUMBER:
        return written.count_rows() if 0 < least <= longest else 0
    if longest < least or most < shortest:
        return 0
    before, after = _stream(source, name), _stream(written, name)
    left = 0
    mine, theirs = next(before, None), next(after, None)
    while mine is not None and theirs is not None:
        if mine == theirs:
            left += 1
            mine, theirs = next(before, None), next(after, None)
        elif mine < theirs:
            mine = next(before, None)
        else:
            theirs = next(after, None)
    return left


def _stream(engine: Engine, name: str) -> Iterator[str]:
    for batch in engine.distinct((name,)):
        yield from (value for value in batch[name].tolist() if value is not None)
