"""The owner of a file that a run makes: process, start time and host, written as a mark into the
file's name.

A mark proves that a run is dead: its process does not exist on the host of the mark, or started at
another time. Other hosts, other containers and other systems than POSIX ones prove nothing, and
nothing is removed."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import subprocess
import uuid
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

State = Literal["living", "dead", "unknown"]

MARK = r"h[0-9a-f]{8}\.b[0-9a-f]{8}\.n\d+\.p\d+\.s\w+"
_PARTS = re.compile(r"h([0-9a-f]{8})\.b([0-9a-f]{8})\.n(\d+)\.p(\d+)\.s(\w+)")
_GONE = ("Z", "X")
"""States of a process that has ended and that nobody has asked about yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A process of some host. `boot` and `namespace` identify the processes among which its number
    is unique."""

    host: str
    boot: str
    namespace: str
    pid: int
    start: str

    @property
    def mark(self) -> str:
        return f"h{self.host}.b{self.boot}.n{self.namespace}.p{self.pid}.s{self.start}"

    def state(self) -> State:
        """Whether the process still runs, as far as this host can prove it."""
        here = this_owner()
        if os.name != "posix" or self.host != here.host:
            return "unknown"
        if self.boot != here.boot:
            return "dead"  # The host has been started again.
        if self.namespace != here.namespace:
            return "unknown"
        return "living" if _runs(self.pid, self.start) else "dead"


def owner_of(mark: str) -> Owner | None:
    """The owner that a mark names.

    Example:
        >>> owner_of(this_owner().mark) == this_owner(), owner_of("p7")
        (True, None)
    """
    found = _PARTS.fullmatch(mark)
    if found is None:
        return None
    return Owner(
        host=found[1], boot=found[2], namespace=found[3], pid=int(found[4]), start=found[5]
    )


def this_owner() -> Owner:
    """This process."""
    return _owner(os.getpid())


@cache
def _owner(pid: int) -> Owner:
    return Owner(
        host=_host(), boot=_boot(), namespace=_namespace(), pid=pid, start=_start(pid) or "unknown"
    )


def _host() -> str:
    """The machine: its name and its identity, so that two hosts of one name are not taken for
    one."""
    machine = _text("/etc/machine-id") or f"{uuid.getnode():x}"
    return _digest(f"{socket.gethostname()} {machine}")


def _boot() -> str:
    return _digest(_text("/proc/sys/kernel/random/boot_id"))


def _namespace() -> str:
    """Containers number their processes themselves."""
    try:
        return str(Path("/proc/self/ns/pid").stat().st_ino)
    except OSError:
        return "0"


def _runs(pid: int, start: str) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # It exists and belongs to somebody else.
    found = _start(pid)
    return found is None or found == start


def _start(pid: int) -> str | None:
    """When a process started, in the words of its system; None where that is unknown."""
    fields = _text(f"/proc/{pid}/stat").rpartition(")")[2].split()
    if fields:
        return "ended" if fields[0] in _GONE else fields[19]
    if Path("/proc/self/stat").exists():
        return None
    try:
        asked = subprocess.run(
            ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return _digest(asked.stdout.strip()) if asked.stdout.strip() else None


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
