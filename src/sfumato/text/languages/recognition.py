"""In which language a text is written, passage by passage.

Detectors know the words of English. In another language they miss names and places, so a text that
is not English must be read by a person. The test is whether the words are English, not which other
language they are. Words that are not known to be English are not taken for it. Names, abbreviations
and words of medicine count on neither side."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final

from ..genres import CLINIC_LABELS as _LABELS
from ..lexicons import (
    drugs,
    first_names,
    folded,
    foreign_words,
    last_names,
    medical_words,
    towns,
    words,
)
from .function_words import FUNCTION_WORDS

ENGLISH: Final = "English"
UNKNOWN: Final = "another language"
UNTOLD: Final = "too few words to decide"
READ: Final = frozenset({ENGLISH})
"""Languages that the detectors read."""
_PASSAGE: Final = 14
"""A passage ends at the first pause after so many words."""
_FEWEST: Final = 3
"""Words that count, one way or the other, from which on a passage is judged."""
_FOREIGN_SHARE: Final = 0.4
"""A passage is in another language if so many of its words are not English. Two of them must be
known words of other languages, or three where none is a function word."""
_NOT_ENGLISH: Final = 0.66
"""The same where no word is known, from six words on: a language of which no word is listed."""
_FEWEST_UNKNOWN: Final = 6
_FEWEST_LETTERS, _SCRIPT_SHARE = 6, 0.3
"""Letters of another script, and their share of a passage's letters."""
_SHARED: Final = frozenset(
    "al ale am are as at aux be bet bis care chi com come cum den die din do door dos era fins for "
    "had han hans hat hem her hos in is jest lat let mas may med men mere met mint no nog non nos of "
    "on ova over pan par para pas pat pendant per pie plus pod pour pro sans see seine sen sense ser "
    "sin sine sit so son sur tai ten til till to under vain van volt war was yang".split()
)
"""Function words of other languages that are English words too: they count on neither side."""
_OF_ENGLISH: Final = frozenset(
    "the and has have had been were with from this that these which who she he him his they their "
    "them you your our its we us my of by labor".split()
)
_ENGLISH, _FOREIGN, _STRANGE, _FUNCTION = "english", "foreign", "strange", "function word"
_WORD: Final = re.compile(r"(?<![\w/@.])[^\W\d_]+(?:['’][^\W\d_]+)?(?![\w/@])(?!\.\w)")
"""Words by themselves: no part of an address of the net, nor of a number."""
_PAUSE: Final = re.compile(r"[.!?;:]\s|\n|[。！？]")
_NOT_LATIN: Final = re.compile(
    "[\u0370-\u1cff\u1f00-\u1fff\u2c80-\u2dff\u3040-\ua6ff\ua800-\uab2f\uab70-\ufaff\ufb1d-\ufdff"
    "\ufe70-\ufefe\uff66-\uffdc\U00010280-\U0001d3ff\U0001e000-\U0001eeff\U00020000-\U0003ffff]"
)
_SCRIPTS: Final = (
    ("Greek script", re.compile("[\u0370-\u03ff\u1f00-\u1fff]")),
    ("Cyrillic script", re.compile("[\u0400-\u052f]")),
    ("Hebrew script", re.compile("[\u0590-\u05ff]")),
    ("Arabic script", re.compile("[\u0600-\u077f\ufb50-\ufdff\ufe70-\ufefe]")),
    ("Chinese or Japanese script", re.compile("[\u3040-\u30ff\u3400-\u9fff]")),
    ("Korean script", re.compile("[\u1100-\u11ff\uac00-\ud7af]")),
)


def languages_of(texts: Iterable[str]) -> Counter[str]:
    """How many passages of a file's texts are written in each language.

    Passages without a word as evidence for a language, such as a list of numbers, are omitted.
    Texts of a word or two, as the cells of a table, are read together. Where no passage has enough
    words, the answer is "too few words to decide".

    Example:
        >>> sorted(languages_of(["She came with her husband and is much better now."]))
        ['English']
        >>> sorted(languages_of(["Die Patientin klagt seit Tagen über Schmerzen im Knie."]))
        ['German']
    """
    out = Counter[str]()
    short: list[str] = []
    for text in texts:
        for passage in _passages(text):
            language = _language(passage)
            if language == UNTOLD:
                short.append(passage)
            elif language:
                out[language] += 1
    if short and not out:
        joined = (_language(each, fewest=1) for each in _passages("\n".join(short)))
        together = Counter(filter(None, joined))
        told = {name: count for name, count in together.items() if name != UNTOLD}
        return Counter(told or together)
    return out  # A passage of few words is in the language of those around it.


def unread(languages: Mapping[str, int]) -> dict[str, int]:
    """Of the languages of some texts those that the detectors do not read, the most usual first."""
    others = {name: count for name, count in languages.items() if name not in READ}
    return dict(sorted(others.items(), key=lambda each: (-each[1], each[0])))


def _passages(text: str) -> Iterator[str]:
    """The text in pieces of some words each, cut where a reader would pause."""
    start = 0
    for pause in _PAUSE.finditer(text):
        if len(text[start : pause.start()].split()) >= _PASSAGE or pause.start() - start > 400:
            yield text[start : pause.end()]
            start = pause.end()
    yield text[start:]


def _language(passage: str, *, fewest: int = _FEWEST) -> str:
    """The language of a passage; nothing where no word is evidence for one."""
    others = 0 if passage.isascii() else len(_NOT_LATIN.findall(passage))
    if others >= _FEWEST_LETTERS and others >= _SCRIPT_SHARE * sum(map(str.isalpha, passage)):
        counts = [(len(pattern.findall(passage)), name) for name, pattern in _SCRIPTS]
        most, name = max(counts)
        return name if most > others / 2 else "another script"
    sides = Counter[str]()
    told = Counter[str]()
    function_words = _function_words()
    for found in _WORD.finditer(passage):
        word = found.group()
        side = _side(word)
        if side == _FUNCTION:
            if word[0].isupper() and found.start() and passage[found.start() - 1] == " ":
                continue  # "Los Angeles" is English; a sentence of Spanish has it in small letters.
            told.update(function_words.get(word.lower()) or function_words[_folded(word)])
            side = _FOREIGN
        sides[side] += 1
    english, foreign, strange = sides[_ENGLISH], sides[_FOREIGN], sides[_STRANGE]
    every = english + foreign + strange
    is_foreign = foreign >= (2 if told else 3) and every >= _FEWEST and 2 * foreign > english
    is_strange = every >= _FEWEST_UNKNOWN and foreign + strange >= _NOT_ENGLISH * every
    if (is_foreign and foreign + strange >= _FOREIGN_SHARE * every) or is_strange:
        return told.most_common(1)[0][0] if told else UNKNOWN
    if every >= fewest and english > foreign + strange:
        return ENGLISH
    return UNTOLD if every else ""


@cache
def _side(word: str) -> str:
    """The side that a word is evidence for: English, another language, words that nobody knows, or
    none."""
    fold = _folded(word)
    if fold in _SHARED or len(word) == 1 or (len(word) < 4 and not word.islower()):
        return ""
    if word.lower() in _function_words() or fold in _function_words():
        return _FUNCTION
    if fold in _OF_ENGLISH or fold in words() or any(stem in words() for stem in _stems(fold)):
        return _ENGLISH
    if len(word) < 3 or fold in _LABELS or fold in medical_words():
        return ""
    if fold in foreign_words():
        return _FOREIGN
    if not word.islower() or _is_known(fold):
        return ""
    return _STRANGE


def _stems(fold: str) -> Iterator[str]:
    """The words of which it may be the plural."""
    if len(fold) > 4 and fold.endswith("s"):
        yield fold[:-1]
        if fold.endswith("ies"):
            yield fold[:-3] + "y"


def _is_known(fold: str) -> bool:
    """Whether a word in small letters is one of medicine, or somebody's or a town's name."""
    return any(
        fold in lexicon() for lexicon in (medical_words, drugs, first_names, last_names, towns)
    )


@cache
def _folded(word: str) -> str:
    return folded(word)


@cache
def _function_words() -> dict[str, tuple[str, ...]]:
    """Function word → the languages that have it; without those that are common in English."""
    out: dict[str, tuple[str, ...]] = {}
    for language, listed in FUNCTION_WORDS.items():
        for word in listed.split():
            if word not in _SHARED and len(word) > 1:
                out[word] = (*out.get(word, ()), language)
    return out
