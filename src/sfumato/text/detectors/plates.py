"""Number plates and vehicle identification numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .cued import CuedNumbers, cues
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .forms import bids_of, form

_VALUES = dict(
    zip(
        "ABCDEFGHJKLMNPRSTUVWXYZ",
        (1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9),
        strict=True,
    )
)
_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def is_vin(code: str) -> bool:
    """The check character of ISO 3779 as North America demands it: the ninth.

    Example:
        >>> is_vin("1M8GDM9AXKP042788"), is_vin("1M8GDM9A1KP042788")
        (True, False)
    """
    total = sum(
        (_VALUES[c] if c in _VALUES else int(c)) * w for c, w in zip(code, _WEIGHTS, strict=True)
    )
    return "0123456789X"[total % 11] == code[8]


def _is_mixed(match: re.Match[str]) -> bool:
    found = match["found"]
    return any(map(str.isdecimal, found)) and len(found) >= 4


def _vin_agrees(match: re.Match[str]) -> bool:
    return any(map(str.isdecimal, match.group())) and is_vin(match.group())


_BY_FORM = (
    form(r"[A-HJ-PR-Y](?<!\w\w)[A-Z]\d\d ?[A-Z]{3}(?![\w-])", 0.65, "a British plate"),
    form(
        r"[A-ZÄÖÜ](?<![\w-].)[A-ZÄÖÜ]{0,2}-[A-Z]{1,2} ?[1-9]\d{1,3}[EH]?(?![\w-])",
        0.5,
        "a German plate",
    ),
    form(r"[A-Z](?<![\w-].)[A-Z]-\d{3}-[A-Z]{2}(?![\w-])", 0.75, "a French or Italian plate"),
    form(r"\d(?<![\w.-]\d)\d{3} [B-DF-HJ-NP-TV-Z]{3}(?![\w-])", 0.55, "a Spanish plate"),
    form(
        r"[A-HJ-NPR-Z0-9](?<!\w\w)[A-HJ-NPR-Z0-9]{16}(?!\w)",
        0.9,
        "a vehicle identification number, check character agrees",
        check=_vin_agrees,
    ),
)
_NAMED = CuedNumbers(
    name="plates",
    kind=ReferenceKind.PLATE,
    cues=cues(
        "0.9: vin, license plate, licence plate, number plate, plate number, plate no, tag "
        "number, vehicle id"
    ),
    reason="follows a word for a plate or VIN",
)
_PLATE = (
    r"(?P<found>[A-Z0-9ÄÖÜ]{1,8}(?:[ -][A-Z0-9]{1,7}){0,3}(?!\w)|"
    r"[a-z]{1,3}(?:-[a-z]{1,2} )?\d{1,4}(?: ?[a-z]{1,3})?(?!\w)|\d[a-z]{3}\d{3}(?!\w))"
)
_BY_NAME = (
    form(
        r"[Pp](?<!\w\w)(?:late|LATE)s?(?: [Nn]umbers?| [Nn]o\.?|#)?(?: "
        r"(?:is|was|reads|reading))?[\s:,(\"“#]{1,3}" + _PLATE,
        0.92,
        "follows plate",
        needs="late|LATE",
        check=_is_mixed,
    ),
    form(
        r"[Rr](?<!\w\w)eg(?:istration|\.)?(?: [Mm]ark| [Pp]late)?(?: "
        r"(?:[Nn]umber|[Nn]o\.?))?(?: (?:is"
        r"|was))?[\s:,(\"“#]{1,3}" + _PLATE,
        0.8,
        "follows registration number",
        needs="eg",
        check=_is_mixed,
    ),
    form(
        r"[KkNnTtVIi](?<!\w\w)(?:ennzeichen|ummernschild|mmatriculation|atrícula|arga|enteken|IN|ag [Nn]umber)"
        r"(?: (?:number|is|lautet|no\.?))?[\s:,(\"“#]{1,3}" + _PLATE,
        0.9,
        "follows a word for a plate or VIN",
        needs="ennzeichen|ummernschild|mmatriculation|atrícula|arga|enteken|VIN|ag ",
        check=_is_mixed,
    ),
)


class Plates:
    """Plates by the form that a few countries have, or by the word before them."""

    name = "plates"

    def bid(self, document: Document) -> Iterable[Bid]:
        yield from bids_of(_BY_FORM, document, ReferenceKind.PLATE, self.name)
        yield from self._by_name(document)
        yield from _NAMED.bid(document)

    def _by_name(self, document: Document) -> Iterator[Bid]:
        for bid in bids_of(_BY_NAME, document, ReferenceKind.PLATE, self.name):
            words = document.text[bid.start : bid.end].split(" ")
            while len(words) > 1 and not any(map(str.isdecimal, words[-1])) and len(words[-1]) > 3:
                words.pop()  # A word in capitals after the plate.
            yield Bid(
                bid.start,
                bid.start + len(" ".join(words)),
                bid.kind,
                bid.score,
                bid.detector,
                bid.reason,
            )


DECLARATION = DetectorDeclaration(
    key="plates",
    doc="number plates and vehicle identification numbers",
    kinds=(ReferenceKind.PLATE,),
    basis=Basis.FORM,
    make=Plates,
    order=170,
    gives_way_below=ALWAYS,
)
