"""What only its keeper knows of a person beside health and money: crimes, assessments, outcomes,
habits, opinions."""

from __future__ import annotations

from ..records import LooksLike
from .detector import NameAndValues

CRIME = NameAndValues(
    looks_like=LooksLike.CRIME,
    phrases=(
        "recid", "recidivism", "recidivist", "offense", "offence", "crime", "criminal", "arrest",
        "arrested", "conviction", "convicted", "felony", "misdemeanor", "prior", "priors",
        "jail", "prison", "probation", "parole", "custody", "charge degree", "charge desc",
        "charge description", "delito", "straftat", "infraction", "sentence", "juv fel",
        "juv misd", "juv", "violation", "penal", "condamnation", "vorstrafe",
    ),
    unless=("type", "rate", "city", "place", "location", "officer"),
    named=0.86,
)  # fmt: skip
ASSESSMENT = NameAndValues(
    looks_like=LooksLike.ASSESSMENT,
    phrases=(
        "score", "decile", "grade", "grades", "gpa", "rating", "satisfaction", "performance",
        "evaluation", "appraisal", "mark", "marks", "percentile", "iq", "exam", "points",
        "punkte", "puntaje", "bewertung", "note finale", "calificacion", "test score", "risk",
        "rank score",
    ),
    unless=("type", "date", "school grade", "grade level", "pay grade", "salary grade"),
    named=0.81,
)  # fmt: skip
OUTCOME = NameAndValues(
    looks_like=LooksLike.OUTCOME,
    phrases=(
        "outcome", "survived", "survival", "died", "deceased", "dead", "readmitted",
        "readmission", "attrition", "churn", "churned", "exited", "default", "defaulted",
        "relapse", "recurrence", "mortality", "dropout", "dropped out", "target", "approved",
        "rejected", "fraud", "hired", "promoted", "left company",
    ),
    unless=("type", "date", "year", "time"),
    named=0.82,
)  # fmt: skip
HABIT = NameAndValues(
    looks_like=LooksLike.HABIT,
    phrases=(
        "alcohol", "smoker", "smoking", "smokes", "smoked", "tobacco", "cigarettes", "drinking",
        "drinks", "drug use", "substance", "cannabis", "gambling", "sexual orientation",
        "sexual", "orientation", "diet", "exercise", "sleep", "stress", "physical activity",
        "screen time",
    ),
    unless=("type",),
    named=0.84,
)  # fmt: skip
OPINION = NameAndValues(
    looks_like=LooksLike.OPINION,
    phrases=(
        "opinion", "attitude", "preference", "trust", "agreement", "agree", "feeling", "vote",
        "voted", "vote intention", "complaint", "feedback", "happiness", "loneliness",
        "self esteem", "likelihood",
    ),
    unless=("type", "date", "place", "station"),
    named=0.72,
)  # fmt: skip

CONFIDENTIAL = (CRIME, ASSESSMENT, OUTCOME, HABIT, OPINION)
