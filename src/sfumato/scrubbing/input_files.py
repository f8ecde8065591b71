"""The files to scrub: everything below the named paths, or all obstacles, reported at once."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import SourceError

from .request import ScrubRequest

MOST_TOLD = 20
"""So many problems are listed; of the others, only the number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file: where it is, its path below the named one (with /), and its person where the path
    identifies one."""

    path: Path
    place: str
    person: str = ""


def gather(asked: ScrubRequest) -> tuple[Source, ...]:
    """The files in the order of their places; refused where anything is not a plain file that can
    be read."""
    found: dict[str, Path] = {}
    problems: list[str] = []
    real = set[Path]()
    for root in asked.paths:
        problems.extend(_target_problems(root, asked.target))
        for path, problem in _below(root):
            place = _place(path, root)
            if problem:
                problems.append(f"{path}: {problem}")
            elif path.resolve() in real:
                problems.append(f"{path}: it is named twice.")
            elif place in found:
                problems.append(f"{path}: another file would have the same name, {place}.")
            else:
                found[place] = path
                real.add(path.resolve())
    if problems:
        raise refused(problems)
    if not found:
        raise SourceError(
            "There is nothing to scrub.",
            found="No file was found.",
            attempt="files, or folders of them.",
        )
    return tuple(
        Source(path=found[place], place=place, person=asked.person_of(place))
        for place in sorted(found)
    )


def refused(
    problems: Sequence[str], *, attempt: str = "correcting these; nothing was written."
) -> SourceError:
    """All problems in one error."""
    noun = "problem" if len(problems) == 1 else "problems"
    lines = [f"{number}. {problem}" for number, problem in enumerate(problems[:MOST_TOLD], start=1)]
    if len(problems) > MOST_TOLD:
        lines.append(f"and {len(problems) - MOST_TOLD:,} more.")
    return SourceError(
        "\n".join([f"The files have {len(problems):,} {noun}:", *lines]), attempt=attempt
    )


def _place(path: Path, root: Path) -> str:
    """The path below what was named, as it would be written."""
    return path.relative_to(root).as_posix() if path != root else path.name


def _below(root: Path) -> Iterator[tuple[Path, str]]:
    """Every file below, with what is wrong with it, if anything is."""
    problem = _problem(root)
    if problem != _IS_FOLDER:
        yield root, problem
        return
    unlisted: list[OSError] = []
    for folder, folders, files in os.walk(root, onerror=unlisted.append):
        folders.sort()
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        for name in sorted([*files, *links]):
            path = Path(folder) / name
            yield path, _problem(path)
    for error in unlisted:
        yield Path(error.filename), f"the folder cannot be read: {error.strerror}."


_IS_FOLDER = "it is a folder."


def _problem(path: Path) -> str:
    """Why a path is no file that can be read; nothing where it is one."""
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            return "it is a link; name the file or folder itself."
        if stat.S_ISDIR(mode):
            return _IS_FOLDER
        if not stat.S_ISREG(mode):
            return "it is no plain file."
        with path.open("rb"):
            return ""
    except OSError as error:
        return f"it cannot be read: {error.strerror}."


def _target_problems(root: Path, target: Path) -> Iterator[str]:
    here, there = root.resolve(), target.resolve()
    if here == there or here in there.parents:
        yield f"{root}: the folder to write to, {target}, is in it."
    elif there in here.parents:
        yield f"{root}: it is in the folder to write to, {target}."
