"""By how many days the dates of each person move: the same in all tables, so that it is worked out
once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Engine, Lookup
from sfumato.policy import DateShift, Policy, person_field

from ..dates import offset
from ..identifiers import Key

DAYS = "days to move by"
"""The stages' name of the field that holds them."""


def days_lookup(people: Engine, policy: Policy, root: Key, *, person: str) -> Lookup | None:
    """From each person that `people` has to the days that their dates move by; None where none move
    like that."""
    shift = next(iter(_shifts(policy)), None)
    if shift is None or shift.is_by_dates:
        return None
    key = root.derive("dates", person_field(policy))

    def batches() -> Iterator[Mapping[str, NDArray[Any]]]:
        for batch in people.distinct((person,)):
            days = [
                0 if who is None else offset(key, who, shift=shift)
                for who in batch[person].tolist()
            ]
            yield {f"key:{person}": batch[person], f"new:{DAYS}": np.array(days, np.int64)}

    return Lookup(keys=(person,), fields=(DAYS,), batches=batches, whole=True)


def _shifts(policy: Policy) -> Iterator[DateShift]:
    """Those of a policy of several tables, which are all the same."""
    for table in policy.tables.values():
        yield from (item.shift for item in table.fields.values() if item.shift is not None)
