"""The best recoding found so far with a proven bound, for lattices too large to finish."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .optimal import Optimal


@dataclass(frozen=True, kw_only=True)
class Anytime(Optimal):
    """Search for `seconds` of CPU time, or `work` nodes, or until best and bound are within `gap`, and prove the gap.

    Example:
        >>> from sfumato.bins import Bins
        >>> from sfumato.policy.hierarchies import Hierarchy
        >>> from sfumato.protection import KAnonymity
        >>> bins = Bins.of(("zip",), {("02138",): 1, ("02139",): 1})
        >>> zips = Hierarchy.from_rows([("02138", "0213*", "*"), ("02139", "0213*", "*")])
        >>> solver = Anytime(models=(KAnonymity(k=2, fields=("zip",)),), objective="precision")
        >>> found = solver.search(bins, {"zip": zips})
        >>> found.levels, found.complete
        ((1,), True)
    """

    seconds: float = 60.0

    name: ClassVar[str] = "anytime"
