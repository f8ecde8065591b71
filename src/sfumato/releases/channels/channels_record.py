"""The people record of a release by channels: output channels, input channels and tolerances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sfumato.keys import Key
from sfumato.policy import Channels, ConfidentialField

from ..people_record import PeopleRecord, SensitiveValues, TableRows, record_tables, value_tags


def channels_record(rows: TableRows, *, key: Key, channels: Channels) -> PeopleRecord:
    """The first field of the rows is the output channel, the others are those of input channels;
    the sensitive fields are the confidential ones."""
    inputs = rows.fields[1:]
    held = record_tables([rows], key=key)
    numbers, bin_of = np.unique(held.labels[held.bin_of, 0], return_inverse=True)
    _, input_of = np.unique(held.labels[held.bin_of, 1:], axis=0, return_inverse=True)
    reasons = (
        *(("the bound on all values together",) if channels.bound is not None else ()),
        *(
            ("the least share who are not at risk",)
            if channels.least_not_at_risk is not None
            else ()
        ),
    )
    if channels.altered:
        reasons = (*reasons, "the altered confidential field")
    return replace(
        held,
        fields=inputs,
        labels=np.repeat(numbers.astype(np.int32)[:, None], len(inputs), axis=1),
        overlaps={},
        bin_of=bin_of.reshape(-1).astype(np.int32),
        input_of=input_of.reshape(-1).astype(np.int32),
        sensitive={
            each.name: _with_tolerance(held.sensitive[each.name], each, key)
            for each in channels.confidential_fields
        },
        not_judged=(*held.not_judged, *reasons),
    )


def _with_tolerance(values: SensitiveValues, asked: ConfidentialField, key: Key) -> SensitiveValues:
    tags = value_tags(asked.name, list(asked.tolerance), key).tolist()
    largest = dict(zip(tags, asked.tolerance.values(), strict=True))
    return SensitiveValues(
        tags=values.tags,
        value_of=values.value_of,
        tolerance=np.array([largest.get(each, 1.0) for each in values.tags.tolist()]),
    )
