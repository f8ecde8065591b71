"""How long a search may go on: CPU seconds, and work that is counted the same on every machine."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field, replace

from sfumato.runs import report_step

USUAL_SECONDS = 60.0
"""The CPU seconds that a search may take by default."""


def cpu_seconds() -> float:
    """CPU time of this process, all its threads, and its children that have ended."""
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


READ_EVERY = 0.002
_last_reading = (-1.0, 0.0)
"""When CPU time was last read, by the clock on the wall, and what was read."""


def recent_cpu_seconds() -> float:
    """CPU time as it was two milliseconds ago at most: reading it takes longer than many a step of
    a search."""
    global _last_reading
    now = time.monotonic()
    read_at, seconds = _last_reading
    if not 0 <= now - read_at < READ_EVERY:
        seconds = cpu_seconds()
        _last_reading = (now, seconds)
    return seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """The limits of one search, from the moment it is made.

    `seconds` are CPU seconds. `work` is counted in the solver's own unit (nodes, rounds, tries), so
    that a search under it alone gives the same answer on every machine. None is no limit.

    Example:
        >>> Effort(work=10).spent(9), Effort(work=10).spent(10), Effort(seconds=0.0).spent(0)
        ('', 'work', 'seconds')
    """

    seconds: float = float("inf")
    work: int | None = None
    started: float = field(default_factory=cpu_seconds)

    @property
    def limited(self) -> bool:
        """Whether the search will be stopped at all."""
        return self.work is not None or self.seconds < float("inf")

    def spent(self, work: int) -> str:
        """The limit that is reached, `work` or `seconds`; empty while there is none."""
        if self.work is not None and work >= self.work:
            return "work"
        if self.seconds == float("inf"):
            return ""
        left = self.seconds - max(recent_cpu_seconds() - self.started, 0.0)
        if left > 0:
            report_step(seconds=left)
            return ""
        return "seconds"

    def part(self, share: float) -> Effort:
        """A share of these limits, from the same moment.

        Example:
            >>> Effort(work=10).part(0.5).spent(5)
            'work'
        """
        work = None if self.work is None else max(int(self.work * share), 1)
        return replace(self, seconds=self.seconds * share, work=work)
