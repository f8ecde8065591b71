"""Denoising of noisy counts: neighbouring counts of an ordered field are averaged where noise hides
their difference.

Haar wavelets at all shifts (Coifman and Donoho 1995): a difference between neighbouring stretches
stays where it exceeds its noise, and is set to zero otherwise. Smooth stretches become smooth, and
single spikes stay. It reads noisy counts only, so it costs nothing."""

from __future__ import annotations

from typing import Final

import numpy as np

from .coded_table import Reals

BEYOND: Final = 2.5
"""Standard deviations that a difference must have to stay."""


def denoise(noisy: Reals, sigma: float) -> Reals:
    """Noisy counts of an ordered field with one level of noise, smoothed where their differences
    are noise.

    Example:
        >>> flat = np.array([10.0, 12.0, 8.0, 10.0, 90.0, 10.0, 11.0, 9.0])
        >>> denoise(flat, sigma=3.0).round().tolist()
        [10.0, 10.0, 10.0, 10.0, 90.0, 10.0, 10.0, 10.0]
    """
    length = len(noisy)
    if length < 4:
        return noisy
    width = 1 << int(np.ceil(np.log2(2 * length)))
    # Mirrored ends have no jump where the signal is joined to itself.
    padded = np.resize(np.concatenate([noisy, noisy[::-1]]), width)
    out = _smoothed(padded, BEYOND * sigma, int(np.log2(length)))
    return out[:length]


def _smoothed(signal: Reals, least: float, levels: int) -> Reals:
    """The average over all shifts, each level from the one below (stationary transform)."""
    if levels == 0 or len(signal) < 2:
        return signal
    root = np.sqrt(2.0)
    out = np.zeros_like(signal)
    for shift in (0, 1):
        moved = np.roll(signal, -shift)
        low, high = (moved[0::2] + moved[1::2]) / root, (moved[0::2] - moved[1::2]) / root
        high = np.where(np.abs(high) > least, high, 0.0)
        low = _smoothed(low, least, levels - 1)
        back = np.empty_like(moved)
        back[0::2], back[1::2] = (low + high) / root, (low - high) / root
        out += np.roll(back, shift) / 2
    return out
