"""The people record of a release by channels: output channels, input channels and tolerances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from sfumato.keys import Key

from ..people_record import PeopleRecord, SensitiveValues, TableRows, record_tables, value_tags


def channels_record(
    rows: TableRows, *, key: Key, tolerance: Mapping[str, float], bound: float | None
) -> PeopleRecord:
    """The first field of the rows is the output channel, the others are those of input channels;
    the sensitive field is the confidential one."""
    inputs = rows.fields[1:]
    (confidential,) = rows.sensitive
    held = record_tables([rows], key=key)
    channels, bin_of = np.unique(held.labels[held.bin_of, 0], return_inverse=True)
    _, input_of = np.unique(held.labels[held.bin_of, 1:], axis=0, return_inverse=True)
    values = held.sensitive[confidential]
    largest = dict(
        zip(
            value_tags(confidential, list(tolerance), key).tolist(), tolerance.values(), strict=True
        )
    )
    reasons = ("the bound on all values together",) if bound is not None else ()
    return replace(
        held,
        fields=inputs,
        labels=np.repeat(channels.astype(np.int32)[:, None], len(inputs), axis=1),
        overlaps={},
        bin_of=bin_of.reshape(-1).astype(np.int32),
        input_of=input_of.reshape(-1).astype(np.int32),
        sensitive={
            confidential: SensitiveValues(
                tags=values.tags,
                value_of=values.value_of,
                tolerance=np.array([largest.get(each, 1.0) for each in values.tags.tolist()]),
            )
        },
        not_judged=(*held.not_judged, *reasons),
    )
