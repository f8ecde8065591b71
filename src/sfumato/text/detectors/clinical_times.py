"""Times of treatment to keep: "incision 0815", "tourniquet up 09:12", "given at 1430", "POD #3"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..word_reading import WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .medical_labels import SURE, MedicalLabels, words

_CLOCK = r"(?:[01]\d|2[0-3]):?[0-5]\d(?: ?(?:hrs|h))?(?![\w:/]|[-.]\d)"
_AT = re.compile(
    r"(?:[ \t](?:dose|time|up|down|on|off|start|end|given|was given))?[ \t]?[:,]?(?:[ \t](?:at|@))?[ \t]?"
    rf"{_CLOCK}"
)
_EVENTS = MedicalLabels(
    detector="clinical times",
    reason="the time of a treatment",
    value=_AT,
    labels=words(
        "incision closure tourniquet up down clamp given administered dose intubated extubated "
        "induction onset emergence timeout infused transfused inflated deflated bolus voided "
        "anesthesia anaesthesia cannulated reperfusion thrombolysis balloon"
    ),
)
_DAYS = MedicalLabels(
    detector="clinical times",
    reason="a day counted from an operation or admission",
    value=re.compile(r"[ \t]?#?[ \t]?\d{1,3}(?![\w/-])"),
    labels=words("pod hd"),
)
_CLOCK_WORDS = words(
    "at @ in out since by until till before after from around approx approximately"
)
_BARE = re.compile(
    r"[ \t](?:about )?(?P<found>(?:[01]\d|2[0-3])[0-5]\d)(?:[ \t]?(?:hrs|h))?(?![\w:/]|[-.,]\d)"
)
_YEAR = re.compile(r"19\d\d|20[0-5]\d")
_STREET = re.compile(r"[ \t](?:[NSEW]\.? )?[A-Z][a-z]+")
_COUNTED = re.compile(
    r"(?<![\w/.+-])(?P<found>\d{1,2}(?:\+[0-6])?/40|\d{1,2}(?:-\d{1,2})?/52)(?![\w/]|[.-]\d)"
    r"(?!,? [A-Z][a-z]+ (?:St|Rd|Ave|Road|Street))"
)
"""Weeks as clinics write them: 34/40 of a pregnancy, 6/52. No date has such a month or day."""
_COUNTED_TOO = re.compile(
    r"(?i:(?<!\w)(?:in|see|for|x|over|after|every|within|last|past|next|repeat|review|rv|f/u|fu|clinic|ct|mri|uss|"
    r"tcu|rtc|appt|bloods|of|about|around|approx)[ \t])(?P<found>\d{1,2}(?:-\d{1,2})?/(?:7|12))(?![\w/]|[.-]\d)"
    r"|(?<![\w/.+-])(?P<ago>\d{1,2}(?:-\d{1,2})?/(?:7|12))(?=[ \t](?i:ago|old|hx|history|later|post|then)\b)"
)
"""Days and months: CT in 3/12, 5/7 ago. They are dates too, so a word beside them must say so."""
_DATED = re.compile(
    r"(?<![\d./-])\d{1,4}[./-]\d{1,2}(?:[./-]\d{2,4})?,?[ \t]{1,2}(?:at |@ ?)?(?P<found>(?:[01]\d|2[0-3])[0-5]\d)"
    r"(?:[ \t]?(?:hrs|h))?(?![\w:/]|[-.,]\d)"
)
_SHIFT = re.compile(
    r"(?<![\w./-])(?:[01]\d|2[0-3])[0-5]\d ?[-–] ?(?:[01]\d|2[0-3])[0-5]\d(?![\w/-]|[.,]\d)"
)


class ClinicalTimes:
    """Looks behind the words for what is done to patients, and for days of a stay."""

    name = "clinical times"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        yield from _EVENTS.bids(read)
        yield from _DAYS.bids(read)
        yield from self._bare(read)
        for pattern, ends in ((_COUNTED, ("/40", "/52")), (_COUNTED_TOO, ("/7", "/12"))):
            if not any(end in document.text for end in ends):
                continue
            for found in pattern.finditer(document.text):
                span = found.span("found" if found.lastgroup == "found" else "ago")
                yield Bid(*span, None, SURE, self.name, "a number of days, weeks or months")
        for found in _DATED.finditer(document.text):
            span = found.span("found")
            if not _YEAR.fullmatch(found["found"]):
                yield Bid(*span, None, SURE, self.name, "a time of day behind a date")
        for found in _SHIFT.finditer(document.text):
            if not all(_YEAR.match(year) for year in re.split(r" ?[-–] ?", found.group())):
                yield Bid(*found.span(), None, SURE, self.name, "from one time of day to another")

    def _bare(self, read: WordReading) -> Iterator[Bid]:
        """At 0730, since 1030: four digits that are a time of day, no year and no street's number."""
        for place in read.places(_CLOCK_WORDS):
            found = _BARE.match(read.text, read.ends[place])
            if found is None or _STREET.match(read.text, found.end()):
                continue
            if read.folds[place] in ("at", "@") or not _YEAR.fullmatch(found["found"]):
                reason = "a time of day in four digits"
                yield Bid(*found.span("found"), None, SURE, self.name, reason)


DECLARATION = DetectorDeclaration(
    key="clinical times",
    doc="times of treatment to keep, and days of a stay",
    kinds=(),
    basis=Basis.WORDS,
    make=ClinicalTimes,
    order=381,
    vetoes=True,
)
