"""Health: diagnoses by code or in words, procedures, drugs, measurements, genes, biometrics, pictures."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..evidence import Evidence
from ..name_words import phrase_in
from ..records import FieldLikeness, LooksLike
from .detector import NameAndValues, values_reason

_ICD10 = re.compile(r"[A-TV-Z]\d[0-9AB](\.?[0-9A-TV-Z]{1,4})?", re.I)
_DOTTED_ICD10 = re.compile(r"[A-TV-Z]\d[0-9AB]\.[0-9A-TV-Z]{1,4}", re.I)
_ICD9 = re.compile(r"\d{1,3}(\.\d{1,2})?|\d{4,5}|V\d{2}(\.?\d{1,2})?|E\d{3}(\.?\d)?", re.I)
_SEQUENCE = re.compile(r"[ACGTN]{20,}")
_PICTURE = re.compile(r".+\.(jpe?g|png|gif|tiff?|bmp|dcm|heic|webp)|data:image/.*", re.I)
DIAGNOSIS_PHRASES = (
    "diagnosis", "diagnoses", "diag", "dx", "icd", "icd 9", "icd 10", "icd9", "icd10", "diagnose", "diagnostic",
    "cause of death", "comorbidity",
)  # fmt: skip


def is_icd10(text: str) -> bool:
    """
    Example:
        >>> is_icd10("J45.20"), is_icd10("E119"), is_icd10("U2"), is_icd10("asthma")
        (True, True, False, False)
    """
    return _ICD10.fullmatch(text) is not None


def is_icd9(text: str) -> bool:
    """
    Example:
        >>> is_icd9("250.00"), is_icd9("V10.3"), is_icd9("J45")
        (True, True, False)
    """
    return _ICD9.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """ICD codes. ICD-9's look like other numbers, so they need the name to say so."""

    looks_like: LooksLike = LooksLike.DIAGNOSIS

    def detect(self, evidence: Evidence) -> FieldLikeness | None:
        phrase = phrase_in(evidence.words, DIAGNOSIS_PHRASES)
        ten = evidence.share(is_icd10)
        if phrase is None:
            dotted = evidence.share(lambda text: _DOTTED_ICD10.fullmatch(text) is not None)
            if ten >= 0.95 and dotted >= 0.3 and len(evidence.values) > 5:
                return FieldLikeness(self.looks_like, 0.8, (values_reason(ten, "written as ICD-10 codes are"),))
            return None
        says = f"the name says '{phrase}'"
        if not evidence.values:
            return FieldLikeness(self.looks_like, 0.6, (says,))
        nine = evidence.share(is_icd9)
        if max(ten, nine) < 0.7:
            return None
        edition, share = ("10", ten) if ten >= nine else ("9", nine)
        return FieldLikeness(self.looks_like, 0.96, (says, values_reason(share, f"written as ICD-{edition} codes are")))


CONDITION = NameAndValues(
    looks_like=LooksLike.CONDITION,
    phrases=(
        *DIAGNOSIS_PHRASES, "disease", "condition", "symptom", "symptoms", "problem", "complaint", "hiv", "diabetes",
        "cancer", "tumor", "depression", "allergy", "allergies", "pregnant", "pregnancy", "disability", "smoker",
        "smoking", "alcohol", "disorder", "illness", "krankheit", "maladie", "enfermedad", "ziekte", "mental",
        "stroke", "outcome", "sexual orientation", "orientation", "std", "covid", "vaccinated", "vaccine",
    ),
    named=0.85,
)  # fmt: skip
PROCEDURE = NameAndValues(
    looks_like=LooksLike.PROCEDURE,
    phrases=("procedure", "cpt", "hcpcs", "surgery", "operation", "px", "drg", "treatment", "therapy", "intervention"),
    named=0.85,
)
DRUG = NameAndValues(
    looks_like=LooksLike.DRUG,
    phrases=("drug", "medication", "medications", "medicine", "rx", "ndc", "prescription", "dose", "dosage", "atc"),
    named=0.85,
)
MEASUREMENT = NameAndValues(
    looks_like=LooksLike.MEASUREMENT,
    phrases=(
        "result", "lab", "glucose", "bmi", "weight", "height", "blood", "pressure", "bp", "cholesterol", "hba1c",
        "hb a1c", "pulse", "temperature", "heart rate", "hemoglobin", "creatinine", "test result", "viral load",
        "systolic", "diastolic", "score", "grade", "gpa", "level", "ldl", "hdl", "spo2",
        "titer", "grosse", "gewicht", "taille", "poids", "peso",
    ),
    named=0.8,
)  # fmt: skip
GENETIC = NameAndValues(
    looks_like=LooksLike.GENETIC,
    phrases=("genotype", "dna", "rna", "genome", "snp", "haplotype", "allele", "sequence"),
    test=lambda text: _SEQUENCE.fullmatch(text) is not None,
    values_are="sequences of bases",
    needed=0.5,
    alone=0.9,
    named=0.7,
    despite=0.35,
)
BIOMETRIC = NameAndValues(
    looks_like=LooksLike.BIOMETRIC,
    phrases=("fingerprint", "biometric", "retina", "voiceprint", "voice print", "faceprint", "face id", "iris scan"),
    named=0.85,
)
PHOTOGRAPH = NameAndValues(
    looks_like=LooksLike.PHOTOGRAPH,
    phrases=("photo", "photograph", "picture", "image", "portrait", "mugshot", "foto", "headshot", "avatar"),
    test=lambda text: _PICTURE.fullmatch(text) is not None,
    values_are="names of picture files",
    needed=0.5,
    alone=0.85,
    needed_alone=0.7,
    despite=0.5,
)

HEALTH = (Diagnosis(), CONDITION, PROCEDURE, DRUG, MEASUREMENT, GENETIC, BIOMETRIC, PHOTOGRAPH)
