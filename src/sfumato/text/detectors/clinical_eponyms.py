"""Signs, tests and gradings by a person's name to keep: "Homans' sign", "Schatzker type II"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..lexicons import first_names, medical_words
from ..word_reading import INITIAL, LOWER, MIXED, NUMBER, WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .medical_labels import ROMAN, SURE, has_before
from .name_evidence import NEVER, TITLES

_SIGNS = frozenset(
    "sign signs reflex reflexes maneuver manoeuvre phenomenon triad nodes node criteria "
    "classification syndrome disease neuroma contracture hernia palsy lymphoma sarcoma shunt "
    "ulcer ulcers cyst rings ring nevus duct line lines angle angles".split()
)
"""Words behind a name that make it one of medicine, also with a possessive."""
_TESTS = frozenset("test tests fracture procedure operation repair incision approach view".split())
"""The same, but not with the possessive of somebody's first name: "Anna's test"."""
_GRADES = frozenset("grade class type stage zone group".split())
_VALUE = re.compile(rf"[ -](?:{ROMAN}|\d{{1,2}}[a-cA-C]?)(?!\w|[/.-]\d)")
_FOUND = frozenset("positive negative equivocal absent present".split())
_COMMON = "3"


class ClinicalEponyms:
    """Looks before the words for signs, tests and gradings for a name without title."""

    name = "clinical eponyms"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        yield from self._named(read)
        yield from self._graded(read)
        yield from self._found(read)

    def _named(self, read: WordReading) -> Iterator[Bid]:
        for place in read.places(_SIGNS | _TESTS):
            first = _name_before(read, place)
            if first is None:
                continue
            if read.folds[place] in _TESTS and _is_somebodys(read, place - 1):
                continue
            span = read.starts[first], read.ends[place]
            yield Bid(*span, None, SURE, self.name, "a sign, test or disease by its name")

    def _graded(self, read: WordReading) -> Iterator[Bid]:
        for place in read.places(_GRADES):
            first = _name_before(read, place)
            if first is not None and (found := _VALUE.match(read.text, read.ends[place])):
                span = read.starts[first], found.end()
                yield Bid(*span, None, SURE, self.name, "a grading by its name, with its value")

    def _found(self, read: WordReading) -> Iterator[Bid]:
        """Negative Hoffman's, positive Patrick's test"""
        for place in read.places(_FOUND):
            name = place + 1
            if (
                name < len(read)
                and read.gap(place) == " "
                and read.shapes[name] in (INITIAL, MIXED)
                and read.folds[name].endswith("'s")
            ):
                span = read.starts[name], read.ends[name]
                if name + 1 < len(read) and read.folds[name + 1] in _TESTS | _SIGNS:
                    span = read.starts[name], read.ends[name + 1]
                yield Bid(*span, None, SURE, self.name, "a sign that is present or absent")


def is_eponymous(read: WordReading, place: int) -> bool:
    """Whether a word behind the name makes it one of medicine: "Hodgkin lymphoma", "Weber B".

    Example:
        >>> from sfumato.text import Document
        >>> [is_eponymous(reading(Document(text)), 0) for text in ("Bell palsy", "Bell called")]
        [True, False]
    """
    following = place + 1
    if read.folds[place].endswith("'s"):
        return True
    if following >= len(read) or read.gap(place) not in (" ", "-", "' ", "’ "):
        return False
    return (
        read.folds[following] in _SIGNS | _TESTS | _GRADES
        or read.folds[following] in medical_words()
        or read.gap(place) == "-"
        or (
            read.shapes[following] == NUMBER
            and _VALUE.match(read.text, read.ends[place]) is not None
        )
    )


def _name_before(read: WordReading, place: int) -> int | None:
    """The first word of a name right before the place, one or two with a hyphen between."""
    first = place - 1
    if first < 0 or read.shapes[place] != LOWER or not _is_name(read, first):
        return None
    if read.gap(first) not in (" ", "' ", "’ "):
        return None
    while first > 0 and read.gap(first - 1) in ("-", "–") and _is_name(read, first - 1):
        first -= 1
    if has_before(read, first, TITLES):
        return None
    if first and read.gap(first - 1) == " " and read.bares[first - 1] in first_names():
        return None if read.is_capital(first - 1) else first
    return first


def _is_name(read: WordReading, place: int) -> bool:
    return read.shapes[place] in (INITIAL, MIXED) and read.folds[place] not in NEVER


def _is_somebodys(read: WordReading, place: int) -> bool:
    """Whether it is the possessive of a usual first name, without a finding before it."""
    known = first_names().get(read.bares[place], "x0")[-1] >= _COMMON
    owned = read.folds[place].endswith("'s")
    return known and owned and not has_before(read, place, _FOUND)


DECLARATION = DetectorDeclaration(
    key="clinical eponyms",
    doc="signs, tests, diseases and gradings to keep that have a person's name",
    kinds=(),
    basis=Basis.WORDS,
    make=ClinicalEponyms,
    order=380,
    vetoes=True,
)
