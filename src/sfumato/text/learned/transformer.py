"""A small transformer (MiniLM, Wang et al. 2020) that labels word pieces, run by ONNX Runtime from
a zipped file.

It reads windows of a few hundred pieces one after the other, on one core and without a network:
time is linear in the length of the text and memory does not grow with it. Each window is read by
itself, since numbers are rounded to eight bits by the largest among those read together: so what a
text says does not depend on the texts beside it."""

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
from .transformer_pieces import Forms, Ids, Pieces, bits, cut, windows

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

MOST_FORMS: Final = 60_000
"""Word forms that are remembered from one text to the next."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """What the file holds: the network, its labels and the pieces that it knows. A session may be
    used by threads."""

    session: InferenceSession
    labels: tuple[str, ...]
    known: dict[str, int]


def read_network(file: IO[bytes], *, threads: int = 1) -> Network:
    """Open a file that tools/text/export_transformer.py wrote."""
    try:
        import onnxruntime  # noqa: F401
    except ImportError:
        raise MissingExtra("The transformer that finds references", extra="transformer") from None
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


@cache
def packaged_network() -> Network:
    """The network that comes with Sfumato; docs/text/transformer-card.md says how it was made and
    measured."""
    with (files(__package__) / "minilm.zip").open("rb") as file:
        return read_network(file)


class Transformer:
    """The network with a memory of word forms already cut; one for each thread."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self._own = threading.local()

    @property
    def labels(self) -> tuple[str, ...]:
        return self.network.labels

    def mark(self, texts: Sequence[str]) -> LabelledStream:
        """The probability of each label at each token of all texts: the mean over the token's
        pieces."""
        stream, pieces = cut(texts, self._forms())
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
