"""Health: diagnoses by code or in words, procedures, drugs, measurements, genes, biometrics,
pictures."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..coded_rows import number_of
from ..evidence import Evidence
from ..lexicons import FINDINGS, TEST_RESULTS
from ..name_words import phrase_in, plain_word
from ..records import FieldLikeness, LooksLike
from .detector import NameAndValues, values_reason

_ICD10 = re.compile(r"[A-TV-Z]\d[0-9AB](\.?[0-9A-TV-Z]{1,4})?", re.I)
_DOTTED_ICD10 = re.compile(r"[A-TV-Z]\d[0-9AB]\.[0-9A-TV-Z]{1,4}", re.I)
_ICD9 = re.compile(r"\d{1,3}(\.\d{1,2})?|\d{4,5}|V\d{2}(\.?\d{1,2})?|E\d{3}(\.?\d)?", re.I)
_CLINICAL = re.compile(
    r"[a-z]{3,}(itis|osis|emia|aemia|oma|pathy|algia|plegia|uria|iasis|trophy)\b"
    r"|\((disorder|finding|situation|procedure)\)|\b(disease|syndrome|disorder|neoplasm|fracture|infection)\b",
    re.I,
)
_STRENGTH = re.compile(
    r"\d ?(mg|mcg|µg|ug|ml|iu|units?)\b|\b(oral tablet|injection|capsule)\b", re.I
)
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


def is_number(text: str) -> bool:
    """
    Example:
        >>> is_number("-1.5"), is_number("1,5"), is_number("high")
        (True, True, False)
    """
    try:
        number_of(text.replace(",", ".", 1))
    except ValueError:
        return False
    return True


def is_of_a_body(text: str) -> bool:
    """Whether a text may be the length or the weight of a person: metres, or feet to pounds. A
    number far from that is another weight, such as one of a survey; words and ranges may be any.

    Example:
        >>> is_of_a_body("1.82"), is_of_a_body("[75-100)"), is_of_a_body("0.31"), is_of_a_body("4321")
        (True, True, False, False)
    """
    return not is_number(text) or is_a_body_number(text)


def is_a_body_number(text: str) -> bool:
    """Whether a text is a number that may be the length or the weight of a person."""
    return is_number(text) and any(low <= float(text) <= high for low, high in BODY)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """ICD codes. ICD-9 codes look like other numbers, so the name must confirm them."""

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
        says = f"its name contains '{phrase}'"
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
        "chest pain", "anxiety", "comorbidities", "chronic", "copd", "chd", "cvd", "ckd", "angina",
        "heart attack", "heart failure", "infarction", "thyroid", "kidney", "liver", "arthritis",
        "osteoporosis", "dementia", "autism", "adhd", "ptsd", "bipolar", "suicide", "suicidal",
        "self harm", "overdose", "addiction", "abortion", "miscarriage", "menopause", "fertility",
        "infertility", "contraception", "aids", "tuberculosis", "malaria", "pneumonia", "sepsis",
        "ulcer", "migraine", "pain", "fever", "cough", "nausea", "fatigue", "edema", "oedema",
        "ascites", "tumour", "tumor size", "metastasis", "metastases", "malignant", "biopsy",
        "histology", "cell type", "lymph nodes", "lesion", "blind", "deaf", "hearing loss",
        "impairment", "severity", "handicap", "disabled", "headache", "sore throat", "bleeding", "swelling",
        "vomiting", "rash", "itch", "itching", "dizziness", "seizure", "seizures", "polio",
        "bronchitis", "hay fever", "nervous breakdown", "weak heart", "heart trouble",
        "bowel trouble", "goitre", "goiter", "gout", "hernia", "diarrhea", "diarrhoea", "insomnia",
        "palpitations", "dyspnea", "dyspnoea", "concussion", "unconscious", "amnesia", "coma",
        "shock", "homeless", "homelessness", "limitation", "limitations", "frailty", "wound",
        "trauma", "medical history", "family history", "history of", "risk factor", "morbidity",
        "ill", "sick", "sick leave", "sick days", "sickness", "pregnancies", "gestation",
        "gravida", "parity", "mental illness", "behinderung", "schwanger", "grossesse",
        "embarazo", "gravidez", "doenca", "malattia",
    ),
    unless=("insurance", "plan number", "expenses", "coverage", "health plan", "date"),
    stems=(
        "diabet", "hepatit", "cancer", "carcino", "syndrom", "obes", "anemi", "anaemi", "schizo",
        "epilep", "arthrit", "cardio", "cardiac", "oncolog", "neurolog", "psychiat", "patholog",
        "thrombo", "leukem", "leukaem", "lymphom", "melanom", "fibros", "cirrho", "hypertens",
        "alzheimer", "parkinson", "tumor", "tumour", "pregnan", "ischem", "ischaem",
    ),
    named=0.85,
)  # fmt: skip
PROCEDURE = NameAndValues(
    looks_like=LooksLike.PROCEDURE,
    phrases=(
        "procedure", "cpt", "hcpcs", "surgery", "operation", "px", "drg", "treatment", "therapy",
        "intervention", "imaging study", "bodysite", "body site", "surgical", "transplant",
        "dialysis", "intubated", "intubation", "ventilation", "icu", "radiotherapy", "radiation",
        "chemo", "chemotherapy", "screening", "hospitalization", "hospitalisation",
        "hospitalized", "hospitalised", "emergency visits", "inpatient", "outpatient", "doctor visits",
        "triage", "referral", "device code", "device description", "behandlung",
        "traitement", "tratamiento", "cirurgia",
    ),
    stems=("ectomy", "plasty", "otomy", "oscopy", "irradiat"),
    named=0.85,
)  # fmt: skip
DRUG = NameAndValues(
    looks_like=LooksLike.DRUG,
    phrases=(
        "drug", "medication", "medications", "medicine", "rx", "ndc", "prescription", "dose",
        "dosage", "atc", "insulin", "aspirin", "acarbose", "miglitol", "opioid", "antibiotic",
        "supply", "med", "meds", "pills", "antidepressant", "steroid", "steroids", "hormone",
        "contraceptive", "methadone", "warfarin", "placebo", "beta blocker", "anticoagulant",
        "medikament", "medicament", "medicamento", "farmaco",
    ),
    stems=INN_STEMS,
    named=0.85,
)  # fmt: skip
MEASUREMENT = NameAndValues(
    looks_like=LooksLike.MEASUREMENT,
    phrases=(
        "result", "lab", "glucose", "bmi", "blood", "pressure", "bp",
        "cholesterol", "hba1c", "hb a1c", "pulse", "temperature", "heart rate", "hemoglobin",
        "creatinine", "test result", "viral load", "systolic", "diastolic", "ldl", "hdl", "spo2",
        "platelets", "serum", "plasma", "ejection fraction", "titer",
        "sodium", "potassium", "insulin level", "waist", "hip", "body mass", "bilirubin",
        "albumin", "alkaline phosphatase", "urea", "uric acid", "ferritin", "calcium",
        "magnesium", "hematocrit", "haematocrit", "leukocytes", "lymphocytes", "neutrophils",
        "white cells", "red cells", "prothrombin", "troponin", "thyroid level", "viral", "cd4",
        "cell count", "antibody", "antibodies", "antigen", "ecg", "ekg", "spirometry", "oxygen",
        "saturation", "respiratory rate", "body fat", "skinfold", "skin thickness", "apgar",
        "birth weight", "gestational age", "karnofsky", "ecog", "visual acuity", "blutdruck",
        "tension arterielle", "presion arterial", "weight loss", "weight gain",
    ),
    unless=("birth order", "group", "survey"),
    stems=(
        "a1c", "gluc", "choles", "hemoglob", "haemoglob", "creatin", "bilirub", "triglyc",
        "hematocr", "birthweight", "leuko", "lympho", "neutroph", "testoster", "estrad",
    ),
    named=0.8,
)  # fmt: skip
BODY = ((1.0, 2.5), (20.0, 700.0))
"""Metres; inches, centimetres, kilograms and pounds."""
STATURE = NameAndValues(
    looks_like=LooksLike.STATURE,
    phrases=(
        "weight", "height", "stature", "body weight", "body height", "gewicht", "groesse",
        "grosse", "taille", "poids", "peso", "estatura", "altura", "statura", "lengte",
    ),
    unless=(
        "birth", "group", "survey", "sample", "final", "person weight", "design", "loss", "gain",
        "change", "fetal", "organ", "dry", "ideal", "placenta", "score", "matching", "grain",
    ),
    test=is_of_a_body,
    values_are="lengths or weights of a body",
    both=0.8,
    named=0.0,
    despite=0.0,
)  # fmt: skip
ABBREVIATED_STATURE = NameAndValues(
    looks_like=LooksLike.STATURE,
    phrases=("wt", "ht", "wgt", "hgt", "wt kg", "ht cm"),
    test=is_a_body_number,
    values_are="lengths or weights of a body",
    both=0.78,
    named=0.0,
    despite=0.0,
)
ABBREVIATED_MEASUREMENT = NameAndValues(
    looks_like=LooksLike.MEASUREMENT,
    phrases=(
        "alt", "ast", "alp", "ggt", "bun", "crp", "esr", "wbc", "rbc", "hct", "mcv", "inr", "tsh",
        "t3", "t4", "psa", "gfr", "egfr", "sbp", "dbp", "sysbp", "diabp", "sys bp", "dia bp",
        "chol", "tchol", "tot chol", "trig", "fbs", "fev", "fev1", "fvc", "pef", "hr", "hgb", "hb",
        "plt", "bili", "alk phos", "gcs", "nihss", "phq", "phq 9", "gad 7", "mmse", "moca",
        "pco2", "po2", "ph", "trestbps", "thalach", "oldpeak", "karno", "apache", "sofa",
    ),
    unless=("hrs",),
    test=is_number,
    values_are="numbers",
    both=0.78,
    named=0.0,
    despite=0.0,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TestResult:
    """Results of tests in words: positive, abnormal, benign. High and low alone are no result."""

    looks_like: LooksLike = LooksLike.MEASUREMENT

    def detect(self, evidence: Evidence) -> FieldLikeness | None:
        share = evidence.share(lambda text: plain_word(text) in TEST_RESULTS)
        if share < 0.9 or not any(plain_word(text) in FINDINGS for text in evidence.values):
            return None
        return FieldLikeness(self.looks_like, 0.7, (values_reason(share, "results of a test"),))


CLINICAL_TERM = NameAndValues(
    looks_like=LooksLike.CONDITION,
    test=lambda text: _CLINICAL.search(text) is not None,
    values_are="names of diseases or findings",
    needed_alone=0.4,
    alone=0.7,
)
STRENGTH = NameAndValues(
    looks_like=LooksLike.DRUG,
    test=lambda text: _STRENGTH.search(text) is not None,
    values_are="drugs with their strength",
    needed_alone=0.5,
    alone=0.8,
)
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

HEALTH = (
    Diagnosis(), CONDITION, PROCEDURE, DRUG, MEASUREMENT, STATURE, ABBREVIATED_STATURE,
    ABBREVIATED_MEASUREMENT, TestResult(), CLINICAL_TERM, STRENGTH, GENETIC, BIOMETRIC, PHOTOGRAPH,
)  # fmt: skip
