"""The wire's door: takes connections, as many as it can bear, and lets nobody keep it busy.

Strangers, who have not logged in, are few at a time and soon gone: where there are more, the
longest waiting one is closed."""

from __future__ import annotations

import asyncio
import hmac
import logging
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from sfumato.errors import MissingExtra, NotAdmitted, SfumatoError

from ..certificate import tls_context
from ..connections import AT_ONCE, Connections, connections_of_a_door
from ..gate_opener import Gate
from ..limits import Limits
from ..worker_threads import Workers
from .message_stream import Conversation, MalformedMessage
from .question_desk import Desk
from .refusals import broken, refusal
from .session import WireSession
from .startup import come_in
from .transport import HungUp, Line

STRANGERS: Final = 200
"""Connections at a time that have not logged in."""
EACH: Final = 50
"""Connections at a time of one account."""
Started = Callable[[str, int], None]


class Door:
    """All connections of the wire."""

    def __init__(
        self,
        desk: Desk,
        *,
        context: ssl.SSLContext | None,
        idle: float,
        connections: Connections | None = None,
    ) -> None:
        self._desk, self._context, self._idle = desk, context, idle
        usual = desk.gate.settings
        self._connections = connections or Connections(
            most=usual.connections, per_address=usual.connections_per_address
        )
        self._tasks: dict[Line, asyncio.Task[None]] = {}
        self._strangers: dict[Line, None] = {}
        self._sessions: dict[int, tuple[bytes, str, WireSession]] = {}

    def line(self) -> Line:
        return Line(self._comes, self._goes)

    def _comes(self, line: Line) -> None:
        if not self._connections.admit(line):
            line.abort()
            return
        self._strangers[line] = None
        if len(self._strangers) > STRANGERS:
            oldest = next(iter(self._strangers))
            self._goes(oldest)  # At once: many may come before the loop is told that one has gone.
            oldest.abort()
        self._tasks[line] = asyncio.get_running_loop().create_task(self._met(line))

    def _goes(self, line: Line) -> None:
        self._connections.leave(line)
        self._strangers.pop(line, None)
        task = self._tasks.pop(line, None)
        if task is not None:
            task.cancel()

    async def _met(self, line: Line) -> None:
        """One connection from beginning to end. On any error, only the client gets a message, and a
        short one."""
        conversation = Conversation(line)
        try:
            await self._talk(line, conversation)
        except (HungUp, TimeoutError, asyncio.CancelledError):
            pass
        except MalformedMessage as error:
            await _last_words(conversation, partial(broken, error.told))
        except SfumatoError as error:
            await _last_words(conversation, partial(refusal, error, fatal=True))
        except Exception as error:
            await _last_words(conversation, partial(refusal, error, fatal=True))
        finally:
            self._strangers.pop(line, None)
            line.close()

    async def _talk(self, line: Line, conversation: Conversation) -> None:
        doer = await come_in(conversation, self._desk, context=self._context, cancel=self._cancel)
        if doer is None:
            return
        self._strangers.pop(line, None)
        line.is_known = True
        name = doer.account.name
        if sum(who == name for _, who, _ in self._sessions.values()) >= EACH:
            full = NotAdmitted("Your account has too many connections.", code="connections")
            await self._desk.refusals.note(full, who=name, address=line.address)
            raise full
        session = WireSession(conversation, doer, idle=self._idle)
        self._sessions[doer.process] = doer.key, name, session
        try:
            await session.run()
        finally:
            self._sessions.pop(doer.process, None)

    def _cancel(self, process: int, key: bytes) -> None:
        """End what a session is doing, where somebody knows its key; they get no message either
        way."""
        found = self._sessions.get(process)
        if found is not None and hmac.compare_digest(found[0], key):
            found[2].cancel()

    async def close(self) -> None:
        tasks = list(self._tasks.values())
        for line in list(self._tasks):
            line.abort()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _last_words(conversation: Conversation, told: Callable[[], object]) -> None:
    """Send a client the reason of the disconnection, if it still listens and may get a message
    now."""
    try:
        conversation.say(told())  # type: ignore[arg-type]
        await conversation.flush()
    except Exception:
        return


async def serve_wire(
    gate: Gate, *, limits: Limits, started: Started, workers: Workers | None = None
) -> None:
    """Serve PostgreSQL's protocol until cancelled. Host, port and certificate are the settings'.

    `started` is called with the port that was really bound; it may be 0 in the settings.
    """
    _check_extra()
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    settings = gate.settings
    own = Workers() if workers is None else None
    desk = Desk(gate=gate, limits=limits, workers=workers or own or Workers())
    connections = Connections(
        most=connections_of_a_door(settings.connections),
        per_address=settings.connections_per_address,
    )
    door = Door(
        desk,
        context=tls_context(settings),
        idle=60.0 * settings.session_minutes,
        connections=connections,
    )
    loop = asyncio.get_running_loop()
    server = await loop.create_server(door.line, settings.host, settings.wire_port, backlog=AT_ONCE)
    try:
        host, port = server.sockets[0].getsockname()[:2]
        started(host, port)
        await server.serve_forever()
    finally:
        server.close()
        await door.close()
        desk.close()
        if own is not None:
            await asyncio.to_thread(own.__exit__, None, None, None)


def _check_extra() -> None:
    try:
        import pygwire  # noqa: F401
    except ImportError:
        raise MissingExtra("The wire protocol", extra="gate") from None


@contextmanager
def wire_running(gate: Gate, *, limits: Limits | None = None) -> Iterator[tuple[str, int]]:
    """The wire's door in a thread of its own, with its host and port; for tests, and for gates
    without pages."""
    loop = asyncio.new_event_loop()
    found: list[tuple[str, int]] = []
    ready = threading.Event()

    def started(host: str, port: int) -> None:
        found.append((host, port))
        ready.set()

    limit = limits or Limits(queries_per_minute=gate.settings.queries_per_minute)
    task = loop.create_task(serve_wire(gate, limits=limit, started=started))

    def run() -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
        finally:
            ready.set()
            loop.close()

    thread = threading.Thread(target=run, name="wire", daemon=True)
    thread.start()
    ready.wait()
    if not found:
        thread.join()
        task.result()
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()
