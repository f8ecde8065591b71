"""Streets with their numbers, boxes and flats, in the orders of several languages, and the lines of
address blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import street_words, words
from ..word_reading import LETTER, WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .name_evidence import TITLES

_BOXES = frozenset("box bx postbox postfach postbus apartado casilla pobox".split())
_BOX_NUMBER = re.compile(r"[ #:.]{1,3}\d{1,7}(?!\w)")
_FLAT = re.compile(
    r"(?:,? ?\n?[ \t]{0,3}(?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|Fl|Room|Rm|Bldg|Building|Lot|Trailer|No|"
    r"Wohnung|appt?)\.? ?#? ?[0-9A-Za-z]{1,5}(?:-[0-9A-Za-z]{1,4})?(?![\w])"
    r"|,? ?#[0-9]{1,5}[A-Za-z]?(?!\w)|,? (?:[NSEW]{1,2}|NE|NW|SE|SW)(?![\w.]))"
)
_NUMBER = re.compile(
    r"(?<![\w.,/$#:-])[0-9]{1,6}(?:[A-Za-z]|[-/][0-9A-Za-z]{1,4}|½)?(?=,? +[A-Za-zÀ-Ý])"
)
_NUMBER_BEHIND = re.compile(
    r",? {1,2}(?:n[°ºo]\.? ?|nr\.? ?|No\.? ?)?[0-9]{1,4}(?: "
    r"?[A-Za-z](?![A-Za-z]))?(?:[-/][0-9]{1,4}[a-z]?)?(?![\w./-])"
)
_JOINED = tuple(
    "strasse str gasse weg platz allee ufer damm ring steig straat laan gracht plein kade "
    "singel gade vej gata gatan "
    "vagen veien vegen katu tie utca".split()
)
_JOINED_NUMBER = re.compile(
    r"\.? {1,2}[0-9]{1,4}(?: ?[a-zA-Z](?![A-Za-z]))?(?:[-/][0-9]{1,4})?(?![\w/])"
)
_COMMON_AFTER = frozenset(
    "court place way park green run view close walk hill gate path row chase common rise "
    "bend drove".split()
)
_MOST = 5
_LINE = 80
"""Lines of an address are no longer."""
_BLOCK_END = re.compile(
    r"[ \t]{0,8}[A-Z][\w'’. -]{1,40},? +(?:[A-Z]{2},? "
    r"+\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[\dA-Z]? ?\d[A-Z]{2})(?![\w-])"
)
_BLOCK_STREET = re.compile(
    r"[ \t]{0,8}(?:[A-Z][\w'’]{1,20}(?: [A-Z][\w'’]{1,20}){0,3} [0-9]{1,5}[A-Za-z]?"
    r"|[0-9]{1,5}[A-Za-z]? [A-Z][\w'’]{1,20}(?: [A-Z][\w'’]{1,20}){0,3})(?![\w/-])"
)


_BOTH = frozenset(
    "avenue av boulevard place plaza allee sokak ulitsa prospekt strasse straße".split()
)
_SURE_BEFORE = frozenset(
    "rue calle via viale piazza rua avenida ulica jalan strada boulevard".split()
)
_SMALL_BEFORE = frozenset(
    "rue avenue boulevard chemin impasse allee quai calle rua ul ulica".split()
)
_LINKS = frozenset("de la le du des del della di do da dos das der den las los el".split())
_ABBREVIATED = frozenset("st ave av rd dr ln blvd ct pl sq ter cir pkwy hwy trl cres gdns".split())
_FLATS = frozenset("apt apartment suite ste unit flat".split())
_FLAT_NUMBER = re.compile(r"\.? ?#? ?(?:[0-9]{1,5}[A-Za-z]?|[A-Z][0-9]{0,4})(?![\w-])")
_TOLD = (
    ("address",),
    ("lives", "at"),
    ("living", "at"),
    ("resides", "at"),
    ("residing", "at"),
    ("located", "at"),
    ("moved", "to"),
)
_TOLD_STREET = re.compile(
    r"(?:is |was |: )?(?:[0-9]{1,6}[A-Za-z]? {1,2}[^\W\d_][\w'’.-]{1,24}(?: "
    r"[^\W\d_a-z][\w'’.-]{0,24}){0,4}"
    r"(?: [0-9]{1,5}(?![\w/]))?"
    r"|[A-ZÀ-Þ][\w'’.-]{2,24}(?: [A-ZÀ-Þ][\w'’.-]{1,24}){0,3} [0-9]{1,5}[A-Za-z]?(?![\w/]))"
)


class Addresses:
    """Looks around the words for streets, and at the line above a town with its postal code."""

    name = "addresses"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        yield from self._boxes(read)
        yield from self._streets(read)
        yield from self._joined(read)
        yield from self._blocks(read)
        yield from self._flats(read)
        yield from self._told(read)

    def _boxes(self, read: WordReading) -> Iterator[Bid]:
        for place in read.places(_BOXES):
            first = place
            while (
                first
                and place - first < 2
                and read.folds[first - 1] in ("p", "o", "po", "post", "office")
            ):
                first -= 1
            if (
                place > 1
                and read.folds[place - 2] in ("psc", "unit", "cmr")
                and read.folds[place - 1].isdigit()
            ):
                first = place - 2
            found = _BOX_NUMBER.match(read.text, read.ends[place])
            if found and (first < place or read.folds[place] not in ("box", "bx")):
                yield Bid(
                    read.starts[first],
                    found.end(),
                    ReferenceKind.STREET,
                    0.97,
                    self.name,
                    "a post office box",
                )

    def _joined(self, read: WordReading) -> Iterator[Bid]:
        """Hauptstraße 12, Prinsengracht 263."""
        for place in read.capitals:
            fold = read.folds[place]
            if not fold.endswith(_JOINED) or len(fold) < 6 or fold in words():
                continue
            if found := _JOINED_NUMBER.match(read.text, read.ends[place]):
                reason = "a street in one word and a number"
                yield Bid(
                    read.starts[place], found.end(), ReferenceKind.STREET, 0.93, self.name, reason
                )

    def _streets(self, read: WordReading) -> Iterator[Bid]:
        for place in read.places(street_words()):
            if read.folds[place] == "c":
                continue
            kind = street_words()[read.folds[place]]
            if (
                not read.is_capital(place)
                and read.folds[place] not in _SMALL_BEFORE
                and not read.is_caseless
            ):
                continue
            if read.folds[place] in _BOTH or kind == "after":
                yield from self._after(read, place)
            if read.folds[place] in _BOTH or kind == "before":
                yield from self._before(read, place)

    def _after(self, read: WordReading, place: int) -> Iterator[Bid]:
        """12 Old Mill Road, Apt. 3; without a number only if the name is sure: Commonwealth
        Avenue."""
        first = place
        while first and place - first < _MOST and read.gap(first - 1) in (" ", ". ", "-"):
            before = first - 1
            if read.text[read.starts[before]].isdigit():
                if (
                    _NUMBER.match(read.text, read.starts[before])
                    and place > first - 1
                    and first < place
                ):
                    yield self._bid(
                        read,
                        before,
                        place,
                        0.96 if read.is_capital(place) else 0.8,
                        "a number and a street",
                    )
                    return
                if not _is_ordinal(read.folds[before]):
                    return
            elif (not read.is_capital(before) and not read.is_caseless) or (
                read.folds[before] in TITLES and read.folds[before] != "dr"
            ):
                break
            first = before
        if (
            first < place
            and read.is_capital(first)
            and read.is_capital(place)
            and not _is_vague(read, first, place)
        ):
            behind = _NUMBER_BEHIND.match(read.text, read.ends[place])
            if behind:
                yield Bid(
                    read.starts[first],
                    behind.end(),
                    ReferenceKind.STREET,
                    0.85,
                    self.name,
                    "a street and a number",
                )
            elif len(read.folds[place]) > 3 and read.folds[place] not in _COMMON_AFTER:
                yield self._bid(read, first, place, 0.72, "the name of a street")

    def _before(self, read: WordReading, place: int) -> Iterator[Bid]:
        """12 rue de la Paix, Calle Mayor 5, Via Roma."""
        last, at, linked = place, place, 0
        while (
            at + 1 < len(read)
            and at - place < _MOST
            and read.gap(at) in (" ", "-", ". " if at == place else " ")
        ):
            at += 1
            if read.is_capital(at):
                last, linked = at, 0
            elif read.folds[at].startswith(("d'", "l'")):
                last = at
            elif read.folds[at] in _LINKS and linked < 2:
                linked += 1
            else:
                break
        if last == place:
            return
        behind = _NUMBER_BEHIND.match(read.text, read.ends[last])
        numbered = (
            place
            and read.text[read.starts[place - 1]].isdigit()
            and read.gap(place - 1) in (" ", ", ", " bis ")
        )
        first = place - 1 if numbered and not behind else place
        if behind or numbered:
            end = behind.end() if behind else read.ends[last]
            yield Bid(
                read.starts[first],
                end,
                ReferenceKind.STREET,
                0.92,
                self.name,
                "a street and a number",
            )
        elif read.is_capital(place) and read.folds[place] in _SURE_BEFORE:
            yield self._bid(read, place, last, 0.65, "the name of a street")

    def _blocks(self, read: WordReading) -> Iterator[Bid]:
        """The line above "Boston, MA 02151", if it has a name and a number: Huntington 18."""
        text = read.text
        for place in read.numbers:
            line = text.rfind("\n", max(0, read.starts[place] - _LINE), read.starts[place])
            if line <= 0 or not _BLOCK_END.match(text, line + 1):
                continue
            above = text.rfind("\n", max(0, line - _LINE), line) + 1
            street = _BLOCK_STREET.match(text, above)
            if street and street.end() <= line:
                yield Bid(
                    *street.span(),
                    ReferenceKind.STREET,
                    0.93,
                    self.name,
                    "the line above a town and its postal code",
                )

    def _flats(self, read: WordReading) -> Iterator[Bid]:
        """Apt. 5B on a line of its own; and Unit 4719 Box 7394 of the military post."""
        for place in read.places(_FLATS):
            if read.is_capital(place) and (
                found := _FLAT_NUMBER.match(read.text, read.ends[place])
            ):
                yield Bid(
                    read.starts[place], found.end(), ReferenceKind.STREET, 0.7, self.name, "a flat"
                )

    def _told(self, read: WordReading) -> Iterator[Bid]:
        """His address is 5049 Harjukuja 54: the text itself calls it an address."""
        for cue in _TOLD:
            for place in read.where.get(cue[-1], ()):
                if read.folds[max(0, place - len(cue) + 1) : place + 1] != list(cue):
                    continue
                start = (
                    read.ends[place] + len(read.gap(place)) - len(read.gap(place).lstrip(" :\n"))
                )
                if start - read.ends[place] < 8 and (found := _TOLD_STREET.match(read.text, start)):
                    number = next(
                        (
                            at
                            for at, sign in enumerate(found.group())
                            if sign.isdigit() or sign.isupper()
                        ),
                        0,
                    )
                    yield Bid(
                        start + number,
                        found.end(),
                        ReferenceKind.STREET,
                        0.8,
                        self.name,
                        "behind words for an address",
                    )

    def _bid(self, read: WordReading, first: int, last: int, score: float, reason: str) -> Bid:
        end = read.ends[last]
        if read.text[end : end + 1] == "." and read.folds[last] in _ABBREVIATED:
            end += 1
        if found := _FLAT.match(read.text, end):
            end = found.end()
        return Bid(read.starts[first], end, ReferenceKind.STREET, score, self.name, reason)


def _is_ordinal(fold: str) -> bool:
    return fold.endswith(("st", "nd", "rd", "th"))


def _is_vague(read: WordReading, first: int, place: int) -> bool:
    """Main Court, The Way, High Park: ordinary words only, in a sentence, are no street."""
    names = [read.folds[at] for at in range(first, place)]
    if any(read.shapes[at] == LETTER for at in range(first, place)) and len(names) == 1:
        return True
    known_court = read.folds[place] in (
        "court",
        "place",
        "park",
        "way",
        "close",
        "run",
        "view",
        "dr",
        "st",
        "gate",
        "common",
        "path",
    )
    return all(words().get(name, "0") >= "4" for name in names) or (known_court and len(names) > 0)


DECLARATION = DetectorDeclaration(
    key="addresses",
    doc="streets with numbers, boxes and flats",
    kinds=(ReferenceKind.STREET,),
    basis=Basis.WORDS,
    make=Addresses,
    order=260,
    gives_way_below=0.7,
)
