"""A linear-chain conditional random field (Lafferty, McCallum and Pereira, 2001), used from its
file of weights.

Each token's score for each label is a sum over features. `marginals` turns the scores of a stream
into the probability of each label at each token by the forward-backward algorithm. The chain is cut
into windows of equal length that overlap. All windows are computed forward and backward together,
one step of matrices at a time. Time is linear in the length of the text, and there is no loop over
tokens in Python. The result of a window in its margins is not used; a label hardly depends on what
is further away than a margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .features import OFFSETS, context_parts, keys_of, shifted
from .stream import Stream, Vocabulary, roomy, stream_of
from .weights import SLOTS, Weights
from .words import WordFacts

WINDOW: Final = 96
MARGIN: Final = 16
MOST_FORMS: Final = 60_000
"""Word forms that are remembered from one text to the next."""

_TILE: Final = 8192
"""Tokens whose scores are summed at once: few enough for the processor's cache."""
_FORMS: Final = 500
"""New word forms whose weights are summed at once."""
_WINDOWS: Final = 256
"""Windows that go forward and backward together."""
_RESCALED: Final = 4
"""After so many places the sums of a chain are scaled; until then they cannot run out of a float's
range."""

Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LabelledStream:
    """A stream with the probability of each label (columns) at each token (rows)."""

    stream: Stream
    marginals: Scores


class Crf:
    """The field with its weights, and a memory of word forms already scored."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._forget()

    def mark(self, texts: Sequence[str]) -> LabelledStream:
        """Label all tokens of all texts; many short texts at once are faster than one by one."""
        if len(self._vocabulary) > MOST_FORMS:
            self._forget()
        stream, fresh = stream_of(texts, self._vocabulary)
        self._score_forms(fresh)
        return LabelledStream(stream, self._marginals(self._scores(stream)))

    def _forget(self) -> None:
        self._vocabulary = Vocabulary()
        self._forms = np.zeros((len(OFFSETS), 0, len(self.weights.labels)), np.int16)

    def _score_forms(self, fresh: list[WordFacts]) -> None:
        """Sum the weights of each new form's own features, once for each offset from which they may
        be seen."""
        known = len(self._vocabulary)
        self._forms = roomy(self._forms, known, axis=1)
        row_of = self.weights.word_rows.get
        for start in range(0, len(fresh), _FORMS):
            forms = fresh[start : start + _FORMS]
            rows = [
                [0, *(row_of(key, 0) for keys in (form.far, form.near, form.own) for key in keys)]
                for form in forms
            ]
            begins = np.cumsum([0, *map(len, rows[:-1])])
            flat = np.fromiter(chain.from_iterable(rows), np.intp)
            sums = np.add.reduceat(
                self.weights.words.take(flat, axis=0, mode="clip"), begins, axis=0
            )
            place = known - len(fresh) + start
            shape = (len(forms), len(OFFSETS), -1)
            self._forms[:, place : place + len(forms)] = sums.reshape(shape).transpose(1, 0, 2)

    def _scores(self, stream: Stream) -> Scores:
        """Tokens by labels."""
        out = np.zeros((len(stream), len(self.weights.labels)), np.int16)
        for forms, offset in zip(self._forms, OFFSETS, strict=True):
            ids = shifted(stream.ids, offset)
            for start in range(0, len(ids), _TILE):
                _add_rows(out[start : start + _TILE], forms, ids[start : start + _TILE])
        parts = context_parts(stream, self._vocabulary)
        for start in range(0, len(stream), _TILE):
            self._add_contexts(out[start : start + _TILE], parts[:, start : start + _TILE])
        return out * np.float32(self.weights.scale)

    def _add_contexts(self, out: NDArray[np.int16], parts: NDArray[np.uint32]) -> None:
        found = keys_of(parts)
        rows = self.weights.context_slots.take(found & np.uint32(SLOTS - 1), mode="clip")
        rows[self.weights.context_keys.take(rows, mode="clip") != found] = 0
        for template in rows:
            _add_rows(out, self.weights.contexts, template)

    def _marginals(self, scores: Scores) -> Scores:
        """The probability of each label at each token; some windows at a time, so that memory stays
        small."""
        count = len(scores)
        size = min(count, WINDOW + 2 * MARGIN)
        out = np.empty_like(scores)
        transitions = np.exp(self.weights.transitions)
        for start in range(0, count, WINDOW * _WINDOWS):
            own = np.arange(start, min(start + WINDOW * _WINDOWS, count))
            first = np.minimum(np.maximum(own[::WINDOW] - MARGIN, 0), count - size)
            steps = scores[first + np.arange(size)[:, None]]
            steps -= steps.max(axis=2, keepdims=True)
            found = forward_backward(np.exp(steps, out=steps), transitions)
            window = (own - start) // WINDOW
            out[own] = found[own - first[window], window]
        return out


def forward_backward(steps: Scores, transitions: Scores) -> Scores:
    """Marginals of many chains of one length.

    `steps` has each place's potentials: places by chains by labels; `transitions` the potentials of
    one label (rows) being followed by another. Sums are scaled to 1 every few places, so that long
    chains do not underflow.

    Example:
        >>> even = np.ones((2, 1, 2), np.float32)
        >>> forward_backward(even, np.array([[3, 1], [1, 3]], np.float32))[0, 0].tolist()
        [0.5, 0.5]
    """
    ahead, behind = np.empty_like(steps), np.empty_like(steps)
    ahead[0] = steps[0]
    for place in range(1, len(steps)):
        current = np.matmul(ahead[place - 1], transitions, out=ahead[place])
        current *= steps[place]
        if not place % _RESCALED:
            current /= current.sum(axis=1, keepdims=True)
    behind[-1] = 1
    back = np.ascontiguousarray(transitions.T)
    for place in range(len(steps) - 2, -1, -1):
        current = np.matmul(behind[place + 1] * steps[place + 1], back, out=behind[place])
        if not place % _RESCALED:
            current /= current.sum(axis=1, keepdims=True)
    ahead *= behind
    ahead /= ahead.sum(axis=2, keepdims=True)
    return ahead


def _add_rows(
    out: NDArray[np.int16], table: NDArray[np.int16], rows: NDArray[np.integer[Any]]
) -> None:
    """Add to each row of `out` the row of the table that belongs to it; `take` so is several times
    as fast as `[]`."""
    out += table.take(rows, axis=0, mode="clip")
