"""A small transformer (MiniLM, Wang et al. 2020) that labels word pieces, run by ONNX Runtime from
a zipped file.

It reads windows of a few hundred pieces one after the other, on one core and without a network.
Time is linear in the length of the text, and memory does not grow with it. Each window is read by
itself, since numbers are rounded to eight bits by the largest among those read together. The result
for a text therefore does not depend on the texts beside it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import IO, TYPE_CHECKING, Final
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import MissingExtra

from .crf import LabelledStream

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from onnxruntime import InferenceSession
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any
from unicodedata import category, normalize

from sfumato.text import lexicons

from .stream import ADJACENT, PARAGRAPH, Stream, Vocabulary, gap_of, roomy, stream_of
from .words import PAD, WordFacts

TASK: Final = "The transformer that finds references"
WEIGHTS: Final = "minilm.zip"
MOST_FORMS: Final = 60_000
"""Word forms that are remembered from one text to the next."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """The content of the file: the network, its labels and the pieces that it knows. A session may
    be used by threads."""

    session: InferenceSession
    labels: tuple[str, ...]
    known: dict[str, int]


def read_network(file: IO[bytes], *, threads: int = 1) -> Network:
    """Open a file that tools/text/export_transformer.py wrote."""
    try:
        import onnxruntime  # noqa: F401
    except ImportError:
        raise MissingExtra(TASK, extra="text") from None
    with ZipFile(file) as opened:
        labels = tuple(opened.read("labels.txt").decode("utf-8").split())
        known = {
            piece: number
            for number, piece in enumerate(opened.read("pieces.txt").decode("utf-8").split("\n"))
        }
        network = opened.read("network.onnx")
    return Network(_session(network, threads=threads), labels, known)


def _session(network: bytes, *, threads: int) -> InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 4  # what it would say may hold nothing of a text, but nobody asked
    options.enable_cpu_mem_arena = False
    return onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])


def find_weights() -> Traversable:
    """The file of weights in the package `sfumato-text-model`, which is installed by itself."""
    missing = MissingExtra(TASK, extra="text", folder="packages/text-model")
    try:
        weights = files("sfumato_text_model") / WEIGHTS
    except ModuleNotFoundError:
        raise missing from None
    if not weights.is_file():
        raise missing
    return weights


@cache
def packaged_network() -> Network:
    """The network of `sfumato-text-model`; docs/text/transformer-card.md states how it was made and
    measured."""
    with find_weights().open("rb") as file:
        return read_network(file)


class Transformer:
    """The network with a memory of word forms already cut; one for each thread."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self._own = threading.local()

    @property
    def labels(self) -> tuple[str, ...]:
        return self.network.labels

    def mark(
        self, texts: Sequence[str], *, spans: Sequence[tuple[int, int]] | None = None
    ) -> LabelledStream:
        """The probability of each label at each token of all texts: the mean over the token's
        pieces. Of the only text, with `spans`, tokens outside of them are not read, and part of
        nothing."""
        stream, pieces = cut(texts, self._forms(), spans=spans)
        marginals = np.zeros((len(stream), len(self.labels)), np.float32)
        marginals[:, 0] = 1  # an edge is part of nothing
        for window in windows(stream, pieces):
            likely = self._read(pieces, window.first, window.last)[window.start - window.first :]
            tokens, begins = np.unique(pieces.tokens[window.start : window.end], return_index=True)
            counts = np.diff(begins, append=window.end - window.start)
            marginals[tokens] = (
                np.add.reduceat(likely[: window.end - window.start], begins) / counts[:, None]
            )
        return LabelledStream(stream, marginals)

    def _read(self, pieces: Pieces, first: int, last: int) -> NDArray[np.float32]:
        known = self.network.known
        read = {
            "ids": _between(known["[CLS]"], pieces.ids[first:last], known["[SEP]"]),
            "shapes": _between(0, pieces.shapes[first:last], 0),
            "known": bits(_between(0, pieces.known[first:last].astype(np.int64), 0)),
        }
        scores = self.network.session.run(None, read)[0]
        scores = np.exp(scores[0, 1:-1] - scores[0, 1:-1].max(axis=1, keepdims=True))
        likely: NDArray[np.float32] = scores / scores.sum(axis=1, keepdims=True)
        return likely

    def _forms(self) -> Forms:
        forms: Forms | None = getattr(self._own, "forms", None)
        if forms is None or len(forms) > MOST_FORMS:
            forms = self._own.forms = Forms(self.network.known)
        return forms


def _between(before: int, values: Ids, after: int) -> Ids:
    return np.concatenate(([before], values, [after]))[None]


# Texts as a transformer reads them: word pieces, how each word is written, and windows of a
# bounded length.
# Words are cut into pieces by WordPiece (Wu et al. 2016) as BERT's uncased models do it: small
# letters without accents, the longest piece first. So that capitals and line breaks are not lost,
# each piece has a `shape`: how its word is written and what parts it from the word before; and it
# is told what lexicons know of the word. Places come from the stream of tokens that the other
# learned detector reads too, and so are exact whatever the pieces look like.

WINDOW: Final = 256
"""Pieces that the transformer reads at once, its two marks at the ends among them."""
MARGIN: Final = 16
"""Pieces at the edges of a window that are read as context of others; the next window reads them
too."""
MOST_PIECES: Final = 10
"""Pieces of one word; of a longer one the rest is not read."""
LONGEST: Final = 100
"""Letters of a word beyond which it is not cut at all."""

NO_CASE, SMALL, CAPITAL, CAPITALS, MIXED, LETTER, DIGITS, CODE, MARK = range(9)
"""The spelling of a word: none, in small letters, with a capital, in capitals, mixed, one capital
letter, in digits, in letters and digits, as a mark."""
GAPS: Final = PARAGRAPH + 1
SHAPES: Final = (MARK + 1) * GAPS
FACTS: Final = 15
"""Facts that `known_of` returns."""

Ids = NDArray[np.int64]


def case_of(word: str) -> int:
    """How a word is written.

    Example:
        >>> [case_of(word) for word in ("dog", "Lang", "MRN", "McCoy", "A", "1994", "B12", ",")]
        [1, 2, 3, 4, 5, 6, 7, 8]
    """
    if word.isdigit():
        return DIGITS
    if not any(map(str.isalpha, word)):
        return MARK
    if any(map(str.isdigit, word)):
        return CODE
    if word.isupper():
        return CAPITALS if len(word) > 1 else LETTER
    if word[0].isupper() and word[1:].islower():
        return CAPITAL
    return SMALL if not any(map(str.isupper, word)) else MIXED


def pieces_of(word: str, known: Mapping[str, int]) -> list[int]:
    """The numbers of a word's pieces, the longest that are known from the left.

    Example:
        >>> pieces_of("Müllers", {"[UNK]": 0, "mu": 1, "muller": 2, "##s": 3})
        [2, 3]
        >>> pieces_of("Ω", {"[UNK]": 0})
        [0]
    """
    if len(word) > LONGEST:
        return [known["[UNK]"]]
    bare = "".join(mark for mark in normalize("NFD", word.lower()) if category(mark) != "Mn")
    out: list[int] = []
    place = 0
    while place < len(bare) and len(out) < MOST_PIECES:
        before = "##" if place else ""
        end = len(bare)
        while end > place and before + bare[place:end] not in known:
            end -= 1
        if end == place:
            return [known["[UNK]"]]
        out.append(known[before + bare[place:end]])
        place = end
    return out or [known["[UNK]"]]


def known_of(word: str) -> int:
    """The lexicons' knowledge of a word, a bit for each: in the order below."""
    if not word[0].isalpha():
        return 0
    bare = lexicons.folded(word)
    first, last = lexicons.first_names().get(bare, ""), lexicons.last_names().get(bare, "")
    ordinary, town = lexicons.words().get(bare, ""), lexicons.towns().get(bare, "")
    facts = (
        first,
        first[-1:] >= "3",
        last,
        last >= "3",
        town,
        town[-1:] >= "6",
        bare in lexicons.regions() or bare.upper() in lexicons.region_codes(),
        bare in lexicons.countries(),
        bare in lexicons.demonyms() or bare in lexicons.faiths_and_peoples(),
        ordinary,
        ordinary >= "3",
        ordinary >= "5",
        bare in lexicons.medical_words() or bare in lexicons.drugs(),
        bare in lexicons.professions(),
        bare in lexicons.street_words(),
    )
    return sum(1 << number for number, fact in enumerate(facts) if fact)


def bits(known: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
    """Facts as ones and noughts.

    Example:
        >>> bits(np.array([5]))[0, :4].tolist()
        [1.0, 0.0, 1.0, 0.0]
    """
    return (known[..., None] >> np.arange(FACTS) & 1).astype(np.float32)


class Forms(Vocabulary):
    """The word forms seen so far, each with its pieces, how it is written and what lexicons know of
    it."""

    def __init__(self, known: Mapping[str, int]) -> None:
        self.numbers = known
        self.pieces = np.zeros((0, MOST_PIECES), np.int32)
        self.counts = np.zeros(0, np.int64)
        self.cases = np.zeros(0, np.int64)
        self.knowns = np.zeros(0, np.uint16)
        super().__init__()

    def learn(self) -> list[WordFacts]:
        """Cut what is new since the last time. The other detector's facts are not needed, and there
        are none."""
        words, self.fresh = self.fresh, []
        size, first = len(self), len(self) - len(words)
        self.pieces, self.gap = roomy(self.pieces, size), roomy(self.gap, size)
        self.counts, self.cases = roomy(self.counts, size), roomy(self.cases, size)
        self.knowns = roomy(self.knowns, size)
        for number, word in enumerate(words, start=first):
            self.gap[number] = gap_of(word)
            if not word.isspace() and word != PAD:
                pieces = pieces_of(word, self.numbers)
                self.pieces[number, : len(pieces)] = pieces
                self.counts[number], self.cases[number] = len(pieces), case_of(word)
                self.knowns[number] = known_of(word)
        return []


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """The pieces of all tokens of a stream in one row; `tokens` is the token of each.

    `begins` has for each token the place of its first piece, and at the end the number of all
    pieces; an edge has none."""

    ids: Ids
    shapes: Ids
    known: NDArray[np.uint16]
    tokens: Ids
    begins: Ids


def cut(
    texts: Sequence[str], forms: Forms, *, spans: Sequence[tuple[int, int]] | None = None
) -> tuple[Stream, Pieces]:
    """The texts as one stream of tokens, and their pieces; with `spans`, only of tokens in them."""
    stream, _ = stream_of(texts, forms)
    counts = forms.counts[stream.ids]
    if spans is not None:
        bounds = np.array(spans, np.int64).reshape(-1, 2)
        places = stream.starts - stream.origins[0]
        at = np.searchsorted(bounds[:, 0], places, side="right") - 1
        counts = np.where((at >= 0) & (places < bounds[at, 1]), counts, 0)
    begins = np.concatenate(([0], np.cumsum(counts)))
    tokens = np.repeat(np.arange(len(stream)), counts)
    inner = np.arange(begins[-1]) - begins[tokens]
    gaps = np.where(inner == 0, stream.gaps[tokens], ADJACENT)
    form = stream.ids[tokens]
    ids = forms.pieces[form, inner].astype(np.int64)
    return stream, Pieces(ids, forms.cases[form] * GAPS + gaps, forms.knowns[form], tokens, begins)


@dataclass(frozen=True, slots=True)
class Window:
    """Pieces `first` up to `last` are read together; the results of those from `start` up to `end`
    are used."""

    first: int
    last: int
    start: int
    end: int


def windows(stream: Stream, pieces: Pieces) -> Iterator[Window]:
    """Windows over each text by itself, that cut no word and use every piece once."""
    edges = (
        np.searchsorted(stream.text_of, np.arange(int(stream.text_of[-1]) + 2))
        if len(stream)
        else ()
    )
    for one, other in pairwise(edges):
        yield from _windows(pieces.begins[one : other + 1])


def _windows(begins: Ids) -> Iterator[Window]:
    """Windows over the tokens that begin at these pieces; the last of them ends the text."""
    room = WINDOW - 2
    low, high = int(begins[0]), int(begins[-1])
    start = low
    while start < high:
        first = max(low, int(begins[np.searchsorted(begins, start - MARGIN)]))
        last = int(begins[np.searchsorted(begins, first + room, side="right") - 1])
        end = (
            high
            if last == high
            else int(begins[np.searchsorted(begins, last - MARGIN, side="right") - 1])
        )
        yield Window(first, last, start, end)
        start = end
