"""Cancelling: a client that knows the key of a session can end its work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from sfumato.errors import NotAdmitted

T = TypeVar("T")


class Cancellable:
    """The work of one session, one thing at a time."""

    def __init__(self) -> None:
        self._doing: asyncio.Future[Any] | None = None
        self._cancelled = False

    def cancel(self) -> None:
        """End it, if there is anything to end."""
        if self._doing is not None:
            self._cancelled = True
            self._doing.cancel()

    async def do(self, doing: Awaitable[T]) -> T:
        """Do something; `NotAdmitted` where it was cancelled. Work that the keeper has begun ends,
        but without a response."""
        self._cancelled = False
        task: asyncio.Future[T] = asyncio.ensure_future(doing)
        self._doing = task
        try:
            return await task
        except asyncio.CancelledError:
            if not self._cancelled:
                task.cancel()
                raise
            raise NotAdmitted("The query was cancelled, as was asked.", code="cancelled") from None
        finally:
            self._doing = None
