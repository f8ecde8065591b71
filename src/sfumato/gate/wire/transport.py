"""The line to a client: bytes in and out, never more of them at a time than somebody asked for,
encrypted on request."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import Final, cast

from ..connections import Phase

ROOM: Final = 1 << 16
"""Bytes that wait to be read before the client is made to wait."""
CLOSING: Final = 10.0
"""Seconds in which a client takes its last message, once the gate has closed the connection."""


class HungUp(Exception):
    """The client is gone, or too slow; nothing can be sent to it any more."""


class Line(asyncio.Protocol):
    """One connection. `comes` is called once it is connected.

    It is written on the loop's protocols and not on streams. When encryption begins, no earlier
    byte may wait in the buffer, and streams do not show that."""

    def __init__(self, comes: Callable[[Line], None], goes: Callable[[Line], None]) -> None:
        self._comes, self._goes = comes, goes
        self._buffer = bytearray()
        self._wanted = 0
        self._transport: asyncio.Transport | None = None
        self._changed = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._ended = False
        self._paused = False
        self.encrypted = False
        self.is_known = False
        """Whether somebody has logged in."""
        self._closing: asyncio.TimerHandle | None = None
        self.address = "nowhere"

    # ---------------------------------------------------------------- what the loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if peer else "nowhere"
        self._comes(self)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if len(self._buffer) > max(ROOM, self._wanted) and not self._paused and self._transport:
            self._transport.pause_reading()
            self._paused = True
        self._changed.set()

    def eof_received(self) -> bool:
        self._ended = True
        self._changed.set()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended = True
        self._changed.set()
        self._writable.set()
        if self._closing is not None:
            self._closing.cancel()
        self._goes(self)

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    # ---------------------------------------------------------------- what we call

    @property
    def waiting(self) -> int:
        """Bytes that were received and not read."""
        return len(self._buffer)

    async def read(self, count: int) -> bytes:
        """So many bytes, as soon as they are there."""
        self._wanted = count
        while len(self._buffer) < count:
            if self._ended:
                raise HungUp
            self._listen()
            self._changed.clear()
            await self._changed.wait()
        out = bytes(self._buffer[:count])
        del self._buffer[:count]
        self._wanted = 0
        if len(self._buffer) <= ROOM:
            self._listen()
        return out

    def _listen(self) -> None:
        if self._paused and self._transport and not self._ended:
            self._transport.resume_reading()
            self._paused = False

    def write(self, data: bytes) -> None:
        if self._transport and not self._transport.is_closing():
            self._transport.write(data)

    async def written(self, *, seconds: float) -> None:
        """Wait until the client has taken most of what was written."""
        try:
            async with asyncio.timeout(seconds):
                await self._writable.wait()
        except TimeoutError:
            raise HungUp from None
        if self._ended:
            raise HungUp

    async def encrypt(self, context: ssl.SSLContext, *, seconds: float) -> None:
        """Begin TLS. Earlier bytes in the clear are not taken for part of it."""
        if self.waiting or self._transport is None:
            raise HungUp
        loop = asyncio.get_running_loop()
        try:
            made = await loop.start_tls(
                self._transport, self, context, server_side=True, ssl_handshake_timeout=seconds
            )
        except (OSError, ssl.SSLError):
            raise HungUp from None
        self._transport, self.encrypted = cast(asyncio.Transport, made), True

    def phase(self) -> Phase:
        """A session stays; somebody who has not logged in gives way to a newcomer."""
        return Phase.WORKING if self.is_known else Phase.WAITING

    def close(self) -> None:
        """Close once the client has taken what was written; where it does not, without that."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.close()
            if self._closing is None and not self._ended:
                self._closing = asyncio.get_running_loop().call_later(CLOSING, self.abort)

    def abort(self) -> None:
        """Close without waiting for what was written."""
        if self._transport is not None:
            self._transport.abort()
