"""Discrete Gaussian noise: exact integers of OpenDP, drawn from the system's entropy.

OpenDP follows Canonne, Kamath and Steinke (2020) in exact rational arithmetic, so that floating
point reveals nothing beyond the account (Mironov 2012). Nothing is drawn here, and nothing outside
this room calls it: `charge_first` has the cost on disk before."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Bug, MissingExtra

from .measurement import THRESHOLD, Measurement

Counts = NDArray[np.int64]


def check_noise_source() -> None:
    """Refuse before anything is charged where OpenDP is not installed."""
    _gaussian(1.0)


def with_noise(counts: Counts, line: Measurement) -> Counts:
    """The numbers with the noise of their line, whose cost is compared with OpenDP's own."""
    # How many values a selection looks at is the data's; its line says nothing of it.
    if line.mechanism != THRESHOLD and counts.size > line.cells:
        raise Bug(f"{line.cells} numbers were charged and {counts.size} were measured.")
    noise = _gaussian(line.sigma)
    cost = float(noise.map(float(line.squared_sensitivity) ** 0.5))
    if cost > float(line.rho) * (1 + 1e-9):
        raise Bug(f"Noise of sigma {line.sigma:g} costs {cost:g}, and less was charged.")
    drawn = noise(counts.ravel().tolist())
    return np.array(drawn, np.int64).reshape(counts.shape)


@lru_cache(maxsize=64)
def _gaussian(sigma: float) -> Any:
    # One by one: OpenDP's prelude also brings scikit-learn and SciPy where they are installed.
    try:
        from opendp.domains import atom_domain, vector_domain
        from opendp.measurements import make_gaussian
        from opendp.metrics import l2_distance
        from opendp.mod import enable_features
    except ImportError:
        raise MissingExtra("Private measurements", extra="synthesis") from None
    enable_features("contrib")
    return make_gaussian(vector_domain(atom_domain(T="i64")), l2_distance(T="f64"), scale=sigma)
