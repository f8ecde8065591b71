"""Noisy numbers under differential privacy: what one person adds is bounded, and OpenDP's integer noise covers it.

Counts and sums are whole numbers (sums in steps that the policy names), so that no floating point tells more than it
should (Mironov 2012). OpenDP (Harvard) draws the noise and says what privacy it buys; nothing is drawn here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Bug, MissingExtra

Wholes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """What makes up for one person's part: `reach` is the most that one person adds to all numbers of an answer."""

    epsilon: float
    reach: int

    @property
    def scale(self) -> float:
        return self.reach / self.epsilon

    @property
    def usually_within(self) -> float:
        """Half the width of the range that noise stays in 95 times of 100."""
        return float(self.scale * np.log(20))

    def added_to(self, numbers: Wholes) -> Wholes:
        """The numbers with noise that is at most `epsilon` to anybody; checked with OpenDP's own bookkeeping."""
        measurement, cost = _laplace(self.scale, self.reach)
        if cost > self.epsilon * (1 + 1e-9):
            raise Bug(f"noise of scale {self.scale:g} costs {cost:g} and not {self.epsilon:g}")
        return np.array(measurement(numbers.tolist()), np.int64)


@lru_cache(maxsize=64)
def _laplace(scale: float, reach: int) -> tuple[Any, float]:
    """What adds the noise, and what it costs somebody who adds `reach`; a few kinds of numbers are asked for always."""
    try:  # One by one: OpenDP's prelude also brings scikit-learn and SciPy where they are installed.
        from opendp.domains import atom_domain, vector_domain
        from opendp.measurements import make_laplace
        from opendp.metrics import l1_distance
        from opendp.mod import enable_features
    except ImportError:
        raise MissingExtra("Noisy answers", extra="gate") from None
    enable_features("contrib")
    measurement: Any = make_laplace(vector_domain(atom_domain(T="i64")), l1_distance(T="i64"), scale=scale)
    return measurement, float(measurement.map(reach))
