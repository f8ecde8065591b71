"""Checking a folder of scrubbed files against its manifest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sfumato.errors import ReleaseBroken

from ..aside import MANIFEST
from ..checks import Check, same_as_said
from ..manifest import digest


def scrub_checks(folder: Path, facts: dict[str, Any]) -> Iterator[Check]:
    """Whether the files are those that were written, all of them and no others; and what cannot be seen from them."""
    files = {str(each["file"]): each for each in facts["scrubbed"]["files"]}
    strange = [name for name in files if Path(name).is_absolute() or ".." in Path(name).parts]
    if strange:
        raise ReleaseBroken(f"The manifest of {folder} names files outside of it.")
    there = {
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() or path.is_symlink()
    } - {MANIFEST}
    yield same_as_said("files", sorted(files), sorted(there))
    for name in sorted(there & files.keys()):
        path = folder / name
        found = "" if path.is_symlink() else digest(path)
        yield same_as_said(f"digest of {name}", files[name]["sha256"], found)
    yield Check(
        claim="no original of what was masked stands in the files",
        outcome="review",
        found="only the holder of the sources can see this; it held when the files were written",
    )
    yield Check(claim=str(facts["statement"]), outcome="review", found="no check can see what was missed")
