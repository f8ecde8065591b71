"""What a detector finds in a text, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import pytest

from sfumato.text import Document, TextDetector
from sfumato.text.word_reading import reading

Found = Callable[..., list[str]]


@pytest.fixture
def found() -> Found:
    """A function: the stretches that a detector bids for with at least a score, longest of those
    that overlap."""

    def look(detector: TextDetector, text: str, *, least: float = 0.5) -> list[str]:
        bids = [
            bid
            for bid in detector.bid(Document(text))
            if bid.score >= least and bid.kind is not None
        ]
        bids.sort(key=lambda bid: (bid.start, -bid.end))
        out, end = [], 0
        for bid in bids:
            if bid.end > end:
                out.append(text[bid.start : bid.end])
                end = bid.end
        return out

    return look


@pytest.fixture
def cost() -> Callable[[TextDetector, str], float]:
    """A function: what a detector costs on 1 MB of a snippet, in times of reading the same text
    word by word.

    Measured in CPU time of one run; a detector that looks at each word once stays below 40 however
    dense its words are, one that went back over the text would need thousands."""

    def measure(detector: TextDetector, snippet: str) -> float:
        list(detector.bid(Document("Ann Lee, Boston, MA 02139")))  # Lexicons are read.
        document = Document((snippet * (1_000_000 // len(snippet) + 1))[:1_000_000])
        start = process_time()
        reading(document)
        scanned = process_time() - start
        start = process_time()
        for _ in detector.bid(document):
            pass
        return (process_time() - start) / max(scanned, 0.05)

    return measure
