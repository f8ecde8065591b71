"""The request to scrub files, as the verb and the command pass it on."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from sfumato.errors import Mistake
from sfumato.text.formats import FileReading
from sfumato.text.surrogates import Style

from .corpus import FindSettings

Cues = Mapping[str, tuple[str, ...]]
"""The known values of somebody, by kind."""
FOLDER, FILE = "folder", "file"


class Names(StrEnum):
    """The names of written files."""

    NUMBERED = "numbered"
    """By number, in an order that only the key determines: names of files name people."""
    KEPT = "kept"
    """As they were; refused where a name holds something that was masked."""


class Stage(StrEnum):
    """The present stage; every file counts once in each."""

    READING = "reading"
    FINDING = "finding"
    WRITING = "writing"


Progress = Callable[[Stage, int, int], None]
"""Called with the stage, how many files are done in it, and of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrubRequest:
    """Everything that was asked, but for the secret.

    `reviews` and `maps` ask for texts and decisions, or for the way back, of every document."""

    paths: tuple[Path, ...]
    target: Path
    looking: FindSettings = field(default_factory=FindSettings)
    style: Style = field(default_factory=Style)
    reading: FileReading = field(default_factory=FileReading)
    person_from: str = FILE
    known: Mapping[str, Cues] = field(default_factory=dict, repr=False)
    given: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    """By person, what linked tables put in the place of names and numbers."""
    names: Names = Names.NUMBERED
    skip_unknown: bool = False
    reviews: bool = False
    maps: bool = False
    replace: bool = False
    jobs: int = 1

    def person_of(self, place: str) -> str:
        """The person of a file, by its path below the named one; nothing where it is only its own.

        Example:
            >>> asked = ScrubRequest(paths=(), target=Path("out"), person_from=r"p(\\d+)")
            >>> asked.person_of("ward/p17-letter.txt"), asked.person_of("ward/readme.txt")
            ('17', '')
        """
        if self.person_from == FILE:
            return ""
        if self.person_from == FOLDER:
            return place.rpartition("/")[0]
        found = pattern(self.person_from).search(place)
        return (found.group(1) or "") if found else ""


def pattern(person_from: str) -> re.Pattern[str]:
    """The pattern that identifies the person of a file, if it is one with a group."""
    try:
        out = re.compile(person_from)
    except re.error:
        out = None
    if out is None or out.groups < 1:
        raise Mistake(
            f"{person_from!r} does not identify the person of a file.",
            found=f"It is neither {FOLDER} nor {FILE}, nor a regular expression with a group.",
            attempt=r"folder, file, or a pattern such as 'patient-(\d+)'.",
        )
    return out
