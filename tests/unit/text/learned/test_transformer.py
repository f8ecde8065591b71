"""The transformer's network: what it says of texts, alone and together, again and in threads."""

from __future__ import annotations

import sys
from io import BytesIO
from threading import Thread

import numpy as np
import pytest

pytest.importorskip("onnxruntime")

from sfumato.errors import MissingExtra
from sfumato.text.learned import transformer
from sfumato.text.learned.transformer import Transformer, packaged_network, read_network

TEXTS = ["Dear Dr. Lang:", "", "Virginia Townsend lives in Boston.", "Call 617-473-1214.", "\0 😀"]
READER = Transformer(packaged_network())


def test_a_name_is_likelier_than_what_stands_around_it() -> None:
    marked = READER.mark(["Then Mr Lang came."])
    starts = marked.stream.starts - marked.stream.origins[0]
    sure = dict(zip(starts.tolist(), (1 - marked.marginals[:, 0]).tolist(), strict=True))
    assert sure[8] > 0.9
    assert max(sure[0], sure[13], sure[17]) < 0.1


def test_probabilities_sum_to_one() -> None:
    marked = READER.mark(["Mr. Smith was admitted on May 3, 1994.\n" * 30])
    assert np.allclose(marked.marginals.sum(axis=1), 1, atol=1e-4)


def test_texts_together_are_marked_exactly_as_each_alone() -> None:
    together = READER.mark(TEXTS)
    for number, text in enumerate(TEXTS):
        alone = READER.mark([text])
        rows = (together.stream.text_of == number) & (
            together.stream.ends > together.stream.origins[number]
        )
        rows &= together.stream.starts < together.stream.origins[number] + len(text)
        inside = (alone.stream.starts >= alone.stream.origins[0]) & (
            alone.stream.ends <= len(text) + 2
        )
        assert np.array_equal(together.marginals[rows], alone.marginals[inside])


def test_the_same_text_is_marked_the_same() -> None:
    text = "Mr. Patrick Hayes was admitted to Mercy Hospital. " * 20
    fresh = Transformer(packaged_network())
    assert np.array_equal(READER.mark([text]).marginals, fresh.mark([text]).marginals)


def test_threads_share_nothing_but_the_network() -> None:
    seen: list[bytes] = []
    text = "Then Mr Lang came to Boston. " * 10
    threads = [
        Thread(target=lambda: seen.append(READER.mark([text]).marginals.tobytes()))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 3
    assert len(set(seen)) == 1


def test_forms_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transformer, "MOST_FORMS", 50)
    reader = Transformer(packaged_network())
    first = reader.mark(["Then Mr Lang came."]).marginals
    reader.mark([" ".join(f"word{number}" for number in range(60))])
    assert np.array_equal(reader.mark(["Then Mr Lang came."]).marginals, first)
    assert len(reader._forms()) < 20


def test_without_the_extra_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match="transformer"):
        read_network(BytesIO())
