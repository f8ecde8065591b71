"""The ways to scrub without Scrub (Sweeney 2000, Fig. 23 and 24): search for what the database
knows, with or without cues.

Both are detectors, so that the paper's comparison can be repeated on any corpus. They read what is
known from `Document.cues`: the names and numbers in the row of the patient and of the physician.
Nothing else uses them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .bids import Bid
from .documents import Document
from .kinds import ReferenceKind

_CAPITALISED = r"[^\W\d_a-z][\w'’-]{1,30}"
_AFTER_TITLE = re.compile(
    rf"[DMPR](?<!\w\w)(?:r|rs|s|iss|ear|rof|E|e)(?:[.:]|\b)\s{{0,2}}(?P<found>(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?"
    rf"{_CAPITALISED}(?: {_CAPITALISED}){{0,3}})"
)
_LABELLED = re.compile(
    r"[A-Z](?<!\w\w)(?:OB|ate of [Bb]irth|RN|edical [Rr]ecord(?: "
    r"[Nn](?:umber|o\.?))?|el|elephone|hone|ax|ccount)\.?"
    r"[\s:#]{1,3}(?P<found>[\d(+][\d ()/.-]{3,20}\d)"
)
_SALUTATION = re.compile(r"^(?:Dear|To whom)\b", re.MULTILINE)
_HEADING = 1_000
"""How far down a salutation still ends a heading block, in characters."""


class StraightSearch:
    """Looks for each known value, whole and as its separate words, everywhere; capitals are
    ignored.

    Example:
        >>> letter = Document("RE: Ann Lee. Anne came with Lee.", cues={"name": ("Ann Lee",)})
        >>> [(bid.start, bid.end) for bid in StraightSearch().bid(letter)]
        [(4, 11), (28, 31)]
    """

    name = "straight search"

    def bid(self, document: Document) -> Iterable[Bid]:
        for kind, values in document.cues.items():
            known = _pattern(values)
            for match in known.finditer(document.text) if known else ():
                yield Bid(*match.span(), _kind(kind), 1.0, self.name, "known from the record")


class SearchWithCues:
    """Straight search, and the marked places of a well-formed letter: its heading block, "Dear",
    titles and labels."""

    name = "search with cues"

    def bid(self, document: Document) -> Iterable[Bid]:
        yield from StraightSearch().bid(document)
        yield from self._heading(document)
        for pattern, kind in ((_AFTER_TITLE, ReferenceKind.NAME), (_LABELLED, ReferenceKind.OTHER)):
            for match in pattern.finditer(document.text):
                yield Bid(*match.span("found"), kind, 0.9, self.name, "follows a title or a label")

    def _heading(self, document: Document) -> Iterator[Bid]:
        """Every line above the salutation; a text without one has no heading."""
        salutation = _SALUTATION.search(document.text, 0, _HEADING)
        if salutation is None:
            return
        for start, end in document.lines():
            if start >= salutation.start():
                break
            if end > start:
                yield Bid(start, end, ReferenceKind.OTHER, 0.9, self.name, "is in the heading")


def _pattern(values: Iterable[str]) -> re.Pattern[str] | None:
    """One pattern for values and their words, the longest first; words of one letter are left
    out."""
    wanted = {value.strip() for value in values} | {
        word for value in values for word in value.split()
    }
    ordered = sorted(
        (value for value in wanted if len(value) > 1), key=lambda value: (-len(value), value)
    )
    if not ordered:
        return None
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, ordered))})(?!\w)", re.IGNORECASE)


def _kind(name: str) -> ReferenceKind:
    return ReferenceKind(name) if name in ReferenceKind._value2member_map_ else ReferenceKind.OTHER
