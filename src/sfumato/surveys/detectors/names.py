"""Names of people, by the field's name and by known first names and surnames among the values."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..evidence import Evidence, percent
from ..lexicons import FIRST_NAMES, NAME_PARTICLES, SURNAMES
from ..name_words import phrase_in, plain_word
from ..records import FieldLikeness, LooksLike

SURE_PHRASES = (
    "first name", "last name", "full name", "middle name", "given name", "family name", "maiden name", "patient name",
    "surname", "forename", "firstname", "lastname", "fname", "lname", "mother name", "father name", "spouse name",
    "next of kin", "vorname", "nachname", "familienname", "prenom", "nom de famille", "nombre", "apellido", "apellidos",
    "voornaam", "achternaam", "cognome", "fornavn", "etternavn", "fornamn", "efternamn", "nickname", "initials",
)  # fmt: skip
PHRASES = (
    "name", "names", "patient", "person", "physician", "doctor", "provider", "contact", "guardian", "mother", "father",
    "spouse", "employee", "customer", "client", "author", "nom", "naam", "nome", "imie", "nazwisko",
)  # fmt: skip
OTHER_NAMES = (
    "drug", "hospital", "product", "test", "file", "company", "facility", "clinic", "plan", "item", "brand", "city",
    "state", "county", "country", "street", "place", "school", "department", "event", "column", "domain", "host",
    "procedure", "diagnosis", "disease", "medication", "unit", "ward", "program", "project", "species", "gene",
)  # fmt: skip
_NAME = re.compile(r"[^\W\d_][^\W\d_'’.\-]*(?:['’.\-][^\W\d_]*)*")
MANY = 8


def name_words(text: str) -> tuple[str, ...]:
    """The words of a value that is written as a name could be, else nothing: one to five capitalised words.

    Example:
        >>> name_words("O'Neill, Mary-Jane"), name_words("de la Cruz"), name_words("room 12"), name_words("yes please")
        (("o'neill", 'mary-jane'), ('de', 'la', 'cruz'), (), ())
    """
    pieces = [piece for piece in re.split(r"[\s,;]+", text) if piece]
    if not 1 <= len(pieces) <= 5 or len(text) > 60 or not all(_NAME.fullmatch(piece) for piece in pieces):
        return ()
    words = tuple(plain_word(piece).strip(".") for piece in pieces)
    capital = any(piece[0].isupper() or not piece[0].islower() for piece in pieces)
    return words if capital else ()


def is_written_as_name(text: str) -> bool:
    return len(text) > 1 and bool(name_words(text))


def has_known_name(text: str) -> bool:
    """A value with a known first name or surname in it, and no word in lower case that a sentence would have.

    Example:
        >>> has_known_name("Smith, John"), has_known_name("GARCIA"), has_known_name("Boston"), has_known_name("will")
        (True, True, False, False)
    """
    words = [word for word in name_words(text) if word not in NAME_PARTICLES]
    return any(word in FIRST_NAMES or word in SURNAMES for word in words)


@dataclass(frozen=True, slots=True)
class Name:
    """Names of people. Places and firms are named after people: a column needs many hits to count on its own."""

    looks_like: LooksLike = LooksLike.NAME

    def detect(self, evidence: Evidence) -> FieldLikeness | None:
        sure = phrase_in(evidence.words, SURE_PHRASES)
        phrase = sure or phrase_in(evidence.words, PHRASES)
        if phrase is not None and sure is None and phrase_in(evidence.words, OTHER_NAMES) is not None:
            phrase = None
        written, known = evidence.share(is_written_as_name), evidence.share(has_known_name)
        if phrase is None:
            return self._from_values(evidence, known)
        says = f"the name says '{phrase}'"
        if not evidence.values:
            return FieldLikeness(self.looks_like, 0.7 if sure else 0.5, (says,))
        if known >= 0.2:
            return FieldLikeness(
                self.looks_like, 0.98, (says, f"{percent(known)} of sampled values hold a frequent name")
            )
        if written >= 0.7 or sure:
            confidence = 0.9 if sure and written >= 0.7 else 0.75 if sure else 0.55
            return FieldLikeness(self.looks_like, confidence, (says, f"{percent(written)} are written as names are"))
        return None

    def _from_values(self, evidence: Evidence, known: float) -> FieldLikeness | None:
        if known < 0.4 or len(evidence.values) < MANY or phrase_in(evidence.words, OTHER_NAMES) is not None:
            return None
        reason = f"{percent(known)} of sampled values hold a frequent first name or surname"
        return FieldLikeness(self.looks_like, 0.85 if known >= 0.6 else 0.6, (reason,))


NAMES = (Name(),)
