"""JSON lines, and single JSON values: every string is a part, with the keys that lead to it as its
place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sfumato.errors import SourceError

from ..kinds import ReferenceKind
from ..replacement import ReplacedDocument
from .encodings import DecodedText, decoded
from .json_trees import Leaf, Node, edited, json_string, leaves, parsed
from .known_fields import kind_of_cell
from .part_assembly import checked
from .parts import FilePart, FileReading

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_LONG = re.compile(r"[0-9]{6,}")
_LINE = re.compile(r"[^\n]+")


class JsonLines:
    """A file with a JSON value on each line, or with one in all. Keys stay; `FileReading.columns`
    are dotted paths.

    Numbers are read where their key means a reference, such as "mrn", or where they have six digits
    or more.

    Example:
        >>> reading = FileReading(columns=("visit.note",), person="id")
        >>> opened = JsonLines().open(b'{"id": 7, "visit": [{"note": "Ann came", "n": 1}]}\\n', reading)
        >>> [(part.place, part.text, part.person) for part in opened.parts]
        [('line 1, string 1', 'Ann came', '7')]
    """

    name = "JSON lines"
    suffixes = (".jsonl", ".ndjson", ".jsonlines", ".json")

    def open(self, content: bytes, reading: FileReading) -> OpenedJson:
        text = decoded(content, asked=reading.encoding)
        places: list[Leaf] = []
        parts: list[FilePart] = []
        seen: set[str] = set()
        for line, tree in values(text.text):
            found = list(leaves(tree))
            whose = next(
                (
                    leaf.text
                    for path, leaf in found
                    if reading.person and _names(path, reading.person)
                ),
                "",
            )
            chosen = [(path, leaf) for path, leaf in found if _is_chosen(path, reading, seen)]
            for path, leaf in chosen:
                kind = kind_of_cell(path[-1] if path else "", leaf.text)
                if _is_read(leaf, kind, is_chosen=bool(reading.columns)):
                    place = f"{f'line {line:,}, ' if line else ''}string {len(parts) + 1:,}"
                    places.append(leaf)
                    parts.append(FilePart(place=place, text=leaf.text, person=whose, kind=kind))
        _check_chosen(reading, seen, is_empty=not text.text.strip())
        return OpenedJson(source=text, leaves=tuple(places), parts=tuple(parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedJson:
    """JSON that was read, with the leaves of its parts in their order."""

    source: DecodedText
    leaves: Sequence[Leaf] = field(repr=False)
    parts: Sequence[FilePart]
    left_out: Sequence[str] = ()
    suffix: str = ""

    @property
    def notes(self) -> Sequence[str]:
        return self.source.notes

    def written(self, replaced: Sequence[ReplacedDocument]) -> bytes:
        checked(len(self.parts), replaced)
        source = self.source.text
        edits = [
            (leaf.start, leaf.end, rewritten(leaf, each.text, source=source))
            for leaf, each in zip(self.leaves, replaced, strict=True)
            if leaf.text != each.text
        ]
        return self.source.encoded(edited(source, edits))


def rewritten(leaf: Leaf, text: str, *, source: str) -> str:
    """A new text in place of a leaf: a number stays one where the text is one."""
    if leaf.kind == "number" and _NUMBER.fullmatch(text):
        return text
    return json_string(text, like=source[leaf.start : leaf.end])


def values(text: str) -> Iterator[tuple[int, Node]]:
    """The values of a file with their lines, from 1; 0 where the file is one value over several
    lines."""
    lines = [found for found in _LINE.finditer(text) if found.group().strip()]
    if len(lines) > 1 and not _is_whole(text, lines[0]):
        for number, found in enumerate(lines, start=1):
            yield (
                number,
                parsed(
                    text,
                    start=found.start(),
                    end=found.end(),
                    place=f"Line {number:,} of this file",
                ),
            )
    elif lines:
        yield (0 if len(lines) > 1 else 1), parsed(text)


def _is_whole(text: str, first: re.Match[str]) -> bool:
    """Whether the first line is no value by itself, so that the file is one value over several
    lines."""
    try:
        parsed(text, start=first.start(), end=first.end())
    except SourceError:
        return True
    return False


def _names(path: tuple[str, ...], asked: str) -> bool:
    dotted = ".".join(path)
    return dotted == asked or dotted.startswith(f"{asked}.")


def _is_chosen(path: tuple[str, ...], reading: FileReading, seen: set[str]) -> bool:
    chosen = [asked for asked in reading.columns if _names(path, asked)]
    seen.update(chosen)
    return bool(chosen) or not reading.columns


def _is_read(leaf: Leaf, kind: ReferenceKind | None, *, is_chosen: bool) -> bool:
    if leaf.kind == "string":
        return bool(leaf.text.strip())
    return leaf.kind == "number" and (
        is_chosen or kind is not None or bool(_LONG.search(leaf.text))
    )


def _check_chosen(reading: FileReading, seen: set[str], *, is_empty: bool) -> None:
    missing = [name for name in reading.columns if name not in seen]
    if missing and not is_empty:
        raise SourceError(
            f"No value of the file is at {', '.join(repr(name) for name in missing)}.",
            attempt="keys joined by dots, as in 'visit.note'; the items of a list need no number.",
        )
