"""The result of a survey: frozen records of counts, words and proposals. No record holds a cell
value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sfumato.engines import FieldKind
from sfumato.policy import Policy, Replacement, Role

SUPPRESS: Mapping[str, object] = {"suppress": True}
"""The hierarchy of a field that is kept or suppressed as a whole."""


class LooksLike(StrEnum):
    """The kind of values that a field seems to have."""

    NAME = "name"
    ADDRESS = "address"
    PHONE = "phone"
    FAX = "fax"
    EMAIL = "e-mail"
    URL = "url"
    IP_ADDRESS = "ip address"
    SSN = "ssn"
    NATIONAL_NUMBER = "national number"
    MEDICAL_RECORD = "medical record number"
    HEALTH_PLAN = "health plan number"
    ACCOUNT = "account number"
    LICENCE = "licence number"
    VEHICLE = "vehicle or plate"
    DEVICE = "device id"
    PERSON_KEY = "person key"
    FAMILY_KEY = "family key"
    KEY = "record key"
    PHOTOGRAPH = "photograph"
    BIOMETRIC = "biometric"
    GENETIC = "genetic sequence"
    BIRTH_DATE = "birth date"
    DATE = "date"
    YEAR = "year"
    AGE = "age"
    ZIP = "zip"
    PLACE = "place"
    COORDINATE = "coordinate"
    STATE = "state"
    COUNTRY = "country"
    HONORIFIC = "form of address"
    SEX = "sex"
    ETHNICITY = "ethnicity"
    STATURE = "height or weight"
    MARITAL_STATUS = "marital status"
    FAMILY = "family"
    OCCUPATION = "occupation"
    EDUCATION = "education"
    LANGUAGE = "language"
    BELIEF = "religion or party"
    DIAGNOSIS = "diagnosis code"
    CONDITION = "health condition"
    PROCEDURE = "procedure"
    DRUG = "drug"
    MEASUREMENT = "measurement"
    AMOUNT = "amount"
    CRIME = "criminal record"
    ASSESSMENT = "assessment"
    OUTCOME = "outcome"
    HABIT = "habit"
    OPINION = "opinion"
    FREE_TEXT = "free text"
    FLAG = "yes or no"
    CATEGORY = "category"
    NUMBER = "number"
    CONSTANT = "constant"
    EMPTY = "empty"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class FieldLikeness:
    """The likeness of a field to one detector: its certainty from 0 to 1, and the reason, in
    words."""

    looks_like: LooksLike
    confidence: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What a policy could decide about a field. `hierarchy` is the table that a policy file would
    hold, and `finest` the name of its first level that may be released; `shift` says by how many
    days at most the dates of a person would move. `width` is the interval of a sensitive number that
    must not hold most of a bin's."""

    role: Role
    reasons: tuple[str, ...]
    hierarchy: Mapping[str, object] | None = None
    replace: Replacement | None = None
    shift: int | None = None
    finest: str | None = None
    width: float | None = None
    open: bool = False
    """Whether a person must decide what the field is, because the survey cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSurvey:
    """One field: what was counted, what it looks like, what is proposed.

    `kind` is the type that the values have, where every one of them has it, even if the source
    keeps text. `null_words` are words that mean a missing value, with the number of cells that were
    taken for one. `unique` counts the rows whose value occurs nowhere else. `others` are what else
    the field might be."""

    name: str
    kind: FieldKind
    rows: int
    distinct: int
    missing: int
    unique: int
    likeness: FieldLikeness
    others: tuple[FieldLikeness, ...]
    proposal: Proposal
    null_words: Mapping[str, int] = field(default_factory=dict)
    alike: float | None = None
    """Of a sensitive field: the largest share of rows with one value, null among them; None where
    it was not counted."""

    @property
    def looks_like(self) -> LooksLike:
        return self.likeness.looks_like

    @property
    def confidence(self) -> float:
        return self.likeness.confidence

    @property
    def unique_share(self) -> float:
        return self.unique / self.rows if self.rows else 0.0

    @property
    def missing_share(self) -> float:
        return self.missing / self.rows if self.rows else 0.0


class Presence(StrEnum):
    """Whether one of the 18 identifiers of the Safe Harbor list is in the source."""

    FOUND = "found"
    NOT_FOUND = "not found"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecklistItem:
    """One of the 18 identifiers of 45 CFR 164.514(b)(2)(i), in the rule's order."""

    number: int
    identifier: str
    presence: Presence
    fields: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """How much some fields together single out: their bins, and the rows that are unique."""

    fields: tuple[str, ...]
    rows: int
    bins: int
    unique: int

    @property
    def unique_share(self) -> float:
        return self.unique / self.rows if self.rows else 0.0

    @property
    def average_bin(self) -> float:
        return self.rows / self.bins if self.bins else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Uniqueness:
    """The combinations that were counted, the most identifying first, and the omitted ones with the
    reason."""

    counted: tuple[Combination, ...]
    not_counted: tuple[str, ...] = ()


class DependenceKind(StrEnum):
    """How fields determine each other."""

    EQUAL = "equal"
    ONE_TO_ONE = "one to one"
    FUNCTIONAL = "functional"
    MONOTONE = "monotone"
    DIFFERENCE = "difference"
    PART = "part"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependence:
    """Fields that determine each other, with the share of rows that are exceptions.

    A functional dependence has the determining field first, a part what it is in. A difference is
    that of the first two fields, and equals the third. `stays` is the field that is proposed to
    stay where one is enough. `contradicted` is the share of exceptions among the rows whose
    determining value repeats: no other row could be one. With a `level`, the first field determines
    the second up to that level of its hierarchy. `is_small` is true where fewer than 20 rows were
    compared: a release refuses it, and a survey does not report it. `is_of_value` is true where the
    first field determines one value of the second, and nothing about the others."""

    kind: DependenceKind
    fields: tuple[str, ...]
    exceptions: float = 0.0
    stays: str = ""
    contradicted: float = 0.0
    level: int = 0
    is_small: bool = False
    is_of_value: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Survey:
    """Everything a survey found about a source. It proposes; a person decides.

    `dependences` are all that were found, `twins` those that are reported to a person. `reading` is
    how its files were read.
    """

    title: str
    rows: int
    fields: tuple[FieldSurvey, ...]
    safe_harbor: tuple[ChecklistItem, ...]
    uniqueness: Uniqueness
    entity: str | None = None
    dependences: tuple[Dependence, ...] = ()
    warnings: tuple[str, ...] = ()
    reading: tuple[str, ...] = ()

    @property
    def open_questions(self) -> tuple[str, ...]:
        """The fields that a person must decide about."""
        return tuple(item.name for item in self.fields if item.proposal.open)

    @property
    def twins(self) -> tuple[Dependence, ...]:
        """The dependences that are reported to a person: each fact once, and none of a removed
        key."""
        from .told_twins import told_dependences

        return told_dependences(self.dependences, self.fields)

    def field(self, name: str) -> FieldSurvey:
        """The field called `name`."""
        return next(item for item in self.fields if item.name == name)

    @property
    def policy(self) -> Policy:
        """The policy that it proposes, and that a person has to confirm."""
        from .proposed_policy import propose_policy

        return propose_policy(self)

    def __repr__(self) -> str:
        from .survey_markup import summarise_survey

        return f"<{summarise_survey(self)}>"

    def _repr_html_(self) -> str:
        from .survey_markup import survey_markup

        return survey_markup(self)
