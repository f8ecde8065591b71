"""The progress of a long step: engines report the share of a query that is done, searches the
seconds that they may still take.

Reports go to whoever listens, and cost nothing where nobody does. A report holds numbers only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StepProgress:
    """How far a step is: `share` of it is done, or it takes at most `seconds` of CPU time more."""

    share: float | None = None
    seconds: float | None = None


Listener = Callable[[StepProgress], None]
_LISTENER: ContextVar[Listener | None] = ContextVar("step progress", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Hand the reports of all steps inside the block to `listener`.

    Example:
        >>> found = []
        >>> with listening(found.append):
        ...     report_step(share=0.5)
        >>> report_step(share=0.7)
        >>> found
        [StepProgress(share=0.5, seconds=None)]
    """
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def is_listened_to() -> bool:
    """Whether a report would reach anybody."""
    return _LISTENER.get() is not None


def report_step(*, share: float | None = None, seconds: float | None = None) -> None:
    """Report how far a step is."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(StepProgress(share=share, seconds=seconds))
