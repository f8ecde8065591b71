"""Health: diagnoses by code or in words, procedures, drugs, measurements, genes, biometrics,
pictures."""

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


COUNTS = ("number", "num", "count", "how many", "n", "anzahl", "nombre", "numero")
"""A number of diagnoses is no diagnosis."""


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
        phrase = None if phrase_in(evidence.words, COUNTS) is not None else phrase
        ten = evidence.share(is_icd10)
        if phrase is None:
            dotted = evidence.share(lambda text: _DOTTED_ICD10.fullmatch(text) is not None)
            if ten >= 0.95 and dotted >= 0.3 and len(evidence.values) > 5:
                return FieldLikeness(
                    self.looks_like, 0.8, (values_reason(ten, "written as ICD-10 codes are"),)
                )
            return None
        says = f"the name says '{phrase}'"
        if not evidence.values:
            return FieldLikeness(self.looks_like, 0.6, (says,))
        nine = evidence.share(is_icd9)
        if max(ten, nine) < 0.7:
            return None
        edition, share = ("10", ten) if ten >= nine else ("9", nine)
        return FieldLikeness(
            self.looks_like,
            0.96,
            (says, values_reason(share, f"written as ICD-{edition} codes are")),
        )


# Stems of international non-proprietary names (WHO): a header that holds one is the name of a drug.
INN_STEMS = (
    "formin", "glinide", "glitazone", "glipt", "gliflozin", "propamide", "butamide", "hexamide",
    "zamide", "examide", "glipizide", "glyburide", "glimepiride", "gliclazide", "sartan",
    "statin", "prazole", "cillin", "mycin", "oxacin", "oxetine", "azepam", "azolam", "barbital",
    "triptan", "dronate", "parin", "methasone", "olone", "caine", "thiazide", "tidine", "setron",
    "lukast", "zumab", "ximab", "tinib", "conazole", "cyclovir", "morphine", "codone",
)  # fmt: skip
CONDITION = NameAndValues(
    looks_like=LooksLike.CONDITION,
    phrases=(
        *DIAGNOSIS_PHRASES, "disease", "condition", "symptom", "symptoms", "problem",
        "complaint", "hiv", "diabetes", "cancer", "tumor", "depression", "allergy", "pregnant",
        "pregnancy", "disability", "health", "health status", "disorder", "illness", "krankheit",
        "maladie", "enfermedad", "ziekte", "mental", "mental health", "illnesses", "stroke",
        "std", "covid", "vaccinated", "vaccine", "immunization", "careplan", "care plan",
        "implant", "hypertension", "asthma", "infection", "injury", "fracture", "heart disease",
        "chest pain", "anxiety",
    ),
    unless=("insurance", "plan number", "expenses", "coverage", "health plan", "date"),
    stems=("diabet", "hepatit", "cancer", "carcino", "syndrom", "obes", "anemi", "anaemi", "schizo", "epilep"),
    named=0.85,
)  # fmt: skip
PROCEDURE = NameAndValues(
    looks_like=LooksLike.PROCEDURE,
    phrases=(
        "procedure", "cpt", "hcpcs", "surgery", "operation", "px", "drg", "treatment", "therapy",
        "intervention", "imaging study", "bodysite", "body site", "surgical",
    ),
    named=0.85,
)  # fmt: skip
DRUG = NameAndValues(
    looks_like=LooksLike.DRUG,
    phrases=(
        "drug", "medication", "medications", "medicine", "rx", "ndc", "prescription", "dose",
        "dosage", "atc", "insulin", "aspirin", "acarbose", "miglitol", "opioid", "antibiotic",
        "supply",
    ),
    stems=INN_STEMS,
    named=0.85,
)  # fmt: skip
MEASUREMENT = NameAndValues(
    looks_like=LooksLike.MEASUREMENT,
    phrases=(
        "result", "lab", "glucose", "bmi", "weight", "height", "blood", "pressure", "bp",
        "cholesterol", "hba1c", "hb a1c", "pulse", "temperature", "heart rate", "hemoglobin",
        "creatinine", "test result", "viral load", "systolic", "diastolic", "ldl", "hdl", "spo2",
        "platelets", "serum", "plasma", "ejection fraction", "titer", "grosse", "taille", "gewicht", "poids", "peso",
        "sodium", "potassium", "insulin level", "waist", "hip", "body mass",
    ),
    unless=("birth order", "group", "survey"),
    stems=("a1c", "gluc", "choles", "hemoglob", "haemoglob", "creatin", "bilirub", "triglyc"),
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
    phrases=(
        "fingerprint",
        "biometric",
        "retina",
        "voiceprint",
        "voice print",
        "faceprint",
        "face id",
        "iris scan",
    ),
    named=0.85,
)
PHOTOGRAPH = NameAndValues(
    looks_like=LooksLike.PHOTOGRAPH,
    phrases=(
        "photo",
        "photograph",
        "picture",
        "image",
        "portrait",
        "mugshot",
        "foto",
        "headshot",
        "avatar",
    ),
    test=lambda text: _PICTURE.fullmatch(text) is not None,
    values_are="names of picture files",
    needed=0.5,
    alone=0.85,
    needed_alone=0.7,
    despite=0.5,
)

HEALTH = (Diagnosis(), CONDITION, PROCEDURE, DRUG, MEASUREMENT, GENETIC, BIOMETRIC, PHOTOGRAPH)
