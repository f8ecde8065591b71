"""Lock files, and the names of what a run keeps beside its target until it is finished."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import socket
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .owners import State, owner_of, this_owner

try:
    import fcntl
except ImportError:  # Windows: a lock there is proven by nothing but its absence.
    fcntl = None  # type: ignore[assignment]

LOCK = "lock"
LONGEST = 100
"""Bytes of a target's name that its hidden files repeat: file systems allow 255 for all of a
name."""


def hidden_name(target: Path, kind: str) -> str:
    """A name beside the target for a file or folder of this run, and of no other."""
    return f".{short_name(target.name)}.{kind}-{this_owner().mark}-{secrets.token_hex(8)}"


def short_name(name: str) -> str:
    """As much of a name as fits into another one; names that are cut keep apart by a digest."""
    raw = os.fsencode(name)
    if len(raw) <= LONGEST:
        return name
    return f"{os.fsdecode(raw[:LONGEST]).encode('utf-8', 'ignore').decode()}~{hashlib.sha256(raw).hexdigest()[:8]}"


def lock_file(target: Path) -> Path:
    return target.parent / f".{short_name(target.name)}.{LOCK}"


def read_lock(path: Path) -> tuple[dict[str, Any], State]:
    """The content of a lock, and whether its run still lives."""
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        owner = owner_of(str(facts["owner"]))
    except (OSError, ValueError, TypeError, KeyError):
        return {}, "unknown"
    return facts, "unknown" if owner is None else owner.state()


def write_lock(draft: Path) -> int:
    """The lock under another name, whole before it gets its own; the open file holds a lock of the
    system too."""
    facts = {
        "owner": this_owner().mark,
        "process": os.getpid(),
        "host": socket.gethostname(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    handle = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    _flock(handle)
    os.write(handle, json.dumps(facts).encode() + b"\n")
    return handle


def _flock(handle: int) -> bool:
    """Whether nobody else holds the open file; a system without such locks answers yes."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def remove_lock(lock: Path) -> bool:
    """Remove the lock of a dead run, and never one that has taken its place; False where a run
    holds it."""
    try:
        handle = os.open(lock, os.O_RDWR)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        if not _flock(handle):
            return False
        here, there = os.fstat(handle), lock.stat()
        if (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino) and read_lock(lock)[
            1
        ] == "dead":
            lock.unlink()
        return True
    except FileNotFoundError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
