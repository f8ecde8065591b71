"""Noisy numbers under differential privacy: what one person adds is bounded, and OpenDP's integer
noise covers it.

Counts and sums are whole numbers (sums in steps that the policy names), so that no floating point
tells more than it should (Mironov 2012). OpenDP (Harvard) draws the noise and says what privacy it
buys; nothing is drawn here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Bug, MissingExtra

Wholes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """What makes up for one person's part: `reach` is the most that one person adds to all numbers
    of an answer."""

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
        """The numbers with noise that is at most `epsilon` to anybody; checked with OpenDP's own
        bookkeeping."""
        measurement, cost = _laplace(self.scale, self.reach)
        if cost > self.epsilon * (1 + 1e-9):
            raise Bug(f"noise of scale {self.scale:g} costs {cost:g} and not {self.epsilon:g}")
        return np.array(measurement(numbers.tolist()), np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """A stability-based histogram: noisy numbers of groups, of which those below a threshold are
    not told of.

    Then a group that only one person is in is told of with a chance of `delta` at the most
    (Korolova and others 2009; OpenDP follows Rogers 2023). One person is in at most `groups`
    groups, adds `reach` to all of them together and `widest` to one. `least` is a threshold that is
    wanted for other reasons."""

    epsilon: float
    delta: float
    groups: int
    reach: int
    widest: int
    least: int = 0

    @property
    def noise(self) -> Noise:
        return Noise(epsilon=self.epsilon, reach=self.reach)

    @property
    def threshold(self) -> int:
        """The lowest one that keeps to delta, by OpenDP's own bookkeeping."""
        needed = self.widest + self.noise.scale * np.log(max(1.0, self.groups / (2 * self.delta)))
        found = max(self.least, int(np.floor(needed)))
        while not self._keeps(found):
            found += 1
        return found

    def _keeps(self, threshold: int) -> bool:
        epsilon, delta = _thresholded(self.noise.scale, threshold).map(
            (self.groups, self.reach, self.widest)
        )
        return bool(epsilon <= self.epsilon * (1 + 1e-9) and delta <= self.delta)

    def kept(self, numbers: Mapping[int, int]) -> dict[int, int]:
        """The groups that are told of, with noisy numbers; `numbers` has those in which somebody
        is."""
        found: dict[int, int] = _thresholded(self.noise.scale, self.threshold)(dict(numbers))
        return found


@lru_cache(maxsize=64)
def _thresholded(scale: float, threshold: int) -> Any:
    try:
        from opendp.domains import atom_domain, map_domain
        from opendp.measurements import make_laplace_threshold
        from opendp.metrics import absolute_distance, l01inf_distance
        from opendp.mod import enable_features
    except ImportError:
        raise MissingExtra("Noisy answers", extra="gate") from None
    enable_features("contrib")
    counts = map_domain(atom_domain(T="i64"), atom_domain(T="i64"))
    return make_laplace_threshold(
        counts, l01inf_distance(absolute_distance(T="i64")), scale=scale, threshold=threshold
    )


@lru_cache(maxsize=64)
def _laplace(scale: float, reach: int) -> tuple[Any, float]:
    """What adds the noise, and what it costs somebody who adds `reach`; a few kinds of numbers are
    asked for always."""
    # One by one: OpenDP's prelude also brings scikit-learn and SciPy where they are installed.
    try:
        from opendp.domains import atom_domain, vector_domain
        from opendp.measurements import make_laplace
        from opendp.metrics import l1_distance
        from opendp.mod import enable_features
    except ImportError:
        raise MissingExtra("Noisy answers", extra="gate") from None
    enable_features("contrib")
    measurement: Any = make_laplace(
        vector_domain(atom_domain(T="i64")), l1_distance(T="i64"), scale=scale
    )
    return measurement, float(measurement.map(reach))
