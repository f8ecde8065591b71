"""Work spread over processes, its results in the order of the input, a few ahead at a time.

Any error in a piece of work that is not ours is reported by its type alone: its message may quote a
text."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_all_start_methods, get_context
from multiprocessing.context import BaseContext
from typing import Any, TypeVar

from sfumato.errors import Bug, Mistake, SfumatoError

from .processor_cores import usable_cores

Given = TypeVar("Given")
Made = TypeVar("Made")
AHEAD = 3
"""So many pieces of work for each process are handed out before the first is asked for."""
WORTH = 200_000
"""A process is worth starting for so many characters: it reads its lexicons first."""
Work = Callable[[Any, Given], Made]
"""The work on each piece: its arguments are the setup of the process, and the piece."""

_ready: Any = None


def processes(asked: int, characters: int) -> int:
    """How many to use: as many as asked; where 0, one for each processor as far as there is work
    for them.

    Example:
        >>> processes(3, 10), processes(0, 10)
        (3, 1)
    """
    if asked < 0:
        raise Mistake(
            f"{asked} processes were asked for.",
            attempt="1 or more, or 0 for as many as are of use.",
        )
    return asked or max(1, min(usable_cores(), characters // WORTH))


def worked(
    work: Work[Given, Made],
    pieces: Iterable[Given],
    *,
    ready: Callable[..., Any],
    told: tuple[Any, ...],
    jobs: int,
) -> Iterator[Made]:
    """The result of each piece, in order. `ready(*told)` is called once in each process, and its
    answer given to all.

    Both functions are in modules, and their arguments can be pickled.

    Example:
        >>> list(worked(lambda add, each: add + each, [1, 2], ready=int, told=("5",), jobs=1))
        [6, 7]
    """
    if jobs == 1:
        here = _told_by_type(ready, *told)
        for piece in pieces:
            yield _told_by_type(work, here, piece)
        return
    others = set(active_children())
    pool = ProcessPoolExecutor(jobs, _context(), initializer=_start, initargs=(ready, told))
    under_way: deque[Future[Made]] = deque()
    try:
        for piece in pieces:
            under_way.append(pool.submit(_do, work, piece))
            if len(under_way) >= AHEAD * jobs:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    except BrokenProcessPool:
        raise Mistake(
            "A process that worked on the texts was ended from outside.",
            found="Most often that is for want of memory.",
            attempt="fewer processes with --jobs, or smaller files.",
        ) from None
    except BaseException:  # A signal, an error of a piece, or nobody wants the rest.
        for process in set(active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _context() -> BaseContext:
    """How processes are started: not forked from this one, which may have threads that hold locks.

    Where there is a server to fork from, it reads the code once for all of them.
    """
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload([f"{__package__}.writing"])
    return context


def _start(ready: Callable[..., Any], told: tuple[Any, ...]) -> None:
    """A process starts: Ctrl-C is for the one that started it, which then ends them all."""
    global _ready
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _ready = ready(*told)


def _do(work: Work[Given, Made], piece: Given) -> Made:
    return _told_by_type(work, _ready, piece)


def _told_by_type(function: Callable[..., Made], *given: Any) -> Made:
    try:
        return function(*given)
    except (SfumatoError, OSError, MemoryError):
        raise
    except Exception as error:
        raise Bug(f"{type(error).__name__} while working on a text, in {_where(error)}.") from None


def _where(error: BaseException) -> str:
    """The function in which it happened, by name and line: a place in our code, nothing of the
    text."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return (
        "an unknown place"
        if trace is None
        else f"{trace.tb_frame.f_code.co_name}, line {trace.tb_lineno}"
    )
