"""How unusual a document is in its collection: a life story identifies without a name (Sweeney
2000, Fig. 25).

A word carries as much information as it is rare among the documents: log2(N / documents that have
it) bits. This is the inverse document frequency (Spärck Jones, 1972). A document's score is the
mean over its different words, divided by that of a word that no other document has. It is 0 where
every document has all its words, 1 where no other has any. It does not measure who could recognise
whom; it shows a person which documents to read first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from statistics import median

from .bids import Bid
from .documents import Document
from .lexicons import folded

FEWEST_DOCUMENTS = 10
FEWEST_WORDS = 20
FAR = 3.0
"""So many times the usual distance from the middle (the median's, scaled as a standard deviation)
is unusual."""
_AS_DEVIATION = 1.4826
_LEAST_SPREAD = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusualness:
    """A document's score from 0 to 1 and whether it is unusual; None with the reason where neither
    is known."""

    score: float | None
    stands_out: bool = False
    reason: str = ""


def unusualness(
    documents: Sequence[Document], findings: Sequence[Iterable[Bid]]
) -> tuple[Unusualness, ...]:
    """Judge every document by the words that are left of it once the findings are gone.

    Example:
        >>> unusualness([Document("She is well."), Document("She is ill.")], [(), ()])[0].reason
        'fewer than 10 documents to compare with'
    """
    left = [words_left(document, bids) for document, bids in zip(documents, findings, strict=True)]
    having = Counter(word for words in left for word in words)
    return judged([score(words, having, len(documents)) for words in left])


def judged(scores: Sequence[float | None]) -> tuple[Unusualness, ...]:
    """Which of a collection's scores are unusual; None is that of a document too short to judge."""
    if len(scores) < FEWEST_DOCUMENTS:
        reason = f"fewer than {FEWEST_DOCUMENTS} documents to compare with"
        return tuple(Unusualness(score=None, reason=reason) for _ in scores)
    limit = _limit([each for each in scores if each is not None])
    return tuple(
        Unusualness(score=None, reason=f"fewer than {FEWEST_WORDS} different words")
        if each is None
        else Unusualness(score=each, stands_out=each > limit)
        for each in scores
    )


def words_left(document: Document, findings: Iterable[Bid]) -> set[str]:
    """The different words outside findings; numbers are left out, since a dose or a date is nearly
    always new."""
    covered = bytearray(len(document.text))
    for bid in findings:
        covered[bid.start : bid.end] = b"\1" * len(bid)
    kept = {
        word
        for word, start in document.each_word()
        if not covered[start] and not word[0].isdecimal()
    }
    return set(map(folded, kept))


def score(words: Collection[str], having: Mapping[str, int], documents: int) -> float | None:
    """How unusual a document's words are, where `having` is how many of the documents have each;
    None if too few."""
    if len(words) < FEWEST_WORDS or documents < FEWEST_DOCUMENTS:
        return None
    bits = sum(log2(documents / having.get(word, 1)) for word in words)
    return bits / len(words) / log2(documents)


def _limit(scores: list[float]) -> float:
    if not scores:
        return 1.0
    middle = median(scores)
    spread = _AS_DEVIATION * median(abs(score - middle) for score in scores)
    return middle + FAR * max(spread, _LEAST_SPREAD)
