"""How far a learned detector's finding reaches in a note of a clinic: its column, without labels.

Heads of notes are rows of columns: "URN 7719043  Tilly MORAN  F 6y  Arr 03 Jul". A learned detector
reads over the gaps and takes labels, ages, times of day and roles with what it finds. A finding is cut
at gaps of several blanks, and such words at its ends are left out. What is left without a word of
its own, or has the form of no date or number of a person, is dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from .bids import Bid
from .detectors.name_evidence import DEGREES, MONTHS_AND_DAYS, PARTICLES, TITLES, TITLES_TOO
from .documents import Document
from .kinds import ReferenceKind
from .lexicons import first_names, folded, last_names, medical_words, regions, words
from .lone_guesses import LEARNED, ROLES

_COLUMN: Final = re.compile(r"[ \u00a0]{2,}|\t+")
_WORD: Final = re.compile(r"[^\s,;:()\[\]|/]+")
_LABELS: Final = frozenset(
    "nhs no mrn urn hn phn nhi chi nric mcp acct account lic licence license reg ip op opd ipd uhid ur "
    "dob doa dod dos dt date arr adm eval ext tel ph phone mob cell fax pager bleep id case chart csn "
    "folder file ward room age sex ref ins visit seen typed clinic service dept location status "
    "hosp nhc fin accn letter version english teaching provider falls vascular "
    "note notes report record summary register entry code cpt hcpcs icd team client visit medicaid "
    "medicare soc cnic bsn csn crn cin ahv nric ssn pps ppsn nin esr labs".split()
)
_ROLES: Final = (ROLES - TITLES - TITLES_TOO) | frozenset(
    "surgeon surgeons assistant consultant registrar reg sho ho rmo srmo jmo intern sr jr nana nan gran "
    "mum mom dad nc pd pastor mo int ssn msw ocs phn anaes anaesthetist crna mda ortho paeds "
    "peds obs gynae "
    "cardiology neurology oncology radiology pathology surgery medicine att".split()
)
"""Words for carers, relatives and departments that stand beside a name without a stop."""
_DEPARTMENTS: Final = frozenset(
    "clinic ward unit outpatient outpatients inpatient triage ed er ae icu emergency medical surgical "
    "gen medicine department maternity labour labor theatre eye ear chest heart "
    "oral pain renal diabetes diabetic cancer stroke fracture antenatal postnatal womens mens "
    "ent".split()
)
_LISTED: Final = 3
"""So many commas in a name make it a list."""
_SPECIALTIES: Final = ("ology", "iatry", "iatrics", "aedics", "opedics")
_OF_HOSPITALS: Final = frozenset("hospital infirmary sanatorium".split())
_AGE: Final = re.compile(
    r"(?i)[mf]|(?:[mf][ ,/]{0,2})?\d{1,3} ?(?:y|yrs?|yo|y/o|mo|mths?|wks?|[mf])?|\d{1,3} ?[mf]"
)
_AGED: Final = re.compile(
    r"(?i)[ ,/]+(?:[mf][ ,/]{0,2}\d{1,3} ?(?:y|yrs?|yo|y/o)?|\d{1,3} ?(?:y|yrs?|yo|y/o|[mf])?/?[mf]?)\Z"
)
_CLOCK: Final = re.compile(
    r"(?<=\d\d)[ ,]{1,2}(?:at )?(?:[01]?\d|2[0-3])(?::?[0-5]\d)?(?: ?(?:hrs|h|[ap]m))?\Z"
)
_DAY: Final = re.compile(
    r"(?i)\d{1,4}[./-]\d{1,2}[./-]\d{2,4}|\d{1,2}(?:st|nd|rd|th)?[ -](?:[a-z]{3,9})\.?,?[ -]\d{2,4}|"
    r"[a-z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}"
)
_LABELLED_DAY: Final = re.compile(
    r"([A-Z][a-z]{2,8})\.?(?: #?\d{1,2})? (\d{1,4}[./-]\d{1,2}[./-]\d{2,4})"
)
_AGE_AND_SEX: Final = re.compile(r"[1-9]\d ?[MFmf]")
_FRACTION: Final = re.compile(r"(\d{1,3})/(\d{1,3})")
_NO_POSTCODE: Final = re.compile(r"[xX×]\d|\d{1,2} ?[-–] ?\d{1,3}")
_MOVED: Final = re.compile(r"(?:[a-z]|[A-Z]{2}|\d,?) \Z")
"""Before a range of a joint or a number of times, and before no place: "ROM 10-100", "97110 x2"."""
_SENTENCE: Final = re.compile(r"(?:(?<=[a-z]{4})|(?<=[A-Z]{3}))\. (?=[A-Z][a-z]{3})")
_LONGEST_LABEL: Final = 5
_NUMBER_BEHIND: Final = re.compile(r"[ ]?(?:[#:]|No\.?)? ?\d{4}")
_OF: Final = re.compile(r"(?<= )[SDWHCR]/O ")
_COMMON: Final = "3"
_YEARS: Final = re.compile(r"(\d{1,2}) ?(?:y|yrs?|yo|years?)\.?")
_OLD: Final = 90
_CODE: Final = 2
_SHORT: Final = 8
_NUMBERED: Final = frozenset(
    {ReferenceKind.RECORD_NUMBER, ReferenceKind.PHONE, ReferenceKind.POSTCODE, ReferenceKind.PLATE}
)
_NAMED: Final = frozenset(
    {
        ReferenceKind.NAME,
        ReferenceKind.STREET,
        ReferenceKind.ORGANISATION,
        ReferenceKind.HOSPITAL,
        ReferenceKind.TEAM,
        ReferenceKind.TOWN,
    }
)
_HOUSES: Final = frozenset({ReferenceKind.HOSPITAL, ReferenceKind.ORGANISATION, ReferenceKind.TEAM})
_IN_COLUMNS: Final = _NUMBERED | _NAMED | {ReferenceKind.DATE}


_CUT: Final[dict[ReferenceKind | None, frozenset[str]]] = {
    ReferenceKind.NAME: LEARNED | {"titled names", "labelled names", "person names"},
    ReferenceKind.HOSPITAL: LEARNED | {"hospitals"},
    ReferenceKind.POSTCODE: LEARNED | {"postcodes"},
}
"""Rules that reach over columns as well, by kind."""


def with_extents_cut(bids: Sequence[Bid], document: Document) -> tuple[list[Bid], list[Bid]]:
    """The bids, those of learned detectors cut to their columns, and those of which nothing is left.

    Example:
        >>> head = Document("MRN 7719043  Tilly MORAN  F 6y")
        >>> over = Bid(0, 30, ReferenceKind.STREET, 0.9, "learned references")
        >>> [head.text[bid.start : bid.end] for bid in with_extents_cut([over], head)[0]]
        ['7719043', 'Tilly MORAN']
    """
    kept: list[Bid] = []
    dropped: list[Bid] = []
    for bid in bids:
        if bid.kind not in _IN_COLUMNS or bid.detector not in _CUT.get(bid.kind, LEARNED):
            kept.append(bid)
            continue
        left = list(_cut(document.text, bid))
        kept += left
        if not left:
            dropped.append(bid)
    return kept, dropped


def _cut(text: str, bid: Bid) -> Iterator[Bid]:
    for start, end in _columns(text, bid):
        if bid.kind is ReferenceKind.DATE:
            start, end = _without_label(text, start, end), _without_clock(text, start, end)
            if not _is_no_date(text[start:end]) and not _is_no_day(text[start:end]):
                yield _moved(bid, start, end)
            continue
        start, end = _stripped(text, *_of_whom(text, start, end), of_people=bid.kind not in _HOUSES)
        if start >= end or (_AGE.fullmatch(text, start, end) and _has_no_number(text[start:end])):
            continue
        piece = text[start:end]
        if bid.kind in _NUMBERED and _names_no_number(text, start, end, bid.kind):
            continue
        if bid.kind not in _NUMBERED and _labels_a_number(text, start, end):
            continue
        if bid.kind is ReferenceKind.HOSPITAL:
            if _is_department(piece) or _is_heading(piece):
                continue
            dash = text.find(" - ", start, end)
            if dash > 0 and _is_department(text[start:dash]):
                start = dash + 3
        if bid.kind is ReferenceKind.NAME:
            end = _without_further(text, start, end)
            if text.count(", ", start, end) >= _LISTED:
                yield from _items(text, start, end, bid)
                continue
            if (stop := _SENTENCE.search(text, start, end)) and stop.start() > start:
                yield _moved(bid, start, stop.start())
                start = stop.end()
        yield _moved(bid, start, end)


def _items(text: str, start: int, end: int, bid: Bid) -> Iterator[Bid]:
    """Each of a list: "Sweet, Hailey, Grover, Wells" are four people, or four diseases."""
    while start < end:
        comma = text.find(", ", start, end)
        stop = comma if comma >= 0 else end
        yield _moved(bid, start, stop)
        start = stop + 2


def _moved(bid: Bid, start: int, end: int) -> Bid:
    return bid if (start, end) == (bid.start, bid.end) else replace(bid, start=start, end=end)


def _columns(text: str, bid: Bid) -> Iterator[tuple[int, int]]:
    at, end = bid.start, bid.end
    for gap in _COLUMN.finditer(text, at, end):
        if bid.kind is ReferenceKind.STREET and text[gap.end()].isdecimal():
            continue
        if gap.start() > at:
            yield at, gap.start()
        at = gap.end()
    if at < end:
        yield at, end


def _stripped(text: str, start: int, end: int, *, of_people: bool) -> tuple[int, int]:
    """The span without labels, roles and an age with a sex at its ends; a house keeps its last words."""
    if (aged := _AGED.search(text, start, end)) and any(
        map(str.isalpha, text[start : aged.start()])
    ):
        end = aged.start()
    while parts := list(_WORD.finditer(text, start, end)):
        first, last = parts[0], parts[-1]
        if len(parts) == 1 and start == first.start() and end == first.end():
            return (end, end) if _is_label(text, first, alone=True) else (start, end)
        if _is_label(text, first, alone=False):
            start = parts[1].start() if len(parts) > 1 else end
        elif of_people and len(parts) > 1 and _is_label(text, last, alone=False):
            end = parts[-2].end()
        else:
            return start, end
    return start, end


def _is_label(text: str, word: re.Match[str], *, alone: bool) -> bool:
    """Whether the word is a label or a role, and no name: alone only in capitals or before a number."""
    written = word[0].rstrip(".#'’")
    fold = folded(written)
    if not written or fold not in _LABELS | _ROLES or not (written[0].isupper() or fold == "ext"):
        return False
    if fold in _ROLES and not alone:
        return written.isupper() or fold not in last_names() or fold in words()
    return written.isupper() or fold not in first_names()


def _is_department(written: str) -> bool:
    """Whether every word is one of medicine or of a head: "DIABETES CLINIC", "TRIAGE / MEDICAL"."""
    folds = [folded(word[0]).strip(".,'’") for word in _WORD.finditer(written)]
    return not any(fold in _OF_HOSPITALS for fold in folds) and all(
        fold in medical_words()
        or fold in _LABELS
        or fold in _ROLES
        or fold in _DEPARTMENTS
        or fold.endswith(_SPECIALTIES)
        for fold in folds
    )


def _labels_a_number(text: str, start: int, end: int) -> bool:
    """Whether it is a short word in capitals with a number behind: "NHC 88120"."""
    return (
        end - start <= _LONGEST_LABEL
        and text[start:end].isupper()
        and text[start:end].isalpha()
        and _NUMBER_BEHIND.match(text, end) is not None
    )


def _is_heading(written: str) -> bool:
    """Whether it is ordinary words in capitals: "HOME HEALTH SKILLED NURSING"."""
    folds = [folded(word[0]).strip(".,'’") for word in _WORD.finditer(written)]
    return (
        written.isupper()
        and len(folds) > 1
        and not any(fold in _OF_HOSPITALS for fold in folds)
        and all(words().get(fold, "0") >= _COMMON and fold not in regions() for fold in folds)
    )


def _of_whom(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the letters of "son of" at its ends: "Ghulam Rasool S/O Allah Ditta"."""
    if _OF.match(text, end - 2):
        end = max(start, end - 2)
    if _OF.match(text, start - 2):
        start = min(end, start + 2)
    return start, end


def _is_no_day(written: str) -> bool:
    """Whether it is a label, a sex or an age under 90: "Adm", "M", "38 y"."""
    parts = [folded(word[0]).strip(".,'’") for word in _WORD.finditer(written)]
    if aged := _YEARS.fullmatch(written):
        return int(aged[1]) < _OLD
    return not any(map(str.isdigit, written)) and len(parts) == 1 and len(parts[0]) <= _CODE


def _without_clock(text: str, start: int, end: int) -> int:
    """Where a date ends before a time of day: "03 Jul 2022 1745"."""
    found = _CLOCK.search(text, start, end)
    return found.start() if found and _DAY.fullmatch(text, start, found.start()) else end


def _without_label(text: str, start: int, end: int) -> int:
    """Where a date begins behind a label or a number: "Visit #9 07/24/23"."""
    found = _LABELLED_DAY.fullmatch(text, start, end)
    if found is None or folded(found[1]) in MONTHS_AND_DAYS:
        return start
    return found.start(2)


def _is_no_date(written: str) -> bool:
    """Whether a fraction has no day or month: "46/54", "6/18" has."""
    if (written.isdecimal() and len(written) < 2) or _AGE_AND_SEX.fullmatch(written):
        return True
    found = _FRACTION.fullmatch(written)
    return found is not None and (
        (int(found[1]) > 31 and int(found[2]) > 12) or (int(found[2]) > 31 and int(found[1]) > 12)
    )


def _has_no_number(written: str) -> bool:
    """Whether it is an age with its unit or sex, and not just a number."""
    return any(map(str.isalpha, written))


def _names_no_number(text: str, start: int, end: int, kind: ReferenceKind) -> bool:
    written = text[start:end]
    if kind is ReferenceKind.POSTCODE and _NO_POSTCODE.fullmatch(written):
        return _MOVED.search(text, max(0, start - 12), start) is not None
    return len(written) <= _SHORT and not any(map(str.isdigit, written)) and written.isalpha()


def _without_further(text: str, start: int, end: int) -> int:
    """Where a name ends before a comma and words that are nobody's: "Rohani Ismail, FibroScan"."""
    comma = text.find(", ", start, end)
    if comma < 0 or text.count(" ", start, comma) < 1:
        return end
    further = [folded(word[0]) for word in _WORD.finditer(text, comma, end)]
    known = any(
        fold in first_names()
        or fold in last_names()
        or fold.strip(".") in DEGREES | TITLES
        or fold in PARTICLES
        for fold in further
    )
    return end if known else comma
