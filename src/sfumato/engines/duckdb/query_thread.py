"""A query of DuckDB beside the main thread, which waits, can be called by a signal, and stops it.

A thread that still runs DuckDB when Python ends aborts the process. `Thread.is_alive` cannot be
asked about that: before Python 3.13 an interrupted `join` takes a running thread for an ended one.
The work therefore signals its end.

A thread that has done its work waits for more. A release asks about a hundred small queries, and a
new thread costs more than such a query."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from queue import SimpleQueue
from types import TracebackType
from typing import Generic, Self, TypeVar

from sfumato.runs import deferred

Result = TypeVar("Result")
_WAIT = 0.05
_TURN = 0.2


class _QueryThread:
    """A thread that does what it is handed, one thing after the other, and is idle in between."""

    def __init__(self) -> None:
        self._handed: SimpleQueue[Callable[[], None]] = SimpleQueue()
        threading.Thread(target=self._serve, name="duckdb", daemon=True).start()

    def hand(self, work: Callable[[], None]) -> None:
        self._handed.put(work)

    def _serve(self) -> None:
        while True:
            work = self._handed.get()
            work()
            del work  # What is idle holds no connection open.
            _IDLE.append(self)


_IDLE: list[_QueryThread] = []
os.register_at_fork(after_in_child=_IDLE.clear)  # A child process has none of its parent's threads.


def _idle_thread() -> _QueryThread:
    try:
        return _IDLE.pop()
    except IndexError:
        return _QueryThread()


class Worker(Generic[Result]):
    """Work that is done beside the main thread; the end of the block stops it, however many signals
    there are."""

    def __init__(
        self,
        work: Callable[[], Result],
        interrupt: Callable[[], None],
        *,
        each_turn: Callable[[], None] | None = None,
    ) -> None:
        self._work = work
        self._each_turn = each_turn
        self._interrupt = interrupt
        self._outcome: Future[Result] = Future()

    def wait(self, seconds: float | None = None) -> bool:
        """Whether the work is done, after so many seconds at most.

        Without an end it waits in turns. A signal just before the lock is requested, or to another
        thread, does not wake the main thread. It would obey the signal only with the last row."""
        wait_for((self._outcome,), timeout=_TURN if seconds is None else seconds)
        while seconds is None and not self._outcome.done():
            wait_for((self._outcome,), timeout=_TURN)
            if self._each_turn is not None:
                self._each_turn()
        return self._outcome.done()

    def result(self) -> Result:
        """The result of the work, or the error that it raised."""
        return self._outcome.result()

    def _do(self) -> None:
        try:
            made = self._work()
        except BaseException as error:
            self._outcome.set_exception(error)
        else:
            self._outcome.set_result(made)

    def __enter__(self) -> Self:
        try:
            # A thread that is half started can be neither waited for nor stopped.
            with deferred(""):
                _idle_thread().hand(self._do)
        except KeyboardInterrupt:
            self._stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._outcome.done():
            self._stop()

    def _stop(self) -> None:
        with deferred(""):
            while not self.wait(_WAIT):
                self._interrupt()
