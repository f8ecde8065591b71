"""What is masked in one place is masked wherever it stands, letter for letter.

Detectors need a form or a word beside it; the same value may stand elsewhere without either. Ordinary words, and names
that medicine uses, are left to the detectors: "Long" opens sentences, and Hodgkin's is a disease.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .bids import Bid
from .documents import Document
from .kinds import Kind
from .lexicons import drugs, eponyms, folded, medical_words, words

_FEWEST_DIGITS, _FEWEST_LETTERS = 5, 4
_NEVER = frozenset({Kind.DATE, Kind.TIME, Kind.AGE, Kind.QUANTITY})
"""What many people share, and what means something else in another place."""
_NAME = "sweeping"
_Wanted = Mapping[str, Mapping[str, tuple[int, Kind]]]


def sweep(documents: Sequence[Document], findings: Sequence[Sequence[Bid]]) -> list[tuple[Bid, ...]]:
    """The findings of one person's documents, with every other place where one of their values stands.

    Example:
        >>> texts = Document("MRN: 32-841"), Document("see 32-841 again")
        >>> [len(found) for found in sweep(texts, [[Bid(5, 11, Kind.RECORD_NUMBER, 0.9, "x")], []])]
        [1, 1]
    """
    wanted: dict[str, dict[str, tuple[int, Kind]]] = {}
    for document, bids in zip(documents, findings, strict=True):
        for bid in bids:
            value = document.text[bid.start : bid.end]
            parts = Document(value).words
            if bid.kind is not None and parts and _is_telling(value, bid.kind, len(parts)):
                wanted.setdefault(_bare(parts[0].text), {})[value] = parts[0].start, bid.kind
    return [_swept(document, bids, wanted) for document, bids in zip(documents, findings, strict=True)]


def _is_telling(value: str, kind: Kind, parts: int) -> bool:
    """Whether the value means the same wherever it stands."""
    if kind in _NEVER:
        return False
    if any(map(str.isdecimal, value)):
        return sum(map(str.isalnum, value)) >= _FEWEST_DIGITS
    if parts > 1:
        return True
    bare = folded(value).removesuffix("'s")
    if value.islower() or len(bare) < _FEWEST_LETTERS:
        return False
    known = (words, eponyms, drugs, medical_words)
    return kind is not Kind.NAME or not any(form in lexicon() for lexicon in known for form in (bare, bare.rstrip("s")))


def _bare(word: str) -> str:
    return word[:-2] if word.endswith(("'s", "’s")) else word


def _swept(document: Document, bids: Sequence[Bid], wanted: _Wanted) -> tuple[Bid, ...]:
    text, out = document.text, list(bids)
    taken = bytearray(len(text))
    for bid in bids:
        taken[bid.start : bid.end] = b"\1" * len(bid)
    for word in document.words if wanted else ():
        for value, (before, kind) in wanted.get(_bare(word.text), {}).items():
            start, end = word.start - before, word.start - before + len(value)
            if start < 0 or not text.startswith(value, start) or any(taken[start:end]):
                continue
            if value[-1].isalnum() and text[end : end + 1].isalnum():
                continue
            out.append(Bid(start, end, kind, 1.0, _NAME, "the same was found in another place"))
            taken[start:end] = b"\1" * len(value)
    return tuple(sorted(out))
