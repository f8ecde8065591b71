"""What every protection model promises to solvers, to the release and to the tests."""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins

from .verdict import Verdict


@runtime_checkable
class Model(Protocol):
    """A rule about bins. Constructors store its numbers; bins arrive in the verbs.

    `monotone_generalisation`: once it holds, recoding any field to a coarser level keeps it holding.
    `monotone_suppression`: once it holds, leaving out whole bins keeps it holding.
    A search may prune only where the first is true.
    """

    name: ClassVar[str]
    monotone_generalisation: ClassVar[bool]
    monotone_suppression: ClassVar[bool]

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        """Which bins break the rule. The rule holds when none does."""
        ...

    def judge(self, bins: Bins) -> Verdict:
        """The verdict about bins that were counted on what was written."""
        ...


def verdict_of(
    model: Model, bins: Bins, *, requirement: str, fields: tuple[str, ...], smallest: int
) -> Verdict:
    """The verdict that follows from which bins fail."""
    failing = model.failing(bins)
    below = int(failing.sum())
    rows_below = int(bins.counts[failing].sum())
    over = ", ".join(fields)
    if not fields:
        outcome, reason = "review", "no field is counted as known to this recipient, so nothing was required"
    elif below:
        outcome = "fail"
        reason = (
            f"{below} of {len(bins)} bins over ({over}) break it; they hold {rows_below} of {bins.rows} rows"
        )
    else:
        outcome, reason = (
            "pass",
            f"all {len(bins)} bins over ({over}) keep it; the smallest count is {smallest}",
        )
    return Verdict(
        outcome=outcome,  # type: ignore[arg-type]
        model=model.name,
        requirement=requirement,
        fields=fields,
        bins=len(bins),
        rows=bins.rows,
        smallest=smallest,
        bins_below=below,
        rows_below=rows_below,
        reason=reason,
    )
