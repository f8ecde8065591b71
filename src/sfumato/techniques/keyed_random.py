"""Random draws that nobody can repeat: drawn from a secret, because anybody who repeats the noise
can remove it.

NumPy's generators are not suitable, because some of their numbers determine the others. These draws
use SHAKE-256."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Wholes = NDArray[np.int64]

_BLOCK = 1 << 20


class KeyedRandom:
    """Draws from a secret; the same secret gives the same draws. Without one, from the system's
    entropy.

    Example:
        >>> KeyedRandom(b"secret").integers(10, 3).tolist() == KeyedRandom(b"secret").integers(10, 3).tolist()
        True
    """

    def __init__(self, secret: bytes = b"") -> None:
        self._secret = secret or secrets.token_bytes(32)
        self._drawn = 0

    def __repr__(self) -> str:
        return "KeyedRandom(...)"

    def bound_to(self, *columns: NDArray[Any], purpose: object = "") -> KeyedRandom:
        """Chance for these numbers and this purpose alone: under one secret the same get the same
        draws, others do not.

        A key is used for more than one release. Were the draws the same for a table with one row
        less, a row's noise would fall on the next row. The difference of the two releases would
        then disclose the hidden value. Were they the same for noise of another size, two releases
        would be two equations for each number and its noise.

        Example:
            >>> chance, ages = KeyedRandom(b"secret"), np.array([41.0, 7.0])
            >>> a, b, c = (chance.bound_to(numbers).integers(10**9, 1)[0] for numbers in (ages, ages, ages[:1]))
            >>> bool(a == b), bool(a == c)
            (True, False)
        """
        said = repr(purpose).encode()
        digest = hashlib.shake_256(b"bound to" + self._secret + len(said).to_bytes(8, "big") + said)
        for column in columns:
            digest.update(len(column).to_bytes(8, "big") + np.ascontiguousarray(column).tobytes())
        return KeyedRandom(digest.digest(32))

    def words(self, count: int) -> NDArray[np.uint64]:
        """Whole numbers of 64 bits."""
        parts = []
        for start in range(0, count, _BLOCK):
            size = min(_BLOCK, count - start)
            self._drawn += 1
            digest = hashlib.shake_256(self._secret + self._drawn.to_bytes(8, "big")).digest(
                8 * size
            )
            parts.append(np.frombuffer(digest, np.uint64))
        return np.concatenate(parts) if parts else np.zeros(0, np.uint64)

    def uniform(self, count: int) -> Reals:
        """Numbers above 0 and below 1, of 53 bits."""
        drawn: Reals = ((self.words(count) >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
        return drawn

    def normal(self, count: int) -> Reals:
        """Standard normal numbers, two from two uniform ones (Box and Muller 1958)."""
        half = (count + 1) // 2
        radius, angle = np.sqrt(-2.0 * np.log(self.uniform(half))), 2.0 * np.pi * self.uniform(half)
        return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:count]

    def integers(self, high: int, count: int) -> Wholes:
        """Whole numbers from 0 up to and without `high`; for the `high` of any table the bias is
        below 2^-20."""
        drawn: Wholes = np.minimum((self.uniform(count) * high).astype(np.int64), high - 1)
        return drawn

    def permutation(self, count: int) -> Wholes:
        """0 to `count` - 1 in random order."""
        return np.argsort(self.words(count), kind="stable")
