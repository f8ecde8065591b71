"""Anchors: how many lines an audit has and the digest of the last one, written down beside it or on another disk.

A chain of digests shows that nothing inside it was changed; it cannot show that its end was cut off, or that an older
copy was put in its place. Whoever kept the last digest elsewhere can: the audit must still have that line.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sfumato.errors import ReleaseBroken, TargetError

_LENGTH: Final = 128
"""Bytes of an anchor: always as many, so that a new one is written over the old one at once."""
OWNER_ONLY: Final = 0o600


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a chain: the number of its last line, and that line's digest."""

    lines: int
    digest: str


class Anchor:
    """A file with the head of an audit. It is written after each line, once that is on disk: it may lag behind, and
    is never ahead."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    def write(self, head: Head) -> None:
        """Write a head over the one before; `TargetError` where that fails."""
        text = json.dumps({"lines": head.lines, "digest": head.digest}).ljust(_LENGTH - 1) + "\n"
        try:
            if self._file is None:
                self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT, OWNER_ONLY)
                os.pwrite(self._file, text.encode(), 0)
                os.fsync(self._file)
                return
            os.pwrite(self._file, text.encode(), 0)
        except OSError as error:
            raise TargetError(
                f"The anchor {self.path} cannot be written, so nothing is answered.", found=f"{error.strerror}."
            ) from None

    def read(self) -> Head | None:
        """The head that was written last; None where there is no file."""
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError):
            raise _unreadable(self.path) from None
        try:
            found = json.loads(text)
            head = Head(int(found["lines"]), str(found["digest"]))
        except (ValueError, TypeError, KeyError):
            raise _unreadable(self.path) from None
        return head

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _unreadable(path: Path) -> ReleaseBroken:
    return ReleaseBroken(
        f"The anchor {path} cannot be read.",
        found="It does not hold the number of lines and the digest of an audit.",
        attempt="`sfumato audit anchor`, once the audit has been verified against a backup.",
    )
