"""Times of day. They hardly ever identify anybody alone, so they score low; a person decides
whether to mask them with the dates."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .forms import bids_of, form

_HALF = r"(?:[ap]\. ?m\.|[AP]\. ?M\.|[ap]m|[AP]M)(?!\w)"
_HOUR = r"(?P<hour>\d(?<![\w:.,/$€£-]\d)\d?)"
_RATIO_BEFORE = re.compile(
    r"(?:titers?|titres?|dilution|diluted|ratio|ANA|RPR|VDRL|I:E|scale|mixed|odds|verse|Genesis|Psalms?|Matthew|Mark"
    r"|Luke|"
    r"John|Rom|Cor)[\s:=(]{0,3}(?:of |is |was |at )?\Z",
    re.IGNORECASE,
)


def _is_clock(match: re.Match[str]) -> bool:
    if int(match["hour"]) > 24 or ("minute" in match.re.groupindex and int(match["minute"]) > 59):
        return False
    return _RATIO_BEFORE.search(match.string, max(0, match.start() - 24), match.start()) is None


def _is_half_day(match: re.Match[str]) -> bool:
    return 0 < int(match["hour"]) <= 12


_FORMS = (
    form(
        rf"{_HOUR}[:.](?P<minute>\d\d)(?::[0-5]\d)? ?{_HALF}",
        0.6,
        "hours and minutes with their half of the day",
        needs="m|M",
        check=_is_clock,
    ),
    form(rf"{_HOUR} ?{_HALF}", 0.5, "an hour with its half of the day", check=_is_half_day),
    form(
        rf"{_HOUR}:(?P<minute>\d\d)(?::[0-5]\d(?:[.,]\d{{1,6}})?)?"
        r"(?: ?(?:Uhr|hrs?|hours|uur|GMT|UTC|[ECMP][SD]T|CES?T|BST|Z))?(?![\w:])",
        0.5,
        "hours and minutes",
        needs=":",
        check=_is_clock,
    ),
    form(
        rf"{_HOUR}[.:hH ]?(?P<minute>\d\d)?[ ]?(?:Uhr|hrs|hours|uur|h)(?![\w])(?! "
        r"(?:later|after|ago|before|of|per))",
        0.45,
        "an hour by the clock of 24",
        needs="Uhr|hrs|hours|uur|h ",
        check=lambda match: match["minute"] is not None and _is_clock(match),
    ),
    form(
        rf"{_HOUR}h(?P<minute>[0-5]\d)(?!\w)", 0.5, "hours and minutes in French", check=_is_clock
    ),
    form(rf"{_HOUR} o['’]clock", 0.45, "an hour in words", needs="clock", check=_is_half_day),
    form(
        r"[nmNM](?<!\w\w)(?:oon|idday|idnight)(?!\w)",
        0.3,
        "noon or midnight",
        needs="oon|idday|idnight",
    ),
    form(
        r"T(?<=\dT)(?P<found>[0-2]\d:[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)",
        0.6,
        "an ISO time",
        needs=":",
    ),
)


class Times:
    """Clock times in the usual forms; ratios, titres and verses are left alone."""

    name = "times"

    def bid(self, document: Document) -> Iterable[Bid]:
        return bids_of(_FORMS, document, ReferenceKind.TIME, self.name)


DECLARATION = DetectorDeclaration(
    key="times",
    doc="times of day; they score low",
    kinds=(ReferenceKind.TIME,),
    basis=Basis.FORM,
    make=Times,
    order=90,
    gives_way_below=ALWAYS,
)
