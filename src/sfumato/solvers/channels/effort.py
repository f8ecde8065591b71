"""Effort: how much longer a search may go on, in CPU seconds and in a work count that is the same
on every machine."""

from __future__ import annotations

import math

import highspy

from ..effort import cpu_seconds, recent_cpu_seconds


class ChannelEffort:
    """The limits of one search. `work` counts sets of input channels that were looked at; None sets
    no limit.

    A search that the seconds end depends on the machine; one that its work ends gives the same plan
    everywhere.

    Example:
        >>> effort = ChannelEffort(60.0, work=1_000)
        >>> effort.spend(999)
        >>> effort.is_over
        False
        >>> effort.spend(1)
        >>> effort.is_over
        True
    """

    def __init__(self, seconds: float, *, work: int | None = None) -> None:
        self.until = cpu_seconds() + seconds
        self.work_left = math.inf if work is None else float(work)
        self.work_done = 0

    def spend(self, sets: int) -> None:
        self.work_done += sets

    def part(self, share: float, *, least: float = 0.0) -> ChannelEffort:
        """An effort for one of several searches, of at least so many seconds."""
        out = ChannelEffort(max(least, share * self.seconds_left))
        out.work_left = share * max(0.0, self.work_left - self.work_done)
        return out

    def limit(self, program: highspy.Highs, *, size: int) -> None:
        """End a search over whole numbers with the effort. HiGHS itself would count seconds of the
        wall.

        A node of it is as much work as looking at `size` sets.
        """
        if math.isfinite(self.work_left):
            nodes = max(1.0, (self.work_left - self.work_done) / max(size, 1))
            program.setOptionValue("mip_max_nodes", int(min(nodes, 2**31 - 1)))
        program.cbMipInterrupt.subscribe(lambda event: event.interrupt() if self.is_over else None)

    @property
    def counts_work(self) -> bool:
        """Whether work ends it: the search must then not depend on how fast a machine is."""
        return math.isfinite(self.work_left)

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.until - cpu_seconds())

    @property
    def is_over(self) -> bool:
        return self.work_done >= self.work_left or recent_cpu_seconds() >= self.until
