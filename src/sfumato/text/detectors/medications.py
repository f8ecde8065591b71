"""Drugs to keep that only their dose or the words around them show: "Zorvanel 20 mg PO daily"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..lexicons import first_names, last_names
from ..word_reading import CAPS, INITIAL, MIXED, WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .medical_labels import SURE, has_before, words
from .name_evidence import NEVER, TITLES

_AMOUNT = re.compile(
    r"(?:[ \t](?:XR|ER|SR|CR|HCl|tab|tabs))?,?[ \t](?:\d{1,4}(?:[.,]\d{1,4})?(?:[-/]\d{1,4}(?:\.\d{1,3})?)?)[ \t]?"
    r"(?:mg|mcg|µg|ug|g|mL|ml|cc|units?|mEq|IU|%|tabs?|tablets?|caps?|capsules?|puffs?|drops?|patch(?:es)?)(?!\w)"
)
_USE = re.compile(
    r"[ \t](?:PO|po|p\.o\.|IV|IM|SC|SQ|BID|TID|QID|QHS|QD|PRN|prn|bid|tid|qid|daily|nightly|weekly|"
    r"twice|once|every|as needed|q\d|qam|qhs)(?!\w)"
)
_FOR = re.compile(
    r"[ \t](?:#[ \t]?\d{1,3}(?!\d)|(?:for|because of|due to|with)[ \t](?:birth control|contraception|"
    r"side effects|nausea|rash|(?:\w+[ \t])?(?:pain|pressure|control|effects|infection|cholesterol|"
    r"asthma|depression|anxiety|diabetes|headaches?|migraines?|sleep|reflux|acne)))"
)
_TAKEN = words(
    "takes taking took take refilled refill stopped stop started start starting continue continued "
    "continues resume resumed discontinue discontinued prescribed prescribe tolerating restarted "
    "restart on hold held increase increased decrease decreased switched trial add added"
)
_GIVEN_TO = words("gave give giving told asked called saw helped brought sent")
_PIECES = words(
    "tab tabs tablet tablets pill pills cap caps capsule capsules puffs drops dose doses"
)
_ALLERGIC = words("allergic intolerant")
_SHAPES = (INITIAL, MIXED, CAPS)


class Medications:
    """Looks for a word with a capital before a dose or a use, or behind the word for taking it.

    A word that is a first name too needs both: "gave Heather 5 mg" is about a patient."""

    name = "medications"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        for place in read.capitals:
            if read.shapes[place] not in _SHAPES or len(read.folds[place]) < 3:
                continue
            if read.folds[place] in NEVER or has_before(read, place, TITLES):
                continue
            end = self._end(read, place)
            if end is not None:
                reason = "a drug by its dose or its use"
                yield Bid(read.starts[place], end, None, SURE, self.name, reason)

    def _end(self, read: WordReading, place: int) -> int | None:
        end = read.ends[place]
        if read.gap(place)[:1] not in (" ", ",", "\t", "."):
            return None
        amount = _AMOUNT.match(read.text, end)
        use = _USE.match(read.text, amount.end() if amount else end)
        reason_for = _FOR.match(read.text, amount.end() if amount else end)
        taken = has_before(read, place, _TAKEN)
        named = read.is_capital(place - 1) and not read.opens(place) and not taken
        if has_before(read, place - 1 if named else place, _GIVEN_TO):
            return None
        if _is_name(read.folds[place]):
            sure = (amount and (use or taken)) or (taken and (use or reason_for))
        else:
            sure = (
                amount
                or _counted(read, place)
                or (taken and (use or reason_for))
                or _allergy(read, place)
            )
        if not sure:
            return None
        return amount.end() if amount else end


def _allergy(read: WordReading, place: int) -> bool:
    return place > 1 and read.folds[place - 1] == "to" and read.folds[place - 2] in _ALLERGIC


def _counted(read: WordReading, place: int) -> bool:
    """2 tabs of Norco, a dose of Narcan"""
    return place > 1 and read.folds[place - 1] == "of" and read.folds[place - 2] in _PIECES


def _is_name(fold: str) -> bool:
    return fold in first_names() or fold in last_names()


DECLARATION = DetectorDeclaration(
    key="medications",
    doc="drugs to keep that their dose or their use shows",
    kinds=(),
    basis=Basis.WORDS,
    make=Medications,
    order=382,
    vetoes=True,
)
