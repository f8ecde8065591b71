"""Dates in digits: 05/26/86, 26.5.1986, 1986-05-26, 19860526, 26MAY1986, 06/1993, "on 5/26"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Code, Document
from ..kinds import ReferenceKind
from .cued import cues, has_unit
from .declaration import Basis, DetectorDeclaration
from .forms import bids_of, form
from .months import MONTHS

_NOT_IN = r"(?<![\w/.,:$€£+-]\d)"
_CUES = cues(
    """
    0.9: dob, birth, born, birthdate, birthday, date, dated, doa, dod, dos, admitted, discharged, admission, discharge
    0.9: geboren, geb, né, née, naissance, nacimiento, nascita, nascimento, geboortedatum, geburtsdatum, datum, fecha
    0.9: data
    0.7: period, printed, signed, dictated, on, since, until, visit, seen, surgery, expires, exp, expiry, due
    0.7: scheduled, appointment, died, deceased, effective, before, after, from, through, starting, started, last, next
    0.7: am, vom, seit, bis, le, el, del, lmp, edd, collected, ingreso, alta, cita, zum, ab
    0.7: rtc, visits, appt, appts, appointments, dose, doses, given, comparison, compared, ordered, removed, cycle
    0.7: echo, ct, mri, cxr, xray, ekg, ecg, ultrasound, mammogram, colonoscopy, egd, pet, dexa, cath, labs
    """
)
_SCORES = frozenset(
    "strength power pulses reflexes murmur vision pain score scored grade bp pressure "
    "rated scale apgar rating test "
    "va gcs motor stage sensation dtrs pulse fundal years year age aged".split()
)
_STUDIES = frozenset(
    "echo ct mri cxr xray ekg ecg ultrasound mammogram colonoscopy egd pet dexa cath labs cycle dose "
    "doses given".split()
)
"""Cues that fractions follow as well: "colonoscopy 2/3 complete", "dose 1/2 tablet"."""
_SHARE = re.compile(
    r"[ -](?:of|tabs?|strength|full|way|done|complete|cores?|nodes?|vessels?|leaflets?|segments?|"
    r"lobes?|views?|sites?|specimens?|cups?|teaspoons?)(?!\w)"
)
_MEASURED = frozenset(
    "bp hr rr pulse temp temperature spo2 sat weight wt ht height bmi iop va psa inr hgb hb hct wbc "
    "plt cr creatinine k na a1c hba1c tsh crp esr glucose bnp ldl alt ast bun lactate troponin ef cd4 "
    "vl log fev1 ferritin".split()
)
_VALUE = re.compile(
    r"[ \t]?[:=]?[ \t]{1,2}[<>~]?(?:\d{1,3}/\d{2,3}|\d{1,6}(?:[.,]\d{1,3})?)(?![\w/])"
)
_PRESSURE = re.compile(r":?[ \t]{1,2}(?:1\d\d|2[0-4]\d|[789]\d)/[3-9]\d(?![\w/]|[.-]\d)")
_CYCLE = re.compile(r"c\d{1,2}d\d{1,2}")
_LISTED = re.compile(r"(?:,? and|,|;|,? &) ")
_COMPACT = re.compile(r"(?P<year>1[89]\d\d|20\d\d)(?P<one>\d\d)(?P<two>\d\d)")
_COMPACT_LAST = re.compile(r"(?P<one>\d\d)(?P<two>\d\d)(?P<year>(?:1[89]|20)\d\d|\d\d)")
_TWO = re.compile(r"(?P<one>\d{1,2})[/-](?P<two>\d{1,2})")


def _is_day_and_month(match: re.Match[str]) -> bool:
    one, two = int(match["one"]), int(match["two"])
    return min(one, two) >= 1 and max(one, two) <= 31 and min(one, two) <= 12


_APGAR = re.compile(r"(?i)apgars?[:= (]{0,3}\Z")


def _is_full(match: re.Match[str]) -> bool:
    """Numbers such as 5-10-15 or 1.10.12 are no dates: a year of two digits asks for slashes or two
    digits of each."""
    if (
        not _is_day_and_month(match)
        or _APGAR.search(match.string, max(0, match.start() - 10), match.start())
    ) or (len(match["year"]) == 4 and not 1800 <= int(match["year"]) < 2100):
        return False
    return (
        len(match["year"]) == 4
        or "/" in match["joint"]
        or len(match["one"] + match["two"]) == 4
        or _follows_a_cue(match)
    )


def _follows_a_cue(match: re.Match[str]) -> bool:
    """Whether a word for a date is right before it: "geb. 3.4.58", "DOB 3-4-58"."""
    start = match.start()
    return _CUE_BEFORE.search(match.string, max(0, start - 14), start) is not None


def _is_day_after_cue(match: re.Match[str]) -> bool:
    return _is_day_and_month(match) and int(match["two"]) <= 12 and _follows_a_cue(match)


def _is_year_first(match: re.Match[str]) -> bool:
    return (
        match["year"][:2] in ("18", "19", "20")
        and int(match["one"]) <= 12
        and _is_day_and_month(match)
    )


def _is_named(match: re.Match[str]) -> bool:
    return match["month"].lower() in MONTHS and 1 <= int(match["day"]) <= 31


def _is_month(match: re.Match[str]) -> bool:
    return 1 <= int(match["month"]) <= 12


_CUE_BEFORE = re.compile(
    r"(?<!\w)(?:geb|geboren|gest|dob|born|birth|date|am|vom|seit|bis|den|ab|zum|nacimiento|nac|el|"
    r"fecha|ingreso|alta|cita)[.:]?[ \t]{1,2}\Z",
    re.IGNORECASE,
)
_FORMS = (
    form(
        rf"(?P<one>\d{_NOT_IN}\d?)\.(?P<two>\d{{1,2}})\.(?!\d)",
        0.75,
        "day and month behind a word that a date follows",
        check=_is_day_after_cue,
    ),
    form(
        rf"(?P<one>\d{_NOT_IN}\d?)(?P<joint>\s?[/.-]\s?)(?P<two>\d{{1,2}})(?P=joint)(?P<year>\d{{4}}|\d\d)"
        r"(?![\w/]|[.,-]\d)",
        0.94,
        "day, month and year in digits",
        check=_is_full,
    ),
    form(
        rf"(?P<year>[12]{_NOT_IN}[089]\d\d)([-/.])(?P<one>\d{{1,2}})\2(?P<two>\d{{1,2}})(?!\d|[./-]\d)",
        0.96,
        "year, month and day in digits",
        check=_is_year_first,
    ),
    form(
        rf"(?P<day>\d{_NOT_IN}\d?)(?P<month>[A-Za-zäéû]{{3,9}})(?:(?:1[89]|20)\d\d|\d\d)(?!\w|[.,:/-]\d)",
        0.95,
        "day, month and year without blanks",
        check=_is_named,
    ),
    form(
        rf"(?P<month>\d{_NOT_IN}\d?)\s?[/.-]\s?(?:19|20)\d\d(?![\w/]|[.,-]\d)",
        0.7,
        "month and year in digits",
        check=_is_month,
    ),
    form(
        r"\d(?<!\d\d)\d{3}\s?[年년](?:\s?\d{1,2}\s?[月월](?:\s?\d{1,2}\s?[日일])?)?",
        0.9,
        "year, month and day in East Asia",
    ),
)


class NumericDates:
    """Dates in digits. A form that may as well be a score, a dose or a fraction counts only after a
    word such as "on"."""

    name = "numeric dates"

    def bid(self, document: Document) -> Iterable[Bid]:
        yield from bids_of(_FORMS, document, ReferenceKind.DATE, self.name)
        last: Bid | None = None
        for code in document.codes:
            if 3 <= len(code.text) <= 8 and (code.text.isdecimal() or len(code.text) <= 5):
                for bid in self._short(document, code):
                    last = bid
                    yield bid
                if last is None or last.end >= code.start:
                    continue
                if _goes_on(document, last, code):
                    last = Bid(*_span(code), ReferenceKind.DATE, last.score, self.name, _IN_A_LIST)
                    yield last

    def _short(self, document: Document, code: Code) -> Iterator[Bid]:
        compact = _COMPACT.fullmatch(code.text)
        if compact and _is_year_first(compact):
            score = 0.9 if _CUES.before(document, code) else 0.55
            yield Bid(
                code.start,
                code.end,
                ReferenceKind.DATE,
                score,
                self.name,
                "year, month and day without a joint",
            )
            return
        match = _COMPACT_LAST.fullmatch(code.text) or _TWO.fullmatch(code.text)
        heard = _CUES.before(document, code) if match and _is_day_and_month(match) else None
        if match and heard is None and _is_in_a_cycle(code, match):
            reason = "the day of a cycle of chemotherapy"
            yield Bid(*_span(code), ReferenceKind.DATE, 0.8, self.name, reason)
            return
        if match and heard is None and _is_day_and_month(match) and _is_line(document.text, code):
            yield Bid(
                code.start,
                code.end,
                ReferenceKind.DATE,
                0.6,
                self.name,
                "digits in a line of their own",
            )
        if match and match.re is _TWO and _is_measured_on(document, code, match):
            yield Bid(
                *_span(code), ReferenceKind.DATE, 0.7, self.name, "between a label and its value"
            )
            return
        if (
            not match
            or heard is None
            or has_unit(document.text, code.end)
            or not _SCORES.isdisjoint(code.before[:3])
            or (code.before[0] in _STUDIES and _SHARE.match(document.text, code.end))
        ):
            return
        if match.re is _TWO:
            near = bool(code.before) and code.before[0] in _CUES.phrases
            score = heard.score - (0.0 if near and "/" in code.text else 0.3)
        else:
            score = heard.score if heard.score >= 0.8 else 0.0
        if score > 0.3:
            yield Bid(
                code.start,
                code.end,
                ReferenceKind.DATE,
                score,
                self.name,
                "digits after a word that a date follows",
            )


_IN_A_LIST = "goes on with a list of dates"


def _span(code: Code) -> tuple[int, int]:
    return code.start, code.end


def _is_measured_on(document: Document, code: Code, match: re.Match[str]) -> bool:
    """PSA 3/12 4.1: a day between what was measured and its value."""
    if "/" not in code.text or not _is_day_and_month(match) or not code.before:
        return False
    if _PRESSURE.match(document.text, code.end):
        return True
    return code.before[0] in _MEASURED and _VALUE.match(document.text, code.end) is not None


def _is_in_a_cycle(code: Code, match: re.Match[str]) -> bool:
    """C3D1 8/12: behind a cycle of chemotherapy and its day."""
    cycle = bool(code.before) and _CYCLE.fullmatch(code.before[0]) is not None
    return cycle and match.re is _TWO and "/" in code.text and _is_day_and_month(match)


def _goes_on(document: Document, last: Bid, code: Code) -> bool:
    """4/5, 4/12; 3/15 71 kg, 4/15 70 kg: a day and month like the one before it in the list."""
    match = _TWO.fullmatch(code.text)
    if match is None or not _is_day_and_month(match) or "/" not in code.text:
        return False
    between = document.text[last.end : code.start]
    if _LISTED.fullmatch(between):
        return not has_unit(document.text, code.end)
    measured = _VALUE.match(document.text, last.end)
    return (
        measured is not None
        and _VALUE.match(document.text, code.end) is not None
        and len(between) <= 24
        and between.rstrip().endswith((",", ";"))
        and "." not in between.rstrip(",; ")[-1:]
    )


def _is_line(text: str, code: Code) -> bool:
    """Whether a code with a slash has a line for itself, as the date of a letter has."""
    alone = text[code.start - 1 : code.start] in ("", "\n") and text[code.end : code.end + 1] in (
        "\r",
        "\n",
    )
    return alone and "/" in code.text


DECLARATION = DetectorDeclaration(
    key="numeric dates",
    doc="dates in digits",
    kinds=(ReferenceKind.DATE,),
    basis=Basis.FORM,
    make=NumericDates,
    order=70,
    gives_way_below=0.93,
)
