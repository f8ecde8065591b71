"""Workers: the threads in which slow things are done, so that the doors stay open meanwhile.

Questions are decided one at a time, so one thread is enough for them, and waiting questions keep
their order. Passwords are expensive on purpose: few are checked at once, so that many attempts do
not use up the memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from types import TracebackType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Workers(AbstractContextManager["Workers"]):
    """Four sorts of threads: one that keeps, two that check passwords, two that wait for files to
    be read, four that look things up."""

    def __init__(self) -> None:
        self._keeping = ThreadPoolExecutor(1, "keeping")
        self._checking = ThreadPoolExecutor(2, "checking")
        self._reading = ThreadPoolExecutor(2, "reading")
        self._looking = ThreadPoolExecutor(4, "looking")

    async def keep(self, does: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """For the keeper: questions and whatever else takes its lock."""
        return await _done(self._keeping, partial(does, *args, **kwargs))

    async def check(self, does: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """For passwords."""
        return await _done(self._checking, partial(does, *args, **kwargs))

    async def read(self, does: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """For files that somebody brought, which may take long on purpose."""
        return await _done(self._reading, partial(does, *args, **kwargs))

    async def look(self, does: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """For tokens, accounts, the audit file."""
        return await _done(self._looking, partial(does, *args, **kwargs))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for pool in (self._keeping, self._checking, self._reading, self._looking):
            pool.shutdown(wait=True, cancel_futures=True)


async def _done(pool: Executor, does: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(pool, does)
