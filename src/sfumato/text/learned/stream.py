"""Texts as one stream of tokens: words, numbers and single marks, each as the number of its form.

Cutting is one regular expression, looking up one dictionary, and all else is arrays. The features
of a form by itself are computed once per form, not once per word of the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .words import PAD, WordFacts, facts

_T = TypeVar("_T", bound=np.generic)
_PIECE = re.compile(r"\w+|[^\w\s]|\s+")
_EDGE = PAD * 2

ADJACENT, SPACE, WIDE, LINE, PARAGRAPH = 0, 1, 2, 3, 4
"""The gap between a token and the one before it: nothing, a space, a wider gap, a new line, an
empty line or an edge."""


class Vocabulary(dict[str, int]):
    """The number of each piece of text seen so far; `facts` of those that are tokens, the gap of
    those that are not."""

    def __init__(self) -> None:
        super().__init__()
        self.fresh: list[str] = []
        self.lower = np.zeros(0, np.uint32)
        self.shape = np.zeros(0, np.uint32)
        self.known = np.zeros(0, np.uint32)
        self.flags = np.zeros(0, np.uint8)
        self.gap = np.zeros(0, np.uint8)
        for piece in (PAD, "."):  # asked for by name
            self[piece]

    def __missing__(self, piece: str) -> int:
        number = self[piece] = len(self)
        self.fresh.append(piece)
        return number

    def learn(self) -> list[WordFacts]:
        """Work out what is new since the last time; the facts in the order of the new numbers."""
        pieces, self.fresh = self.fresh, []
        new = [_NOTHING if piece.isspace() else facts(piece) for piece in pieces]
        known, first = len(self), len(self) - len(pieces)
        for name in ("lower", "shape", "known", "flags"):
            values = roomy(getattr(self, name), known)
            values[first:known] = [getattr(each, name) for each in new]
            setattr(self, name, values)
        self.gap = roomy(self.gap, known)
        self.gap[first:known] = [gap_of(piece) for piece in pieces]
        return new


def roomy(values: NDArray[_T], size: int, *, axis: int = 0) -> NDArray[_T]:
    """The array, or one of twice the size with it at the front, so that adding a little does not
    copy everything."""
    if values.shape[axis] >= size:
        return values
    shape = list(values.shape)
    shape[axis] = max(2 * size, 1024) - shape[axis]
    return np.concatenate((values, np.zeros(shape, values.dtype)), axis=axis)


_NOTHING = WordFacts(far=(), near=(), own=(), lower=0, shape=0, known=0, flags=0)


def gap_of(piece: str) -> int:
    """The gap that a piece of white space is; 0 for a token. An edge counts as an empty line."""
    if not piece.isspace():
        return PARAGRAPH if piece == PAD else 0
    lines = piece.count("\n")
    if lines:
        return PARAGRAPH if lines > 1 else LINE
    return WIDE if len(piece) > 2 or "\t" in piece or "\r" in piece else SPACE


@dataclass(frozen=True, slots=True)
class Stream:
    """Tokens of all texts in order, with two edges before, between and after them.

    `starts` and `ends` are places in the joined texts; text `i` begins at `origins[i]`. `text_of`
    is the text of a token; an edge belongs to the one after it."""

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    gaps: NDArray[np.uint8]
    text_of: NDArray[np.int32]
    origins: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)


def stream_of(texts: Sequence[str], vocabulary: Vocabulary) -> tuple[Stream, list[WordFacts]]:
    """The stream, and the facts of word forms that the vocabulary had not met.

    Example:
        >>> vocabulary = Vocabulary()
        >>> pieces = _PIECE.findall("No. 36110/97")
        >>> pieces
        ['No', '.', ' ', '36110', '/', '97']
    """
    joined = _EDGE + _EDGE.join(text.replace(PAD, "\1") for text in texts) + _EDGE
    pieces = _PIECE.findall(joined)
    count = len(pieces)
    ids = np.fromiter(map(vocabulary.__getitem__, pieces), np.int32, count)
    lengths = np.fromiter(map(len, pieces), np.int64, count)
    fresh = vocabulary.learn()
    ends = np.cumsum(lengths)
    starts = ends - lengths
    gap = vocabulary.gap[ids]
    space = (gap > 0) & (lengths > 0) & (ids != vocabulary[PAD])
    before = np.concatenate(([np.uint8(PARAGRAPH)], gap[:-1]))
    tokens = np.flatnonzero(~space)
    origins = np.cumsum([len(_EDGE), *(len(text) + len(_EDGE) for text in texts)])[:-1]
    found = starts[tokens]
    text_of = np.searchsorted(origins, found, side="right") - 1
    text_of = np.minimum(
        np.where(ids[tokens] == vocabulary[PAD], text_of + 1, text_of), len(texts) - 1
    )
    return (
        Stream(
            ids=ids[tokens],
            starts=found,
            ends=ends[tokens],
            gaps=before[tokens],
            text_of=np.maximum(text_of, 0).astype(np.int32),
            origins=origins,
        ),
        fresh,
    )
