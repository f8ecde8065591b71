"""Response timing: answers and refusals are sent on a fixed time grid, so that latency reveals
little.

A question may be refused at the first node of the lattice or at the last. The cause may be a small
group, or values that are too alike. Each case takes a different time. Every response waits until
the next time on a grid: multiples of 50 ms at first, then twice as much each time. Nobody waits
while holding the keeper's lock."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

STEP: Final = 0.05
"""Seconds between the first times at which a response may be sent."""
EVEN: Final = 0.2
"""Up to here times are a step apart; from here on each is twice the one before."""


def leaves_at(taken: float) -> float:
    """The seconds between a question and its reply, where deciding took so many.

    Example:
        >>> [leaves_at(taken) for taken in (0.0, 0.01, 0.05, 0.051, 0.19, 0.21, 0.5, 3.0)]
        [0.05, 0.05, 0.05, 0.1, 0.2, 0.4, 0.8, 3.2]
    """
    if taken <= EVEN:
        return round(max(1, math.ceil(taken / STEP - 1e-9)) * STEP, 9)
    return float(EVEN * 2 ** math.ceil(math.log2(taken / EVEN) - 1e-9))


@asynccontextmanager
async def paced(*, clock: Callable[[], float] = time.monotonic) -> AsyncIterator[None]:
    """The block ends at a time on the grid, also where it ends in a refusal.

    Somebody who gives up waiting is not made to wait.
    """
    started = clock()
    try:
        yield
    except asyncio.CancelledError:
        raise
    except BaseException:
        await asyncio.sleep(_left(started, clock()))
        raise
    await asyncio.sleep(_left(started, clock()))


def _left(started: float, now: float) -> float:
    taken = now - started
    return max(0.0, leaves_at(taken) - taken)
