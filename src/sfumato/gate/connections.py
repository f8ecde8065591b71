"""Connections at a door: how many there may be, from one address and in all, and which one gives
way to a newcomer.

A door that is full does not turn people away while connections are open that do nothing. The one
that has done nothing for longest is closed. It belongs to the newcomer's own address where that
address has its share, otherwise to the address that has the most. Somebody who opens connections
and keeps them half open therefore takes room from themselves."""

from __future__ import annotations

import ipaddress
import resource
from collections.abc import Iterable, Iterator
from contextlib import suppress
from enum import IntEnum
from typing import Final, Protocol

AT_ONCE: Final = 64
"""Connections that a listening socket takes in one round of the event loop."""
_ROUNDS: Final = 4
"""Rounds of the event loop from taking a connection to counting it, or from aborting one to closing
its file."""
_OTHER_FILES: Final = 128
_WANTED_FILES: Final = 4_096


class Phase(IntEnum):
    """The phase of a connection, in the order in which connections give way."""

    WAITING = 0
    """Nothing whole was received: no request, no log-in."""
    SENDING = 1
    """A request has begun, and its end has not been received."""
    READING = 2
    """An answer was written, and the client has not taken it."""
    WORKING = 3
    """The gate has something to do for it. It never gives way."""


class Connection(Protocol):
    """One connection, as its door counts it."""

    @property
    def address(self) -> str: ...

    def phase(self) -> Phase: ...

    def abort(self) -> None:
        """Close it without waiting for anything."""
        ...


class Connections:
    """The connections of one door, the oldest first."""

    def __init__(self, *, most: int, per_address: int) -> None:
        self._most, self._per_address = most, min(most, per_address)
        self._of: dict[str, dict[Connection, None]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Connection]:
        return iter([each for own in self._of.values() for each in own])

    def admit(self, connection: Connection) -> bool:
        """Take a newcomer, in another one's place where the door is full; False where nobody gives
        way."""
        key = network_of(connection.address)
        own = self._of.get(key, {})
        if len(own) >= self._per_address and not self._make_room((key,)):
            return False
        if self._count >= self._most and not self._make_room(self._crowded()):
            return False
        self._of.setdefault(key, {})[connection] = None
        self._count += 1
        return True

    def leave(self, connection: Connection) -> None:
        """Forget a connection; nothing happens where it is forgotten already."""
        key = network_of(connection.address)
        own = self._of.get(key, {})
        if connection in own:
            del own[connection]
            self._count -= 1
            if not own:
                del self._of[key]

    def _crowded(self) -> list[str]:
        return sorted(self._of, key=lambda key: -len(self._of[key]))

    def _make_room(self, keys: Iterable[str]) -> bool:
        """Close the connection of the first of these addresses that gives way."""
        for key in keys:
            found = min(
                self._of[key], key=lambda each: each.phase()
            )  # The oldest of those that are alike.
            if found.phase() is not Phase.WORKING:
                self.leave(
                    found
                )  # At once: many may come before the loop is told that one has gone.
                found.abort()
                return True
        return False


def network_of(address: str) -> str:
    """The address that connections are counted by: of IPv6 the network of 64 bits, which one
    machine may have whole.

    Example:
        >>> [network_of(text) for text in ("192.0.2.7", "::ffff:192.0.2.7", "2001:db8::7", "2001:db8::8")]
        ['192.0.2.7', '192.0.2.7', '2001:db8::/64', '2001:db8::/64']
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))


def connections_of_a_door(wanted: int, *, doors: int = 2) -> int:
    """How many connections a door can have: those wanted, or fewer where the system lets the
    process open few files.

    The limit of open files is raised first, as far as the system lets a process do so.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = max(_WANTED_FILES, doors * (wanted + _ROUNDS * AT_ONCE) + _OTHER_FILES)
    raised = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if soft != resource.RLIM_INFINITY and soft < raised:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if soft == resource.RLIM_INFINITY:
        return wanted
    return max(8, min(wanted, (soft - _OTHER_FILES) // doors - _ROUNDS * AT_ONCE))
