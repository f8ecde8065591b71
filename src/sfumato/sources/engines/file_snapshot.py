"""Files as a state of the source: when they were last changed, and how large they were."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from sfumato.errors import SourceError

from ..engine import Snapshot


class Files:
    """The files that a source is read from, as they were when it was opened."""

    def __init__(self) -> None:
        self._seen: dict[Path, tuple[int, int]] = {}

    def add(self, paths: Iterable[Path]) -> None:
        for path in paths:
            found = path.stat()
            self._seen[path] = (found.st_size, found.st_mtime_ns)

    @property
    def bytes(self) -> int:
        return sum(size for size, _ in self._seen.values())

    def snapshot(self) -> Snapshot:
        """Their number, size and latest change; SourceError where one is not as it was."""
        changed = sum(1 for path, seen in self._seen.items() if _state(path) != seen)
        if changed:
            raise SourceError(
                "The source changed while it was being released.",
                found=f"{changed} of {len(self._seen)} file(s) are not as they were when they were opened.",
                attempt="releasing a copy that stays still; nothing was released.",
            )
        if not self._seen:
            return Snapshot(kind="memory")
        latest = max(changed_at for _, changed_at in self._seen.values())
        return Snapshot(
            kind="files",
            facts={
                "files": len(self._seen),
                "bytes": self.bytes,
                "changed": datetime.fromtimestamp(latest / 1e9, UTC).isoformat(timespec="seconds"),
            },
        )


def _state(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
