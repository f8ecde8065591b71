"""Records that somebody brought as a file, read as the gate reads its own tables: numbers and dates
in one spelling.

The file is read in a process of its own (`upload_process`), which has little memory and little
time. It has none of the gate's connections and nothing of its surroundings; its result is checked
before it is believed. It is the same account on the same machine: that process is limited, not
locked up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from sfumato.errors import NotAdmitted

from .link_mode import MOST_RECORDS

Records = list[dict[str, str | None]]
PARQUET: Final = b"PAR1"
SECONDS: Final = 30.0
"""In which a file has to have been read."""
LONGEST_TOLD: Final = 128 << 20
"""Bytes that the process may return."""


def records_of(content: bytes, *, name: str, on: Sequence[str], folder: Path) -> Records:
    """The different records of a file in the fields they are to be linked on. The file is kept
    while it is read.

    The faults of a file are reported in our words: a reader's own would repeat cells and name files
    of the gate."""
    wanted = tuple(dict.fromkeys(on))
    with tempfile.TemporaryDirectory(prefix="brought-", dir=folder) as scratch:
        path = Path(scratch) / f"records{_ending(content, name)}"
        path.write_bytes(content)
        asked = {"path": str(path), "on": wanted, "most": MOST_RECORDS}
        told = _told(json.dumps(asked).encode(), Path(scratch))
    return [dict(zip(wanted, cells, strict=True)) for cells in _cells(told, len(wanted))]


def _ending(content: bytes, name: str) -> str:
    """The ending by the file's content, where that identifies it, and by its name otherwise."""
    if content[:4] == PARQUET:
        return ".parquet"
    ending = Path(name).suffix.lower()
    return ending if ending == ".tsv" else ".csv"


def _told(asked: bytes, scratch: Path) -> dict[str, Any]:
    """The result of the process for a file; `NotAdmitted` where it was ended, or died."""
    with (scratch / "told").open("w+b") as page:
        try:
            done = subprocess.run(
                [sys.executable, "-P", "-s", "-m", f"{__package__}.upload_process"],
                input=asked,
                stdout=page,
                stderr=subprocess.DEVNULL,
                cwd=scratch,
                env=_surroundings(scratch),
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise _too_much() from None
        if done.returncode or page.seek(0, os.SEEK_END) > LONGEST_TOLD:
            raise _too_much()
        page.seek(0)
        with suppress(ValueError, RecursionError):
            told = json.load(page)
            if isinstance(told, dict):
                return told
    raise _too_much()


def _surroundings(scratch: Path) -> dict[str, str]:
    """The environment of the process: the paths of Python's modules, and a folder that is removed
    with it."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    modules = os.pathsep.join(each for each in sys.path if each)
    return {
        **one,
        "PYTHONPATH": modules,
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(scratch),
        "HOME": str(scratch),
    }


def _cells(told: dict[str, Any], width: int) -> list[list[str | None]]:
    """The cells of the records, where they are such; the refusal otherwise."""
    if "code" in told:
        raise _refused(told)
    found = told.get("records")
    if (
        not isinstance(found, list)
        or len(found) > MOST_RECORDS
        or not all(_is_record(each, width) for each in found)
    ):
        raise _too_much()
    return found


def _is_record(cells: Any, width: int) -> bool:
    return (
        isinstance(cells, list)
        and len(cells) == width
        and all(each is None or type(each) is str for each in cells)
    )


def _refused(told: dict[str, Any]) -> NotAdmitted:
    if told.get("code") in ("link-fields", "too-long"):
        return NotAdmitted(
            str(told.get("asked", "")), code=told["code"], found=str(told.get("found", ""))
        )
    return NotAdmitted(
        "The file cannot be read as a table.",
        code="not-a-table",
        attempt="a CSV file in UTF-8 with a line of names, or a Parquet file.",
    )


def _too_much() -> NotAdmitted:
    return NotAdmitted(
        "The file could not be read within its limits of time and memory.",
        code="not-a-table",
        attempt="a smaller file, or the same records as CSV.",
    )
