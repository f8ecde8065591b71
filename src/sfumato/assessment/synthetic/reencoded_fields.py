"""Fields that a synthetic table writes otherwise than its source: shifted numbers, other codes.

No value of such a field matches the source, so rows that copy people would match nobody. An
attacker who suspects this compares the values' places in the order of their own table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .coded_rows import CodedRows
from .marginal_distance import shares_of

MOST_FAR = 0.5
"""A field is taken as re-encoded where so many more cells would have to change than in another sample
of people."""


def reencoded_fields(rows: CodedRows) -> tuple[str, ...]:
    """The fields whose values are mostly others than the source's."""
    found = []
    others = rows.control if len(rows.control) else rows.source[::2]
    for place, name in enumerate(rows.fields):
        made, source, other = shares_of((rows.made, rows.source, others), (place,), rows)
        beyond = np.abs(made - source).sum() / 2 - np.abs(other - source).sum() / 2
        if beyond > MOST_FAR:
            found.append(name)
    return tuple(found)


def realigned_rows(rows: CodedRows, fields: tuple[str, ...]) -> CodedRows:
    """The rows with some fields by their place in the order of their own table."""
    tables = [rows.made.copy(), rows.source.copy(), rows.control.copy()]
    sizes = list(rows.sizes)
    for name in fields:
        place = rows.fields.index(name)
        for table, ranked in zip(tables, rows.ranked, strict=True):
            table[:, place] = ranked[:, place]
        sizes[place] = max(int(table[:, place].max(initial=0)) for table in tables) + 1
    made, source, control = tables
    return replace(rows, made=made, source=source, control=control, sizes=tuple(sizes))
