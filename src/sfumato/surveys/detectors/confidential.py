"""Facts about a person that only the data holder knows, beside health and money: crimes,
assessments, outcomes, habits, opinions.

Each kind is found by its subject, not by the words of one table. The evidence is the field of
work's words for causes, events and results, and values that only such a field has. Examples are a
verdict, whether somebody is alive, and how far somebody agrees."""

from __future__ import annotations

from ..coded_rows import number_of
from ..lexicons import AGREEMENTS, VERDICTS, VITAL_STATES
from ..records import LooksLike
from .detector import NameAndValues
from .people import among, is_answer


def is_mark(text: str) -> bool:
    """Whether a text is a number that answers no yes or no and counts no few things.

    Example:
        >>> is_mark("562"), is_mark("87.5"), is_mark("1"), is_mark("good")
        (True, True, False, False)
    """
    try:
        return 10 < number_of(text) <= 1_000
    except ValueError:
        return False


CRIME = NameAndValues(
    looks_like=LooksLike.CRIME,
    phrases=(
        "offense", "offence", "offender", "crime", "criminal", "arrest", "arrested", "conviction",
        "convicted", "felony", "misdemeanor", "misdemeanour", "prior", "priors", "jail", "prison",
        "probation", "parole", "custody", "charge degree", "charge desc", "charge description",
        "charge count", "sentence", "sentencing", "juvenile", "juv", "violation", "verdict",
        "guilty", "plea", "indictment", "indicted", "bail", "warrant", "citation", "contraband",
        "search conducted", "search performed", "person search", "vehicle search", "searched",
        "frisk", "frisked", "force type", "type of force", "resistance", "use of force", "armed",
        "threat", "flee", "fled", "gang", "victim",
        "homicide", "murder", "assault", "robbery", "theft", "burglary", "dui", "violence",
        "violent", "domestic violence", "acquitted", "detained", "detention", "court outcome",
        "case outcome", "case disposition", "sanction", "delito", "straftat", "infraction",
        "penal", "condamnation", "vorstrafe", "urteil", "peine", "condena", "reato", "misdrijf",
    ),
    stems=("recidiv", "recid", "incarcer", "convict", "felon", "offend"),
    unless=(
        "type", "rate", "city", "place", "location", "officer", "plan", "radiation", "chemo", "transplant", "surgery",
        "treatment", "therapy", "medication", "infection", "illness", "cancer", "stroke", "pregnancy",
    ),
    named=0.86,
)  # fmt: skip
VERDICT = NameAndValues(
    looks_like=LooksLike.CRIME,
    test=among(VERDICTS),
    values_are="words for verdicts and sentences",
    alone=0.8,
    needed_alone=0.8,
)
ASSESSMENT = NameAndValues(
    looks_like=LooksLike.ASSESSMENT,
    phrases=(
        "score", "scores", "decile", "grade", "grades", "gpa", "cgpa", "rating", "satisfaction",
        "performance", "evaluation", "appraisal", "mark", "marks", "percentile", "iq", "exam",
        "exams", "quiz", "midterm", "points", "test score", "sat score", "act score", "gre",
        "gmat", "lsat", "mcat", "toefl", "ielts", "failures", "failure", "failed", "absences",
        "absence", "absent", "absenteeism", "tardy", "suspension", "suspended", "expelled",
        "disciplinary", "ability", "aptitude", "literacy", "numeracy",
        "productivity", "involvement", "engagement", "burnout", "work life balance", "risk",
        "risk level", "risk class", "rank score", "predicted", "prediction", "probability",
        "ranking", "punkte", "puntaje", "bewertung", "note finale", "calificacion", "fehlzeiten",
        "zensur", "schulnote", "nota media", "voto finale", "cijfer",
    ),
    unless=("type", "date", "school grade", "grade level", "pay grade", "salary grade", "number"),
    named=0.81,
)  # fmt: skip
MARKS = NameAndValues(
    looks_like=LooksLike.ASSESSMENT,
    phrases=(
        "math", "maths", "mathematics", "algebra", "geometry", "arithmetic", "reading", "read", "writing", "spelling",
        "vocabulary", "vocab", "verbal", "quantitative", "science", "physics", "chemistry", "biology", "sat", "act",
        "sat verbal", "sat math", "sat v", "sat m", "sat q", "lesen", "mathe", "lecture", "matematica", "matematicas",
    ),
    unless=(
        "type", "date", "year", "id", "hours", "degree", "major", "job", "department", "time", "teacher", "language",
        "books", "blood",
    ),
    test=is_mark,
    values_are="numbers over 10",
    needed=0.5,
    both=0.7,
    named=0.0,
    despite=0.0,
)  # fmt: skip
"""Marks in a subject of school or a part of a test: numbers of which there are many."""
OUTCOME = NameAndValues(
    looks_like=LooksLike.OUTCOME,
    phrases=(
        "outcome", "survived", "survival", "survivor", "died", "death", "deceased", "dead",
        "alive", "vital status", "expired", "expire flag", "readmitted", "readmission",
        "attrition", "churn", "churned", "exited", "default", "defaulted", "relapse",
        "recurrence", "remission", "mortality", "censored", "censor", "dropout",
        "dropped out", "target", "approved", "denied", "rejected", "fraud", "hired", "fired",
        "laid off", "resigned", "terminated", "termination", "promoted", "left company",
        "evicted", "eviction", "complication", "complications", "adverse event", "side effect",
        "discharge disposition", "disposition", "discharge status", "discharge location",
        "loan status", "application status", "claim status", "denial", "deny", "approve", "reject",
        "callback", "call back",
        "verstorben", "gestorben", "deces", "fallecido", "obito", "overleden", "deceduto",
    ),
    unless=(
        "type", "date", "year", "time", "place", "name", "event id", "number", "city", "town", "county", "state",
        "province", "country", "region", "zip",
    ),
    named=0.82,
)  # fmt: skip
VITAL_STATUS = NameAndValues(
    looks_like=LooksLike.OUTCOME,
    phrases=("status", "state"),
    test=among(VITAL_STATES),
    values_are="words for how a person fared, such as alive or dead",
    needed=0.9,
    both=0.88,
    alone=0.75,
    needed_alone=0.9,
    named=0.0,
    despite=0.0,
)
HABIT = NameAndValues(
    looks_like=LooksLike.HABIT,
    phrases=(
        "alcohol", "alc", "drinking", "drinker", "drinks", "beer", "wine", "tobacco", "cigarettes",
        "cigs", "vaping", "drug use", "substance", "cannabis", "marijuana", "cocaine", "heroin",
        "opioid use", "gambling", "sexual orientation", "sexual", "orientation", "sex partners",
        "sexual partners", "condom", "affair", "affairs", "extramarital", "infidelity", "diet",
        "calories", "caffeine", "exercise", "physical activity", "sedentary", "sleep", "stress",
        "screen time", "internet use", "tv", "television", "physically active",
        "strength training", "seat belt", "seatbelt", "helmet", "texting", "text while driving",
        "social media", "free time", "leisure", "going out",
        "go out", "study time", "romantic", "dating", "rauchen", "raucher", "alkohol", "fumeur",
        "alcool", "tabac", "fumador", "alcol", "fumo",
    ),
    stems=("smok", "alcohol"),
    unless=("type",),
    named=0.84,
)  # fmt: skip
OPINION = NameAndValues(
    looks_like=LooksLike.OPINION,
    phrases=(
        "opinion", "attitude", "preference", "trust", "agreement", "agree", "disagree", "feeling",
        "feelings", "vote", "voted", "vote intention", "voting", "complaint", "feedback",
        "happiness", "happy", "wellbeing", "well being", "loneliness", "lonely", "worry",
        "worried", "fear", "mood", "motivation", "self esteem", "likelihood", "ideology",
        "political views", "left right", "conservative", "liberal", "approval", "support for",
        "family relations", "family relationship", "relationship quality", "rate marriage",
        "perception", "perceived", "expectation", "intention", "intends", "meinung", "avis",
        "zufriedenheit",
    ),
    unless=("type", "date", "place", "station"),
    named=0.72,
)  # fmt: skip
VOTE = NameAndValues(
    looks_like=LooksLike.OPINION,
    stems=("vote",),
    unless=("voter", "votes", "id", "date", "place", "station", "county", "registered"),
    test=is_answer,
    values_are="yes or no",
    both=0.7,
    named=0.0,
    despite=0.0,
)
AGREEMENT = NameAndValues(
    looks_like=LooksLike.OPINION,
    test=among(AGREEMENTS),
    values_are="words for agreement, satisfaction or how often",
    alone=0.7,
    needed_alone=0.8,
)

CONFIDENTIAL = (
    CRIME,
    VERDICT,
    ASSESSMENT,
    MARKS,
    OUTCOME,
    VITAL_STATUS,
    HABIT,
    OPINION,
    VOTE,
    AGREEMENT,
)
