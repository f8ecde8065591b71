"""Every minimal sample unique of a table, level by level over the sets of fields.

A set of fields is a *minimal sample unique* (MSU) of a record under two conditions. The record is
unique with its values there, and on no smaller set of them. Manning, Haglin and Keane (2008, "A
recursive search algorithm for statistical disclosure assessment") search item by item and recurse
into the rows of each. This walks the lattice of field sets instead, all rows of a set at once,
which suits arrays. Three facts keep it short and exact:

- A record that is unique on a set is unique on every larger one. A record that is unique somewhere
  can therefore be put aside for all larger sets: it shares its values with no record there, and no
  larger set can be minimal for it.
- On a set S, the search therefore examines only records that are unique on no S less one
  field. Those of them that are unique on S are exactly the minimal ones.
- Records that agree in all fields are one tuple with a count. A tuple in no other's company is put
  aside whatever its count, and is minimal unique where its count is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Codes

Places = NDArray[np.int64]
Mask = NDArray[np.bool_]
Words = list[NDArray[np.uint64]]
FieldSet = tuple[int, ...]

_ODD = tuple(
    np.uint64(odd)
    for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
)
_WORD = 64
_SPARSE = 32  # a list of places is the smaller one where fewer than one in so many is held
_BREATH = 1.0  # seconds between two words of progress


def minimal_uniques(
    codes: Codes,
    single: Mask,
    *,
    usable: Mask,
    largest: int,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[tuple[FieldSet, Places]]:
    """For each set of at most `largest` fields that has any: the set, and the tuples of which it is
    a minimal unique.

    `codes` are distinct tuples and `single` has those with one record. A cell that is not `usable`
    is in no minimal unique. Memory: the sets of two neighbouring sizes, a bit per tuple or four
    bytes per tuple still in company, whichever is less."""
    tuples, fields = codes.shape
    packed = _Packed.of(codes)
    held: dict[FieldSet, _Held] = {(): _Held.of(np.arange(tuples), tuples)}
    said = _Said(progress)
    for size in range(1, largest + 1):
        above: dict[FieldSet, _Held] = {}
        total = comb(fields, size)
        for done, (chosen, candidates) in enumerate(_candidates(held, fields, tuples)):
            said.say(f"combinations of {size} fields: {done:,} of at most {total:,}")
            if size == 1:
                candidates = candidates[usable[candidates, chosen[0]]]
            if not single[candidates].any():
                continue
            alone = (
                np.ones(len(candidates), bool)
                if size == fields
                else lone(packed.keys(candidates, chosen))
            )
            found = candidates[alone]
            found = found[single[found]]
            if len(found):
                yield chosen, found
            company = candidates[~alone]
            if size < largest and len(company):
                above[chosen] = _Held.of(company, tuples)
        held = above


def _candidates(
    held: Mapping[FieldSet, _Held], fields: int, tuples: int
) -> Iterator[tuple[FieldSet, Places]]:
    """The sets one field larger than those held, with the tuples that are in company on all that
    they contain."""
    for smaller, company in held.items():
        for last in range(smaller[-1] + 1 if smaller else 0, fields):
            chosen = (*smaller, last)
            others = [held.get(chosen[:left] + chosen[left + 1 :]) for left in range(len(smaller))]
            bits = company.bits(tuples)
            for other in others:
                if other is None:
                    break
                bits = bits & other.bits(tuples)
            else:
                places = np.flatnonzero(np.unpackbits(bits, count=tuples))
                if len(places):
                    yield chosen, places


def lone(keys: Words) -> Mask:
    """Which entries no other equals; `keys` are compared together, word by word.

    No sorting: each entry writes its number into a table at the place its hash gives. A record that
    finds its own number there, and whose key no other record found there, is unique. A record that
    finds an equal key is not. A record that finds another key tries again with another hash. Equal
    keys always collide, so chance affects only the time and not the answer.

    Example:
        >>> lone([np.array([7, 3, 7, 9], np.uint64)]).tolist()
        [False, True, False, True]
    """
    out = np.ones(len(keys[0]), bool)
    places = np.arange(len(out))
    turn = 0
    while len(places):
        spots, room = _spots(keys, turn)
        numbers = np.arange(len(places), dtype=np.int32)
        table = np.empty(room, np.int32)
        table[spots] = numbers
        winner = table[spots]
        equal = np.ones(len(places), bool)
        for key in keys:
            equal &= key[winner] == key
        twin = equal & (winner != numbers)
        out[places[twin]] = False
        out[places[winner[twin]]] = False
        again = np.flatnonzero(~equal)
        places, keys = places[again], [key[again] for key in keys]
        turn += 1
    return out


def _spots(keys: Words, turn: int) -> tuple[Places, int]:
    """A place for each key in a table twice to four times as long, and that length."""
    width = max(4, len(keys[0]).bit_length() + 1)
    spread = keys[0] * _ODD[turn % len(_ODD)]
    for number, key in enumerate(keys[1:], start=turn + 1):
        spread = (spread ^ (spread >> np.uint64(29)) ^ key) * _ODD[number % len(_ODD)]
    return (spread >> np.uint64(_WORD - width)).view(np.int64), 1 << width


@dataclass(frozen=True, eq=False)
class _Packed:
    """Tuples as bits: each field has its own in one of the words, so that a set of fields is one
    mask per word."""

    words: Words
    where: tuple[tuple[int, int], ...]  # per field: its word, and its mask there

    @classmethod
    def of(cls, codes: Codes) -> _Packed:
        words: Words = []
        where: list[tuple[int, int]] = []
        free = 0
        for column in codes.T:
            width = max(int(column.max(initial=0)).bit_length(), 1)
            if width > free:
                words.append(np.zeros(len(codes), np.uint64))
                free = _WORD
            start = _WORD - free
            words[-1] |= column.astype(np.uint64) << np.uint64(start)
            where.append((len(words) - 1, ((1 << width) - 1) << start))
            free -= width
        return cls(words, tuple(where))

    def keys(self, places: Places, chosen: Sequence[int]) -> Words:
        """The values of the tuples at `places` in the chosen fields, and nothing else."""
        masks: dict[int, int] = {}
        for number in chosen:
            word, mask = self.where[number]
            masks[word] = masks.get(word, 0) | mask
        return [self.words[word][places] & np.uint64(mask) for word, mask in masks.items()]


@dataclass(frozen=True, eq=False, slots=True)
class _Held:
    """The tuples in company on one set of fields: as bits, or as places where they are few."""

    many: NDArray[np.uint8] | None
    few: NDArray[np.int32] | None

    @classmethod
    def of(cls, places: Places, tuples: int) -> _Held:
        if len(places) * _SPARSE < tuples:
            return cls(None, places.astype(np.int32))
        return cls(_bits(places, tuples), None)

    def bits(self, tuples: int) -> NDArray[np.uint8]:
        if self.many is not None:
            return self.many
        assert self.few is not None
        return _bits(self.few, tuples)


def _bits(places: NDArray[np.int32] | Places, tuples: int) -> NDArray[np.uint8]:
    marked = np.zeros(tuples, bool)
    marked[places] = True
    return np.packbits(marked)


class _Said:
    """Prints at most one word a second."""

    def __init__(self, progress: Callable[[str], None]) -> None:
        self.progress, self.last = progress, monotonic()

    def say(self, words: str) -> None:
        now = monotonic()
        if now - self.last >= _BREATH:
            self.progress(words)
            self.last = now
