"""How a person is described: sex, age, ethnicity, marital status, occupation, education, language,
belief."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ..coded_rows import number_of
from ..evidence import Evidence
from ..lexicons import BELIEFS, EDUCATIONS, ETHNICITIES, LANGUAGES, MARITAL_STATUSES, SEXES
from ..name_words import plain_word
from ..records import FieldLikeness, LooksLike
from .detector import NameAndValues

_SCHOOL_YEAR = re.compile(r"([6-9]|1[0-3])(\.0|th)?( grade)?", re.I)
_FEW_PEOPLE = re.compile(r"(1?\d|20)(\.0)?\+?")
_AGE_RANGE = re.compile(
    r"[\[(]?\d{1,3}(\.\d+)?( ?(-|–|,|to|bis|a|à) ?\d{1,3}(\.\d+)?)[\])]?|(<|>|≤|≥|<=|>=|under|over|less than"
    r"|greater than|above|below|up to) ?\d{1,3}|\d{1,3} ?(\+|and (over|older|above)|or (older|more))",
    re.I,
)
CODES = 20
"""A lexicon is no evidence against a field of at most this many values: they may be codes."""


def among(lexicon: frozenset[str]) -> Callable[[str], bool]:
    """A test whether a value is in a lexicon, whatever its case and accents."""

    def test(text: str) -> bool:
        return plain_word(" ".join(text.replace("_", " ").split())) in lexicon

    return test


def is_age(text: str) -> bool:
    """
    Example:
        >>> is_age("42"), is_age("42.0"), is_age("421"), is_age("-1")
        (True, True, False, False)
    """
    try:
        return 0 <= number_of(text) <= 120
    except ValueError:
        return False


_ANSWERS = frozenset("0 1 0.0 1.0 y n yes no t f true false ja nein oui non si".split())


def is_answer(text: str) -> bool:
    """Whether a value is a yes or a no.

    Example:
        >>> is_answer("Yes"), is_answer("0.0"), is_answer("2")
        (True, True, False)
    """
    return text.strip().lower() in _ANSWERS


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonDescription:
    """A description from a known list, or one that the name announces and few values carry, such as
    1 and 2."""

    inner: NameAndValues
    most_values: int = 60

    @property
    def looks_like(self) -> LooksLike:
        return self.inner.looks_like

    def detect(self, evidence: Evidence) -> FieldLikeness | None:
        found = self.inner.detect(evidence)
        if found is None or evidence.profile.distinct > self.most_values:
            return found if found is not None and found.confidence > 0.9 else None
        if found.confidence != self.inner.despite:
            return found
        few = f"{evidence.profile.distinct} different values could be codes or words for it"
        return FieldLikeness(
            self.looks_like,
            0.75 if evidence.profile.distinct <= CODES else 0.5,
            (found.reasons[0], few),
        )


SEX = PersonDescription(
    inner=NameAndValues(
        looks_like=LooksLike.SEX,
        phrases=(
            "sex",
            "gender",
            "geschlecht",
            "sexe",
            "genre",
            "sexo",
            "genero",
            "geslacht",
            "sesso",
            "kon",
            "kjonn",
        ),
        test=among(SEXES),
        values_are="words or letters for a sex",
        needed=0.6,
        both=0.98,
        alone=0.8,
    ),
    most_values=10,
)
ETHNICITY = PersonDescription(
    inner=NameAndValues(
        looks_like=LooksLike.ETHNICITY,
        phrases=(
            "race", "ethnicity", "ethnic", "ethnic group", "ethnie", "etnia", "raza", "raca",
            "cor raca", "herkunft",
        ),
        test=among(ETHNICITIES),
        values_are="words for an ethnic group",
        needed=0.5,
        both=0.97,
        alone=0.85,
        needed_alone=0.8,
    )
)  # fmt: skip
MARITAL_STATUS = PersonDescription(
    inner=NameAndValues(
        looks_like=LooksLike.MARITAL_STATUS,
        phrases=(
            "marital", "marital status", "civil status", "familienstand", "etat civil",
            "estado civil", "married", "burgerlijke staat", "stato civile", "sivilstatus",
            "civilstand", "relationship status", "marstat", "marst", "mstat", "marriage",
        ),
        unless=("rate", "rating", "satisfaction", "happiness", "quality", "counseling", "therapy"),
        test=among(MARITAL_STATUSES),
        values_are="words for a marital status",
        needed=0.5,
        both=0.97,
        alone=0.85,
        needed_alone=0.8,
    )
)  # fmt: skip
BELIEF = PersonDescription(
    inner=NameAndValues(
        looks_like=LooksLike.BELIEF,
        phrases=(
            "religion", "faith", "denomination", "konfession", "party", "party affiliation",
            "political party", "political affiliation", "partido", "parti", "partei", "coligacao", "religiao",
        ),
        test=among(BELIEFS),
        values_are="words for a religion or a party",
        needed=0.5,
        both=0.95,
        alone=0.75,
        needed_alone=0.8,
    )
)  # fmt: skip
EDUCATION = PersonDescription(
    inner=NameAndValues(
        looks_like=LooksLike.EDUCATION,
        phrases=(
            "education", "schooling", "degree", "qualification", "ausbildung", "bildung",
            "estudios", "schulbildung", "grau instrucao", "escolaridade", "escolaridad",
            "instruccion", "diplome", "opleiding", "istruzione", "utbildning", "educ", "edu",
            "educational",
        ),
        unless=("charge", "crime", "offense", "burn", "kinship", "temperature", "satisfaction", "degrees"),
        test=among(EDUCATIONS),
        values_are="words for a level of education",
        needed=0.5,
        both=0.95,
        alone=0.8,
        needed_alone=0.8,
    )
)  # fmt: skip
EDUCATION_FLAG = NameAndValues(
    looks_like=LooksLike.EDUCATION,
    phrases=(
        "college", "college ed", "college educated", "college degree", "college grad", "graduate", "university",
        "high school", "high school grad", "bachelor", "bachelors", "masters", "no degree",
    ),
    unless=("near", "distance", "name", "town", "private", "public", "cost", "plan", "plans", "hospital"),
    test=is_answer,
    values_are="yes or no",
    both=0.86,
    named=0.0,
    despite=0.0,
)  # fmt: skip
SCHOOL_YEAR = NameAndValues(
    looks_like=LooksLike.EDUCATION,
    phrases=("grade", "grade level", "school grade", "school year", "class year"),
    unless=(
        "pay",
        "salary",
        "job",
        "loan",
        "credit",
        "gleason",
        "tumor",
        "tumour",
        "final",
        "exam",
    ),
    test=lambda text: _SCHOOL_YEAR.fullmatch(text) is not None,
    values_are="years of school from the sixth on, which marks seldom are",
    needed=0.6,
    both=0.88,
    despite=0.0,
)
LANGUAGE = PersonDescription(
    inner=NameAndValues(
        looks_like=LooksLike.LANGUAGE,
        phrases=("language", "mother tongue", "sprache", "langue", "idioma", "taal"),
        test=among(LANGUAGES),
        values_are="names of languages",
        needed=0.5,
        both=0.95,
        alone=0.8,
        needed_alone=0.8,
    ),
    most_values=300,
)
OCCUPATION = NameAndValues(
    looks_like=LooksLike.OCCUPATION,
    phrases=(
        "occupation", "job", "job title", "profession", "employer", "workclass", "beruf", "metier", "ocupacion",
        "beroep", "industry", "rank", "ocupacao", "profissao", "professione", "yrke", "profesion", "position",
        "job role", "department", "work sector", "speciality", "specialty", "cargo", "occupational", "employment",
        "employment status", "employed", "unemployed", "labor force", "labour force", "work status", "act status",
        "activity status",
    ),
    unless=("satisfaction", "involvement", "engagement", "performance", "rating", "score"),
    named=0.85,
)  # fmt: skip
AGE = NameAndValues(
    looks_like=LooksLike.AGE,
    phrases=(
        "age", "ages", "alter", "edad", "leeftijd", "eta", "alder", "age at", "age years",
        "idade", "age group", "age cat",
    ),
    test=is_age,
    values_are="numbers from 0 to 120",
    needed=0.95,
    both=0.95,
    named=0.8,
)  # fmt: skip
AGE_GROUP = PersonDescription(
    inner=NameAndValues(
        looks_like=LooksLike.AGE,
        phrases=(
            "age", "age group", "age grp", "age cat", "age category", "age range", "age band",
            "age bracket", "age class",
            "altersgruppe", "altersklasse", "tranche age", "grupo edad", "faixa etaria",
            "fascia eta", "leeftijdsgroep",
        ),
        unless=("range of", "stone", "bone", "at", "vehicle", "car", "house", "building", "account"),
        test=lambda text: _AGE_RANGE.fullmatch(text.strip()) is not None,
        values_are="ranges of ages",
        needed=0.5,
        both=0.93,
    ),
    most_values=CODES,
)  # fmt: skip
"""Ages in classes: `[70-80)`, `21-49`, `50+`, or a few words such as `adult`."""
FAMILY_AGE = NameAndValues(
    looks_like=LooksLike.AGE,
    phrases=("agew", "ageh", "agef", "agem", "agep", "ager", "agec", "ages", "agek"),
    test=is_age,
    values_are="numbers from 0 to 120",
    needed=0.95,
    both=0.8,
    named=0.0,
    despite=0.0,
)
"""The age of the wife, the husband, the father and so on, as surveys abbreviate it."""

SEX_FLAG = NameAndValues(
    looks_like=LooksLike.SEX,
    phrases=(
        "male", "female", "man", "woman", "boy", "girl", "mannlich", "weiblich", "homme", "femme", "hombre", "mujer",
    ),
    unless=("doctor", "teacher", "partner", "friend", "child", "sibling", "head", "interviewer", "officer"),
    test=is_answer,
    values_are="yes or no",
    both=0.9,
    named=0.0,
    despite=0.0,
)  # fmt: skip
AGE_FLAG = NameAndValues(
    looks_like=LooksLike.AGE,
    phrases=("senior", "senior citizen", "elderly", "underage", "retired", "pensioner"),
    unless=("job", "level", "position", "title", "manager", "home"),
    test=is_answer,
    values_are="yes or no",
    both=0.86,
    named=0.0,
    despite=0.0,
)
ETHNICITY_FLAG = NameAndValues(
    looks_like=LooksLike.ETHNICITY,
    phrases=(
        "black", "white", "hispanic", "hisp", "latino", "latina", "asian", "caucasian", "african american",
        "native american", "nonwhite", "non white",
    ),
    unless=(
        "box", "list", "collar", "blood", "cell", "wine", "tea", "bread", "meat", "officer", "neighborhood", "share",
    ),
    test=is_answer,
    values_are="yes or no",
    both=0.88,
    named=0.0,
    despite=0.0,
)  # fmt: skip
MARITAL_FLAG = NameAndValues(
    looks_like=LooksLike.MARITAL_STATUS,
    phrases=(
        "partner", "spouse", "divorced", "widowed", "widow", "unmarried", "never married", "single", "cohabiting",
        "separated", "marry", "verheiratet", "marie", "casado", "casada",
    ),
    unless=(
        "job", "occupation", "income", "education", "age", "name", "violence", "abuse", "parent", "dose", "room",
        "unit", "smoker", "smokes",
    ),
    test=is_answer,
    values_are="yes or no",
    both=0.88,
    named=0.0,
    despite=0.0,
)  # fmt: skip
ORIGIN_FLAG = NameAndValues(
    looks_like=LooksLike.COUNTRY,
    phrases=(
        "citizen", "foreign", "foreigner", "foreign born", "foreign worker", "immigrant", "migrant", "native born",
        "born abroad",
    ),
    unless=("senior", "job", "language", "exchange", "body", "policy", "travel", "trade"),
    test=is_answer,
    values_are="yes or no",
    both=0.88,
    named=0.0,
    despite=0.0,
)  # fmt: skip
FAMILY = NameAndValues(
    looks_like=LooksLike.FAMILY,
    phrases=(
        "dependents", "dependants", "children", "kids", "sons", "daughters", "siblings", "household size",
        "family size", "family members", "number of children", "num children", "n children", "kinder", "enfants",
        "hijos", "filhos", "figli", "kinderen", "sibsp", "parch", "single parent",
    ),
    unless=(
        "income", "age", "name", "hospital", "clinic", "book", "menu", "meal", "insurance", "allowance", "benefit",
        "cost", "id", "health", "illness", "vaccine", "vaccinated", "diagnosis",
    ),
    test=lambda text: is_answer(text) or _FEW_PEOPLE.fullmatch(text.strip()) is not None,
    values_are="yes or no, or numbers up to 20",
    needed=0.95,
    both=0.86,
    named=0.0,
    despite=0.0,
)  # fmt: skip

RELATION = NameAndValues(
    looks_like=LooksLike.FAMILY,
    phrases=(
        "relationship to reference person", "relationship to head", "relation to head", "relationship to householder",
        "relation to householder", "household relationship", "relationship to household head", "kinship",
    ),
    unless=("victim", "offender", "id", "age"),
    named=0.86,
)  # fmt: skip

PEOPLE = (
    SEX,
    SEX_FLAG,
    AGE_FLAG,
    ETHNICITY_FLAG,
    MARITAL_FLAG,
    ORIGIN_FLAG,
    FAMILY,
    RELATION,
    AGE,
    AGE_GROUP,
    FAMILY_AGE,
    ETHNICITY,
    MARITAL_STATUS,
    BELIEF,
    EDUCATION,
    EDUCATION_FLAG,
    SCHOOL_YEAR,
    LANGUAGE,
    OCCUPATION,
)
