"""Words for missing values: the cells of a field that are one of them, and whether they are
proposed as null."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.engines import AMONG_NUMBERS, ANYWHERE, Engine, FieldKind
from sfumato.policy import NullWords

_GLANCE = 50
_CODE = 2


def find_null_words(engine: Engine) -> dict[str, dict[str, int]]:
    """The fields of text with words for missing values: each word as it is written, with its cells.

    A word that is a value among other words counts only where all other cells are numbers or dates.
    NA is left alone among codes of two letters: there it is Namibia, or North America."""
    found = {}
    texts = [info.name for info in engine.fields() if info.kind is FieldKind.TEXT]
    held = engine.fields_with_words(texts, (*ANYWHERE, *AMONG_NUMBERS))
    for name in texts:
        if name in held:
            words = engine.count_words(name, (*ANYWHERE, *AMONG_NUMBERS))
            meant = _meant(engine, name, words)
            if meant:
                found[name] = meant
    return found


def null_words_of(found: Mapping[str, Mapping[str, int]]) -> NullWords:
    """The words that were found, to be read as null."""
    return NullWords(fields={name: tuple(words) for name, words in found.items()})


def _meant(engine: Engine, name: str, words: Mapping[str, int]) -> dict[str, int]:
    profile = engine.profile(name)
    others = profile.rows - profile.nulls - sum(words.values())
    if others and others in (profile.numbers, profile.dates):
        return dict(sorted(words.items()))
    meant = {word: count for word, count in sorted(words.items()) if word.lower() in ANYWHERE}
    if "NA" in meant and _are_codes(engine, name, words):
        del meant["NA"]
    return meant


def _are_codes(engine: Engine, name: str, words: Mapping[str, int]) -> bool:
    others = [value.strip(" ") for value in engine.sample(name, _GLANCE)]
    others = [value for value in others if value not in words]
    return bool(others) and all(
        len(value) == _CODE and value.isalpha() and value.isupper() for value in others
    )


def words_in_words(words: Mapping[str, int]) -> str:
    """The words with their numbers of cells.

    Example:
        >>> words_in_words({"NA": 1200, "": 3})
        "'NA' in 1,200 cells, blanks in 3 cells"
    """
    return ", ".join(
        f"{repr(word) if word else 'blanks'} in {count:,} {'cell' if count == 1 else 'cells'}"
        for word, count in words.items()
    )
