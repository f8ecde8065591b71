"""Serving: one process and one loop for all doors of a gate, HTTP and the protocol of PostgreSQL.

Both doors are opened here and closed here. On Ctrl-C or SIGTERM no new question is taken, accepted
ones are answered, and the gate's folder is closed properly."""

from __future__ import annotations

import asyncio
import importlib.util
import ipaddress
import os
import signal
import socket
import time
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import MissingExtra, SfumatoError, TargetError
from sfumato.wording import counted

from .administration import ONE_PERSON, is_of_one_person
from .certificate import tls_context
from .connections import AT_ONCE, Connections, connections_of_a_door
from .gate_opener import Gate, open_gate
from .limits import Limits
from .reload import reload_tables
from .settings import Mode, Settings, Terms
from .terms_in_force import read_terms
from .worker_threads import Workers

if TYPE_CHECKING:
    import uvicorn

SCHEDULE: Final = "the schedule"
WAITS: Final = 10
"""Seconds that answers under way are waited for when the gate closes."""
_MANY_CUT: Final = 0.05
"""The share of a table's rows that noisy numbers may leave out before the holder is told."""


@dataclass(frozen=True, slots=True)
class DoorAddresses:
    """Where the doors of a gate are; `wire` is empty where that door is not there."""

    http: str
    wire: str = ""
    encrypted: bool = False
    notices: tuple[str, ...] = ()
    """Notes for the person who opens the gate."""


Told = Callable[[DoorAddresses], None]


def serve(settings: Settings, *, told: Told) -> None:
    """Open a gate and its doors, report their addresses, and serve until somebody ends it."""
    with open_gate(settings) as gate:
        asyncio.run(serve_gate(gate, told=told, ends=signalled))


async def serve_gate(gate: Gate, *, told: Told, ends: Callable[[], Awaitable[None]]) -> None:
    """Serve a gate that is open until `ends` does; then close the doors, and finish the answers
    under way."""
    limits = Limits(queries_per_minute=gate.settings.queries_per_minute)
    with Workers() as workers, _listening(gate.settings) as listener:
        server = _http(gate, workers, limits)
        wire, where = await _wire(gate, workers, limits)
        doors = [asyncio.create_task(server.serve(sockets=[listener])), *([wire] if wire else [])]
        scheme = "https" if gate.settings.certificate else "http"
        host, port = listener.getsockname()[:2]
        http = f"{scheme}://{_bracketed(host)}:{port}"
        told(DoorAddresses(http, where, encrypted=scheme == "https", notices=tuple(_notices(gate))))
        ended = asyncio.ensure_future(ends())
        reloads = asyncio.create_task(reload_on_schedule(gate, workers))
        try:
            await asyncio.wait([ended, *doors], return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended.cancel()
            reloads.cancel()
            server.should_exit = True
            if wire:
                wire.cancel()
            for door in doors:
                with suppress(asyncio.CancelledError):
                    await door


async def reload_on_schedule(gate: Gate, workers: Workers) -> None:
    """Reload all tables at fixed times, which depend on the clock alone. A reload that fails is
    tried again at the next time; answers use the old rows meanwhile."""
    seconds = 3600 * gate.settings.reload_hours
    while seconds and gate.settings.reload:
        await asyncio.sleep(seconds - time.time() % seconds)
        for name in first_tables(gate):
            try:
                await workers.read(reload_tables, gate, name, by=SCHEDULE)
            except SfumatoError as error:
                reason = type(error).__name__
                gate.audit.append("reload failed", {"who": SCHEDULE, "table": name, "why": reason})


def first_tables(gate: Gate) -> tuple[str, ...]:
    """One table of each account; those about the same people are reloaded together."""
    found = {table.account: name for name, table in reversed(gate.keeper.holdings.items())}
    return tuple(sorted(found.values()))


def _wide_noise(gate: Gate) -> Iterator[str]:
    """For the holder: tables whose noise covers more rows of a person than anybody has."""
    settings = gate.settings
    terms = [*settings.terms.values()] or [Terms()]
    most = max((each.rows_per_person for each in terms if each.mode is not Mode.EXACT), default=1)
    for name, table in gate.keeper.holdings.items():
        held = settings.tables.get(name)
        declared = held.rows_per_person if held is not None else 0
        if table.has_person_key and table.alone.one_row_each and not declared and most > 1:
            yield (
                f"Nobody has two rows in {name}, and noise covers {most} rows of each person: "
                f"rows_per_person = 1 under [tables.{name}] makes it {most} times smaller."
            )


def _cut_rows(gate: Gate) -> Iterator[str]:
    """For the holder: tables of which noisy numbers leave out many rows, because people have more
    than are counted."""
    settings = gate.settings
    terms = [*settings.terms.values()] or [Terms()]
    most = max((each.rows_per_person for each in terms if each.mode is not Mode.EXACT), default=0)
    for name, table in gate.keeper.holdings.items():
        held = settings.tables.get(name)
        counted_rows = min(most, (held.rows_per_person if held is not None else 0) or most)
        if not counted_rows or not table.has_person_key:
            continue
        rows = np.bincount(table.alone.person_of)
        left_out = partial(_left_out, rows)
        if left_out(counted_rows) <= _MANY_CUT:
            continue
        more = range(counted_rows, int(rows.max()) + 1)
        enough = more[bisect_left(more, -_MANY_CUT, key=lambda each: -left_out(each))]
        yield (
            f"Noisy numbers leave out {left_out(counted_rows):.0%} of the rows of {name}: they count "
            f"{counted_rows} of each person. rows_per_person = {enough} leaves out at most "
            f"{_MANY_CUT:.0%}, with {enough / counted_rows:.1f} times the noise."
        )


def _left_out(rows: NDArray[np.int64], most: int) -> float:
    """The share of rows beyond `most` of each person."""
    return float(np.maximum(rows - most, 0).sum() / rows.sum())


def _notices(gate: Gate) -> Iterator[str]:
    if is_of_one_person(gate):
        yield ONE_PERSON
    terms = read_terms(gate.state)
    if terms is not None and terms.proposed is not None:
        yield (
            "The terms of the gate's file wait for a second person "
            f"({', '.join(terms.changed)}); the old ones are in force."
        )
        for name in terms.tables:
            yield (
                f"Table {name} is new or has another source: a second person must agree before "
                "it is served."
            )
    for name, conditions in gate.keeper.tables.conditions.items():
        absent = conditions.holding.people_elsewhere
        if 0 < absent < conditions.k:
            yield (
                f"{counted(absent, 'person is', 'people are')} in other tables and not in {name}, "
                f"fewer than k = {conditions.k}: no exact answer about everybody in {name} is "
                "possible."
            )
    yield from _wide_noise(gate)
    yield from _cut_rows(gate)
    for each in gate.policies.waiting():
        yield (
            f"Version {each.number} of the policy of {each.table}, made by {each.by}, waits "
            f"for a second person; version {each.after} is in force."
        )


async def signalled() -> None:
    """Until Ctrl-C or SIGTERM."""
    loop, came = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, came.set)
    await came.wait()


def _http(gate: Gate, workers: Workers, limits: Limits) -> uvicorn.Server:
    try:
        import uvicorn

        from .web.application import application
        from .web.http_connection import LARGEST_HEAD, HttpDoor
    except ImportError:
        raise MissingExtra("Serving", extra="gate") from None
    settings = gate.settings
    connections = Connections(
        most=connections_of_a_door(settings.connections),
        per_address=settings.connections_per_address,
    )
    door = HttpDoor(connections=connections, context=tls_context(settings))
    config = uvicorn.Config(
        application(gate, workers, limits=limits),
        http=door.protocol(),  # type: ignore[arg-type]
        h11_max_incomplete_event_size=LARGEST_HEAD,
        backlog=AT_ONCE,
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=WAITS,
    )
    config.load()
    return _quiet(config)


def _quiet(config: uvicorn.Config) -> uvicorn.Server:
    """A server that does not handle signals: there is another door to close."""
    import uvicorn

    class Quiet(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    return Quiet(config)


async def _wire(
    gate: Gate, workers: Workers, limits: Limits
) -> tuple[asyncio.Task[None] | None, str]:
    """The door for clients of PostgreSQL, and where it is, once it is there."""
    name = f"{__package__}.wire"
    if importlib.util.find_spec(name) is None:
        return None, ""
    wire: Any = importlib.import_module(name)
    if not hasattr(wire, "serve_wire"):
        return None, ""
    place: asyncio.Future[tuple[str, int]] = asyncio.get_running_loop().create_future()

    def started(host: str, port: int) -> None:
        place.set_result((host, port))

    task = asyncio.create_task(
        wire.serve_wire(gate, limits=limits, started=started, workers=workers)
    )
    await asyncio.wait([task, place], return_when=asyncio.FIRST_COMPLETED)
    if not place.done():
        try:
            await task
        except OSError as error:
            raise _no_place(
                error, gate.settings.host, gate.settings.wire_port, "wire_port"
            ) from None
        return None, ""
    host, port = place.result()
    return task, f"postgresql://{_bracketed(host)}:{port}"


@contextmanager
def _listening(settings: Settings) -> Iterator[socket.socket]:
    """The socket of the HTTP door."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    with closing(listener):
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((settings.host, settings.http_port))
            listener.listen(
                AT_ONCE
            )  # Whoever comes as soon as the address is told waits until the door is there.
        except OSError as error:
            raise _no_place(error, settings.host, settings.http_port, "http_port") from None
        yield listener


def _no_place(error: OSError, host: str, port: int, setting: str) -> TargetError:
    known = error.errno is not None and error.errno > 0
    reason = os.strerror(error.errno or 0) if known else "There is no such address"
    return TargetError(
        f"The gate cannot listen on {host}, port {port}.",
        found=f"{reason}.",
        attempt=f"another {setting} or host in the gate's file.",
    )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    Example:
        >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "gate.example.org")]
        [True, True, True, False, False]
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
