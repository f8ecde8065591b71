"""Vital signs to keep: "BP 128/74", "HR 88", "T 98.6", "SpO2 97% on RA", "BG 188"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..word_reading import WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .medical_labels import AFTER, BETWEEN, SURE, MedicalLabels, words

_VALUE = re.compile(
    rf"(?:[ \t](?:rate|pressure|saturation|sats?))?{BETWEEN}\d{{1,3}}(?:[.,]\d)?"
    r"(?:[-–/]\d{1,3})?(?:s\b)?[ \t]?(?:%|bpm|mm ?Hg|°?[CF]\b|kg|lbs?|cm)?"
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
    exact=words("T P R PR O2 VS"),
    dated=True,
)
_PRESSURE = re.compile(rf"(?P<systolic>\d{{2,3}})/(?P<diastolic>\d{{2,3}}){AFTER}")
_JOINED = frozenset("/-.,#+_")
_FLUIDS = re.compile(r"I(?:'s)?/O(?:'s)?:?[ \t]{1,3}(?P<value>\d{1,5}/\d{1,5})(?![\w/]|[.-]\d)")


class VitalSigns:
    """Looks behind the labels of vital signs for small numbers, and for blood pressures by their
    form."""

    name = "vital signs"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        yield from _LABELS.bids(read)
        yield from self._pressures(read)
        for found in _FLUIDS.finditer(read.text):
            yield Bid(*found.span(), None, SURE, self.name, "fluids in and out")

    def _pressures(self, read: WordReading) -> Iterator[Bid]:
        """120/80, which no date and no number of a case before a year can be."""
        for place in read.numbers:
            start = read.starts[place]
            if read.text[start - 1 : start] in _JOINED or not (
                found := _PRESSURE.match(read.text, start)
            ):
                continue
            systolic, diastolic = int(found["systolic"]), int(found["diastolic"])
            if 70 <= systolic <= 250 and 30 <= diastolic <= 150 and systolic - diastolic >= 10:
                yield Bid(*found.span(), None, SURE, self.name, "a blood pressure by its form")


DECLARATION = DetectorDeclaration(
    key="vital signs",
    doc="vital signs to keep: blood pressure, pulse, temperature, blood sugar",
    kinds=(),
    basis=Basis.WORDS,
    make=VitalSigns,
    order=371,
    vetoes=True,
)
