"""The conditional random field: sums over labels against brute force, windows, packing, speed in
the length."""

from __future__ import annotations

from io import BytesIO
from itertools import pairwise, product

import numpy as np
import pytest

from sfumato.text.learned.crf import MARGIN, WINDOW, Crf, forward_backward
from sfumato.text.learned.features import OFFSETS
from sfumato.text.learned.weights import (
    PackedWeights,
    Weights,
    packaged,
    read_weights,
    write_weights,
)
from sfumato.text.learned.words import key

LABELS = ("O", "NAME")


def packed(rows: dict[int, list[tuple[int, int]]]) -> PackedWeights:
    keys = sorted(rows)
    flat = [pair for each in keys for pair in rows[each]]
    return PackedWeights(
        keys=np.array(keys, np.uint32),
        counts=np.array([len(rows[each]) for each in keys], np.uint8),
        columns=np.array([column for column, _ in flat], np.uint8),
        values=np.array([value for _, value in flat], np.int8),
    )


def small_weights() -> Weights:
    """A word after Mr is a name."""
    column = OFFSETS.index(-1) * len(LABELS) + 1
    file = BytesIO()
    write_weights(
        file,
        LABELS,
        scale=0.1,
        transitions=np.array([[0.5, 0.0], [0.0, 0.2]], np.float32),
        words=packed({key("w=mr"): [(column, 80)], key("s=Xxx"): [(OFFSETS.index(0) * 2, 20)]}),
        contexts=packed({}),
    )
    return read_weights(BytesIO(file.getvalue()))


def by_hand(steps: np.ndarray, transitions: np.ndarray) -> np.ndarray:
    """The marginals by going through all ways to label."""
    places, labels = steps.shape
    out = np.zeros((places, labels))
    for path in product(range(labels), repeat=places):
        weight = np.prod([steps[place, label] for place, label in enumerate(path)])
        weight *= np.prod([transitions[one, other] for one, other in pairwise(path)])
        out[range(places), path] += weight
    return out / out.sum(axis=1, keepdims=True)


def test_marginals_are_those_of_all_labellings() -> None:
    dice = np.random.default_rng(1)
    steps = dice.random((5, 3, 3), np.float32) + 0.01
    transitions = dice.random((3, 3), np.float32) + 0.01
    found = forward_backward(steps, transitions)
    for chain in range(3):
        assert found[:, chain] == pytest.approx(by_hand(steps[:, chain], transitions), abs=1e-5)


def test_windows_agree_with_one_long_chain() -> None:
    crf = Crf(small_weights())
    dice = np.random.default_rng(2)
    scores = dice.normal(size=(3 * WINDOW + 5, 2)).astype(np.float32)
    whole = forward_backward(
        np.exp(scores - scores.max(axis=1, keepdims=True))[:, None], np.exp(crf.weights.transitions)
    )[:, 0]
    assert crf._marginals(scores) == pytest.approx(whole, abs=1e-4)
    assert MARGIN < WINDOW


def test_the_word_after_mr_is_a_name() -> None:
    crf = Crf(small_weights())
    marked = crf.mark(["Then Mr Lang came."])
    names = marked.marginals[:, 1] > 0.5
    starts = marked.stream.starts[names] - marked.stream.origins[0]
    assert starts.tolist() == [8]


@pytest.mark.parametrize("count", [1, 3])
def test_texts_together_are_marked_as_each_alone(count: int) -> None:
    crf = Crf(packaged())
    texts = ["Dear Dr. Lang:", "Virginia Townsend lives in Boston.", "Call 617-473-1214."][:count]
    together = crf.mark(texts)
    for number, text in enumerate(texts):
        alone = crf.mark([text])
        rows = (together.stream.text_of == number) & (together.stream.ids != 0)
        assert together.marginals[rows] == pytest.approx(
            alone.marginals[alone.stream.ids != 0], abs=0.02
        )


def test_probabilities_sum_to_one() -> None:
    marked = Crf(packaged()).mark(["Mr. Smith was admitted on May 3, 1994.\n" * 200])
    assert np.allclose(marked.marginals.sum(axis=1), 1, atol=1e-3)


def test_forms_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.text.learned.crf.MOST_FORMS", 50)
    crf = Crf(small_weights())
    first = crf.mark(["Then Mr Lang came."]).marginals
    crf.mark([" ".join(f"word{number}" for number in range(100))])
    crf.mark(["short"])
    assert len(crf._vocabulary) < 20
    assert crf.mark(["Then Mr Lang came."]).marginals == pytest.approx(first)
