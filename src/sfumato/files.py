"""Files that are there whole or not at all, and files that only their owner may read. No content
enters a message."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sfumato.errors import SecretError, TargetError
from sfumato.runs import UNFINISHED, hidden_name, link_new

OWNER_ONLY = 0o600
LONGEST = 65_536  # No key is longer; a wrong path to a huge file should not fill the memory.


def write_whole(path: Path, text: str) -> None:
    """Write beside the target, then move into place; the earlier file stays if anything fails."""
    try:
        with _draft(path, text.encode()) as draft:
            os.replace(draft, path)
    except (OSError, UnicodeEncodeError) as error:
        why = (
            error.strerror
            if isinstance(error, OSError)
            else "It holds text that UTF-8 cannot write."
        )
        raise TargetError(
            f"{path} cannot be written.", found=why or "", attempt="another folder."
        ) from None


def write_new_file(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """The same for a file that must not exist: FileExistsError where it does, OSError where it
    cannot be written."""
    with _draft(path, content, mode=mode) as draft:
        link_new(draft, path)


@contextmanager
def _draft(path: Path, content: bytes, *, mode: int = 0o666) -> Iterator[Path]:
    draft = path.with_name(hidden_name(path, UNFINISHED))
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(handle)
        yield draft
    finally:
        with suppress(OSError):
            draft.unlink()


def check_owner_only(path: Path) -> None:
    """Refuse a file that is missing, is not a plain file, or that others than its owner may
    open."""
    try:
        details = path.stat()
    except OSError as error:
        raise _unreadable(path, error) from None
    _check_private(path, details)


def read_secret(path: Path) -> bytes:
    """The content of a file that only its owner may read."""
    try:
        # Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise _unreadable(path, error) from None
    with os.fdopen(number, "rb") as file:
        # The open file is asked, not the path: what is checked is then what is read.
        _check_private(path, os.fstat(number))
        return file.read(LONGEST)


def create_secret(path: Path, content: bytes) -> None:
    """Write a new file that only its owner may read; an existing one is never overwritten."""
    try:
        write_new_file(path, content, mode=OWNER_ONLY)
    except FileExistsError:
        raise SecretError(
            f"{path} exists already and is not overwritten: what it was used for could no "
            "longer be repeated.",
            attempt="another name, or moving the old file to where you keep old keys.",
        ) from None
    except OSError as error:
        raise SecretError(f"{path} cannot be created.", found=f"{error.strerror}.") from None


def _check_private(path: Path, details: os.stat_result) -> None:
    if not stat.S_ISREG(details.st_mode):
        raise SecretError(
            f"{path} is not a plain file.", attempt="the path of a file made for this purpose."
        )
    shared = details.st_mode & 0o077
    if shared and os.name == "posix":
        raise SecretError(
            f"{path} may be opened by others than its owner.",
            found=f"Its permissions are {stat.S_IMODE(details.st_mode):04o}; they must be 0600 "
            "or 0400.",
            attempt=f"chmod 600 {path}, and a new key if someone may have read it.",
        )


def _unreadable(path: Path, error: OSError) -> SecretError:
    return SecretError(
        f"{path} cannot be read.",
        found=f"{error.strerror}.",
        attempt="checking the path; `sfumato key FILE` makes a new key.",
    )
