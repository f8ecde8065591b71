"""Words to keep: diseases, drugs, body parts, eponyms, values and doses.

Its bids are of no kind: where they win, nothing is found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..lexicons import conditions, drugs, eponyms, first_names, last_names, medical_words, towns
from ..word_reading import INITIAL, LETTER, WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .name_evidence import TITLES

_DISEASE_WORDS = frozenset(
    "disease syndrome disorder palsy lymphoma sarcoma tumor tumour carcinoma dementia "
    "phenomenon sign test reflex "
    "maneuver manoeuvre procedure operation repair fracture contracture catheter drain "
    "tube valve score scale stage "
    "classification criteria stain esophagus oesophagus thyroiditis disease's cyst tendon "
    "murmur angina chorea ataxia "
    "encephalopathy neuropathy anemia anaemia nephropathy lesion node nodes cells cell "
    "bodies body factor virus".split()
)
_HAD = frozenset(
    "developed develops has have had having with of diagnosed for from advanced early "
    "stage treated against suffers "
    "suffered suffering history known possible probable suspected recurrent relapsed non "
    "is rule ruled out like type "
    "chronic no not without denies excluded excludes".split()
)
_DOSE = re.compile(
    r"\d{1,6}(?:[.,]\d{1,3})?(?:[-/–]\d{1,5}(?:\.\d{1,3})?)? ?"
    r"(?:mg/dL|mg/kg|g/dL|K/uL|mEq/L|mmol/L|ng/mL|pg/mL|mm "
    r"?Hg|m[gclL]|mcg|µg|ug|kg|g|dL|L|cc|mm|cm2|cm|mEq|mmol|IU|"
    r"[Uu]nits?|%|bpm|tabs?|tablets?|capsules?|puffs?|drops?|lbs?|pounds|ounces|oz|degrees|°[CF]?)(?!\w)"
)
_BLOOD_PRESSURE = re.compile(r"(?: is| was| of|:)? (?P<value>\d{2,3}/\d{2,3})(?![\d/])")


class Medicine:
    """Looks at capitalised words for drugs, conditions and eponyms, and at numbers for units."""

    name = "medicine"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        skip = -1
        for place in read.capitals:
            if place <= skip or read.shapes[place] == LETTER:
                continue
            for first, last, score, reason in self._kept(read, place):
                skip = max(skip, last)
                yield Bid(read.starts[first], read.ends[last], None, score, self.name, reason)
        yield from self._measured(read)

    def keeps(self, read: WordReading, place: int) -> bool:
        """Whether the word is one of medicine there."""
        return any(True for _ in self._kept(read, place))

    def _measured(self, read: WordReading) -> Iterator[Bid]:
        for place in read.numbers:
            start = read.starts[place]
            if read.text[start - 1 : start] not in (".", ",", "/", "-") and (
                found := _DOSE.match(read.text, start)
            ):
                yield Bid(*found.span(), None, 0.9, self.name, "a dose or a measured value")
        for place in read.places(("bp", "pressure")):
            if found := _BLOOD_PRESSURE.match(read.text, read.ends[place]):
                yield Bid(*found.span("value"), None, 0.9, self.name, "a blood pressure")

    def _kept(self, read: WordReading, place: int) -> Iterator[tuple[int, int, float, str]]:
        if place and read.folds[place - 1] in TITLES and read.gap(place - 1) in (" ", ". "):
            return
        if (size := read.longest(place, conditions, most=5)) and size > 1:
            yield place, place + size - 1, 0.95, "a condition, finding or heading"
            return
        fold = read.bares[place]
        if fold in eponyms() and (found := _eponym(read, place)):
            yield found
        elif size := read.longest(place, drugs, most=4):
            phrase = " ".join(read.folds[place : place + size])
            if size > 1 or not _is_name_too(phrase):
                yield place, place + size - 1, 0.93 if size > 1 else 0.9, "the name of a drug"
            elif phrase in drugs() and _is_given(read, place + 1):
                yield place, place, 0.85, "the name of a drug with its dose"
        elif fold in medical_words() and not (
            read.shapes[place] == INITIAL and _is_name_too(fold) and not read.opens(place)
        ):
            yield place, place, 0.8, "a word of medicine"


def _eponym(read: WordReading, place: int) -> tuple[int, int, float, str] | None:
    """A name with the word for its disease, sign or tool; or behind "developed", if it is written
    as a disease.

    >>> from sfumato.text import Document
    >>> [(bid.start, bid.end) for bid in Medicine().bid(Document("he developed Hodgkins."))]
    [(13, 21)]
    """
    last = place
    while last + 1 < len(read) and read.gap(last) in ("-", " ", "–") and last - place < 2:
        if read.bares[last + 1] not in eponyms() or not read.is_capital(last + 1):
            break
        last += 1
    following = [
        read.folds[at]
        for at in range(last + 1, min(last + 3, len(read)))
        if read.gap(at - 1) in (" ", "-")
    ]
    usual = {word for at in range(place, last + 1) for word in eponyms()[read.bares[at]].split()}
    for step, word in enumerate(following, 1):
        if word in usual or word in _DISEASE_WORDS:
            return place, last + step, 0.95, "an eponym with its disease, sign or tool"
    fold, end = read.bare(place)
    owned = end != read.ends[place] or (fold.endswith("s") and fold[:-1] in eponyms())
    before = read.folds[place - 1] if place and read.gap(place - 1) in (" ", "-") else ""
    rare = last_names().get(fold, "0") < "3" and fold not in first_names()
    if before in _HAD and (owned or rare):
        return place, last, 0.9, "a disease that somebody has"
    return None


def _is_name_too(phrase: str) -> bool:
    return (
        phrase in first_names()
        or last_names().get(phrase, "0") >= "2"
        or towns().get(phrase, " 0")[-1] >= "6"
    )


def _is_given(read: WordReading, place: int) -> bool:
    """Whether a dose follows."""
    return place < len(read) and _DOSE.match(read.text, read.starts[place]) is not None


DECLARATION = DetectorDeclaration(
    key="medicine",
    doc="words to keep: diseases, drugs, body parts, eponyms, values and doses",
    kinds=(),
    basis=Basis.WORDS,
    make=Medicine,
    order=370,
)
