"""A first look at every file, before anything is found: its format, its size, and whose texts are
in it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import MissingExtra, SfumatoError, SourceError
from sfumato.text.formats import (
    FilePart,
    FileReading,
    OpenedFile,
    format_of,
    unreadable_pages,
)

from .input_files import Source
from .request import Cues, ScrubRequest

if TYPE_CHECKING:
    from sfumato.text import Document

_ROW = re.compile(r"(?:row|line) [\d,]*\d")
"""Where the place of a part begins so, the file is a table or a list of records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectedFile:
    """A file that can be scrubbed. `digest` is that of the source: it is never written outside this
    run."""

    source: Source
    format: str
    suffix: str
    characters: int
    people: frozenset[str] = field(repr=False)
    digest: bytes = field(repr=False)
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unreadable: int = 0
    """Pages of a scan that nobody could read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unseen:
    """A file that cannot be scrubbed, and why."""

    source: Source
    problem: str
    is_unknown: bool = False
    """Whether the only problem is that its format is not supported."""


def opened(path: Path, reading: FileReading) -> tuple[str, bytes, OpenedFile]:
    """A file's format, its content and what was read of it; `SourceError` where that cannot be."""
    content = _content(path)
    chosen = format_of(path, content)
    return chosen.name, content, chosen.open(content, reading)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceError("It cannot be read.", found=f"{error.strerror}.") from None


def see(asked: ScrubRequest, source: Source) -> InspectedFile | Unseen:
    """Look at one file."""
    try:
        content = _content(source.path)
    except SourceError as error:
        return _unseen(source, error)
    try:
        chosen = format_of(source.path, content)
    except SourceError as error:
        return _unseen(source, error, is_unknown=True)
    try:
        file = chosen.open(content, asked.reading)
    except SfumatoError as error:
        unread = isinstance(error, MissingExtra) and error.extra == "ocr"
        return _unseen(source, error, is_unknown=unread)
    return InspectedFile(
        source=source,
        format=chosen.name,
        suffix=file.suffix,
        characters=sum(len(part.text) for part in file.parts),
        people=frozenset(person for _, person in names(source, file.parts) if person),
        digest=hashlib.sha256(content).digest(),
        left_out=tuple(file.left_out),
        notes=tuple(file.notes),
        unreadable=unreadable_pages(file),
    )


def _unseen(source: Source, error: SfumatoError, *, is_unknown: bool = False) -> Unseen:
    problem = " ".join(filter(None, (error.asked, error.found)))
    return Unseen(source=source, problem=problem, is_unknown=is_unknown)


def names(source: Source, parts: Sequence[FilePart]) -> Iterator[tuple[str, str]]:
    """For each part the name of its document and whose it is: its own person's, the file's, or
    nobody's.

    Parts of nobody's go together by the name of their document: those of one file, or of one row of
    a table."""
    for part in parts:
        row = _ROW.match(part.place)
        yield (
            f"{source.place}, {row.group()}" if row else source.place,
            part.person or source.person,
        )


def documents(
    source: Source, parts: Sequence[FilePart], *, known: Mapping[str, Cues]
) -> list[Document]:
    """Each part as a document of its person's, with what is known of them."""
    from sfumato.text import Document

    out = []
    for part, (name, person) in zip(parts, names(source, parts), strict=True):
        more = known.get(person, {}) if person else {}
        cues = {
            kind: (*part.cues.get(kind, ()), *more.get(kind, ())) for kind in (*part.cues, *more)
        }
        out.append(Document(part.text, name=name, person=person, cues=cues))
    return out


def batches(seen: Sequence[InspectedFile]) -> list[tuple[InspectedFile, ...]]:
    """Files that share a person go together, over as many steps as it takes; the order is that of
    the files.

    Example:
        >>> from pathlib import Path
        >>> def file(place, *people):
        ...     source = Source(path=Path(place), place=place)
        ...     known = {"people": frozenset(people), "digest": b""}
        ...     return InspectedFile(source=source, format="", suffix="", characters=1, **known)
        >>> found = batches([file("a", "1"), file("b", "2"), file("c", "1", "3"), file("d", "3")])
        >>> [[each.source.place for each in batch] for batch in found]
        [['a', 'c', 'd'], ['b']]
    """
    leader: dict[str, str] = {}

    def led(person: str) -> str:
        while (over := leader.setdefault(person, person)) != person:
            leader[person] = leader.setdefault(over, over)
            person = over
        return person

    for each in seen:
        for person in each.people:
            leader[led(person)] = led(min(each.people))
    out: dict[str, list[InspectedFile]] = {}
    for each in seen:
        # No person is called so: a person's documents are led by a person.
        alone = f"/{each.source.place}"
        out.setdefault(f"person {led(min(each.people))}" if each.people else alone, []).append(each)
    return [tuple(batch) for batch in out.values()]
