"""The features around each token: over neighbours, lines and the whole text, as arrays of keys.

A feature of the word alone is made by `words`. Features here join two or three tokens, or look at
the line, the text and other places of the same word. Each is one array of 32-bit keys, made for the
whole stream at once; the file of weights has the keys that matter."""

from __future__ import annotations

from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from .stream import LINE, Stream, Vocabulary
from .words import ALNUM, CAPITAL, CLINIC_WORD, COURT_WORD, LOWER, PAD, TITLE

Keys = NDArray[np.uint32]
_T = TypeVar("_T", bound=np.generic)

OFFSETS: Final = (-2, -1, 0, 1, 2)
"""From where a word's own features are seen."""

_A, _B, _C = (
    np.uint32(0x9E3779B1),
    np.uint32(0x85EBCA77),
    np.uint32(0xC2B2AE3D),
)  # odd numbers that mix bits well
PLAIN, COURT, CLINIC = 0, 1, 2

(
    _NOTHING,
    WORD,
    BEFORE,
    AFTER,
    BEFORE2,
    AFTER2,
    SHAPE,
    SHAPE_BEFORE,
    SHAPE_AFTER,
    SHAPE_BEFORE2,
    SHAPE_AFTER2,
    KNOWN,
    KNOWN_BEFORE,
    KNOWN_AFTER,
    EARLIER,
    EARLIEST,
    LATER,
    LINE_WORD,
    LINE_PLACE,
    LINE_NUMBER,
    GENRE,
    CASE,
    AGAIN,
    GAPS,
) = range(24)

TEMPLATES: Final = (
    (BEFORE, WORD, _NOTHING),
    (WORD, AFTER, _NOTHING),
    (BEFORE, SHAPE, _NOTHING),
    (SHAPE, AFTER, _NOTHING),
    (SHAPE_BEFORE, SHAPE, SHAPE_AFTER),
    (KNOWN_BEFORE, KNOWN, _NOTHING),
    (KNOWN, KNOWN_AFTER, _NOTHING),
    (KNOWN_BEFORE, KNOWN, KNOWN_AFTER),
    (BEFORE, AFTER, _NOTHING),
    (BEFORE2, BEFORE, _NOTHING),
    (AFTER, AFTER2, _NOTHING),
    (SHAPE_BEFORE2, SHAPE_BEFORE, SHAPE),
    (SHAPE, SHAPE_AFTER, SHAPE_AFTER2),
    (EARLIER, SHAPE, _NOTHING),
    (EARLIEST, EARLIER, _NOTHING),
    (LATER, SHAPE, _NOTHING),
    (LINE_WORD, SHAPE, _NOTHING),
    (LINE_PLACE, SHAPE, KNOWN),
    (LINE_NUMBER, LINE_PLACE, SHAPE),
    (GENRE, WORD, _NOTHING),
    (GENRE, SHAPE, KNOWN),
    (GENRE, BEFORE, _NOTHING),
    (AGAIN, SHAPE, _NOTHING),
    (AGAIN, KNOWN, _NOTHING),
    (GAPS, SHAPE, _NOTHING),
    (CASE, SHAPE, KNOWN),
    (BEFORE, KNOWN, _NOTHING),
    (KNOWN, AFTER, _NOTHING),
)
"""The parts that each feature joins."""

_PARTS = np.array(TEMPLATES).T
_SALT = (np.arange(1, len(TEMPLATES) + 1, dtype=np.uint32) * np.uint32(0x27D4EB2F))[:, None]


def context_keys(stream: Stream, vocabulary: Vocabulary) -> Keys:
    """The keys, a row for each template, as long as the stream."""
    return keys_of(context_parts(stream, vocabulary))


def keys_of(parts: Keys) -> Keys:
    """The keys of some tokens from their parts, a column each."""
    first: Keys
    first, second, third = (parts[places] for places in _PARTS)
    first *= _A
    first += _SALT
    first ^= first >> np.uint32(15)
    first += second
    first *= _B
    first ^= first >> np.uint32(13)
    first += third
    first *= _C
    first ^= first >> np.uint32(16)
    return first


def context_parts(stream: Stream, vocabulary: Vocabulary) -> Keys:
    """The joined parts of features, a row each, in the order of the names above; row 0 is
    nothing."""
    word, shape, known = (
        part[stream.ids] for part in (vocabulary.lower, vocabulary.shape, vocabulary.known)
    )
    out = np.zeros((GAPS + 1, len(stream)), np.uint32)
    for place, values, offsets in (
        (WORD, word, (0, -1, 1, -2, 2)),
        (SHAPE, shape, (0, -1, 1, -2, 2)),
        (KNOWN, known, (0, -1, 1)),
    ):
        for row, offset in enumerate(offsets, start=place):
            out[row] = shifted(values, offset) if offset else values
    out[EARLIER : LATER + 1] = word[np.stack(_words_around(stream, vocabulary))]
    first, out[LINE_PLACE], out[LINE_NUMBER] = _lines(stream)
    out[LINE_WORD] = word[first]
    out[GENRE] = genres(stream, vocabulary)[stream.text_of]
    out[CASE] = _cases(stream, vocabulary)[stream.text_of]
    out[AGAIN] = _elsewhere(stream, vocabulary)
    out[GAPS] = stream.gaps * np.uint8(8) + shifted(stream.gaps, 1)
    return out


def shifted(values: NDArray[_T], offset: int) -> NDArray[_T]:
    """The values `offset` places on; past an end, the value at that end, which is an edge."""
    if offset < 0:
        return np.concatenate((np.repeat(values[:1], -offset), values[:offset]))
    return np.concatenate((values[offset:], np.repeat(values[-1:], offset)))


def _words_around(
    stream: Stream, vocabulary: Vocabulary
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """For each token the words before it, the one before that and the one after, passing over
    marks."""
    count = len(stream)
    is_word = (vocabulary.flags[stream.ids] & ALNUM > 0) | (stream.ids == vocabulary[PAD])
    places = np.arange(count)
    last = np.maximum.accumulate(np.where(is_word, places, 0))
    earlier = shifted(last, -1)
    following = np.minimum.accumulate(np.where(is_word, places, count - 1)[::-1])[::-1]
    return earlier, earlier[earlier], shifted(following, 1)


def _lines(stream: Stream) -> tuple[NDArray[np.intp], Keys, Keys]:
    """The first token of each token's line; its place in the line from 0 to 4; the line's place in
    the text."""
    places = np.arange(len(stream))
    begins = stream.gaps >= LINE
    first = np.maximum.accumulate(np.where(begins, places, 0))
    line = np.cumsum(begins)
    starts = np.searchsorted(stream.text_of, np.arange(stream.text_of[-1] + 2))
    opening = line[np.minimum(starts[:-1], len(stream) - 1)][stream.text_of]
    closing = line[np.minimum(starts[1:] + 1, len(stream) - 1)][
        stream.text_of
    ]  # that of the second edge behind it
    number = np.minimum(line - opening, 6) * 8 + np.minimum(closing - line, 6)
    size = np.bincount(line)[line]
    place = np.minimum(places - first, 4) * 4 + np.digitize(size, (4, 9, 20))
    return first, place.astype(np.uint32), number.astype(np.uint32)


def genres(stream: Stream, vocabulary: Vocabulary) -> NDArray[np.uint8]:
    """For each text whether it reads like a decision of a court, like a clinic's note, or
    neither."""
    flags = vocabulary.flags[stream.ids]
    texts = len(stream.origins)
    words = np.bincount(stream.text_of, flags & ALNUM > 0, minlength=texts)
    court = np.bincount(stream.text_of, flags & COURT_WORD > 0, minlength=texts)
    clinic = np.bincount(stream.text_of, flags & CLINIC_WORD > 0, minlength=texts)
    out = np.where((clinic >= 1) & (clinic >= 0.01 * words), CLINIC, PLAIN)
    return np.where((court >= 5) & (court >= 0.02 * words) & (court > clinic), COURT, out).astype(
        np.uint8
    )


def _cases(stream: Stream, vocabulary: Vocabulary) -> NDArray[np.uint8]:
    """For each text whether it is written as usual, nearly without capitals, or nearly all in
    capitals."""
    flags = vocabulary.flags[stream.ids]
    texts = len(stream.origins)
    words = np.bincount(stream.text_of, flags & ALNUM > 0, minlength=texts)
    small = np.bincount(stream.text_of, flags & LOWER > 0, minlength=texts)
    capital = np.bincount(stream.text_of, flags & CAPITAL > 0, minlength=texts)
    return (np.where(capital <= 0.01 * words, 1, 0) + np.where(small <= 0.1 * words, 2, 0)).astype(
        np.uint8
    )


def _elsewhere(stream: Stream, vocabulary: Vocabulary) -> Keys:
    """How the same word occurs elsewhere in the text: how often, also in small letters, also after
    a title."""
    flags = vocabulary.flags[stream.ids]
    word = vocabulary.lower[stream.ids].astype(np.int64) + (stream.text_of.astype(np.int64) << 32)
    _, same = np.unique(word, return_inverse=True)
    title = flags & TITLE > 0
    stop = stream.ids == vocabulary["."]
    after_title = shifted(title, -1) | (shifted(stop, -1) & shifted(title, -2))
    count = np.digitize(np.bincount(same)[same], (2, 3, 6))
    small = np.bincount(same, flags & LOWER > 0)[same] > 0
    titled = np.bincount(same, after_title)[same] > 0
    return (count | small << 2 | titled << 3).astype(np.uint32)
