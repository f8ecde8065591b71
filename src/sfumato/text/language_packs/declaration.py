"""The declaration of a language pack: lists of words, from which one detector makes its patterns.

A pack is data. Words are in small letters as the language writes them, without a stop at the end; a
stop and a capital are allowed wherever they are looked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from sfumato.parts import Registry

from ..documents import Document

FEWEST_CUES: Final = 4
CUE_SHARE: Final = 0.06
"""A text is in a pack's language if so many of its words, and this share, are the pack's cues."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguagePack:
    """One language. `language` is its name in the recognition of languages.

    `cues` are small words and labels that English lacks. Names follow `name_labels` (with a colon),
    `titles` and `relatives`; `particles` may join their parts. Numbers follow `number_labels`,
    places `place_labels`, whole addresses `address_labels`. `streets` and `bodies` begin the name
    of a street, and of a hospital or another body; `house_words` go on behind a house number. What
    begins with `departments` stays: every hospital has them."""

    key: str
    doc: str
    language: str
    cues: str
    name_labels: tuple[str, ...]
    titles: tuple[str, ...]
    relatives: tuple[str, ...]
    particles: tuple[str, ...]
    number_labels: tuple[str, ...]
    place_labels: tuple[str, ...]
    place_phrases: tuple[str, ...]
    address_labels: tuple[str, ...]
    streets: tuple[str, ...]
    house_words: tuple[str, ...]
    postcode_labels: tuple[str, ...]
    bodies: tuple[str, ...]
    departments: tuple[str, ...]

    @property
    def abilities(self) -> dict[str, str]:
        """For the table of packs."""
        return {"language": self.language, "outcome": "review: a person reads the texts"}

    def fits(self, document: Document) -> bool:
        """Whether a text is written in the language, at least in part."""
        tally = document.tally
        found = sum(map(tally.__getitem__, _words(self.cues) & tally.keys()))
        return found >= FEWEST_CUES and found >= CUE_SHARE * tally.total()


LANGUAGE_PACKS: Final[Registry[LanguagePack]] = Registry(
    "language pack", room="sfumato.text.language_packs", group="sfumato.language_packs"
)
"""Every language pack, by its name."""


@cache
def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


def packs_for(document: Document) -> list[LanguagePack]:
    """The packs whose language a text is written in.

    Example:
        >>> note = Document("La paciente fue vista por su médico en el hospital por dolor en la rodilla.")
        >>> [pack.key for pack in packs_for(note)], packs_for(Document("She came to Los Angeles."))
        (['spanish'], [])
    """
    return [pack for pack in LANGUAGE_PACKS.all().values() if pack.fits(document)]
