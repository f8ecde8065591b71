"""Anchors: how many lines an audit has and the digest of the last one, written down beside it or on
another disk.

A chain of digests proves that nothing inside it was changed. It cannot prove that its end was not
cut off, or that no older copy was put in its place. A person who kept the last digest elsewhere
can: the audit must still have that line.

The one beside the audit is sealed with the gate's key, so that nobody without the key can write one
that fits a shorter audit."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sfumato.errors import ReleaseBroken, TargetError

_LENGTH: Final = 256
"""Bytes of an anchor: always as many, so that a new one is written over the old one at once."""
OWNER_ONLY: Final = 0o600
RESTORE: Final = (
    "restoring audit.jsonl, audit.jsonl.head and state.db from one backup, and asking who "
    "changed them."
)


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a chain: the number of its last line, and that line's digest."""

    lines: int
    digest: str

    def seal(self, key: bytes) -> str:
        """A keyed digest of it, which only the gate can make."""
        told = f"end of the audit: {self.lines} {self.digest}".encode()
        return hashlib.blake2b(told, key=key[:32], digest_size=16).hexdigest()

    def is_sealed(self, seal: object, key: bytes) -> bool:
        return isinstance(seal, str) and hmac.compare_digest(seal.encode(), self.seal(key).encode())


class Anchor:
    """A file with the head of an audit. It is written after each line, once that is on disk: it may
    lag behind, and is never ahead. With a `key` it is sealed, and one that is not is refused."""

    def __init__(self, path: Path, *, key: bytes = b"") -> None:
        self.path = path
        self.key = key
        self._file: int | None = None

    def write(self, head: Head) -> None:
        """Write a head over the one before; `TargetError` where that fails."""
        seal = {"seal": head.seal(self.key)} if self.key else {}
        text = (
            json.dumps({"lines": head.lines, "digest": head.digest, **seal}).ljust(_LENGTH - 1)
            + "\n"
        )
        try:
            if self._file is None:
                self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT, OWNER_ONLY)
                os.pwrite(self._file, text.encode(), 0)
                os.fsync(self._file)
                return
            os.pwrite(self._file, text.encode(), 0)
        except OSError as error:
            raise TargetError(
                f"The anchor {self.path} cannot be written, so nothing is answered.",
                found=f"{error.strerror}.",
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
        if self.key and not head.is_sealed(found.get("seal"), self.key):
            raise ReleaseBroken(
                f"{self.path} was not written by this gate.",
                found="It lacks the seal of the gate's key.",
                attempt=RESTORE,
            )
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
