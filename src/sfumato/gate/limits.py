"""Limits: how often somebody may ask or try to log in. Each has a bucket of tokens, which fills
with time.

Checking a password is expensive on purpose, so attempts are counted by account and by address
before one is checked. The count by account is against guessing, that by address against exhausting
the gate. Queries are counted by account."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from sfumato.errors import TooMany

FROM_ONE_PLACE: Final = 10
OF_A_NAME: Final = 30
OF_AN_ADDRESS: Final = 60
"""Attempts to log in in a minute: of one name from one address, of one name, from one address.
Guesses from one address do not lock out the owner of the name."""
LIMIT_OF_BUCKETS: Final = 50_000
"""As many are remembered; the one that was longest unused is forgotten first."""


class Buckets:
    """One bucket for each key: it holds `size` tokens and fills by `size` in `seconds`.

    Example:
        >>> now = [0.0]
        >>> buckets = Buckets(2, seconds=60, now=lambda: now[0])
        >>> [buckets.take("ann") for _ in range(3)], buckets.take("bob")
        ([0.0, 0.0, 30.0], 0.0)
        >>> now[0] = 30.0
        >>> buckets.take("ann")
        0.0
    """

    def __init__(
        self, size: int, *, seconds: float = 60.0, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._size, self._rate, self._now = float(size), size / seconds, now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: str) -> float:
        """Take a token: 0 where there was one, or the seconds until there is one; nothing is taken
        then."""
        with self._lock:
            now = self._now()
            left, since = self._left.pop(key, (self._size, now))
            left = min(self._size, left + (now - since) * self._rate)
            wait = 0.0 if left >= 1 - 1e-9 else (1 - left) / self._rate
            self._left[key] = (left - 1 if wait == 0 else left, now)
            if len(self._left) > LIMIT_OF_BUCKETS:
                self._left.popitem(last=False)
            return wait

    def give(self, key: str) -> None:
        """Give a token back."""
        with self._lock:
            left, since = self._left.get(key, (self._size, self._now()))
            self._left[key] = (min(self._size, left + 1), since)


class Limits:
    """The limits of a gate, shared by all its doors."""

    def __init__(
        self, *, queries_per_minute: int, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._queries = Buckets(queries_per_minute, now=now)
        self._places = Buckets(FROM_ONE_PLACE, now=now)
        self._names = Buckets(OF_A_NAME, now=now)
        self._addresses = Buckets(OF_AN_ADDRESS, now=now)

    def asks(self, name: str) -> None:
        """Somebody asks; `TooMany` where they asked too often."""
        wait = self._queries.take(name)
        if wait:
            raise TooMany("You have asked too many questions in a short time.", seconds=wait)

    def logs_in(self, name: str, address: str) -> None:
        """Somebody tries a password; `TooMany` where too many were tried, whether the account
        exists or not.

        The address is first: one over its limit does not use up the attempts of the name."""
        wait = (
            self._addresses.take(address)
            or self._places.take(f"{name} from {address}")
            or self._names.take(name)
        )
        if wait:
            raise TooMany("There were too many attempts to log in.", seconds=wait)

    def logged_in(self, name: str, address: str) -> None:
        """The attempt was right, and is not counted: programs open many connections at once."""
        self._addresses.give(address)
        self._places.give(f"{name} from {address}")
        self._names.give(name)
