"""What is looked at in and around a word."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.text.learned.features import CLINIC, COURT, PLAIN, context_keys, genres, shifted
from sfumato.text.learned.stream import LINE, PARAGRAPH, SPACE, Stream, Vocabulary, stream_of
from sfumato.text.learned.words import PAD, facts, key, shape_of


def streamed(*texts: str) -> tuple[Stream, Vocabulary]:
    vocabulary = Vocabulary()
    return stream_of(texts, vocabulary)[0], vocabulary


def test_tokens_cover_all_but_white_space() -> None:
    text = "Call 617-473-1214,\n\tO’Brien’s “home”."
    stream, _ = streamed(text)
    places = [
        place
        for start, end in zip(stream.starts, stream.ends, strict=True)
        for place in range(start - 2, end - 2)
    ]
    assert [place for place in places if 0 <= place < len(text)] == [
        place for place, mark in enumerate(text) if not mark.isspace()
    ]


def test_gaps_say_what_parts_tokens() -> None:
    stream, vocabulary = streamed("a b\nc\n\nd.")
    real = stream.ids != vocabulary[PAD]
    assert stream.gaps[real].tolist() == [PARAGRAPH, SPACE, LINE, PARAGRAPH, 0]


@pytest.mark.parametrize(
    "text", ["", "\0\0", "\0a\0", "\n\n", "é" * 10, "שלום Anna", "😀 Bob", "10 m² ①", "\r\n\x0b"]
)
def test_odd_texts_are_streams_too(text: str) -> None:
    stream, vocabulary = streamed(text, "after")
    assert context_keys(stream, vocabulary).shape[1] == len(stream)
    assert int(stream.text_of[-1]) == 1


def test_origins_are_where_texts_begin() -> None:
    stream, vocabulary = streamed("one two", "three")
    second = np.flatnonzero((stream.text_of == 1) & (stream.ids != vocabulary[PAD]))
    assert stream.starts[second[0]] == stream.origins[1]


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("Anna", "Xxx"),
        ("MRN", "XX"),
        ("12345", "00000"),
        ("B12", "X00"),
        ("iPhone", "xXxx"),
        ("-", "-"),
    ],
)
def test_shapes(word: str, shape: str) -> None:
    assert shape_of(word) == shape


def test_lexicons_are_seen() -> None:
    assert key("f5") in facts("Mary").near
    assert key("c=title") in facts("Mrs").near
    assert key("f5") not in facts("Table").near


def test_templates_have_keys_of_their_own() -> None:
    stream, vocabulary = streamed("one one one")
    keys = context_keys(stream, vocabulary)
    assert len(set(keys[:, 3].tolist())) == len(keys)


def test_shifted_repeats_the_edge() -> None:
    assert shifted(np.array([1, 2, 3]), -1).tolist() == [1, 1, 2]
    assert shifted(np.array([1, 2, 3]), 2).tolist() == [3, 3, 3]


def test_genres() -> None:
    court = (
        "The applicant lodged an appeal with the Court. The judgment of the Court was given. "
        "The Government replied."
    )
    clinic = "The patient has hypertension and takes lisinopril 20 mg daily."
    stream, vocabulary = streamed(court, clinic, "We had lunch by the lake.")
    assert genres(stream, vocabulary).tolist() == [COURT, CLINIC, PLAIN]


def test_a_second_use_of_a_word_changes_its_features() -> None:
    once, vocabulary = streamed("Lang came.")
    again, words = streamed("Lang came. Mr Lang left.")
    first = [int(keys[2]) for keys in context_keys(once, vocabulary)]
    second = [int(keys[2]) for keys in context_keys(again, words)]
    assert first[22] != second[22]
    assert first[2] == second[2]
