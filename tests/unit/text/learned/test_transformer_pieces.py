"""Word pieces, how words are written, and windows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.text.learned import transformer
from sfumato.text.learned.stream import LINE, PARAGRAPH, SPACE
from sfumato.text.learned.transformer import (
    FACTS,
    GAPS,
    LONGEST,
    MOST_PIECES,
    SHAPES,
    WINDOW,
    Forms,
    bits,
    case_of,
    cut,
    known_of,
    pieces_of,
    windows,
)

KNOWN = {
    piece: number
    for number, piece in enumerate(
        ["[PAD]", "[UNK]", "mu", "##ller", "##s", "long", "a", "##a", "."]
    )
}


@pytest.mark.parametrize(
    ("word", "pieces"),
    [
        ("Müllers", ["mu", "##ller", "##s"]),
        ("LONG", ["long"]),
        ("longs", ["long", "##s"]),
        ("longer", ["[UNK]"]),
        ("ё", ["[UNK]"]),
        ("\u0301", ["[UNK]"]),
        ("a" * LONGEST, ["a", *["##a"] * (MOST_PIECES - 1)]),
        ("a" * (LONGEST + 1), ["[UNK]"]),
    ],
)
def test_the_longest_pieces_come_first(word: str, pieces: list[str]) -> None:
    assert pieces_of(word, KNOWN) == [KNOWN[piece] for piece in pieces]


def test_shapes_tell_how_a_word_is_written_and_what_stands_before_it() -> None:
    _, pieces = cut(["Müllers long\nLONG\n\na."], Forms(KNOWN))
    assert (pieces.shapes % GAPS).tolist() == [PARAGRAPH, 0, 0, SPACE, LINE, PARAGRAPH, 0]
    assert (pieces.shapes // GAPS).tolist() == [
        *[case_of("Müllers")] * 3,
        *map(case_of, ("long", "LONG", "a", ".")),
    ]
    assert pieces.shapes.max() < SHAPES


def test_lexicons_tell_what_a_word_may_be() -> None:
    anna, boston, the = (known_of(word) for word in ("Anna", "BOSTON", "the"))
    assert anna & 0b11 == 0b11  # a usual first name
    assert boston & 0b110000 == 0b110000  # a large town
    assert not the & 0b11
    assert bits(np.array([anna, the])).shape == (2, FACTS)
    assert known_of("617") == known_of(".") == 0


def test_forms_are_cut_once(monkeypatch: pytest.MonkeyPatch) -> None:
    forms = Forms(KNOWN)
    first = cut(["long a"], forms)[1].ids
    monkeypatch.setattr(transformer, "pieces_of", lambda *_: pytest.fail("cut again"))
    assert cut(["long a"], forms)[1].ids.tolist() == first.tolist()


@given(st.lists(st.text(alphabet="aAñl. \n\0😀é1", max_size=900), min_size=1, max_size=4))
def test_windows_use_every_piece_once_and_cut_no_word(texts: list[str]) -> None:
    stream, pieces = cut(texts, Forms(KNOWN))
    found = list(windows(stream, pieces))
    used = [place for window in found for place in range(window.start, window.end)]
    assert used == list(range(len(pieces.ids)))
    begins = set(pieces.begins.tolist())
    for window in found:
        assert 0 < window.last - window.first <= WINDOW - 2
        assert window.first <= window.start < window.end <= window.last
        assert {window.first, window.last, window.start, window.end} <= begins
        assert len(set(stream.text_of[pieces.tokens[window.first : window.last]].tolist())) == 1
