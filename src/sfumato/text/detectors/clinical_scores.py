"""Scores to keep: "GCS 15 (E4 V5 M6)", "ASA III", "PHQ-9 14", "Lysholm score 78", "EF 55%"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..word_reading import INITIAL, LOWER, MIXED, WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .medical_labels import AFTER, BETWEEN, ROMAN, SURE, MedicalLabels, has_before, words
from .name_evidence import TITLES

_VALUE = re.compile(
    rf"(?:-[79]|2?-?DS2-?VASc)?(?:s\b)?{BETWEEN}(?:\d{{1,3}}(?:/\d{{1,3}}|[+]\d)?(?:=\d{{1,2}})?%?|{ROMAN})"
    rf"(?:[ \t]?\((?:E\d|V[\dT]|M\d)[^)\n]{{0,12}}\))?(?: and \d{{1,2}}(?!\d))?{AFTER}"
)
_LABELS = MedicalLabels(
    detector="clinical scores",
    reason="a clinical score with its value",
    value=_VALUE,
    labels=words(
        "gcs nihss mrs ecog kps phq gad mmse moca apgar apgars cha2ds2 chads2 vas braden meld "
        "curb lvef karnofsky mallampati gleason ejection killip bishop qsofa sofa apache audit"
    ),
    exact=words("ASA EF FEV1 CCS"),
)
_RATED = frozenset("score scores index scale".split())
_OUT_OF = re.compile(
    r"[ \t](?:is |was |of |: ?)?(?:\d{1,2}|100)/(?:10|15|20|21|24|28|30|36|42|48|56|60|66|72|100)"
    r"(?!\w|[/.-]\d)"
)
_RATING = re.compile(r"[ \t]?(?:of|is|was|:|=|,)?[ \t]?\d{1,3}(?:\.\d)?(?:/\d{1,3})?%?(?![\w/-])")


_CODED = re.compile(
    r"(?:SNOMED|OPCS|CPT|DRG|LOINC|ICD(?:-?(?:9|10|11|O))?)(?:[- ](?:CT|CM|PCS|4|3))?(?: codes?)?:?"
    r"(?:[ ,;/]{1,2}[A-Z]{0,2}-?\d[\w.-]{1,9}(?!\w)(?:[ ]?x ?\d)?){1,8}"
)
_LESIONS = re.compile(
    r"(?<![\w-])(?:M[01]E[01]S[01]T[0-2](?:C[0-2])?|(?:[a-z]{1,3}[0-3] ){2,9}[a-z]{1,3}[0-3])(?![\w-])"
)
"""Lesions by their letters: Oxford M1E0S1T1C0, Banff i1 t1 v0 g0 ptc0."""
_COMA = re.compile(r"E[1-4CT] ?V[1-5T] ?M[1-6](?!\w)")
_COMA_SCALE = frozenset("gcs glasgow coma".split())


class ClinicalScores:
    """Looks behind the labels of scores, and for a name with its score."""

    name = "clinical scores"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        yield from _LABELS.bids(read)
        yield from self._named(read)
        yield from self._out_of(read)
        yield from self._of_coma(read)
        for pattern, reason in ((_CODED, "a code of medicine"), (_LESIONS, "lesions with grades")):
            for found in pattern.finditer(document.text):
                yield Bid(*found.span(), None, SURE, self.name, reason)

    def _of_coma(self, read: WordReading) -> Iterator[Bid]:
        """GCS E2V1M4, which is written as some postcodes are"""
        for place in read.numbers:
            if (found := _COMA.match(read.text, read.starts[place])) and not (
                _COMA_SCALE.isdisjoint(read.folds[max(0, place - 5) : place])
            ):
                yield Bid(*found.span(), None, SURE, self.name, "the parts of a coma scale")

    def _named(self, read: WordReading) -> Iterator[Bid]:
        """Lysholm score 78"""
        for place in read.places(_RATED):
            first = place - 1
            if first < 0 or read.shapes[place] != LOWER or read.gap(first) != " ":
                continue
            if not _names_a_score(read, first):
                continue
            found = _RATING.match(read.text, read.ends[place])
            end = found.end() if found else read.ends[place]
            yield Bid(read.starts[first], end, None, SURE, self.name, "a score by its name")

    def _out_of(self, read: WordReading) -> Iterator[Bid]:
        """Barthel 85/100"""
        for place in read.numbers:
            first = place - 1
            if first < 0 or not _names_a_score(read, first):
                continue
            if found := _OUT_OF.match(read.text, read.ends[first]):
                reason = "points out of a number that scores have"
                yield Bid(read.starts[first], found.end(), None, SURE, self.name, reason)


def _names_a_score(read: WordReading, place: int) -> bool:
    return read.shapes[place] in (INITIAL, MIXED) and not has_before(read, place, TITLES)


DECLARATION = DetectorDeclaration(
    key="clinical scores",
    doc="clinical scores to keep, with their points",
    kinds=(),
    basis=Basis.WORDS,
    make=ClinicalScores,
    order=374,
    vetoes=True,
)
