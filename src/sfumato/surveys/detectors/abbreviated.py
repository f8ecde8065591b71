"""Shortened words for what is confidential in the name of a field: the beginning of one, or one
without its vowels."""

from __future__ import annotations

from dataclasses import dataclass

from ..evidence import Evidence
from ..lexicons.abbreviations import SHORTENED, WITHOUT_VOWELS
from ..records import FieldLikeness, LooksLike

NAMED = 0.55
UNLESS = frozenset("type date year name place city id key number code unit units".split())


@dataclass(frozen=True, slots=True)
class AbbreviatedWord:
    """A header of one kind of confidential fact that is written short.

    Example:
        >>> from sfumato.surveys.lexicons.abbreviations import SHORTENED
        >>> kind = AbbreviatedWord(LooksLike.MEASUREMENT)
        >>> [kind.word_of(each) for each in ("karnof", "chol", "kar", "karnofskys")]
        ['karnofsky', 'cholesterol', '', '']
    """

    looks_like: LooksLike

    def detect(self, evidence: Evidence) -> FieldLikeness | None:
        if UNLESS.intersection(evidence.words):
            return None
        for word in evidence.words:
            if meant := self.word_of(word):
                reason = f"its name contains '{word}', which is short for {meant}"
                return FieldLikeness(self.looks_like, NAMED, (reason,))
        return None

    def word_of(self, word: str) -> str:
        """The word that a header's word is short for; empty where it is none."""
        for least, whole in SHORTENED.get(self.looks_like, ()):
            for said in (word, word.removeprefix("n")):  # `npreg` is a number of pregnancies.
                if said.startswith(least) and whole.startswith(said):
                    return whole
        for written, kind in WITHOUT_VOWELS.items():
            if kind is self.looks_like and word.startswith(written):
                return f"a word written {written}"
        return ""


ABBREVIATED = tuple(
    AbbreviatedWord(kind) for kind in dict.fromkeys((*SHORTENED, *WITHOUT_VOWELS.values()))
)
