"""Files as a state of the source: when they were last changed, and how large they are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from sfumato.errors import SfumatoError, SourceChanged
from sfumato.wording import counted

from .engine import Snapshot


class FileState(NamedTuple):
    """A file's state as the system reports it. Its inode number and change time detect changes that
    keep the time of the content, such as a copy that is moved over it."""

    size: int
    changed: int
    touched: int
    device: int
    number: int

    @classmethod
    def of(cls, found: os.stat_result) -> FileState:
        return cls(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_dev, found.st_ino)


class FileSnapshot:
    """The files that a source is read from, as they were when it was opened."""

    def __init__(self) -> None:
        self._seen: dict[Path, FileState] = {}
        self._read: list[dict[str, Any]] = []

    def note(self, facts: Mapping[str, Any], *, table: str = "") -> None:
        """How a file was read; `table` is its name where it is one of several."""
        self._read.append({**({"table": table} if table else {}), **facts})

    def add_readings(self, others: FileSnapshot) -> None:
        self._read.extend(others._read)

    def add(self, paths: Iterable[Path]) -> None:
        self._seen |= {path: FileState.of(path.stat()) for path in paths}

    @property
    def bytes(self) -> int:
        return sum(state.size for state in self._seen.values())

    def snapshot(self) -> Snapshot:
        """Their number, size and latest change; SourceChanged where one is not as it was."""
        changed = sum(1 for path, seen in self._seen.items() if _state(path) != seen)
        if changed:
            raise SourceChanged(
                found=f"{changed:,} of {counted(len(self._seen), 'file')} changed after opening."
            )
        if not self._seen:
            return Snapshot(kind="memory")
        latest = max(state.changed for state in self._seen.values())
        return Snapshot(
            kind="files",
            facts={
                "files": len(self._seen),
                "bytes": self.bytes,
                "changed": datetime.fromtimestamp(latest / 1e9, UTC).isoformat(timespec="seconds"),
                **({"read": self._read} if self._read else {}),
            },
        )


def _state(path: Path) -> FileState | None:
    try:
        return FileState.of(path.stat())
    except OSError:
        return None


class _Readable(Protocol):
    def snapshot(self) -> Snapshot: ...


def blame_change(source: _Readable, error: BaseException | None) -> None:
    """Where an error of ours is under way and the source has changed, SourceChanged: that is the
    cause of it."""
    if not isinstance(error, SfumatoError) or isinstance(error, SourceChanged):
        return
    try:
        source.snapshot()
    except SourceChanged as changed:
        raise changed from None
    except Exception:
        return  # The source cannot be asked any more; the error itself says why.
