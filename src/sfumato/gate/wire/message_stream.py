"""A conversation in PostgreSQL's protocol: whole messages in and out, in an order that the protocol
knows.

Lengths are checked before anything is read, and a message must be exact: read and written again, it
gives the same bytes. Nothing that a decoder skips (bytes behind the end, negative lengths, a zero
in a text) is therefore unseen."""

from __future__ import annotations

import asyncio
import struct
from typing import Final

from pygwire import BackendStateMachine, FrontendMessageDecoder, PygwireError
from pygwire.messages import CancelRequest, GSSEncRequest, PGMessage, SSLRequest, StartupMessage

from ..refusal_log import OutOfProtocol
from .transport import HungUp, Line

LONGEST_START: Final = 8_192
"""Bytes of a message before the log-in."""
LONGEST: Final = 1 << 20
"""Bytes of a message."""
_SHORTEST_CANCEL: Final = 12
_REQUESTS: Final = 1_234
"""The numbers of requests in the place of a version."""
IN_MESSAGE: Final = 30.0
"""Seconds from the first byte of a message to its last."""
TO_WRITE: Final = 60.0
"""Seconds in which a client has to read its answer."""

Start = StartupMessage | SSLRequest | GSSEncRequest | CancelRequest


class MalformedMessage(OutOfProtocol):
    """The bytes are not a message of the protocol, or not one that is allowed now."""

    def __init__(self, told: str = "The gate does not understand this message.") -> None:
        super().__init__(told)


class Conversation:
    """Both directions of one connection."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self._machine = BackendStateMachine()
        self._out = bytearray()

    async def start(self, *, seconds: float) -> Start:
        """The first message of a client, which has no letter before it."""
        (length,) = struct.unpack("!I", await self._read(4, seconds))
        if not 8 <= length <= LONGEST_START:
            raise MalformedMessage
        payload = await self._read(length - 4, seconds)
        message = _start(payload)
        self._received(message)
        return message

    async def next(self, *, seconds: float, most: int = LONGEST) -> PGMessage:
        """The next message of a client, which may wait so long to begin it; all of the rest has
        `IN_MESSAGE`."""
        letter = await self._read(1, seconds)
        try:
            async with asyncio.timeout(IN_MESSAGE):
                head = letter + await self.line.read(4)
                (length,) = struct.unpack("!I", head[1:])
                if not 4 <= length <= most:
                    raise MalformedMessage(f"A message may have {most:,} bytes.")
                payload = await self.line.read(length - 4)
        except TimeoutError:
            raise HungUp from None
        message = self._decoded(head, payload)
        self._received(message)
        return message

    async def _read(self, count: int, seconds: float) -> bytes:
        try:
            async with asyncio.timeout(seconds):
                return await self.line.read(count)
        except TimeoutError:
            raise HungUp from None

    def _decoded(self, head: bytes, payload: bytes) -> PGMessage:
        decoder = FrontendMessageDecoder()
        decoder.phase = self._machine.phase
        decoder.feed(head + payload)
        try:
            message = next(iter(decoder))
            whole = message.encode() == payload
        except (PygwireError, StopIteration, ValueError, IndexError, struct.error):
            raise MalformedMessage from None
        if not whole:
            raise MalformedMessage
        return message

    def _received(self, message: PGMessage) -> None:
        try:
            self._machine.receive(message)  # type: ignore[arg-type]
        except PygwireError:
            raise MalformedMessage("This message is not allowed now.") from None

    def say(self, *messages: PGMessage) -> None:
        """Queue messages; `flush` sends them."""
        for message in messages:
            self._machine.send(message)  # type: ignore[arg-type]
            self._out += message.to_wire()

    def say_rows(self, rows: bytes) -> None:
        """Queue rows that are messages already."""
        self._out += rows

    async def flush(self) -> None:
        data, self._out = bytes(self._out), bytearray()
        self.line.write(data)
        await self.line.written(seconds=TO_WRITE)


def _start(payload: bytes) -> Start:
    (code,) = struct.unpack("!I", payload[:4])
    match code:
        case 80_877_103 if len(payload) == 4:
            return SSLRequest()
        case 80_877_104 if len(payload) == 4:
            return GSSEncRequest()
        case 80_877_102 if len(payload) >= _SHORTEST_CANCEL:
            return CancelRequest.decode(memoryview(payload))
    if code >> 16 == _REQUESTS:
        raise MalformedMessage
    try:
        message = StartupMessage.decode(memoryview(payload))
        whole = message.encode() == payload
    except (PygwireError, ValueError, IndexError, struct.error):
        raise MalformedMessage from None
    if not whole and code >> 16 == 3:
        raise MalformedMessage
    return message
