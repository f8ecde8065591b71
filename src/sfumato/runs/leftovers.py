"""Leftovers of a killed run: unfinished folders, drafts, locks and scratch folders, found by the
marks in their names.

Only files that a run provably left behind when it ended are removed. Anything of a living run, of
another host or of another user stays."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .locks import LOCK, read_lock, remove_lock, short_name
from .moves import rename_new
from .owners import MARK, State, owner_of, this_owner

UNFINISHED, REPLACED, SCRATCH = "unfinished", "replaced", "sfumato"
_HIDDEN = re.compile(
    rf"\.(?P<name>.+)\.(?P<kind>{UNFINISHED}|{REPLACED}|{LOCK})-(?P<mark>{MARK})-[0-9a-f]+",
    re.DOTALL,
)
_UNMARKED = re.compile(rf"\.(?P<name>.+)\.(?P<kind>{UNFINISHED})-[0-9a-f]{{16}}", re.DOTALL)
"""As versions before marks called them: nobody can prove whose they are."""
_CUT = re.compile(r"~[0-9a-f]{8}$")
_LOCKS = re.compile(rf"\..+\.{LOCK}", re.DOTALL)
_SCRATCH = re.compile(rf"\.?{SCRATCH}-(?P<mark>{MARK})-.+", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """A file or folder that a run made for itself. `target` is the earlier release that it holds,
    if it holds one."""

    path: Path
    kind: str
    state: State
    target: Path | None = None

    def remove(self) -> bool:
        """Remove it, or put the earlier release back where it was; whether it is gone."""
        if self.state != "dead" or self.path.is_symlink():
            return False
        if self.target is not None and not os.path.lexists(self.target):
            with contextlib.suppress(OSError):
                rename_new(self.path, self.target)
        elif _LOCKS.fullmatch(self.path.name):
            remove_lock(self.path)
        elif self.path.is_dir():
            shutil.rmtree(self.path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                self.path.unlink()
        return not os.path.lexists(self.path)

    def words(self) -> str:
        return f"{_WORDS[self.kind]}, {self.path}"

    def fate(self) -> str:
        """The effect of `remove` on it."""
        return "removed" if self.target is None else f"put back or removed; {self.target} is whole"


_WORDS = {
    UNFINISHED: "an unfinished release or page",
    REPLACED: "an earlier release that was being replaced",
    LOCK: "the lock of a target",
    SCRATCH: "a scratch folder",
}


def scratch_folder(*, beside: Path | None = None) -> str:
    """A new folder for what an engine spills; only its owner may open it, and its name identifies
    the owner.

    It is made in the temporary folder, or hidden `beside` a target.
    """
    start = SCRATCH if beside is None else f".{SCRATCH}"
    return tempfile.mkdtemp(
        prefix=f"{start}-{this_owner().mark}-", dir=None if beside is None else beside.parent
    )


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """A scratch folder that is gone with the block."""
    folder = scratch_folder()
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def leftovers_in(folder: Path, *, of: Path | None = None) -> Iterator[Leftover]:
    """The leftovers of runs in a folder; with `of`, only what belongs to that target."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:  # A temporary folder may hold thousands that are nobody's of ours.
        if of is None and _LOCKS.fullmatch(name):
            path = folder / name
            facts, state = read_lock(path)
            if facts:
                yield Leftover(path=path, kind=LOCK, state=state)
            continue
        found = (
            _HIDDEN.fullmatch(name)
            or _UNMARKED.fullmatch(name)
            or (None if of else _SCRATCH.fullmatch(name))
        )
        parts = found.groupdict() if found is not None else {}
        if found is None or (of is not None and parts["name"] != short_name(of.name)):
            continue
        path = folder / name
        kind, target, state = (
            parts.get("kind") or SCRATCH,
            None,
            _state(path, parts.get("mark", "")),
        )
        if kind == REPLACED:
            target = of or folder / parts["name"]
            if of is None and _CUT.search(parts["name"]):
                state = "unknown"  # Its whole name is known to a run to that target only.
        yield Leftover(path=path, kind=kind, state=state, target=target)


def find_leftovers(folder: Path) -> Iterator[Leftover]:
    """The leftovers of runs in a folder and in the temporary folder."""
    yield from leftovers_in(folder)
    if folder.resolve() != Path(tempfile.gettempdir()).resolve():
        yield from scratch_left()


def scratch_left() -> Iterator[Leftover]:
    """Scratch folders in the temporary folder of this user."""
    return (each for each in leftovers_in(Path(tempfile.gettempdir())) if each.kind == SCRATCH)


def _state(path: Path, mark: str) -> State:
    owner = owner_of(mark)
    try:
        details = path.lstat()
    except OSError:
        return "unknown"
    if owner is None or (os.name == "posix" and details.st_uid != os.geteuid()):
        return "unknown"
    return owner.state()
