"""Masking: every value becomes the same row of crosses (Garfinkel 2016, section 4.3.1)."""

from __future__ import annotations

from collections.abc import Sequence

MASK = "XXXXXX"


class MaskReplacer:
    """The same mask for every value, whatever its length, so that only null and not null stay
    apart.

    Example:
        >>> MaskReplacer().replace(["Ada", "Grace Hopper"])
        ['XXXXXX', 'XXXXXX']
    """

    redrawn: int = 0

    def replace(self, values: Sequence[str]) -> list[str]:
        return [MASK] * len(values)

    def describe(self) -> str:
        return f"masked: every value became {MASK}"
