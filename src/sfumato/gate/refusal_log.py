"""Refusals that the keeper never saw, written into the audit by the door where they happened.
Examples are a statement that the wire does not take, too frequent questions, a refused log-in, and
a cancelled query. The keeper records its own refusals.

Somebody who is refused over and over does not fill the disk. Of one account or address so many
lines are written in a minute, and the next one counts the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final
from weakref import WeakSet

from sfumato.errors import Mistake, NotAdmitted, NotAnswered, Refused, SfumatoError, TargetError

from .audit import Audit
from .limits import LIMIT_OF_BUCKETS, Buckets
from .statement_text import kept_text
from .worker_threads import Workers

LINES_A_MINUTE: Final = 60
"""Refusals of one account; of one sort, from one address, before the log-in."""
NOBODY: Final = "a name that nobody has"
"""Replaces such a name, which may be a password."""


class OutOfProtocol(Exception):
    """Something was received that is no message of a door's protocol; `told` is the message in our
    words."""

    def __init__(self, told: str) -> None:
        self.told = told
        super().__init__(told)


@dataclass(frozen=True, eq=False, kw_only=True)
class Refusals:
    """One for all connections of a door, whose name is `through`."""

    audit: Audit
    workers: Workers
    through: str = "wire"
    _often: Buckets = field(default_factory=lambda: Buckets(LINES_A_MINUTE))
    _unwritten: Counter[str] = field(default_factory=Counter)
    _written: WeakSet[BaseException] = field(default_factory=WeakSet)

    @contextmanager
    def written(self) -> Iterator[None]:
        """A context for code that records its own refusals."""
        try:
            yield
        except (Refused, Mistake) as error:
            self._written.add(error)
            raise

    async def note(
        self,
        error: Exception,
        *,
        who: str,
        address: str,
        kind: str = "not admitted",
        text: str = "",
    ) -> None:
        """Write a refusal down, with the text that was refused, unless that was done; where that
        cannot be done, nothing is answered anyway."""
        if error in self._written or isinstance(error, NotAnswered):
            return
        key = f"{_code(error)} from {address}" if kind == "log-in failed" else who
        if self._often.take(key):
            if len(self._unwritten) < LIMIT_OF_BUCKETS:
                self._unwritten[key] += 1
            return
        facts: dict[str, Any] = {"who": who, "code": _code(error), "reason": _reason(error)}
        if text:
            facts["asked"] = kept_text(text)
        unwritten = self._unwritten.pop(key, 0)
        if unwritten:
            facts["unwritten"] = unwritten
        with suppress(TargetError):
            await self.workers.look(
                self.audit.append, kind, {**facts, "from": address, "through": self.through}
            )


def _code(error: Exception) -> str:
    match error:
        case NotAdmitted():
            return error.code
        case OutOfProtocol():
            return "protocol"
        case SfumatoError():
            return "not-worked-out"
    return "bug"


def _reason(error: Exception) -> str:
    """The reason in our words. The text of an unforeseen error may hold anything, so it is not
    written."""
    match error:
        case SfumatoError():
            return error.asked
        case OutOfProtocol():
            return error.told
    return "It could not be sent as announced, or the gate made a mistake."
