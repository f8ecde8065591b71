"""Phone and fax numbers of many countries, with extensions; local ones such as 473-1214.

A form is worth something alone and more after a word such as "tel.", "call" or "fax". Shapes that
much else has too (nine digits in threes, eight in twos) count only after one. Doses, ranges of
laboratory values, pages and dates have the same shapes. A unit behind, or a word such as "range"
before, rules a number out."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .cued import has_unit
from .declaration import Basis, DetectorDeclaration
from .forms import matches

_EXTENSION = (
    r"(?:[ ,;]{0,3}(?:ext|Ext|EXT|extn|extension|Extension|poste|Durchwahl|DW|interno|app|toestel|wew"
    r"|[xX])[.:]? ?#?\d{1,6}"
    r"| ?\((?:ext|extension|x)[.:]? ?\d{1,6}\))?"
)
_END = rf"{_EXTENSION}(?![\w]|[-/.,]\d)"
CUES = frozenset(
    "tel tele telephone telephones phone phones ph call calls called calling callback "
    "reach reached reachable contact "
    "contacted mobile mob cell cellular handy fax facsimile telefax pager beeper page "
    "paged dial dialed text texted "
    "sms whatsapp voicemail desk answering message messages direct hotline helpline "
    "landline office home number "
    "telefon telefonnummer rufnummer mobil mobilnummer telefonisch tél téléphone "
    "téléphonique portable télécopie "
    "teléfono telefono telefónico móvil movil celular cellulare telefone telemóvel "
    "telefoon telefoonnummer mobiel gsm "
    "telefonnr puhelin puh telefonu komórka τηλ τηλέφωνο тел телефон telefonszám ring rang "
    "ringing f t m".split()
)
_SURE_CUES = CUES - frozenset(
    "number home office page text f t m contact contacted direct desk message messages answering".split()
)
_AGAINST = frozenset(
    "range ranges ranging normal reference between pp pages from dose doses wbc rbc "
    "platelet platelets calories kcal "
    "grant isbn issn pmid doi icd cpt ndc loinc lot version article rule section § "
    "paragraph zip code score paragraph "
    "paragraphs".split()
)


@dataclass(frozen=True, slots=True)
class _Shape:
    pattern: re.Pattern[str]
    alone: float
    """The score without a word for a phone number before it; 0 is no bid."""
    cued: float
    reason: str


def _shape(pattern: str, alone: float, cued: float, reason: str) -> _Shape:
    return _Shape(re.compile(pattern + _END), alone, cued, reason)


_SHAPES = (
    _shape(r"\+(?<![\w+]\+)[1-9](?:[ .()/-]{0,3}\d){6,14}", 0.92, 0.99, "an international number"),
    _shape(
        r"0(?<![\w.,/+-]0)0[1-9](?:[ .()/-]{0,2}\d){7,13}",
        0.55,
        0.97,
        "an international number after 00",
    ),
    _shape(
        r"[1(](?<![\w.,/+-][1(])(?:[ .-]?\(?)[2-9]\d\d(?:\)[ .-]{0,2}|[ .-])\d{3}[ .-]?\d{4}",
        0.92,
        0.99,
        "a North American number with its area code",
    ),
    _shape(
        r"[2-9](?<![\w.,/+-]\d)\d\d([ .-])\d{3}\1\d{4}", 0.85, 0.98, "three, three and four digits"
    ),
    _shape(
        r"[01](?<![\w.,/+-]\d)\d\d([.-])\d{3}\1\d{4}", 0.7, 0.98, "three, three and four digits"
    ),
    _shape(
        r"[2-9](?<![\w.,/+-]\d)\d\d[/ ]{1,2}\d{3}-\d{4}", 0.85, 0.98, "three, three and four digits"
    ),
    _shape(
        r"1(?<![\w.,/+-]1)-8\d\d-[A-Z0-9]{3,4}-?[A-Z0-9]{3,4}",
        0.9,
        0.98,
        "a toll-free number in letters",
    ),
    _shape(
        r"\((?<!\w\()0\d{1,5}\)[ ./-]{0,2}\d{2,8}(?:[ -]\d{2,5}){0,3}",
        0.9,
        0.98,
        "an area code with 0 in brackets",
    ),
    _shape(
        r"\((?<!\w\()[1-9]\d\)[ -]?9?[ ]?\d{4}[ -]?\d{4}", 0.9, 0.98, "an area code in brackets"
    ),
    _shape(
        r"\((?<!\w\()[1-9]\d{0,3}\)[ -]?\d{2,4}[ -]\d{2,4}(?:[ -]\d{2,4})?",
        0.6,
        0.95,
        "an area code in brackets",
    ),
    _shape(
        r"0(?<![\w.,/+-]0)\d{1,5}(?:(?: ?[/-] ?| |\.)\d{2,8}){1,5}",
        0.7,
        0.96,
        "a number that starts with its 0",
    ),
    _shape(r"[2-9](?<![\w.,/+$€£-]\d)\d\d-\d{4}", 0.72, 0.95, "a local number"),
    _shape(
        r"[1-9](?<![\w.,/+$€£-]\d)\d{3} \d{3} \d{3}", 0.55, 0.95, "four, three and three digits"
    ),
    _shape(r"[6-9](?<![\w.,/+-]\d)\d{4}[ -]\d{5}", 0.6, 0.95, "two groups of five digits"),
    _shape(
        r"\d(?<![\w.,/+$€£-]\d)\d{0,4}(?:[ ./-]{1,2}\d{2,8}){1,5}",
        0.0,
        0.9,
        "groups of digits after a word for phone",
    ),
    _shape(r"\d(?<![\w.,/+$€£-]\d)\d{4,13}", 0.0, 0.88, "digits after a word for phone"),
)
_SHORT = re.compile(
    r"[EePpBbx](?<!\w\w)(?:(?<=[Ee])xt(?:ension|n)?|(?<=[Pp])ager(?: "
    r"(?:number|no|id))?|(?<=[Bb])(?:eeper|leep)|(?<=x))"
    r"[.:]?[ ]?#?[ ]?(?P<found>\d{3,6})(?![\w/]|[-.,]\d)"
)
_CUE_BEHIND = re.compile(
    r"[\s,(\\-]{1,3}(?:office|fax|mobile|cell|home|phone|tel|desk|direct|work|handy|pager)(?!\w)",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\d{1,2}[ ./-]\d{1,2}[ ./-](?:\d\d){1,2}|(?:19|20)\d\d[ ./-]\d{1,2}[ "
    r"./-]\d{1,2}|(?:19|20)\d\d[ -](?:19|20)\d\d"
)
_ACUITY = re.compile(r"20/\d{2,3}(?!\d)")
"""How well an eye sees; behind PH, the pinhole, it follows a word for phones."""
_SHIFT = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d ?- ?(?:[01]\d|2[0-3])[0-5]\d")
"""From one time of day to another: 0700-1900."""


class Phones:
    """Tries each shape everywhere and asks the words before it."""

    name = "phones"

    def bid(self, document: Document) -> Iterable[Bid]:
        for shape in _SHAPES:
            for match in matches(shape.pattern, document):
                score = self._score(document, shape, match)
                if score:
                    yield Bid(*match.span(), ReferenceKind.PHONE, score, self.name, shape.reason)
        yield from self._short(document)

    def _score(self, document: Document, shape: _Shape, match: re.Match[str]) -> float:
        digits = sum(
            c.isdecimal() or c.isupper() for c in match.group()
        )  # Capitals stand for digits.
        if not 7 <= digits <= 21 and not (digits >= 5 and not shape.alone):
            return 0.0
        if _ACUITY.match(match.group()) or _SHIFT.fullmatch(match.group()):
            return 0.0
        if has_unit(document.text, match.end()) or _DATE.fullmatch(match.group()):
            return 0.0
        before = document.words_before(bisect_left(document.starts, match.start()))[:5]
        sure = (
            not _SURE_CUES.isdisjoint(before)
            or _CUE_BEHIND.match(document.text, match.end()) is not None
        )
        if not sure and not _AGAINST.isdisjoint(before[:3]):
            return 0.0
        if sure or not CUES.isdisjoint(before[:2]):
            return shape.cued if sure else max(shape.alone, shape.cued - 0.1)
        if (
            not shape.alone
            and digits >= 9
            and " " in match.group()
            and _is_line(document.text, *match.span())
        ):
            return 0.6
        return shape.alone if shape.alone >= 0.6 or digits >= 9 else 0.0

    def _short(self, document: Document) -> Iterator[Bid]:
        """Short numbers inside a house: an extension, a pager."""
        for match in _SHORT.finditer(document.text):
            if match.group()[0] != "x" or len(match["found"]) >= 4:
                score = 0.6 if match.group()[0] == "x" else 0.85
                yield Bid(
                    *match.span("found"),
                    ReferenceKind.PHONE,
                    score,
                    self.name,
                    "an extension or a pager",
                )


def _is_line(text: str, start: int, end: int) -> bool:
    """Whether a number has a line for itself, as below a signature."""
    return text[start - 1 : start] in ("", "\n") and text[end : end + 1] in ("", "\r", "\n")


DECLARATION = DetectorDeclaration(
    key="phones",
    doc="phone and fax numbers of many countries",
    kinds=(ReferenceKind.PHONE,),
    basis=Basis.FORM,
    make=Phones,
    order=10,
    gives_way_below=0.6,
)
