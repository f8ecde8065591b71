"""The written files are opened afresh and searched: no original of a masked finding may be in them.

The search is for values that have one meaning everywhere (`text/repeat_mask.py`). Every part is
searched for its person's values. The whole content of the file, packed or not, is searched for the
names and numbers of its people. Then the detectors look once more."""

from __future__ import annotations

import email
import re
import zipfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

from sfumato.text import (
    SURE,
    Document,
    How,
    ReferenceKind,
    RepeatValues,
    ReplacedDocument,
    TextDetector,
    find,
    visible,
)
from sfumato.text.formats import Eml, FileReading
from sfumato.text.lexicons import folded
from sfumato.text.surrogates import RealValues

from .file_inspection import opened

Value = tuple[ReferenceKind, str]
FEWEST_IN_BYTES = 6
"""In the bytes of a file, where numbers may be a width or a place, values from this many letters
and digits on."""
_PIECE = re.compile(r"\d+|[^\W\d_]+")
_WIDE = ("utf-16-le", "utf-16-be")


@dataclass(frozen=True, slots=True)
class Originals:
    """The values that must not be in the documents of one scope any more."""

    values: frozenset[Value] = field(repr=False)
    wanted: RepeatValues = field(repr=False)
    real: RealValues = field(repr=False)

    @classmethod
    def of(cls, replaced: Iterable[ReplacedDocument], *, spared: Iterable[str] = ()) -> Originals:
        """Those that were replaced and nowhere kept: the style keeps some, and a person may have
        spared some."""
        kept, gone = set(map(visible, spared)), set[Value]()
        for each in replaced:
            for change in each.replacements:
                if change.how is How.KEPT:
                    kept.add(visible(change.original))
                else:
                    gone.add((change.kind, visible(change.original)))
        left = frozenset((kind, value) for kind, value in gone if value not in kept)
        return cls(
            left, RepeatValues(left), RealValues(value for value in left if value[0].is_direct)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecount:
    """The originals that a file still holds. `reads_back` is whether every part reads as it was
    meant to."""

    standing: int
    found_again: int
    reads_back: bool


def recount(
    path: Path,
    replaced: Sequence[ReplacedDocument],
    originals: Sequence[Originals],
    *,
    everywhere: RepeatValues,
    name: str,
    reading: FileReading,
    detectors: Sequence[TextDetector],
    given: Collection[str] = (),
) -> FileRecount:
    """Look through a written file. `originals` are those of each part, `everywhere` those of the
    whole collection.

    `name` is its name, where that is derived from the source. `given` are surrogates that linked
    tables have: a name of somebody else in the collection may be a part of one of those."""
    # Where no columns were chosen, the name of the person's column may have been replaced with the
    # rest.
    form, content, file = opened(
        path, reading if reading.columns else FileReading(encoding=reading.encoding)
    )
    texts = [part.text for part in file.parts]
    reads_back = texts == [each.text for each in replaced]
    alike = len(texts) == len(replaced)
    every = list({id(each): each for each in originals}.values())
    standing = found_again = 0
    for number, document in enumerate(map(Document, texts)):
        own = [originals[number]] if alike else every
        standing += _count(document, [each.wanted for each in own])
        inside = _places_of(replaced[number], given) if given and alike and reads_back else ()
        standing += sum(
            1 for start, end, _ in everywhere.places(document) if not _is_in(start, end, inside)
        )
        if number < len(originals):
            found_again += _again(document, own, detectors)
    names = RepeatValues(
        (kind, value)
        for each in every
        for kind, value in each.values
        if kind.is_direct and sum(map(str.isalnum, value)) >= FEWEST_IN_BYTES
    )
    standing += sum(_count(Document(text), [names]) for text in _raw(content, form))
    standing += _named(name, everywhere, every)
    return FileRecount(standing=standing, found_again=found_again, reads_back=reads_back)


def _named(name: str, everywhere: RepeatValues, originals: Iterable[Originals]) -> int:
    """Whether a file is called after somebody: a part of a name is enough, in any order, as in
    "Lee_Ann"."""
    label = name.replace("_", " ").replace("/", " ")
    return _count(Document(label), [everywhere]) + sum(each.real.holds(label) for each in originals)


def _places_of(replaced: ReplacedDocument, given: Collection[str]) -> list[tuple[int, int]]:
    return [
        (each.new_start, each.new_end)
        for each in replaced.replacements
        if each.surrogate.casefold() in given
    ]


def _is_in(start: int, end: int, places: Iterable[tuple[int, int]]) -> bool:
    """Whether it is a part, and not all, of one of the places."""
    return any(
        first <= start and end <= last and end - start < last - first for first, last in places
    )


def _count(document: Document, wanted: Iterable[RepeatValues]) -> int:
    return sum(1 for values in wanted for _ in values.places(document))


def _again(
    document: Document, originals: Sequence[Originals], detectors: Sequence[TextDetector]
) -> int:
    """How many direct identifiers are still found that are a person's own, in whole or in part."""
    if not any(_may_hold(each.real, document.text) for each in originals):
        return 0  # Mostly so: what no word of the text is part of, no detector can find in it.
    count = 0
    for part in (
        document.parts()
    ):  # A long one part by part: what was found in one need not be held for the next.
        found = find(part.document, detectors, threshold=SURE)
        own = (
            bid
            for bid in found
            if bid.kind is not None and bid.kind.is_direct and part.owns(bid.start)
        )
        values = (part.document.text[bid.start : bid.end] for bid in own)
        count += sum(any(each.real.holds(value) for each in originals) for value in values)
    return count


def _may_hold(real: RealValues, text: str) -> bool:
    """Whether a real value is in the text, as whole words or as the letters or the digits of
    one."""
    return len(real) > 0 and (real.holds(text) or real.stand_among(_PIECE.findall(folded(text))))


def _raw(content: bytes, form: str = "") -> Iterator[str]:
    """Everything a file holds as text, whatever it is: its bytes, and those of everything packed in
    it or attached to it."""
    yield from _read(content)
    if form == Eml.name:
        for part in email.message_from_bytes(content).walk():
            attached = part.get_payload(decode=True)
            nested = Eml.name if part.get_content_maintype() == "application" else ""
            if isinstance(attached, bytes) and attached != content:
                yield from _raw(attached, nested if attached.startswith(b"From:") else "")
    if zipfile.is_zipfile(BytesIO(content)):
        with zipfile.ZipFile(BytesIO(content)) as packed:
            yield packed.comment.decode("utf-8", "replace")
            for entry in packed.infolist():
                yield f"{entry.filename} {entry.comment.decode('utf-8', 'replace')}"
                yield from _read(packed.read(entry))


def _read(content: bytes) -> Iterator[str]:
    yield content.decode("utf-8", "replace")
    for encoding in _WIDE if content.count(0) * 4 > len(content) else ():
        yield content.decode(encoding, "replace")
