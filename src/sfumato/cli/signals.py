"""SIGTERM and SIGHUP are Ctrl-C: a command that is ended from outside tidies up like one that is
interrupted."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class EndSignal(KeyboardInterrupt):
    """A signal that ends the process. `number` is its number."""

    number: int = signal.SIGINT


@contextmanager
def ended_like_interrupted() -> Iterator[None]:
    """Inside, these signals raise what Ctrl-C raises. Those that are ignored, as under nohup, stay
    so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in ENDING}
    for number, handler in before.items():
        if handler is signal.SIG_DFL:
            signal.signal(number, _end)
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is _end:
                signal.signal(number, handler)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    ended = EndSignal()
    ended.number = number
    raise ended
