"""The account on disk: every line of every run about the same people, each chained to the one
before it.

A charge is in the file, whole and on the disk, before any noise is drawn: a run that is killed in
between has paid and got nothing. One run at a time holds the file."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sfumato.errors import Mistake, ReleaseBroken
from sfumato.files import write_whole
from sfumato.runs import claim

from .measurement import Measurement

KIND: Final = "sfumato privacy account"
VERSION: Final = 1


@contextmanager
def held_file(file: Path) -> Iterator[None]:
    """Hold the account, so that no other run charges it between reading and writing."""
    if not file.parent.is_dir():
        raise Mistake(
            f"The privacy account {file} was asked for.",
            found="Its folder does not exist.",
            attempt="making the folder, or another path.",
        )
    with claim(file):
        yield


def read_lines(file: Path, *, delta: float) -> tuple[Measurement, ...]:
    """All lines of an account, each checked against its cost and its chain; none where the file is
    not there yet."""
    try:
        facts = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError):
        raise _broken(file, "It cannot be read.") from None
    if not isinstance(facts, dict) or facts.get("kind") != KIND or facts.get("version") != VERSION:
        raise _broken(file, "It is not a privacy account of this version.")
    if facts.get("delta") != delta:
        raise Mistake(
            f"The privacy account {file} was asked to be charged at delta {delta:g}.",
            found="It was opened with another delta, and a person has one.",
            attempt="the delta of the account.",
        )
    lines, chain = [], _first(delta)
    for entry in facts.get("lines", ()):
        try:
            line = Measurement.from_dict(entry["measurement"])
        except (ValueError, KeyError, TypeError):
            raise _broken(file, "A line states another cost than its noise has.") from None
        chain = _next(chain, line)
        if entry.get("chain") != chain:
            raise _broken(file, "A line was changed after it was written.")
        lines.append(line)
    if facts.get("end") != chain:
        raise _broken(file, "Lines are missing at its end.")
    return tuple(lines)


def write_lines(file: Path, lines: Sequence[Measurement], *, delta: float) -> None:
    """Write the whole account beside the file, move it into place and wait for the disk."""
    entries: list[dict[str, Any]] = []
    chain = _first(delta)
    for line in lines:
        chain = _next(chain, line)
        entries.append({"measurement": line.as_dict(), "chain": chain})
    facts = {"kind": KIND, "version": VERSION, "delta": delta, "lines": entries, "end": chain}
    write_whole(file, json.dumps(facts, indent=1) + "\n")
    _keep_name(file.parent)


def _keep_name(folder: Path) -> None:
    """The disk keeps the new name of a file only after its folder is written too."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _first(delta: float) -> str:
    return hashlib.sha256(f"{KIND} {VERSION} {delta!r}".encode()).hexdigest()


def _next(chain: str, line: Measurement) -> str:
    text = json.dumps(line.as_dict(), sort_keys=True)
    return hashlib.sha256(f"{chain} {text}".encode()).hexdigest()


def _broken(file: Path, found: str) -> ReleaseBroken:
    return ReleaseBroken(
        f"The privacy account {file} does not hold together.",
        found=found,
        attempt="the last whole copy; without it, no more may be measured of these people.",
    )
