"""Names of people inside values that are about something else, such as a diagnosis or a drug.

A word list of a few hundred names finds some of them and not all. A hit marks the field as an open
question; the absence of hits is no assurance. Diseases are named after people, so one known name is
no hit (Wilson disease, Bell's palsy). A first name beside a surname is a hit, and so is a form of
address before a name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from sfumato.engines import Engine

from .detectors.names import has_known_name
from .evidence import Evidence
from .lexicons import FIRST_NAMES, SURNAMES
from .name_words import plain_word

MOST_VALUES = 50_000
"""Of a field with more different values, only the sampled ones are read."""
MANY, SHARE = 8, 0.3
"""Where this share of at least this many values hold a known name, it is no name of a disease."""
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_LOWER = re.compile(r"(?<![^\W_])[a-zß-öø-ÿ]{4,}")
"""A word in lower case that is no particle, as in Wilson disease."""
_ADDRESSED = re.compile(
    r"\b(?:Mr|Mrs|Miss|Ms\.|Dr\.|Prof\.?|Herr|Frau|Mme|Monsieur|Madame|Señora?|Sra?\.|Signora?|Dhr\.|Mevr\.)"
    r"\.?\s+[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ'’\-]{2,}"
)
_ALSO_WORDS = frozenset(
    "mark frank grace amber jack jean joy rose dean sue pat art bill rich christian virginia madison austin"
    " victoria charlotte jan ana ali raj li wei ming may long young white brown black green gray grey hill king bell"
    " wood woods stone price cook ward hall wright baker walker cooper hunter carter butler porter mason fox wolf"
    " rivera cruz castro moore ford banks rivers fields field parks reed reyes page day west north wells cox ross"
    " burns hunt snow frost lane marsh bush berry good hand foot fisher bos vos koch klein roux conti".split()
)
"""Names that are words, too, or places: two of them side by side are no person."""


def mentions_person(text: str) -> bool:
    """Whether a value has a first name beside a surname, or a form of address before a name.

    Example:
        >>> [mentions_person(text) for text in ("Asthma, mother Mary Johnson", "JOHNSON, MARY", "seen by Dr. Huber")]
        [True, True, True]
        >>> [mentions_person(text) for text in ("Wilson disease", "Frank black stool", "Omeprazole DR 20 mg")]
        [False, False, False]
    """
    if _ADDRESSED.search(text) is not None:
        return True
    words = [(found.group(), found.start(), found.end()) for found in _WORD.finditer(text)]
    for (one, _, end), (other, start, _) in pairwise(words):
        between = text[end:start].strip()
        if between in ("", ".") and _is_pair(one, other):
            return True
        if between == "," and _is_pair(other, one):
            return True
    return False


def _is_pair(first: str, last: str) -> bool:
    names = plain_word(first), plain_word(last)
    if names[0] not in FIRST_NAMES or names[1] not in SURNAMES:
        return False
    are_words = sum(name in _ALSO_WORDS for name in names)
    is_written_so = first[0].isupper() and last[0].isupper() and not (first + last).isupper()
    return are_words <= (1 if is_written_so else 0)


def holds_names(engine: Engine, evidence: Evidence) -> str:
    """Why a field seems to hold names of people; nothing where none was found."""
    values = evidence.values
    known = sum(has_known_name(value) and not _LOWER.search(value) for value in values)
    if len(values) >= MANY and known >= SHARE * len(values):
        return "many of its values are written as names of people are"
    if _any_mentions(values):
        return "some of its values name a person"
    if len(evidence.sample) < evidence.profile.distinct <= MOST_VALUES:
        for batch in engine.distinct([evidence.name]):
            if _any_mentions(value for value in batch[evidence.name].tolist() if value):
                return "some of its values name a person"
    return ""


def _any_mentions(values: Iterable[str]) -> bool:
    return any(map(mentions_person, values))
