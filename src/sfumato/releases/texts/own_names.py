"""Parts of a person's own name in a text: what the row says is a name is one, also where it is an ordinary word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sfumato.text.detectors.medicine import Medicine
from sfumato.text.documents import Document
from sfumato.text.lexicons import drugs, eponyms, medical_words, words
from sfumato.text.reading import reading
from sfumato.text.surrogates.real_values import is_name_part

from .told import Forbidden

_COMMONEST, _COMMON = "6", "5"
_SHORTEST = 4


class OwnNames:
    """The parts of somebody's names. With a capital each is the name, but not where it is a word of medicine, and not
    where a sentence opens with one of the hundred commonest words; what is no ordinary word is it in small letters too.

    Example:
        >>> names = OwnNames()
        >>> names.add(["will", "hall"])
        [Forbidden(as_written=True), Forbidden(as_written=True)]
        >>> text = "Hall is well. Will return with Will's hall pass."
        >>> [text[start:end] for start, end in names.places(Document(text))]
        ['Will', 'Hall']
    """

    def __init__(self) -> None:
        self._parts: dict[str, None] = {}
        self._medicine = Medicine()

    def add(self, parts: Iterable[str]) -> list[Forbidden]:
        """Take in the parts of a name, in small letters; those that must stand nowhere in the text are told."""
        own = [part for part in parts if is_name_part(part) and part.replace("'", "").isalpha()]
        self._parts |= dict.fromkeys(own)
        out = []
        for part in own:
            if _is_only_a_name(part):
                out.append(Forbidden(value=part, as_written=False))
            elif not _means_more(part):
                out += [Forbidden(value=form, as_written=True) for form in (part.capitalize(), part.upper())]
        return out

    def places(self, document: Document) -> Iterator[tuple[int, int]]:
        if not self._parts:
            return
        read = reading(document)
        for part in self._parts:
            common, only = words().get(part, "0") == _COMMONEST, _is_only_a_name(part)
            for place in (*read.where.get(part, ()), *read.where.get(f"{part}'s", ())):
                capital = read.is_capital(place) and not (common and (read.opens(place) or read.shouts(place)))
                if only or (capital and not self._medicine.keeps(read, place)):
                    yield read.starts[place], read.bare(place)[1]


def _is_only_a_name(part: str) -> bool:
    return len(part) >= _SHORTEST and part not in words() and not _means_more(part)


def _means_more(part: str) -> bool:
    """Whether the word is one of medicine, or too common to be the name wherever it has a capital."""
    return words().get(part, "0") >= _COMMON or any(part in known() for known in (eponyms, drugs, medical_words))
