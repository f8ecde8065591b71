"""A document's reading: shapes, places, possessives, openings of sentences, and that it is made
once."""

from __future__ import annotations

import gc
import weakref

import pytest

from sfumato.text import Document
from sfumato.text.lexicons import towns
from sfumato.text.word_reading import CAPS, INITIAL, LETTER, LOWER, MIXED, NUMBER, OTHER, reading


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("low", LOWER),
        ("John", INITIAL),
        ("JOHN", CAPS),
        ("McKay", MIXED),
        ("X", LETTER),
        ("A12", NUMBER),
        ("王", OTHER),
        ("7", NUMBER),
        ("iPhone", MIXED),
        ("don't", LOWER),
        ("O'BRIEN", CAPS),
        ("Özdemir", INITIAL),
    ],
)
def test_shapes(word, shape):
    assert list(reading(Document(word)).shapes) == [shape]


def test_it_is_made_once_and_forgotten_with_its_document():
    document = Document("Virginia Townsend")
    first = reading(document)
    assert reading(document) is first
    assert "Virginia" not in repr(first)
    watched = weakref.ref(document)
    del document
    gc.collect()
    assert watched() is None


def test_possessives_are_taken_off():
    read = reading(Document("Brigham's and Hodgkin’s"))
    assert read.bares == ["brigham", "and", "hodgkin"]
    assert read.bare(0) == ("brigham", 7)
    assert read.bare(2)[1] == len("Brigham's and Hodgkin")


def test_where_a_sentence_opens():
    read = reading(Document("He left. Then Dr. Long and J. Smith came.\nWell: fine"))
    opening = [read.folds[place] for place in range(len(read)) if read.opens(place)]
    assert opening == ["he", "then", "well", "fine"]


def test_longest_entry():
    read = reading(Document("in New York City, Boston"))
    assert [read.longest(place, towns) for place in range(len(read))] == [0, 3, 1, 0, 1]


def test_texts_without_capitals():
    assert reading(Document("patient john smith seen today at noon")).is_caseless
    assert not reading(Document("John Smith saw Dr. Long in Boston")).is_caseless


@pytest.mark.parametrize("text", ["", " ", "\n\n", "💉", "\x00", "…"])
def test_texts_without_words(text):
    read = reading(Document(text))
    assert len(read) == 0
    assert read.capitals == []
