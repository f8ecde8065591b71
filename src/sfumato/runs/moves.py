"""Renames that never replace: a target that was made meanwhile stays, and the caller gets an error.

Linux has renameat2 and macOS renamex_np for it; Windows never replaces a folder. Elsewhere, and on
file systems that know neither, a folder is renamed as POSIX does it, and a file is linked. A POSIX
rename replaces nothing but an empty folder."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

_NEW, _EXCHANGE = 1, 2
"""RENAME_NOREPLACE and RENAME_EXCHANGE of Linux."""
_MACOS = {_NEW: 4, _EXCHANGE: 2}
"""RENAME_EXCL and RENAME_SWAP of macOS."""
_HERE = -100
_NOT_OFFERED = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}


def rename_new(source: Path, target: Path) -> None:
    """Give `source` the name `target`; FileExistsError where something has that name."""
    if _renamed(source, target, _NEW):
        return
    if source.is_dir() and not source.is_symlink():
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
        source.rename(target)
        return
    link_new(source, target)
    source.unlink()


def link_new(source: Path, target: Path) -> None:
    """A second name for a file; FileExistsError where something has it. Where files have one name,
    it is moved."""
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in _NOT_OFFERED | {errno.EPERM, errno.EMLINK}:
            raise
        handle = os.open(
            target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600
        )  # The name is taken, or refused.
        os.close(handle)
        os.replace(source, target)


def exchange(one: Path, other: Path) -> bool:
    """Swap two names at once; False where the system cannot."""
    return _renamed(one, other, _EXCHANGE)


def _renamed(source: Path, target: Path, flag: int) -> bool:
    """Whether the system offers such a rename and has done it; OSError where it refused."""
    rename = _system_rename()
    if rename is None:
        return False
    number = rename(os.fsencode(source), os.fsencode(target), flag)
    if number == 0:
        return True
    if number in _NOT_OFFERED:
        return False
    raise OSError(number, os.strerror(number), str(target))


@cache
def _system_rename() -> Callable[[bytes, bytes, int], int] | None:
    """The rename of this system that takes flags: 0, or the number of its error."""
    try:
        system = ctypes.CDLL(None, use_errno=True)
        call = system.renamex_np if sys.platform == "darwin" else system.renameat2
    except (OSError, AttributeError, TypeError):
        return None

    def rename(source: bytes, target: bytes, flag: int) -> int:
        if sys.platform == "darwin":
            done = call(source, target, ctypes.c_uint(_MACOS[flag]))
        else:
            done = call(_HERE, source, _HERE, target, ctypes.c_uint(flag))
        return 0 if done == 0 else ctypes.get_errno()

    return rename
