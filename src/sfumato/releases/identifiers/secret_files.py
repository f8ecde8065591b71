"""Files that only their owner may read: keys and lookup files. Nothing here puts content into a message."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from sfumato.errors import SecretError
from sfumato.runs.whole_file import write_new_file

OWNER_ONLY = 0o600
LONGEST = 65_536  # No key is longer; a wrong path to a huge file should not fill the memory.


def check_owner_only(path: Path) -> None:
    """Refuse a file that is missing, is not a plain file, or that others than its owner may open."""
    try:
        details = path.stat()
    except OSError as error:
        raise _unreadable(path, error) from None
    _check(path, details)


def read_secret(path: Path) -> bytes:
    """The content of a file that only its owner may read."""
    try:
        # Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise _unreadable(path, error) from None
    with os.fdopen(number, "rb") as file:
        # The open file is asked, not the path: what is checked is then what is read.
        _check(path, os.fstat(number))
        return file.read(LONGEST)


def create_secret(path: Path, content: bytes) -> None:
    """Write a new file that only its owner may read; an existing one is never overwritten."""
    try:
        write_new_file(path, content, mode=OWNER_ONLY)
    except FileExistsError:
        raise SecretError(
            f"{path} exists already and is not overwritten: what it was used for could no longer be repeated.",
            attempt="another name, or moving the old file to where you keep old keys.",
        ) from None
    except OSError as error:
        raise SecretError(f"{path} cannot be created.", found=f"{error.strerror}.") from None


def _check(path: Path, details: os.stat_result) -> None:
    if not stat.S_ISREG(details.st_mode):
        raise SecretError(f"{path} is not a plain file.", attempt="the path of a file made for this purpose.")
    shared = details.st_mode & 0o077
    if shared and os.name == "posix":
        raise SecretError(
            f"{path} may be opened by others than its owner.",
            found=f"Its permissions are {stat.S_IMODE(details.st_mode):04o}; they must be 0600 or 0400.",
            attempt=f"chmod 600 {path}, and a new key if someone may have read it.",
        )


def _unreadable(path: Path, error: OSError) -> SecretError:
    return SecretError(
        f"{path} cannot be read.",
        found=f"{error.strerror}.",
        attempt="checking the path; a new key is made with Key.create_file.",
    )
