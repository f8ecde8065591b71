"""One HTTP connection with its deadlines: a TLS handshake, a head, a body and an answer each have
so many seconds.

It extends uvicorn's protocol. That has a deadline between requests and none inside one, and does
not count a connection during its TLS handshake."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from ..connections import Connections, Phase

LARGEST_HEAD: Final = 16 << 10
"""Bytes of a request line with its headers."""
_EVERY: Final = 0.5
_LEAST_TAKEN: Final = 16 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """Seconds for each part of a connection."""

    head: float = 15.0
    """For the TLS handshake and the first head, and between an answer and the next whole head."""
    body: float = 65.0
    """For all of a body. The application refuses a slow one a little earlier, with a reason."""
    take: float = 30.0
    """In which a client takes at least 16 KiB of its answer, or all that is left."""


@dataclass(eq=False, kw_only=True)
class HttpDoor:
    """All HTTP connections of a gate."""

    connections: Connections
    context: ssl.SSLContext | None = None
    deadlines: Deadlines = field(default_factory=Deadlines)
    _sweep: asyncio.TimerHandle | None = field(default=None, repr=False)

    def protocol(self) -> Callable[..., HttpConnection]:
        """The server's factory of a connection."""
        return partial(HttpConnection, door=self)

    def watch(self) -> None:
        """Look at all connections, now and then, as long as there are any."""
        if self._sweep is None:
            self._sweep = asyncio.get_running_loop().call_later(_EVERY, self._look)

    def _look(self) -> None:
        self._sweep = None
        now = asyncio.get_running_loop().time()
        for each in self.connections:
            if isinstance(each, HttpConnection) and each.is_overdue(now):
                each.abort()
        if len(self.connections):
            self.watch()


class HttpConnection(H11Protocol):
    """A connection that its door counts and closes in time."""

    def __init__(self, *given: Any, door: HttpDoor, **named: Any) -> None:
        super().__init__(*given, **named)
        self._door = door
        self._raw: asyncio.Transport | None = None
        self._since = self._headed = 0.0
        self._early = bytearray()
        """The bytes after the end of the handshake, before its end was reported."""
        self._is_lost = False
        self._untaken: tuple[int, float] | None = None
        self._encrypting: asyncio.Task[None] | None = None
        self.address = "nowhere"

    # ---------------------------------------------------------------- what the loop calls

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._raw = transport
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if peer else "nowhere"
        self._since = self.loop.time()
        if not self._door.connections.admit(self):
            transport.abort()
            return
        self._door.watch()
        if self._door.context is None:
            super().connection_made(transport)
            return
        transport.pause_reading()  # Nothing of the handshake may be taken for a request.
        self._encrypting = self.loop.create_task(self._encrypt(transport, self._door.context))

    async def _encrypt(self, transport: asyncio.Transport, context: ssl.SSLContext) -> None:
        try:
            made = await self.loop.start_tls(
                transport,
                self,
                context,
                server_side=True,
                ssl_handshake_timeout=2 * self._door.deadlines.head,
            )  # Its own deadline is the later one: asyncio closes then, and does not always say so here.
        except (OSError, ssl.SSLError):
            made = None
        if made is None:
            self._door.connections.leave(self)
            transport.abort()
            return
        if self._is_lost:
            made.abort()
            return
        super().connection_made(made)
        if self._early:
            self.data_received(bytes(self._early))
            self._early.clear()

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_lost = True
        self._door.connections.leave(self)
        if self.transport is not None:
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport is None:
            self._early += data
        elif not self.transport.is_closing():
            super().data_received(data)

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._headed = self.loop.time()

    def on_response_complete(self) -> None:
        self._since = self.loop.time()
        super().on_response_complete()

    def resume_writing(self) -> None:
        self._untaken = None
        super().resume_writing()

    # ---------------------------------------------------------------- what its door asks

    def phase(self) -> Phase:
        cycle = self.cycle
        if cycle is None or cycle.response_complete:
            return Phase.READING if self._unread() else Phase.WAITING
        if cycle.more_body and not cycle.response_started:
            return Phase.SENDING
        return Phase.READING if self.flow.write_paused else Phase.WORKING

    def is_overdue(self, now: float) -> bool:
        """Whether the client had its time for what it is doing."""
        if self._is_untaken(now):
            return True
        phase, deadlines = self.phase(), self._door.deadlines
        if phase is Phase.WAITING:
            return now - self._since > deadlines.head
        return phase is Phase.SENDING and now - self._headed > deadlines.body

    def _is_untaken(self, now: float) -> bool:
        """Whether the client takes its answer too slowly. Further bytes that the gate writes do not
        count as progress."""
        size = self._unread()
        if size == 0 or self._untaken is None:
            self._untaken = (size, now) if size else None
            return False
        before, since = self._untaken
        if before - size >= _LEAST_TAKEN:
            self._untaken = size, now
            return False
        self._untaken = max(before, size), since
        return now - since > self._door.deadlines.take

    def _unread(self) -> int:
        """Bytes that were written and not sent yet."""
        found = [each for each in (self._raw, self.transport) if each is not None]
        return sum(each.get_write_buffer_size() for each in dict.fromkeys(found))

    def abort(self) -> None:
        self._door.connections.leave(self)
        if self._encrypting is not None:
            self._encrypting.cancel()  # Who is lost in the middle of a handshake is told to nobody.
        if self._raw is not None:
            self._raw.abort()
