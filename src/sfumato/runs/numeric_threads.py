"""How many threads numeric libraries take.

BLAS and OpenMP start a thread for each core, whatever the size of a matrix. On small ones they mostly
wait for each other in a busy loop: six times the CPU seconds, and more where other programs run."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """Small matrices and small models in one thread, while the context lasts.

    >>> with one_thread():
    ...     print("in one thread")
    in one thread
    """
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:  # Slower, and right.
        return nullcontext()
    limits: AbstractContextManager[Any] = threadpool_limits(limits=1)
    return limits
