"""A linear-chain conditional random field (Lafferty, McCallum and Pereira, 2001), used from its file of weights.

Each token's score for each label is a sum over features; `marginals` turns the scores of a stream into the probability
of each label at each token by the forward-backward algorithm. The chain is cut into windows of equal length that
overlap, so that all windows go forward and backward together, one step of matrices at a time: time is linear in the
length of the text and there is no loop over tokens in Python. What a window says of its margins is not used; a label
hardly depends on what is further away than a margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .features import OFFSETS, context_keys, shifted
from .stream import Stream, Vocabulary, roomy, stream_of
from .weights import SLOTS, Weights
from .words import WordFacts

WINDOW: Final = 96
MARGIN: Final = 16
MOST_FORMS: Final = 60_000
"""Word forms that are remembered from one text to the next."""

_SHORT: Final = 500
"""Tokens up to which one large sum is faster than one for each template."""

Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Marked:
    """A stream with the probability of each label (columns) at each token (rows)."""

    stream: Stream
    marginals: Scores


class Crf:
    """The field with its weights, and a memory of word forms already scored."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._forget()

    def mark(self, texts: Sequence[str]) -> Marked:
        """Label all tokens of all texts; many short texts at once are faster than one by one."""
        if len(self._vocabulary) > MOST_FORMS:
            self._forget()
        stream, fresh = stream_of(texts, self._vocabulary)
        self._score_forms(fresh)
        return Marked(stream, self._marginals(self._scores(stream)))

    def _forget(self) -> None:
        self._vocabulary = Vocabulary()
        self._forms = np.zeros((len(OFFSETS), 0, len(self.weights.labels)), np.int16)

    def _score_forms(self, fresh: list[WordFacts]) -> None:
        """Sum the weights of each new form's own features, once for each offset from which they may be seen."""
        if not fresh:
            return
        row_of = self.weights.word_rows.get
        rows = [[0, *(row_of(key, 0) for keys in (form.far, form.near, form.own) for key in keys)] for form in fresh]
        begins = np.cumsum([0, *map(len, rows[:-1])])
        flat = np.fromiter((row for form in rows for row in form), np.intp)
        sums = np.add.reduceat(self.weights.words[flat], begins, axis=0)
        known = len(self._vocabulary)
        self._forms = roomy(self._forms, known, axis=1)
        self._forms[:, known - len(fresh) : known] = sums.reshape(len(fresh), len(OFFSETS), -1).transpose(1, 0, 2)

    def _scores(self, stream: Stream) -> Scores:
        """Tokens by labels."""
        out = np.zeros((len(stream), len(self.weights.labels)), np.int16)
        for forms, offset in zip(self._forms, OFFSETS, strict=True):
            out += forms[shifted(stream.ids, offset)]
        found = context_keys(stream, self._vocabulary)
        rows = self.weights.context_slots[found & np.uint32(SLOTS - 1)]
        rows[self.weights.context_keys[rows] != found] = 0
        if len(stream) < _SHORT:
            out += self.weights.contexts[rows].sum(axis=0, dtype=np.int16)
        else:
            for template in rows:
                hits = np.flatnonzero(template)
                out[hits] += self.weights.contexts[template[hits]]
        return out * np.float32(self.weights.scale)

    def _marginals(self, scores: Scores) -> Scores:
        """The probability of each label at each token."""
        count = len(scores)
        size = min(count, WINDOW + 2 * MARGIN)
        first = np.minimum(np.maximum(np.arange(0, count, WINDOW) - MARGIN, 0), count - size)
        steps = np.exp(scores - scores.max(axis=1, keepdims=True))[first + np.arange(size)[:, None]]
        found = forward_backward(steps, np.exp(self.weights.transitions))
        places = np.arange(count)
        window = places // WINDOW
        return found[places - first[window], window]


def forward_backward(steps: Scores, transitions: Scores) -> Scores:
    """Marginals of many chains of one length.

    `steps` has each place's potentials: places by chains by labels; `transitions` the potentials of one label (rows)
    being followed by another. Sums are scaled to 1 at each place, so that long chains do not underflow.

    Example:
        >>> even = np.ones((2, 1, 2), np.float32)
        >>> forward_backward(even, np.array([[3, 1], [1, 3]], np.float32))[0, 0].tolist()
        [0.5, 0.5]
    """
    ahead = np.empty_like(steps)
    current = steps[0] / steps[0].sum(axis=1, keepdims=True)
    ahead[0] = current
    for place in range(1, len(steps)):
        current = (current @ transitions) * steps[place]
        current /= current.sum(axis=1, keepdims=True)
        ahead[place] = current
    behind = np.ones_like(current)
    for place in range(len(steps) - 2, -1, -1):
        behind = (behind * steps[place + 1]) @ transitions.T
        behind /= behind.sum(axis=1, keepdims=True)
        ahead[place] *= behind
    ahead /= ahead.sum(axis=2, keepdims=True)
    return ahead
