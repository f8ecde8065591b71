"""One run at a time writes to a target: a lock file beside it names the process, its start and its
host."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.errors import TargetError

from .leftovers import Leftover, leftovers_in, scratch_left
from .locks import LOCK, hidden_name, lock_file, read_lock, remove_lock, write_lock
from .moves import link_new
from .owners import State

TRIES = 20
_LOG = logging.getLogger("sfumato.runs")


@dataclass(slots=True)
class Claim:
    """The right to write to a target. `removed` is what dead runs had left there."""

    target: Path
    removed: tuple[Leftover, ...] = ()


@dataclass(slots=True)
class _Held:
    claim: Claim
    thread: int
    times: int = 1


@dataclass(slots=True)
class _Claims:
    held: dict[Path, _Held] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


_CLAIMS = _Claims()


@contextmanager
def claim(target: Path) -> Iterator[Claim]:
    """Keep other runs from writing to `target` as long as the block lasts; TargetError where one
    does.

    Leftovers of dead runs for this target are removed first, and so are their scratch folders. A
    thread may claim a target that it has claimed already."""
    place = _place(target)
    with _CLAIMS.lock:
        held = _CLAIMS.held.get(place)
        if held is not None and held.thread != threading.get_ident():
            raise _busy(target, {"process": os.getpid(), "host": socket.gethostname()}, "living")
        if held is not None:
            held.times += 1
    if held is not None:
        try:
            yield held.claim
        finally:
            held.times -= 1
        return
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(_parents_of(place))
            taken = stack.enter_context(_locked(place, target))
        except OSError as error:
            raise _refused(target, error) from None
        with _CLAIMS.lock:
            _CLAIMS.held[place] = _Held(taken, threading.get_ident())
        try:
            taken.removed = tuple(each for each in _dead(place) if each.remove())
            for each in taken.removed:
                _LOG.warning("A run that was killed left %s. It was %s.", each.words(), each.fate())
            yield taken
        finally:
            with _CLAIMS.lock:
                _CLAIMS.held.pop(place, None)


def _place(target: Path) -> Path:
    plain = Path(os.path.abspath(target))
    return plain.parent.resolve() / plain.name


@contextmanager
def _parents_of(place: Path) -> Iterator[None]:
    """The folders that lead to a place; those that had to be made and stay empty are removed
    again."""
    made = [folder for folder in (place.parent, *place.parent.parents) if not folder.exists()]
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        yield
    finally:
        for folder in made:
            with contextlib.suppress(OSError):
                folder.rmdir()


@contextmanager
def _locked(place: Path, target: Path) -> Iterator[Claim]:
    lock, draft = lock_file(place), place.parent / hidden_name(place, LOCK)
    handle = -1
    try:
        handle = write_lock(draft)
        for _ in range(TRIES):
            try:
                link_new(draft, lock)
                break
            except FileExistsError:
                facts, state = read_lock(lock)
                if state != "dead" or not remove_lock(lock):
                    raise _busy(target, facts, state) from None
        else:
            raise _busy(target, {}, "living")
        with contextlib.suppress(OSError):
            draft.unlink()
        try:
            yield Claim(target)
        finally:
            with contextlib.suppress(OSError):
                lock.unlink()
    finally:
        if handle >= 0:
            os.close(handle)
        with contextlib.suppress(OSError):
            draft.unlink()


def _dead(place: Path) -> Iterator[Leftover]:
    for each in (*leftovers_in(place.parent, of=place), *scratch_left()):
        if each.state == "dead":
            yield each


def _refused(target: Path, error: OSError) -> TargetError:
    return TargetError(
        f"{target} cannot be written.",
        found=f"{error.strerror or 'The system refused'}.",
        attempt="another place with --to; nothing was written.",
    )


def _busy(target: Path, facts: dict[str, Any], state: State) -> TargetError:
    who = (
        f"process {facts['process']} on {facts['host']}"
        if {"process", "host"} <= facts.keys()
        else "another process"
    )
    if state == "living":
        return TargetError(
            f"Another run writes to {target}.",
            found=f"It is {who}.",
            attempt="again when it has ended, or another target; nothing there was touched.",
        )
    return TargetError(
        f"{target} is locked, and this machine cannot tell whether its run is still active.",
        found=f"The lock {lock_file(target)} belongs to {who}.",
        attempt="removing that file if no run is under way there; nothing there was touched.",
    )
