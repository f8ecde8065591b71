"""A requirement on a table for the sake of the tables below it: that enough of a bin's people have
rows there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import Bug
from sfumato.protection import Verdict

Marks = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class RowsBelow:
    """Of the people of a bin, none or at least `k` have rows in a table below: the rows of fewer
    could not be released. `held` is what bins call having some."""

    held: str
    k: int

    name: ClassVar[str] = "rows below"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = True

    def failing(self, bins: Bins) -> Marks:
        found = bins.histograms[self.held]
        people = np.bincount(found.bin_of, weights=found.counts, minlength=len(bins))
        return (people > 0) & (people < self.k)

    def judge(self, bins: Bins) -> Verdict:
        raise Bug("nothing is promised about rows below, so nothing is judged")
