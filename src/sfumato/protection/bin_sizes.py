"""Per-field bin sizes: each value of a field occurs at least as often as that field asks (001, sections 3.1, 3.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins

from .model import verdict_of
from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class BinSizes:
    """Each value of field f, taken alone, occurs in at least `sizes[f]` released rows.

    Assumes: a recipient links on one field at a time.
    Does not protect: combinations of fields; see `KAnonymity` and `Combinations`.
    Reference: paper 001, sections 3.1 and 3.4; docs/protection/bin-sizes.md.

    Example:
        >>> bins = Bins.of(("sex",), {("m",): 150, ("f",): 149, (None,): 1})
        >>> BinSizes(sizes={"sex": 3}).failing(bins).tolist()
        [False, False, True]
    """

    sizes: Mapping[str, float]

    name: ClassVar[str] = "bin sizes"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = False

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        out = np.zeros(len(bins), bool)
        for name, needed in self.sizes.items():
            groups, found = bins.group_of((name,))
            out |= (found < needed)[groups]
        return out

    def judge(self, bins: Bins) -> Verdict:
        found = [int(bins.group_of((name,))[1].min(initial=bins.rows)) for name in self.sizes]
        requirement = ", ".join(f"{name} ≥ {needed:g}" for name, needed in self.sizes.items())
        smallest = min(found, default=bins.rows)
        return verdict_of(self, bins, requirement=requirement, fields=tuple(self.sizes), smallest=smallest)
