"""How many examples a property is tried with: `make chance` draws all, and `make test` a third, the
same each time."""

from __future__ import annotations

from hypothesis import settings

MANY = 1000
"""Examples of the profile of `make chance` where a test names no number."""

FEWEST = 8


def example_count(number: int) -> int:
    """How many of so many examples are drawn in this run."""
    if settings.default.max_examples >= MANY:
        return number
    return max(min(number, FEWEST), number // 3)
