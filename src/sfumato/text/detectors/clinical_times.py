"""Times of treatment to keep: "incision 0815", "tourniquet up 09:12", "given at 1430", "POD #3"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..word_reading import reading
from .declaration import Basis, DetectorDeclaration
from .medical_labels import MedicalLabels, words

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


class ClinicalTimes:
    """Looks behind the words for what is done to patients, and for days of a stay."""

    name = "clinical times"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        yield from _EVENTS.bids(read)
        yield from _DAYS.bids(read)


DECLARATION = DetectorDeclaration(
    key="clinical times",
    doc="times of treatment to keep, and days of a stay",
    kinds=(),
    basis=Basis.WORDS,
    make=ClinicalTimes,
    order=381,
    vetoes=True,
)
