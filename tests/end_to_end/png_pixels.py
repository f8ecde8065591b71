"""Reads the pixels of a small PNG, as a browser writes them, so that a test can see whether
something was painted."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

CHANNELS = {2: 3, 6: 4}


def pixels(png: bytes) -> NDArray[np.uint8]:
    """Height by width by 3; without what is transparent."""
    place, packed, width, height, channels = 8, b"", 0, 0, 3
    while place < len(png):
        size, kind = struct.unpack(">I4s", png[place : place + 8])
        if kind == b"IHDR":
            width, height, _, colour = struct.unpack(">IIBB", png[place + 8 : place + 18])
            channels = CHANNELS[colour]
        packed += png[place + 8 : place + 8 + size] if kind == b"IDAT" else b""
        place += size + 12
    raw, stride = zlib.decompress(packed), width * channels
    out, above = np.zeros((height, stride), np.uint8), [0] * stride
    for y in range(height):
        start = y * (stride + 1)
        above = _unfiltered(raw[start], raw[start + 1 : start + 1 + stride], above, channels)
        out[y] = above
    return out.reshape(height, width, channels)[:, :, :3]


def _unfiltered(kind: int, line: bytes, above: list[int], step: int) -> list[int]:
    """One row by the five filters of the format (RFC 2083, section 6)."""
    out = list(line)
    for x in range(len(out)):
        left = out[x - step] if x >= step else 0
        corner = above[x - step] if x >= step else 0
        if kind == 1:
            out[x] = (out[x] + left) & 255
        elif kind == 2:
            out[x] = (out[x] + above[x]) & 255
        elif kind == 3:
            out[x] = (out[x] + (left + above[x]) // 2) & 255
        elif kind == 4:
            guess = left + above[x] - corner
            near = min(
                (abs(guess - left), 0), (abs(guess - above[x]), 1), (abs(guess - corner), 2)
            )[1]
            out[x] = (out[x] + (left, above[x], corner)[near]) & 255
    return out
