"""The protocol of a format: it opens a file as parts, each one text, and writes the file again with
other texts in their place.

A *part* reads as one text. It is the whole body of a letter with its paragraphs as lines, a header,
a comment, a property of the document, or a cell. Everything of a file that can hold words is a
part. Content that cannot be read as text (pictures, macros, embedded things) is not copied, and
reported.

For those who scrub the parts:

- Every part becomes one document of the collection. Parts of one file with no `person` belong
  together all the same: a name in the header is looked for in the body. Give them one
  `Document.person` or name, such as the file's.
- A part with a `kind` is a reference of that kind from its first character to its last, known for
  certain. Nothing need be looked for in it, and it is one finding over the whole text. It counts
  among the person's other documents like any finding: a FHIR patient's family name is looked for in
  that patient's notes.
- `written` wants one `ReplacedDocument` for each part, in their order.
- `suffix` is added to the file's name where the written file is of another kind than the one read.
  A PDF is written as text, "letter.pdf" as "letter.pdf.txt" ("letter.txt" may be another file
  beside it).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..kinds import ReferenceKind
from ..replacement import ReplacedDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePart:
    """One text of a file. `place` is its place in words and holds nothing of the file's content.

    `person` is its person where the file identifies one, by a column of a table or the subject of a
    FHIR resource. `cues` are the file's known values of people in it, by kind, such as the name in
    a patient resource. `kind` is that of the whole text, known for certain from its place: the city
    of an address, the value of an identifier."""

    place: str
    text: str = field(repr=False)
    person: str = field(default="", repr=False)
    cues: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    kind: ReferenceKind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReading:
    """How files are read.

    `columns` are the fields of a table or JSON record that are text (none: all of them). `person`
    is the field that identifies the person of a row. `encoding` is how the bytes of a text file are
    read where neither a mark at its beginning nor the file itself states it."""

    columns: tuple[str, ...] = ()
    person: str = ""
    encoding: str = ""


class OpenedFile(Protocol):
    """A file that was read."""

    @property
    def parts(self) -> Sequence[FilePart]: ...

    @property
    def left_out(self) -> Sequence[str]:
        """The parts of the file that are not copied, in words that hold nothing of its content: "2
        pictures"."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """Notes for the holder about how it was read, such as "read as Windows-1252"; nothing of
        its content."""
        ...

    @property
    def suffix(self) -> str:
        """The suffix of the written file's name, ".txt" for a PDF; mostly nothing."""
        ...

    def written(self, replaced: Sequence[ReplacedDocument]) -> bytes:
        """The file with what was replaced in each part, in the order of the parts."""
        ...


def unreadable_pages(file: OpenedFile) -> int:
    """The pages of a file that nobody could read, for which a person must answer; only scans have
    some."""
    return int(getattr(file, "unreadable", 0))


class Format(Protocol):
    """One file format."""

    @property
    def name(self) -> str: ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """In small letters, with their dots: the file names that are read so."""
        ...

    def open(self, content: bytes, reading: FileReading) -> OpenedFile:
        """Read a file; `SourceError` where it is not of this format, which holds nothing of its
        content."""
        ...
