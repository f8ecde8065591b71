"""The audit centre: every question and what became of it, one line each, in a file that only grows
(Chiang et al. 2001, section 3).

Each line carries the digest of the line before it and of itself. A removed or changed line breaks
the chain from there on. The newest digest, written down elsewhere, also proves that nothing was cut
off the end. A line is on disk before its answer is sent. It never holds a cell value.

Beside it, and wherever else somebody wants it, the number of lines and the last digest are kept
(`anchor.py`).

A full disk stops answers, not the audit: a file beside it takes up room that is given up when there
is no other. From then on nothing is answered until the room could be taken again. Questions are
still recorded."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sfumato.errors import ReleaseBroken, TargetError
from sfumato.hash_chain import FIRST, digest_of

from .anchor import RESTORE, Anchor, Head

OWNER_ONLY: Final = 0o600
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
UNDONE: Final = "change undone"
"""The kind of a line which states that a recorded change was not made."""
RESERVED: Final = 1 << 20
"""Bytes that are kept free for lines: some two thousand of them."""
_TAIL: Final = 1 << 16
_line: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Audit:
    """An open audit file. One process writes it; others may read and verify."""

    def __init__(self, path: Path, *, anchor: Path | None = None) -> None:
        self.path = path
        self.beside = Anchor(path.with_name(f"{path.name}.head"))
        self.elsewhere = Anchor(anchor) if anchor else None
        self._owed: list[tuple[str, Mapping[str, Any]]] = []
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, OWNER_ONLY)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TargetError(
                f"{path} is being written by another gate.", attempt="stopping that one first."
            ) from None
        except OSError as error:
            raise TargetError(
                f"The audit file {path} cannot be opened.", found=f"{error.strerror}."
            ) from None
        self._lock = threading.Lock()
        self._mend()
        self._head = _last(path)
        self._reserve = path.with_name(f"{path.name}.reserve")
        self.has_room()

    def seal_with(self, key: bytes) -> None:
        """From now on the anchor beside it bears the gate's seal, and must have borne it."""
        self.beside.key = key

    def append(self, kind: str, facts: Mapping[str, Any]) -> str:
        """Write a line and wait until the disk has it; its digest. Where that fails, nothing may be
        sent."""
        with self._lock:
            self._pay()
            return self._append(kind, facts).digest

    @contextmanager
    def ahead_of(self, kind: str, facts: Mapping[str, Any]) -> Iterator[Head]:
        """Write the line of a change before the change is made, with nothing in between.

        Where the change fails, a further line records it: then, or before the next one. After a
        crash it is the last line of the audit, which the next opening recognises."""
        with self._lock:
            self._pay()
            number = self._head.lines
            try:
                yield self._append(kind, facts)
            except BaseException:
                if self._head.lines > number:
                    self._owed.append((UNDONE, {"about": number + 1}))
                    with suppress(TargetError):
                        self._pay()
                raise

    def _pay(self) -> None:
        """Write the lines that could not be written when they were due."""
        while self._owed:
            self._append(*self._owed[0])
            del self._owed[0]

    def _append(self, kind: str, facts: Mapping[str, Any]) -> Head:
        entry = {
            "number": self._head.lines + 1,
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "kind": kind,
            **facts,
            "before": self._head.digest,
        }
        entry["digest"] = digest_of(entry)
        line = (_line(entry) + "\n").encode()
        try:
            self._write(line)
        except OSError as error:
            if error.errno not in _FULL:
                raise _not_written(error) from None
            self._give_up_room()
            try:
                self._write(line)
            except OSError as again:
                raise _not_written(again) from None
        self._head = Head(entry["number"], entry["digest"])
        for anchor in (self.beside, self.elsewhere):
            if anchor is not None:
                anchor.write(self.head)
        return self.head

    @property
    def head(self) -> Head:
        """The end that is on disk."""
        return self._head

    def _write(self, line: bytes) -> None:
        """All of a line or nothing: half a line would break the chain for all that follow."""
        end = os.lseek(self._file, 0, os.SEEK_END)
        try:
            if os.write(self._file, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, end)
            raise

    def has_room(self) -> bool:
        """Whether there is room for lines that must be written; it is taken where it was given
        up."""
        try:
            with suppress(FileNotFoundError):
                if self._reserve.stat().st_size == RESERVED:
                    return True
            file = os.open(self._reserve, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, OWNER_ONLY)
            try:
                os.posix_fallocate(file, 0, RESERVED)
            finally:
                os.close(file)
        except OSError:
            self._give_up_room()
            return False
        return True

    def _give_up_room(self) -> None:
        with suppress(OSError):
            self._reserve.unlink(missing_ok=True)

    def close(self) -> None:
        os.close(self._file)
        for anchor in (self.beside, self.elsewhere):
            if anchor is not None:
                anchor.close()

    def _mend(self) -> None:
        """Cut off half a line after a crash: its answer was never sent."""
        size = os.fstat(self._file).st_size
        if size == 0:
            return
        start = max(0, size - _TAIL)
        tail = os.pread(self._file, size - start, start)
        whole = tail.rfind(b"\n") + 1
        if whole < len(tail):
            os.ftruncate(self._file, start + whole)
            os.fsync(self._file)


def _not_written(error: OSError) -> TargetError:
    return TargetError(
        "The audit could not be written, so nothing was answered.", found=f"{error.strerror}."
    )


def entries(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of an audit file, oldest first, unchecked."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.endswith("\n"):
                yield json.loads(line)


def verified(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of an audit file, oldest first; `ReleaseBroken` at the first one that does not
    fit."""
    number, before = 0, FIRST
    try:
        for entry in entries(path):
            number += 1
            fits = entry.get("number") == number and entry.get("before") == before
            if not fits or entry.get("digest") != digest_of(entry):
                raise _broken(path, number)
            before = entry["digest"]
            yield entry
    except (ValueError, AttributeError):
        raise _broken(path, number + 1) from None
    except OSError as error:
        raise ReleaseBroken(
            f"The audit file {path} cannot be read.", found=f"{error.strerror}."
        ) from None


def verify_chain(
    path: Path, *, ends_in: str = "", anchor: Head | None = None, beside: Head | None = None
) -> Head:
    """Prove that nothing was changed or cut out; with the newest digest or an anchor, nor cut off.
    `beside` is the one that the gate keeps.

    Raises `ReleaseBroken` with the first line that does not fit.
    """
    number, before = 0, FIRST
    for entry in verified(path):
        number, before = entry["number"], entry["digest"]
        check_anchor(path, anchor, Head(number, before))
        check_anchor(path, beside, Head(number, before), where="the anchor beside it")
    if ends_in and before != ends_in:
        raise ReleaseBroken(
            f"The audit file {path} does not end where it should.",
            found=f"Its {number:,} lines fit together, but the last digest differs: lines "
            "were cut off or added.",
        )
    check_length(path, anchor, number)
    check_length(path, beside, number, where="the anchor beside it")
    return Head(number, before)


def check_anchor(path: Path, anchor: Head | None, head: Head, *, where: str = "the anchor") -> None:
    """Whether a line is the one that was anchored, where it has that number."""
    if anchor is not None and anchor.lines == head.lines and anchor.digest != head.digest:
        raise ReleaseBroken(
            f"The audit file {path} does not belong to {where}.",
            found=f"Line {head.lines:,} differs from the anchored one.",
            attempt=RESTORE,
        )


def check_length(path: Path, anchor: Head | None, lines: int, *, where: str = "the anchor") -> None:
    """Whether an audit still has as many lines as were anchored."""
    if anchor is not None and lines < anchor.lines:
        raise ReleaseBroken(
            f"The audit file {path} is shorter than {where} says.",
            found=f"It has {lines:,} lines, and had {anchor.lines:,}.",
            attempt=RESTORE,
        )


def _broken(path: Path, number: int) -> ReleaseBroken:
    return ReleaseBroken(
        f"The audit file {path} was changed.",
        found=f"Line {number:,} does not fit the line before it, or is not what was written.",
        attempt="comparing it with a backup; lines before that one are as they were written.",
    )


def _count(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def _last(path: Path) -> Head:
    """The number and digest of the last line, read from the end."""
    size = path.stat().st_size
    if size == 0:
        return Head(0, FIRST)
    reach = _TAIL
    with path.open("rb") as file:
        while True:
            file.seek(max(0, size - reach))
            lines = file.read().splitlines()
            if len(lines) > 1 or reach >= size:
                try:
                    entry = json.loads(lines[-1])
                    return Head(int(entry["number"]), str(entry["digest"]))
                except (ValueError, TypeError, KeyError):
                    raise _broken(path, _count(path)) from None
            reach *= 2
