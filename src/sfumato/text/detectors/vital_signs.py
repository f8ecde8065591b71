"""Vital signs to keep: "BP 128/74", "HR 88", "T 98.6", "SpO2 97% on RA", "BG 188"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..word_reading import reading
from .declaration import Basis, DetectorDeclaration
from .medical_labels import AFTER, BETWEEN, MedicalLabels, words

_VALUE = re.compile(
    rf"(?:[ \t](?:rate|pressure|saturation|sats?))?{BETWEEN}\d{{1,3}}(?:[.,]\d)?"
    r"(?:[-–/]\d{1,3})?(?:/\d{1,3})?(?:s\b)?[ \t]?(?:%|bpm|mm ?Hg|°?[CF]\b|kg|lbs?|cm)?"
    rf"(?: on (?:RA|room air|\d{{1,2}} ?L))?{AFTER}"
)
_LABELS = MedicalLabels(
    detector="vital signs",
    reason="a vital sign with its value",
    value=_VALUE,
    labels=words(
        "bp hr rr pulse resp resps respirations temp temperature tmax spo2 sao2 sat sats map cvp "
        "fio2 peep bg cbg fsbs fsbg bmi wt weight ht etco2 systolic diastolic sbp dbp tidal pip"
    ),
    exact=words("T P R O2 VS"),
)


class VitalSigns:
    """Looks behind the labels of vital signs for small numbers."""

    name = "vital signs"

    def bid(self, document: Document) -> Iterable[Bid]:
        return _LABELS.bids(reading(document))


DECLARATION = DetectorDeclaration(
    key="vital signs",
    doc="vital signs to keep: blood pressure, pulse, temperature, blood sugar",
    kinds=(),
    basis=Basis.WORDS,
    make=VitalSigns,
    order=371,
    vetoes=True,
)
