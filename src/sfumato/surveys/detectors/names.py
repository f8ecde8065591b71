"""Names of people, by the field's name and by known first names and surnames among the values."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..evidence import Evidence, percent
from ..lexicons import FIRST_NAMES, HONORIFICS, NAME_PARTICLES, SURNAMES
from ..lexicons.name_headers import (
    NAME_PARTS,
    NAME_WORDS,
    OTHER_NAME_WORDS,
    PEOPLE_WORDS,
    PERSON_NAME_HEADERS,
)
from ..name_words import phrase_in, plain_word
from ..records import FieldLikeness, LooksLike
from .detector import NameAndValues
from .people import PersonDescription, among

LITTLE_WORDS = frozenset("of the de da do du des der la le el e et y and d l s".split())
_NAME = re.compile(r"[^\W\d_][^\W\d_'’.\-]*(?:['’.\-][^\W\d_]*)*")
_NUMBERED = re.compile(r"(?<=[^\W\d_]{2})\d{1,4}$")
_LAST_NUMBER = re.compile(r"\s+#?\d{1,4}$")
MANY, FEW = 8, 10


def name_words(text: str, *, any_case: bool = False) -> tuple[str, ...]:
    """The words of a value that is written as a name could be, else nothing: one to five
    capitalised words.

    A number at the end of a word, as in synthetic names, is ignored.

    Example:
        >>> name_words("O'Neill, Mary-Jane"), name_words("de la Cruz"), name_words("room 12"), name_words("yes please")
        (("o'neill", 'mary-jane'), ('de', 'la', 'cruz'), (), ())
        >>> name_words("José181"), name_words("yes please", any_case=True)
        (('jose',), ('yes', 'please'))
    """
    pieces = [
        _NUMBERED.sub("", piece).strip("()\"'") for piece in re.split(r"[\s,;]+", text) if piece
    ]
    pieces = [piece for piece in pieces if piece]
    fits = 1 <= len(pieces) <= (8 if any_case else 5) and len(text) <= (80 if any_case else 60)
    if not fits or not all(_NAME.fullmatch(piece) for piece in pieces):
        return ()
    words = tuple(plain_word(piece).strip(".") for piece in pieces)
    capital = any_case or any(piece[0].isupper() or not piece[0].islower() for piece in pieces)
    return words if capital else ()


def is_written_as_name(text: str) -> bool:
    """Words of letters only, in any case; a single letter is none."""
    return len(text) > 1 and bool(name_words(text, any_case=True))


def has_known_name(text: str) -> bool:
    """A value with a known first name or surname in it, and no word in lower case that a sentence
    would have.

    Example:
        >>> has_known_name("Smith, John"), has_known_name("GARCIA"), has_known_name("Boston"), has_known_name("will")
        (True, True, False, False)
    """
    return _is_known(name_words(text))


def has_known_name_in_any_case(text: str) -> bool:
    """
    Example:
        >>> has_known_name_in_any_case("miguel hernandez"), has_known_name_in_any_case("red")
        (True, False)
    """
    return _is_known(name_words(text, any_case=True))


def _is_known(words: tuple[str, ...]) -> bool:
    told = (
        part for word in words if word not in NAME_PARTICLES for part in (word, *word.split("-"))
    )
    return any(part in FIRST_NAMES or part in SURNAMES for part in told)


def name_in_header(words: tuple[str, ...]) -> tuple[str, bool]:
    """The phrase of a field's name that means a person's name, and whether that is sure; empty
    where none.

    Example:
        >>> name_in_header(("prenom", "2")), name_in_header(("patient", "last")), name_in_header(("name",))
        (('prenom', True), ('last', True), ('name', False))
        >>> name_in_header(("drug", "name")), name_in_header(("last", "visit"))
        (('', False), ('', False))
    """
    sure = phrase_in(words, PERSON_NAME_HEADERS)
    others = OTHER_NAME_WORDS.intersection(words)
    if sure is not None and (" " in sure or not others):
        return sure, True
    said = [word for word in words if not word.isdigit() and word not in LITTLE_WORDS]
    rest = [word for word in said if word not in PEOPLE_WORDS]
    if rest and all(word in NAME_PARTS for word in rest):
        return rest[0], True
    if others:
        return "", False
    name = next((word for word in said if word in NAME_WORDS), "")
    if name:
        return name, len(said) > 1 and not PEOPLE_WORDS.isdisjoint(said)
    if said and all(word in PEOPLE_WORDS for word in said):
        return said[0], False
    return "", False


@dataclass(frozen=True, slots=True)
class Name:
    """Names of people. Places and firms are named after people: a column needs many hits to count
    on its own."""

    looks_like: LooksLike = LooksLike.NAME

    def detect(self, evidence: Evidence) -> FieldLikeness | None:
        phrase, sure = name_in_header(evidence.words)
        if not phrase:
            return self._from_values(evidence)
        says = f"its name contains '{phrase}'"
        if not evidence.values:
            return FieldLikeness(self.looks_like, 0.7 if sure else 0.5, (says,))
        known = evidence.share(lambda text: has_known_name_in_any_case(_LAST_NUMBER.sub("", text)))
        if known >= 0.2:
            hits = f"{percent(known)} of sampled values hold a frequent name"
            return FieldLikeness(self.looks_like, 0.98, (says, hits))
        written = evidence.share(
            is_written_as_name if phrase not in PEOPLE_WORDS else _is_capitalised
        )
        by_itself = sure and phrase_in(evidence.words, PERSON_NAME_HEADERS) is not None
        needed = 0.3 if sure and phrase in NAME_WORDS else 0.7
        if by_itself or (written >= needed and _has_many_values(evidence)):
            confidence = 0.9 if sure and written >= 0.7 else 0.75 if sure else 0.55
            hits = f"{percent(written)} are written as names are"
            return FieldLikeness(self.looks_like, confidence, (says, hits))
        return None

    def _from_values(self, evidence: Evidence) -> FieldLikeness | None:
        if len(evidence.values) < MANY or not OTHER_NAME_WORDS.isdisjoint(evidence.words):
            return None
        known, needed = evidence.share(has_known_name), 0.4
        if known < needed:
            known, needed = evidence.share(has_known_name_in_any_case), 0.6
        if known < needed:
            return None
        reason = f"{percent(known)} of sampled values hold a frequent first name or surname"
        return FieldLikeness(self.looks_like, 0.85 if known >= 0.6 else 0.6, (reason,))


def _is_capitalised(text: str) -> bool:
    return len(text) > 1 and bool(name_words(text))


def _has_many_values(evidence: Evidence) -> bool:
    """Yes and no are words too: a field of names has more of them, or few rows."""
    return evidence.profile.distinct > FEW or evidence.distinct_share >= 0.5


HONORIFIC = PersonDescription(
    inner=NameAndValues(
        looks_like=LooksLike.HONORIFIC,
        phrases=(
            "prefix", "suffix", "salutation", "honorific", "name prefix", "name suffix", "anrede", "civilite",
            "tratamiento", "tratamento", "aanhef", "form of address", "titel", "titre",
        ),
        unless=("phone", "area", "dial", "zip", "job", "book"),
        test=among(HONORIFICS),
        values_are="forms of address, such as Mrs.",
        needed=0.5,
        needed_alone=0.8,
        both=0.96,
        alone=0.9,
    ),
    most_values=40,
)  # fmt: skip

NAMES = (Name(), HONORIFIC)
