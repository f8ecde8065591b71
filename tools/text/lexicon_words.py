"""Ordinary words with how common they are, and professions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from importlib import import_module
from importlib.resources import files

import stopwordsiso
from english_words import get_english_words_set
from faker.providers.job import Provider as Jobs

from sfumato.text.lexicons.folding import folded

_PARTS = re.compile(r"[^\W_]+(?:'[^\W\d_]+)*")
_RANKS = ((100, "6"), (1_000, "5"), (3_000, "4"), (10_000, "3"), (30_000, "2"))
_ENDINGS = (
    ("ies", "y"),
    ("ied", "y"),
    ("es", ""),
    ("s", ""),
    ("ed", ""),
    ("ed", "e"),
    ("ing", ""),
    ("ing", "e"),
)
_STOP_WORDS = "de fr es it nl pt sv da no pl".split()
_COMMON_WORDS = "de_DE fr_FR es_ES it_IT nl_NL pl_PL da_DK cs_CZ".split()
_MORE_ENDINGS = (("er", ""), ("er", "e"), ("ly", ""), ("est", ""), ("'s", ""))


def key(text: str) -> str:
    """An entry as it is looked up: folded words apart by one space."""
    return " ".join(_PARTS.findall(folded(text.strip())))


def words(only_names: Set[str], *, names: Set[str]) -> dict[str, str]:
    """Words by how common they are. A name counts as a word only if the dictionary of 1934 has it
    in lower case."""
    lower = {word for word in get_english_words_set(["web2"]) if word[:1].islower()}
    text = (files("symspellpy") / "frequency_dictionary_en_82_765.txt").read_text(
        encoding="utf-8-sig"
    )
    counted = sorted(
        ((int(count), word) for word, count in map(str.split, text.splitlines())), reverse=True
    )
    out = {}
    for rank, (_, word) in enumerate(counted):
        if word not in names or (word not in only_names and _in_dictionary(word, lower)):
            out[word] = next((value for limit, value in _RANKS if rank < limit), "1")
    return out


def _in_dictionary(word: str, lower: Set[str]) -> bool:
    if word in lower:
        return True
    for ending, instead in _ENDINGS + _MORE_ENDINGS:
        base = word.removesuffix(ending) + instead
        if (
            word.endswith(ending)
            and len(base) > 2
            and (base in lower or (base[-1:] == base[-2:-1] and base[:-1] in lower))
        ):
            return True
    return False


def foreign_words(
    written: Mapping[str, str], *, known: Set[str], first: Mapping[str, str], names: Set[str]
) -> dict[str, str]:
    """Ordinary words of other languages than English. A name counts as one only in a list of stop
    words or ours."""
    stop = {word for language in _STOP_WORDS for word in stopwordsiso.stopwords(language)}
    lorem = {
        word
        for locale in _COMMON_WORDS
        for word in import_module(f"faker.providers.lorem.{locale}").Provider.word_list
        if key(word) not in names
    }
    entries = {*map(key, stop | lorem), *written} - known
    usual = {name for name, how in first.items() if how[1] >= "3"}
    return {
        entry: "1" for entry in entries if len(entry) > 1 and entry.isalpha() and entry not in usual
    }


def professions(written: Mapping[str, str]) -> dict[str, str]:
    """Professions written by hand, and Faker's: "Engineer, broadcasting (operations)" is a
    broadcasting engineer."""
    out = dict(written)
    for job in Jobs.jobs:
        plain = re.sub(r"\s*\([^)]*\)", "", job)
        head, _, tail = plain.partition(", ")
        if (name := key(f"{tail} {head}")) and "/" not in plain:
            out.setdefault(name, "2" if " " in name else "1")
    return out
