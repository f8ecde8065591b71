"""Dates: of birth, of what happened, and bare years."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sfumato.engines import FieldKind

from ..date_formats import ISO, ambiguous, formats_that_fit, read_as
from ..evidence import Evidence, percent
from ..name_words import phrase_in
from ..records import FieldLikeness, LooksLike
from .detector import NameAndValues

_YEAR = re.compile(r"(18[5-9]\d|19\d\d|20\d\d|21[0-4]\d)(\.0)?")
_MOMENTS = (FieldKind.DATE, FieldKind.TIMESTAMP)
BIRTH_PHRASES = (
    "birth date", "date of birth", "dob", "birth", "born", "birthday", "bdate", "geburtsdatum", "geburtstag", "geb",
    "date de naissance", "naissance", "fecha de nacimiento", "nacimiento", "geboortedatum", "data di nascita",
    "nascita", "fodselsdato", "fodelsedatum", "data de nascimento", "nascimento", "nasc", "data urodzenia",
    "fodselsdag", "syntymaaika",
)  # fmt: skip
NOT_BIRTH_DATE = (
    "place",
    "weight",
    "order",
    "country",
    "city",
    "state",
    "sex",
    "year",
    "type",
    "rate",
    "length",
)
DATE_PHRASES = (
    "date", "admission", "admit", "discharge", "visit date", "service date", "dod", "date of death", "death date",
    "timestamp", "datetime", "time", "when", "datum", "fecha", "dato", "day", "month", "created", "updated", "dt",
)  # fmt: skip


def _date_reasons(evidence: Evidence) -> tuple[float, tuple[str, ...]]:
    """How surely the values are dates, whatever the name, and why."""
    if evidence.profile.info.kind in _MOMENTS:
        return 0.95, (f"the source keeps it as a {evidence.profile.info.kind.value}",)
    fits = formats_that_fit(evidence)
    if not fits:
        return 0.0, ()
    form, share = fits[0]
    sure = 0.9 if form == ISO else 0.6 if form == "%Y%m%d" else 0.75 if "%y" in form else 0.85
    reasons: tuple[str, ...] = (
        f"{percent(share)} of sampled values are dates written {read_as(form)}",
    )
    if ambiguous([other for other, other_share in fits if other_share == share]):
        reasons += ("day and month cannot be distinguished in them: check which comes first",)
    return sure, reasons


@dataclass(frozen=True, slots=True)
class BirthDate:
    """A date, and a name that means birth."""

    looks_like: LooksLike = LooksLike.BIRTH_DATE

    def detect(self, evidence: Evidence) -> FieldLikeness | None:
        phrase = phrase_in(evidence.words, BIRTH_PHRASES)
        if phrase is None or phrase_in(evidence.words, NOT_BIRTH_DATE) is not None:
            return None
        says = f"its name contains '{phrase}'"
        sure, reasons = _date_reasons(evidence)
        if sure:
            return FieldLikeness(self.looks_like, 0.97, (says, *reasons))
        if not evidence.values:
            return FieldLikeness(self.looks_like, 0.7, (says,))
        return FieldLikeness(
            self.looks_like, 0.45, (says, "but its values are not dates in one format")
        )


@dataclass(frozen=True, slots=True)
class Date:
    """Any other date: of admission, of death, of a visit."""

    looks_like: LooksLike = LooksLike.DATE

    def detect(self, evidence: Evidence) -> FieldLikeness | None:
        phrase = phrase_in(evidence.words, DATE_PHRASES)
        says = (f"its name contains '{phrase}'",) if phrase is not None else ()
        sure, reasons = _date_reasons(evidence)
        if sure:
            return FieldLikeness(
                self.looks_like, max(sure, 0.93) if says else sure, (*says, *reasons)
            )
        if phrase in ("date", "datum", "fecha", "dob", "datetime", "timestamp"):
            confidence = 0.3 if evidence.values else 0.6
            return FieldLikeness(self.looks_like, confidence, says)
        return None


YEAR = NameAndValues(
    looks_like=LooksLike.YEAR,
    phrases=(
        "year",
        "yob",
        "yr",
        "jahr",
        "annee",
        "ano",
        "jaar",
        "anno",
        "birth year",
        "birth",
        "geburtsjahr",
    ),
    unless=("years",),
    test=lambda text: _YEAR.fullmatch(text) is not None,
    values_are="years",
    both=0.95,
    named=0.4,
    alone=0.6,
    needed_alone=0.99,
    despite=0.0,
)

_MONTH, _DAY = re.compile(r"(0?\d|1[0-2])(\.0)?"), re.compile(r"([0-2]?\d|3[01])(\.0)?")
_PARTS = {
    **dict.fromkeys(("month", "monat", "mois", "mes", "maand", "mese"), _MONTH),
    **dict.fromkeys(("day", "tag", "jour", "dia", "dag", "giorno"), _DAY),
}
FEWEST_OF_A_PART = 10


@dataclass(frozen=True, slots=True)
class DatePart:
    """The month or the day of a date that is in several fields, such as `deathMonth`."""

    looks_like: LooksLike = LooksLike.DATE

    def detect(self, evidence: Evidence) -> FieldLikeness | None:
        part = next((word for word in reversed(evidence.words) if word in _PARTS), None)
        if part is None or evidence.profile.distinct < FEWEST_OF_A_PART:
            return None
        if evidence.share(lambda text: _PARTS[part].fullmatch(text) is not None) < 1:
            return None
        reasons = (f"its name contains '{part}'", "its values number the parts of a date")
        is_birth = phrase_in(evidence.words, BIRTH_PHRASES) is not None
        kind = LooksLike.BIRTH_DATE if is_birth else self.looks_like
        return FieldLikeness(kind, 0.85, reasons)


DATES = (BirthDate(), Date(), DatePart(), YEAR)
