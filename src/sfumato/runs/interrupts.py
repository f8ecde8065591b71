"""Interrupts: Ctrl-C, SIGTERM and SIGHUP. A signal is remembered, so that no error of a driver can
hide it.

A driver that is interrupted may answer with an error of its own, such as a file that ends too
early. Errors are therefore translated only after `Watch.check` has looked for a signal. The handler
that remembers calls the one that was there before, which raises KeyboardInterrupt; signals without
a handler in Python are left alone."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

Handler = Callable[[int, FrameType | None], Any]

STOPPING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class _Signals:
    """The memory of this process. Handlers are replaced while somebody watches, and put back
    afterwards."""

    def __init__(self) -> None:
        self.watchers = 0
        self.deferring = 0
        self.came = 0
        self.obeyed = 0
        self.last = 0
        self.deferred: list[int] = []
        self.before: dict[int, Handler] = {}
        self.lock = threading.RLock()

    def begin(self) -> None:
        with self.lock:
            self.watchers += 1
            if not _in_main_thread():
                return
            for number in STOPPING:
                found = signal.getsignal(number)
                if callable(found) and found != self.notice:
                    self.before[number] = found
                    signal.signal(number, self.notice)

    def end(self) -> None:
        """Generators may end in any order, so handlers are put back with the last watcher only."""
        with self.lock:
            self.watchers -= 1
            if self.watchers or not _in_main_thread():
                return
            for number, handler in self.before.items():
                if signal.getsignal(number) == self.notice:
                    signal.signal(number, handler)
            self.before.clear()

    def notice(self, number: int, frame: FrameType | None) -> None:
        self.came += 1
        self.last = number
        if self.deferring:
            self.deferred.append(number)
            return
        self.pass_on(number, frame)

    def pass_on(self, number: int, frame: FrameType | None) -> None:
        handler = self.before.get(number)
        if handler is not None:
            handler(number, frame)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


_SIGNALS = _Signals()


class Watch:
    """Whether there was a signal since this watch began."""

    def __init__(self) -> None:
        self._before = _SIGNALS.came

    @property
    def interrupted(self) -> bool:
        return _SIGNALS.came > max(self._before, _SIGNALS.obeyed)

    def check(self) -> None:
        """Raise what the signal raised, where there was one: KeyboardInterrupt."""
        if self.interrupted:
            _SIGNALS.pass_on(_SIGNALS.last, None)
            raise KeyboardInterrupt from None  # The handler is one that raises nothing.


@contextmanager
def watch() -> Iterator[Watch]:
    """Remember the signals inside the block."""
    _SIGNALS.begin()
    try:
        yield Watch()
    finally:
        _SIGNALS.end()


@contextmanager
def interruptible() -> Iterator[None]:
    """Errors raised inside after a signal are the interrupt itself. It is a decorator, too."""
    with watch() as watched:
        try:
            yield
        except Exception:
            watched.check()
            raise


def acknowledge() -> None:
    """An interrupt was obeyed by stopping early: a later error is no consequence of it."""
    _SIGNALS.obeyed = _SIGNALS.came


@contextmanager
def deferred(message: str) -> Iterator[None]:
    """Hold signals back until the block is done; KeyboardInterrupt with `message` follows where
    there was one."""
    with watch():
        _SIGNALS.deferring += 1
        try:
            yield
        finally:
            _SIGNALS.deferring -= 1
            waiting, _SIGNALS.deferred = _SIGNALS.deferred, []
        for number in waiting[:1]:
            try:
                _SIGNALS.pass_on(number, None)
            except KeyboardInterrupt as interrupt:
                interrupt.args = (message,) if message else ()
                raise
