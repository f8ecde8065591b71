"""A value that is masked in one place is masked everywhere, letter for letter.

Detectors need a form or a word beside it; the same value may be elsewhere without either. Ordinary
words, and names that medicine uses, are left to the detectors: "Long" opens sentences, and
Hodgkin's is a disease."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from .bids import Bid
from .detectors.name_evidence import MONTHS_AND_DAYS
from .documents import Document
from .hidden import VisibleText, as_seen, visible
from .kinds import ReferenceKind
from .lexicons import drugs, eponyms, folded, medical_words, words
from .surrogates.real_values import untitled

_FEWEST_DIGITS, _FEWEST_LETTERS, _LONGEST = 5, 4, 200
_NEVER = frozenset(
    {ReferenceKind.DATE, ReferenceKind.TIME, ReferenceKind.AGE, ReferenceKind.QUANTITY}
)
"""Kinds of values that many people share, or that mean something else in another place."""
_PAIR = re.compile(r"\d{1,3}[/.,]\d{1,3}")
SWEEPING = "sweeping"
"""The detector of values that were masked elsewhere."""
Values = Iterable[tuple[ReferenceKind, str]]


class RepeatValues:
    """Values with one meaning everywhere, to be looked for letter for letter. Others are not taken
    in.

    Example:
        >>> name, age = (ReferenceKind.NAME, "Long"), (ReferenceKind.AGE, "94 years")
        >>> wanted = RepeatValues([(ReferenceKind.RECORD_NUMBER, "32-841"), name, age])
        >>> len(wanted), list(wanted.places(Document("see 32-841, 32-8412 for long")))
        (1, [(4, 10, <ReferenceKind.RECORD_NUMBER: 'record number'>)])
        >>> wanted
        RepeatValues(values=1)
    """

    __slots__ = ("_values",)

    def __init__(self, values: Values = ()) -> None:
        # By the first word, then by how much stands before it and how long the value is: as many
        # look-ups for a place as there are lengths, however many values begin alike.
        self._values: dict[str, dict[tuple[int, int], dict[str, ReferenceKind]]] = {}
        for kind, written in values:
            value = visible(written) if len(written) <= _LONGEST else ""
            self._take_in(kind, value)
            if kind is ReferenceKind.NAME and (name := untitled(value)) != value:
                self._take_in(kind, name)

    def _take_in(self, kind: ReferenceKind, value: str) -> None:
        parts = Document(value)
        if parts.texts and is_telling(value, kind, words_in_it=len(parts.texts)):
            alike = self._values.setdefault(_bare(parts.texts[0]), {})
            alike.setdefault((-len(value), parts.starts[0]), {}).setdefault(value, kind)

    def places(self, document: Document) -> Iterator[tuple[int, int, ReferenceKind]]:
        """The places of the values, in the order of the text; where several begin, the longest
        first."""
        values = self._values
        seen = as_seen(document) if values else VisibleText(document)
        text = seen.document.text
        for word, place in seen.document.each_word() if values else ():
            here = values.get(_bare(word))
            for less, before in sorted(here) if here else ():
                start, end = place - before, place - before - less
                kind = here[less, before].get(text[start:end]) if here and start >= 0 else None
                if kind is not None and not (
                    text[end - 1].isalnum() and text[end : end + 1].isalnum()
                ):
                    yield *seen.span(start, end), kind

    def __len__(self) -> int:
        return sum(len(values) for alike in self._values.values() for values in alike.values())

    def __repr__(self) -> str:
        return f"RepeatValues(values={len(self)})"


def sweep(
    documents: Sequence[Document],
    findings: Sequence[Sequence[Bid]],
    *,
    also: RepeatValues | None = None,
) -> list[tuple[Bid, ...]]:
    """The findings of one person's documents, with every other place of one of their values.

    The documents' cues are such values too, and those `also` wanted, such as the names of the whole
    collection.

    Example:
        >>> texts = Document("MRN: 32-841"), Document("see 32-841 again")
        >>> [len(found) for found in sweep(texts, [[Bid(5, 11, ReferenceKind.RECORD_NUMBER, 0.9, "x")], []])]
        [1, 1]
    """
    own = RepeatValues((*_found(documents, findings), *_cues(documents)))
    everywhere = [own] if also is None else [own, also]
    return [
        _swept(document, bids, everywhere)
        for document, bids in zip(documents, findings, strict=True)
    ]


def _found(
    documents: Sequence[Document], findings: Sequence[Sequence[Bid]]
) -> Iterator[tuple[ReferenceKind, str]]:
    for document, bids in zip(documents, findings, strict=True):
        yield from (
            (bid.kind, document.text[bid.start : bid.end]) for bid in bids if bid.kind is not None
        )


def _cues(documents: Sequence[Document]) -> Iterator[tuple[ReferenceKind, str]]:
    kinds = {str(kind): kind for kind in ReferenceKind}
    for document in documents:
        for kind, texts in document.cues.items():
            if (
                kind in kinds and kinds[kind].is_direct
            ):  # Others may be ones that the purpose leaves.
                yield from ((kinds[kind], text) for text in texts)


def is_telling(value: str, kind: ReferenceKind, *, words_in_it: int) -> bool:
    """Whether the value has one meaning everywhere."""
    if kind in _NEVER:
        return False
    if any(map(str.isdecimal, value)):
        if _PAIR.fullmatch(value):
            return False  # "120/80" is a blood pressure in other places, whatever it is here.
        return sum(map(str.isalnum, value)) >= _FEWEST_DIGITS
    if words_in_it > 1:
        return (
            kind.is_direct or not value.islower()
        )  # "the court" is everybody's; names may be in small letters.
    bare = folded(value).removesuffix("'s")
    if value.islower() or len(bare) < _FEWEST_LETTERS:
        return False
    if kind is ReferenceKind.NAME and bare in MONTHS_AND_DAYS:
        return False  # "April" is somebody here, and a month in every date, moved or not.
    known = (words, eponyms, drugs, medical_words)
    return kind is not ReferenceKind.NAME or not any(
        form in lexicon() for lexicon in known for form in (bare, bare.rstrip("s"))
    )


def _bare(word: str) -> str:
    return word[:-2] if word.endswith(("'s", "’s")) else word


def _swept(
    document: Document, bids: Sequence[Bid], wanted: Iterable[RepeatValues]
) -> tuple[Bid, ...]:
    out = list(bids)
    taken = bytearray(len(document.text))
    for bid in bids:
        taken[bid.start : bid.end] = b"\1" * len(bid)
    for values in wanted:
        for start, end, kind in values.places(document):
            if not any(taken[start:end]):
                out.append(
                    Bid(start, end, kind, 1.0, SWEEPING, "the same was found in another place")
                )
                taken[start:end] = b"\1" * (end - start)
    return tuple(sorted(out))
