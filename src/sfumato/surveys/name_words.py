"""Reading a field's name: its words, and whether they have a meaning."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

_IRREGULAR = {
    "people": "person",
    "persons": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
}
_ENDINGS = (
    ("oses", "osis"),
    ("yses", "ysis"),
    ("ies", "y"),
    ("sses", "ss"),
    ("uses", "us"),
    ("xes", "x"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("ss", "ss"),
    ("us", "us"),
    ("is", "is"),
    ("s", ""),
)
_PIECES = re.compile(r"[A-ZÀ-Þ]+(?![a-zß-ÿ])|[A-ZÀ-Þ]?[a-zß-ÿ]+|[^\W\d_]+|\d+")


def words_of(name: str) -> tuple[str, ...]:
    """The words of a field's name, in lower case without accents.

    Example:
        >>> words_of("PatientLastName"), words_of("zip_code 2"), words_of("N° de sécurité")
        (('patient', 'last', 'name'), ('zip', 'code', '2'), ('n', 'de', 'securite'))
        >>> words_of("DOB"), words_of("ICD10code"), words_of("PLZ/Ort")
        (('dob',), ('icd', '10', 'code'), ('plz', 'ort'))
    """
    composed = unicodedata.normalize("NFC", name)
    return tuple(plain_word(piece) for piece in _PIECES.findall(composed))


_LAST_WORDS = (
    "description",
    "number",
    "status",
    "name",
    "code",
    "date",
    "type",
    "year",
    "num",
    "risk",
)


def split_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words, with a compound split where its end is a known word.

    Example:
        >>> split_words(("reasoncode",)), split_words(("surname",)), split_words(("update",))
        (('reason', 'code'), ('sur', 'name'), ('update',))
    """
    out: list[str] = []
    for word in words:
        last = next(
            (end for end in _LAST_WORDS if word.endswith(end) and len(word) > len(end) + 2), ""
        )
        out.extend((word.removesuffix(last), last) if last else (word,))
    return tuple(out)


def plain_word(text: str) -> str:
    """Lower case, accents taken off.

    Example:
        >>> plain_word("Straße"), plain_word("Identität")
        ('strasse', 'identitat')
    """
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def singular(word: str) -> str:
    """The singular of a plural word, as far as its ending shows it. For names of tables.

    Example:
        >>> [singular(word) for word in ("patients", "diagnoses", "histories", "addresses", "people", "status")]
        ['patient', 'diagnosis', 'history', 'address', 'person', 'status']
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for ending, one in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word.removesuffix(ending) + one
    return word


def forms(table: str) -> tuple[str, ...]:
    """The names that one row of a table may have, written together.

    Example:
        >>> forms("tbl_patients")
        ('tblpatient', 'patient', 'tblpatients', 'patients')
    """
    *before, last = words_of(table) or ("",)
    start = "".join(before)
    return tuple(dict.fromkeys((start + singular(last), singular(last), start + last, last)))


def phrase_in(words: tuple[str, ...], phrases: Iterable[str]) -> str | None:
    """The first of `phrases` that is in `words`, as words in a row or written together.

    Example:
        >>> phrase_in(("birth", "date"), ("date of birth", "birth date")), phrase_in(("zipcode",), ("zip code",))
        ('birth date', 'zip code')
        >>> phrase_in(("agency",), ("age",)) is None
        True
    """
    runs = _runs(words)
    return next((phrase for phrase in phrases if phrase.replace(" ", "") in runs), None)


@cache
def _runs(words: tuple[str, ...]) -> frozenset[str]:
    """Every run of words, written together, as they are and each in the singular."""
    ends = range(1, len(words) + 1)
    single = tuple(map(singular, words))
    return frozenset(
        "".join(form[start:end]) for form in (words, single) for end in ends for start in range(end)
    )


def stem_in(words: tuple[str, ...], stems: Iterable[str]) -> str | None:
    """The first of `stems` that is inside a word, or inside all of them written together.

    Example:
        >>> stem_in(("a", "1", "cresult"), ("gluc", "a1c")), stem_in(("agency",), ("gluc",)) is None
        ('a1c', True)
    """
    written = "".join(words)
    return next((stem for stem in stems if stem in written), None)
