"""Laboratory values to keep: "Na 138", "Hgb 9.8", "CA 19-9 44", "ER+", "ANA 1:160"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..word_reading import WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .medical_labels import AFTER, BETWEEN, SURE, MedicalLabels, words

_VALUE = re.compile(
    rf"{BETWEEN}(?:1:\d{{2,4}}|\d{{1,3}}(?:,\d{{3}}|\d)?(?:\.\d{{1,3}})?)"
    r"[ \t]?(?:%|[gkm]?g/d?L|mmol/L|mEq/L|K/uL|U/L|ng/mL|pg/mL)?" + AFTER
)
_LABELS = MedicalLabels(
    detector="laboratory values",
    reason="a laboratory value",
    value=_VALUE,
    labels=words(
        "bun wbc rbc hgb hct plt plts mcv inr ptt tsh psa cea afp crp esr bnp ast alt alp ldh ggt "
        "troponin lactate pco2 po2 hco3 a1c hba1c ldl hdl tg ana anc hcg creatinine sodium "
        "potassium chloride bicarb hemoglobin haemoglobin hematocrit platelets albumin bilirubin "
        "glucose magnesium calcium phosphate"
    ),
    exact=words("Na K Cl Cr Ca Mg Hb pH CO2 CK PT T4 T3 RF BG"),
    dated=True,
)
_GAS = re.compile(r"[67]\.\d{1,2}(?:/\d{1,3}){2,3}(?![\w/]|[.-]\d)")
_PANEL = re.compile(r"\d{1,3}(?:/\d{1,3}){3,5}%?(?![\w/]|[.-]\d)")
_REFERENCE = re.compile(
    r"(?i:(?<!\w)(?:ref(?:erence)?|normal)(?: (?:range|interval|values?))?[:= (\[]{1,3})"
    r"(?P<found>(?:\d{1,6}(?:\.\d{1,3})? ?(?:-|–|to) ?|[<>≤≥] ?)\d{1,6}(?:\.\d{1,3})?(?!\d)"
    r"(?: ?(?:x ?10(?:\^|\*\*)?\d{1,2}(?:/[a-zA-Zµμ]{1,3})?|%|[a-zA-Zµμ]{1,5}(?:/[a-zA-Z0-9.]{1,6})?))?)"
)
"""The range of a laboratory behind its value: "[Reference: 13.5 - 17.5 g/dL]"."""
_JOINED = ("/", "-", ".", ",", "#", "_")
_MARKER = re.compile(
    r"[- ]?(?:125|19-9|15-3|27[.-]29|72-4)(?!\d)(?:[ \t:]{1,3}(?:of )?\d{1,4}(?:\.\d)?(?![\w-]))?"
)
_RECEPTOR = re.compile(r"[ -]?(?:\+|-|−|positive|negative|pos|neg)(?!\w)")
_PROTEIN = re.compile(
    r"(?:HER-?2(?:/neu)?|[Kk][Ii]-?67|JAK-?2|N-[Mm]yc|KRAS|BRAF|EGFR|BRCA[12]|Ig[AGME]|CD\d{1,3})(?!\w)"
    r"(?:[ \t]\d{1,3}%)?"
)
_PROTEIN_FIRST = frozenset(
    "her her2 ki ki67 jak jak2 n kras braf egfr brca1 brca2 iga igg igm ige".split()
)


class LaboratoryValues:
    """Looks behind the labels of laboratories, and for markers of tumours and their receptors."""

    name = "laboratory values"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        yield from _LABELS.bids(read)
        yield from self._markers(read)
        yield from self._panels(read)
        for found in _REFERENCE.finditer(document.text):
            yield Bid(*found.span("found"), None, SURE, self.name, "a reference range")

    def _panels(self, read: WordReading) -> Iterator[Bid]:
        """7.35/45/90 or 10/10/10/20: more numbers between slashes than a date has."""
        for place in read.numbers:
            start = read.starts[place]
            if read.text[start - 1 : start] not in _JOINED and (
                found := _GAS.match(read.text, start) or _PANEL.match(read.text, start)
            ):
                yield Bid(*found.span(), None, SURE, self.name, "values between slashes")

    def _markers(self, read: WordReading) -> Iterator[Bid]:
        for place in read.places(("ca", "er", "pr")):
            start, end = read.span(place, place)
            if not read.text[start:end].isupper():
                continue
            form = _MARKER if read.folds[place] == "ca" else _RECEPTOR
            if found := form.match(read.text, end):
                reason = "a tumour marker or a receptor"
                yield Bid(start, found.end(), None, SURE, self.name, reason)
        for place in read.places(_PROTEIN_FIRST):
            if found := _PROTEIN.match(read.text, read.starts[place]):
                yield Bid(*found.span(), None, SURE, self.name, "a protein or a gene")


DECLARATION = DetectorDeclaration(
    key="laboratory values",
    doc="laboratory values to keep, tumour markers and receptors",
    kinds=(),
    basis=Basis.WORDS,
    make=LaboratoryValues,
    order=372,
    vetoes=True,
)
