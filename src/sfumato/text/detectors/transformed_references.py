"""References that a small transformer learned to find, of all kinds, from whole sentences around
them.

The transformer (`learned/transformer.py`) reads further than the conditional random field and knows
words from a large body of English. It needs the extra `text`, and takes about ten times as long as
all other detectors together. Bids are made of its probabilities as they are of the field's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec

from sfumato.errors import MissingExtra

from ..bids import Bid
from ..documents import Document
from ..learned.transformer import TASK, Network, Transformer, find_weights, packaged_network
from .declaration import ALWAYS, Basis, DetectorDeclaration, Detectors
from .learned_references import DECLARATION as LEARNED
from .learned_references import LearnedReferences, bids_for


def needs_transformer() -> None:
    """Raise `MissingExtra` where the extra is not installed, before the first text is read."""
    if find_spec("onnxruntime") is None:
        raise MissingExtra(TASK, extra="text")
    find_weights()


class TransformedReferences(LearnedReferences):
    """Bids for all that is at least as likely as `least` to be part of a reference, by this
    network.

    Making it opens nothing; the first text does, and raises `MissingExtra` where ONNX Runtime or
    the weights are not installed."""

    name = "transformer"

    def __init__(self, *, least: float = 0.05, network: Network | None = None) -> None:
        super().__init__(least=least)
        self._network = network
        self._transformer: Transformer | None = None

    def read_ahead(self, documents: Sequence[Document]) -> None:
        """Read nothing ahead: a window takes as long alone, and others first say where to read."""

    def bid_each(self, texts: Sequence[str]) -> list[list[Bid]]:
        """The bids for each of many texts; each is read by itself."""
        out: list[list[Bid]] = [[] for _ in texts]
        reader = self._reader()
        for number, bid in bids_for(reader.mark(texts), reader.labels, texts, by=self):
            out[number].append(bid)
        return out

    def bid_in(self, document: Document, spans: Sequence[tuple[int, int]]) -> Iterable[Bid]:
        """The bids for these parts of a document; they are read as if nothing were between."""
        if not spans:
            return []
        reader = self._reader()
        text = document.text
        marked = reader.mark([text], spans=spans)
        return [bid for _, bid in bids_for(marked, reader.labels, [text], by=self)]

    def _reader(self) -> Transformer:
        if self._transformer is None:
            self._transformer = Transformer(self._network or packaged_network())
        return self._transformer


def _made() -> TransformedReferences:
    needs_transformer()
    return TransformedReferences()


DECLARATION = DetectorDeclaration(
    key="transformer",
    doc="references that a small transformer learned to find",
    kinds=LEARNED.kinds,
    basis=Basis.LEARNED,
    make=_made,
    order=2010,
    gives_way_below=ALWAYS,
    least_set=Detectors.TRANSFORMER,
)
