"""The time that advice may take: CPU seconds of the whole run, and how many searches fit into it.

A search cannot be ended from outside. One is therefore begun only where the longest of its kind so
far would still fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import process_time
from typing import TypeVar

Found = TypeVar("Found")

SECONDS = 300.0
"""The usual budget."""
COSTS, SCREENING = 0.5, 0.75
"""The shares of the budget after which no more costs and no more changes are searched for."""
SPREAD = 1.7
"""How much longer than the longest so far a search of several tables may be: smaller bins of a
weaker policy take more time."""
FIRST = 0.25
"""The share of the budget after which one search of several tables ends."""


@dataclass
class TimeBudget:
    """CPU seconds that a run may take, and the longest search of each kind so far."""

    seconds: float = SECONDS
    clock: Callable[[], float] = process_time
    longest: dict[str, float] = field(default_factory=dict)
    skipped: int = 0
    """Searches that were not begun."""

    def __post_init__(self) -> None:
        self._start = self.clock()

    @property
    def spent(self) -> float:
        return self.clock() - self._start

    def allows(self, kind: str, *, upto: float = 1.0, spread: float = 1.0) -> bool:
        """Whether one more search of a kind would end within a share of the budget, even if it
        takes `spread` times the longest so far; counts those that would not."""
        fits = self.spent + spread * self.longest.get(kind, 0.0) <= upto * self.seconds
        self.skipped += not fits
        return fits

    def timed(self, kind: str, search: Callable[[], Found]) -> Found:
        """The result of a search, whose time is remembered."""
        began = self.clock()
        try:
            return search()
        finally:
            self.longest[kind] = max(self.longest.get(kind, 0.0), self.clock() - began)
