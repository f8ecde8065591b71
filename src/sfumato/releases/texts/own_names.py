"""Parts of a person's own name in a text: what the row says is a name is one, also where it is an
ordinary word.

"Will came" may be about Will or about a will; where the row says that its person is called Will,
the name is taken for granted. Only a word of medicine (Graves' disease) and the month of a date
(May 3) are exempt, and they are counted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sfumato.text import Document, name_spellings, reading
from sfumato.text.detectors import Medicine
from sfumato.text.lexicons import drugs, eponyms, medical_words, words
from sfumato.text.surrogates import is_name_part

from .messages import Forbidden

_SHORTEST = 4


class OwnNames:
    """The parts of somebody's names. With a capital each is the name, but not where it is a word of
    medicine. A part that is no ordinary word is the name in small letters too.

    Example:
        >>> names = OwnNames()
        >>> len(names.add(["will", "hall"]))
        4
        >>> text = "Hall is well. Will return with Will's hall pass, at will."
        >>> [text[start:end] for start, end in names.places(Document(text))]
        ['Will', 'Will', 'Hall']
    """

    def __init__(self) -> None:
        self._parts: dict[str, None] = {}
        self._medicine = Medicine()

    def add(self, parts: Iterable[str]) -> list[Forbidden]:
        """Take in the parts of a name, and their spellings; those that must stand nowhere in the
        text are told."""
        spelt = dict.fromkeys(
            spelling for part in parts for spelling in (part.lower(), *sorted(name_spellings(part)))
        )
        own = [part for part in spelt if is_name_part(part) and part.replace("'", "").isalpha()]
        self._parts |= dict.fromkeys(own)
        out = []
        for part in own:
            if _is_only_a_name(part):
                out.append(Forbidden(value=part, as_written=False))
            else:
                out += [
                    Forbidden(value=form, as_written=True)
                    for form in (part.capitalize(), part.upper())
                ]
        return out

    def places(self, document: Document) -> Iterator[tuple[int, int]]:
        if not self._parts:
            return
        read = reading(document)
        for part in self._parts:
            only = _is_only_a_name(part)
            for place in read.places_spelt(part):
                if only or (read.is_capital(place) and not self._medicine.keeps(read, place)):
                    yield read.starts[place], read.bare(place)[1]

    def exempt(self, text: str, *, dates: Iterable[str]) -> set[tuple[int, int]]:
        """Where a part may stand in a scrubbed text: as a word of medicine, or inside one of the
        new `dates`.

        Example:
            >>> names = OwnNames()
            >>> _ = names.add(["may", "graves"])
            >>> sorted(names.exempt("May has Graves' disease since May 3, 2001.", dates=["May 3, 2001"]))
            [(8, 14), (30, 33)]
        """
        months = [
            span
            for date in set(dates)
            for found in re.finditer(re.escape(date), text)
            for span in [found.span()]
        ]
        read = reading(Document(text))
        out = set()
        for part in self._parts:
            for place in read.places_spelt(part):
                start, end = read.starts[place], read.bare(place)[1]
                in_date = any(first <= start and end <= last for first, last in months)
                if in_date or (not _is_only_a_name(part) and self._medicine.keeps(read, place)):
                    out.add((start, end))
        return out


def _is_only_a_name(part: str) -> bool:
    return len(part) >= _SHORTEST and part not in words() and not _means_more(part)


def _means_more(part: str) -> bool:
    """Whether the word is one of medicine too."""
    return any(part in known() for known in (eponyms, drugs, medical_words))
