"""How much cutting boxes of nodes has raised their bounds. These are the pseudo-costs by which a
search that will not reach its end picks its next cut (Bénichou et al. 1971; Achterberg, Koch and
Martin 2005).

The half of a box with the coarser levels of a field costs more by those levels, which is known
before it is cut. The half with the finer levels costs more by the rows that are stuck there, which
is known only when it is counted. The gain of earlier cuts at the same place is therefore taken for
it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .objectives import Reals

Cut = tuple[int, int]
"""A field, and the coarsest level of the finer half."""

LEAST_RISE = 1e-6


class CutGains:
    """The mean rise of the finer half's bound, by cut.

    Example:
        >>> gains = CutGains()
        >>> gains.note((0, 1), 0.25)
        >>> gains.of([(0, 1), (1, 0)]).tolist()
        [0.25, 0.25]
    """

    def __init__(self) -> None:
        self._risen: dict[Cut, tuple[float, int]] = {}

    def note(self, cut: Cut, rise: float) -> None:
        risen, times = self._risen.get(cut, (0.0, 0))
        self._risen[cut] = (risen + rise, times + 1)

    def of(self, cuts: Sequence[Cut]) -> Reals:
        """A cut that was never made is expected to bring what the others bring on average."""
        means = [risen / times for risen, times in self._risen.values()]
        usual = (sum(means) / max(len(means), 1), 1)
        found = np.array([self._risen.get(cut, usual) for cut in cuts], float)
        risen: Reals = np.maximum(found[:, 0] / found[:, 1], LEAST_RISE)
        return risen
