"""Charged measurements: the only way to noise. The charge is kept first, and gives the right to draw
once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from sfumato.errors import Bug

from .discrete_gaussian import Counts, check_noise_source, with_noise
from .measurement import Measurement


@dataclass(eq=False, kw_only=True)
class ChargedMeasurement:
    """A measurement that was paid for. Its noise is drawn once: a second draw is a second cost."""

    line: Measurement
    _drawn: bool = field(default=False, repr=False)

    def add_noise(self, counts: Counts) -> Counts:
        """The numbers with noise."""
        if self._drawn:
            raise Bug("Noise that was charged once was asked for twice.")
        self._drawn = True
        return with_noise(np.asarray(counts, np.int64), self.line)


def charge_first(
    lines: Iterable[Measurement], charge: Callable[[tuple[Measurement, ...]], None]
) -> tuple[ChargedMeasurement, ...]:
    """Charge lines, all of them or none; the measurements that may be drawn after that.

    `charge` has the cost on disk when it returns, and raises where it is refused."""
    check_noise_source()
    asked = tuple(lines)
    charge(asked)
    return tuple(ChargedMeasurement(line=line) for line in asked)
