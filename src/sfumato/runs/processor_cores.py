"""The processor cores that a run may use: those that the system gives it, or fewer where fewer were
asked for."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager

from sfumato.errors import Mistake


def usable_cores() -> int:
    """How many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # Not every system tells.
        return os.cpu_count() or 1


@contextmanager
def on_cores(most: int | None) -> Iterator[None]:
    """Use at most so many cores, as long as the block lasts: this thread, and all threads and
    processes that it starts meanwhile.

    They are drawn by chance, so that two limited runs rarely share one.

    Example:
        >>> with on_cores(1):
        ...     usable_cores()
        1
    """
    if most is None:
        yield
        return
    if most < 1:
        raise Mistake(f"{most} threads were asked for.", attempt="a limit of 1 thread or more.")
    if not hasattr(os, "sched_setaffinity"):
        raise Mistake(
            "The cores of a run cannot be limited.",
            found="This system ties no process to cores.",
            attempt="the run without a limit of threads.",
        )
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, random.sample(sorted(before), min(most, len(before))))
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
