"""Where a text is open: sentences in which cheap detectors leave a question.

A transformer costs more than all other detectors together, and in most sentences it repeats them.
A sentence is settled where every bid for a reference lies within a sure one, and where no other
word could be somebody's: no name, no rare word with a capital, no long number, no other script. All
other sentences are open. In a note that is dense in medicine, no guess by lists or habits settles
a sentence: "Cameron" may be an erosion. A text from no clinic, or without capitals, is open as a
whole: there, rules miss the most."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Final

from .bids import Bid
from .documents import Document, words_in
from .genres import has_medicine, is_dense_in_medicine, is_terse_note, reads_like_a_clinic
from .lexicons import eponyms, first_names, folded, last_names, medical_words, towns, words
from .second_opinion import is_guess
from .word_reading import CAPS, INITIAL, MIXED, NUMBER, OTHER, WordReading, reading

SURE: Final = 0.9
"""A bid from this score on needs no second opinion."""
NOTICED: Final = 0.05
"""A bid below this score is no question."""
_LONG_NUMBER: Final = 5
Span = tuple[int, int]


def unsure_sentences(document: Document, bids: Iterable[Bid]) -> list[Span]:
    """The open sentences, in the order of the text; those that follow each other are one span.

    Example:
        >>> from sfumato.text.kinds import ReferenceKind
        >>> note = Document("The patient saw Dr. Lang. The lungs were clear. Ziv was there too.")
        >>> sure = Bid(16, 24, ReferenceKind.NAME, 0.95, "titled names")
        >>> [note.text[start:end] for start, end in unsure_sentences(note, [sure])]
        ['Ziv was there too.']
    """
    read = reading(document)
    medical = has_medicine(document)
    dense = medical and (is_terse_note(document) or is_dense_in_medicine(document))
    if read.is_caseless or not reads_like_a_clinic(document):
        return [(0, len(document.text))]
    sure = bytearray(len(document.text))
    asked = bytearray(len(document.text))
    for bid in bids:
        if bid.kind is not None and bid.score >= NOTICED:
            settled = bid.score >= SURE and not (
                medical and is_guess(bid) and (dense or not _is_likely(document, bid))
            )
            (sure if settled else asked)[bid.start : bid.end] = b"\1" * len(bid)
    return list(
        _joined(
            (start, end)
            for start, end in document.sentences
            if _is_open(read, start, end, sure, asked)
        )
    )


def _is_likely(document: Document, bid: Bid) -> bool:
    """Whether a sure guess needs no second opinion: a long number, or a word that is somebody's name or
    a town's and nothing else."""
    text = document.text[bid.start : bid.end]
    if any(map(str.isdecimal, text)):
        return sum(map(str.isalnum, text)) >= _LONG_NUMBER
    return any(
        fold not in words()
        and fold not in eponyms()
        and fold not in medical_words()
        and (fold in first_names() or fold in last_names() or fold in towns())
        for fold in map(folded, words_in(text))
    )


def _is_open(read: WordReading, start: int, end: int, sure: bytearray, asked: bytearray) -> bool:
    first = bisect_left(read.starts, start)
    last = bisect_left(read.starts, end, first)
    return any(
        not sure[read.starts[place]] and (asked[read.starts[place]] or _asks(read, place))
        for place in range(first, last)
    )


def _asks(read: WordReading, place: int) -> bool:
    """Whether a word that nobody bid for could be somebody's own."""
    shape, fold = read.shapes[place], read.bares[place]
    if shape == NUMBER or fold[0].isdecimal():
        return read.ends[place] - read.starts[place] >= _LONG_NUMBER
    if shape in (INITIAL, MIXED, CAPS):
        if fold not in words():
            return fold not in medical_words()
        named = fold in first_names() or fold in last_names()
        return named and shape != CAPS and not read.opens(place)
    return shape == OTHER


def _joined(spans: Iterable[Span]) -> Iterator[Span]:
    """Spans with nothing but a pause between are one."""
    before: Span | None = None
    for start, end in spans:
        if before is not None and start - before[1] <= 2:
            before = before[0], end
            continue
        if before is not None:
            yield before
        before = start, end
    if before is not None:
        yield before
