"""The rows that a gate answers from, in files of its folder that only their owner may read.

A source changes; the rows that a gate has answered from must not (`decide/cohorts.py`). So the gate
keeps the rows of each table as they were when it was opened or last reloaded. The state names the
file of each table and its keyed digest. A file that was edited, or put back from an older copy, is
refused. A new file is whole on disk before the state names it, and old ones are deleted after
that."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sfumato.errors import ReleaseBroken, TargetError

from .anchor import RESTORE
from .decide.held_rows import HeldRows
from .state import GateState

OWNER_ONLY: Final = 0o600
_FOLDER: Final = "rows"


@dataclass(frozen=True, eq=False, kw_only=True)
class RowStore:
    """The files of a gate's rows."""

    folder: Path
    state: GateState = field(repr=False)
    secret: bytes = field(repr=False)
    changing: threading.Lock = field(default_factory=threading.Lock, repr=False)
    """Held while rows are read from their source and taken over, so that none are older than those
    that they replace."""

    def has(self, table: str) -> bool:
        return self.state.fact(_fact(table)) is not None

    def read(self, table: str) -> HeldRows:
        """The rows that are held of a table."""
        told = self.state.fact(_fact(table))
        assert told is not None
        name, digest = json.loads(told)
        path = self.folder / _FOLDER / name
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ReleaseBroken(
                f"The rows that the gate holds of {table!r} cannot be read.",
                found=f"{error.strerror}.",
                attempt=RESTORE,
            ) from None
        if not hmac.compare_digest(self._digest(data), digest):
            raise ReleaseBroken(
                f"The rows that the gate holds of {table!r} are not those that its state knows.",
                found="The file was changed, or an older copy was put back.",
                attempt=RESTORE,
            )
        return HeldRows.unpacked(data)

    def write(self, table: str, rows: HeldRows) -> str:
        """Put rows on disk; the fact that names them, for `name`."""
        told = hashlib.blake2b(key=self.secret[:32], digest_size=16)
        place = self.folder / _FOLDER
        draft = place / f"{os.urandom(12).hex()}.rows"
        try:
            place.mkdir(mode=0o700, exist_ok=True)
            with os.fdopen(
                os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY), "wb"
            ) as file:
                for part in rows.packed():
                    file.write(part)
                    told.update(part)
                file.flush()
                os.fsync(file.fileno())
            _sync(place)
        except OSError as error:
            with suppress(OSError):
                draft.unlink()
            raise TargetError(
                "The gate's rows could not be written.", found=f"{error.strerror}."
            ) from None
        return json.dumps([draft.name, told.hexdigest()])

    def name(self, table: str, fact: str) -> None:
        """From now on these are a table's rows; inside a change of the state."""
        self.state.state_fact(_fact(table), fact)

    def discard(self, fact: str) -> None:
        """Rows that were written and are not named."""
        with suppress(OSError):
            (self.folder / _FOLDER / json.loads(fact)[0]).unlink()

    def clean(self) -> None:
        """Delete the files that the state does not name: rows of earlier states, and of changes
        that were not made."""
        named = {
            json.loads(content)[0]
            for name, content in self.state.all("SELECT name, content FROM facts")
            if name.startswith(_fact(""))
        }
        with suppress(OSError):
            for path in (self.folder / _FOLDER).iterdir():
                if path.suffix == ".rows" and path.name not in named:
                    path.unlink()

    def _digest(self, data: bytes) -> str:
        return hashlib.blake2b(data, key=self.secret[:32], digest_size=16).hexdigest()


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _fact(table: str) -> str:
    return f"rows of {table}"
