"""A document read once for all detectors that know words: each word folded, its spelling, its
place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from .documents import Document, places_of
from .lexicons import folded, openings
from .name_spelling import name_spellings

LOWER, INITIAL, CAPS, MIXED, LETTER, NUMBER, OTHER = range(7)
"""How a word is written: low, Capital, CAPITALS, McMixed, X, with digits, or in a script without
capitals."""

_CAPITALISED = frozenset({INITIAL, CAPS, MIXED, LETTER})
_JOINTS = frozenset({" ", "-", ". ", "–", " & ", ".", " - ", "' "})
_ENDS = frozenset('.!?:;\n\r\t"“”•*|()[]{}>/')
_ABBREVIATED = frozenset("dr mr mrs ms prof st rev hon sgt lt capt col gen".split())
_FEW_CAPITALS = 0.02
_MOST_FORMS = 50_000
_T = TypeVar("_T")
_readings: WeakKeyDictionary[Document, WordReading] = WeakKeyDictionary()


def reading(document: Document) -> WordReading:
    """The reading of a document, made when first asked for and kept as long as the document."""
    found = _readings.get(document)
    if found is None:
        found = _readings[document] = _read(document)
    return found


@dataclass(frozen=True, eq=False, kw_only=True)
class WordReading:
    """Word by word: `starts`, `ends`, `folds` (as lexicons spell it), `bares` (without a
    possessive) and `shapes`.

    `where` has each fold's places.

    Example:
        >>> document = Document("Dear Dr. McKay, José is well.")
        >>> read = reading(document)
        >>> read.folds
        ['dear', 'dr', 'mckay', 'jose', 'is', 'well']
        >>> read.capitals, read.where["jose"]
        ([0, 1, 2, 3], [3])
    """

    text: str
    starts: list[int]
    ends: list[int]
    gaps: list[str]
    folds: list[str]
    bares: list[str]
    shapes: bytearray
    where: Mapping[str, list[int]]
    evidence: dict[int, Any] = field(default_factory=dict, repr=False)
    """The evidence of name detectors about places, so that each is asked but once."""
    _begins: dict[Callable[[], Collection[str]], frozenset[str]] = field(
        default_factory=dict, repr=False
    )

    def __repr__(self) -> str:
        return f"WordReading(words={len(self.folds)})"

    def __len__(self) -> int:
        return len(self.folds)

    @cached_property
    def capitals(self) -> list[int]:
        """The places of words with a capital."""
        return [place for place, shape in enumerate(self.shapes) if shape in _CAPITALISED]

    @cached_property
    def words_without_s(self) -> frozenset[str]:
        """All words, each once, with and without a possessive."""
        return frozenset(self.where) | {fold[:-2] for fold in self.where if fold.endswith("'s")}

    @cached_property
    def capital_bares(self) -> frozenset[str]:
        """The words that have a capital somewhere, each once and without a possessive."""
        return frozenset(map(self.bares.__getitem__, self.capitals))

    @cached_property
    def spelt(self) -> Mapping[str, list[int]]:
        """The places of words whose name is spelt otherwise elsewhere, by those spellings: "obrien"
        for "O'Brien"."""
        out: dict[str, list[int]] = {}
        if self.text.isascii() and "'" not in self.text:
            return out
        for place, (start, end) in enumerate(zip(self.starts, self.ends, strict=True)):
            word = self.text[start:end]
            if not word.isascii() or "'" in word:
                for spelling in _spellings[word] - {self.bares[place]}:
                    out.setdefault(spelling, []).append(place)
        return out

    def places_spelt(self, part: str) -> list[int]:
        """The places of a part of a name, with a possessive and in other spellings too."""
        found = [*self.where.get(part, ()), *self.where.get(f"{part}'s", ())]
        keys = name_spellings(part) if "'" in part or not part.isascii() else (part,)
        other = [
            place for key in keys for place in (*self.spelt.get(key, ()), *self.where.get(key, ()))
        ]
        return list(dict.fromkeys((*found, *other))) if other else found

    @cached_property
    def numbers(self) -> list[int]:
        """The places of words with digits."""
        return [place for place, shape in enumerate(self.shapes) if shape == NUMBER]

    @cached_property
    def is_caseless(self) -> bool:
        """Whether the writer used hardly a capital, so that a name may have none either."""
        letters = len(self.shapes) - self.shapes.count(NUMBER)
        named = self.shapes.count(INITIAL) + self.shapes.count(MIXED)
        return named <= 1 + _FEW_CAPITALS * letters

    def is_capital(self, place: int) -> bool:
        return 0 <= place < len(self.shapes) and self.shapes[place] in _CAPITALISED

    def gap(self, place: int) -> str:
        """The characters between the word and the next; after the last, at most a few
        characters."""
        gap = self.gaps[place + 1]
        return gap if place + 1 < len(self.folds) else gap[:4]

    def before(self, place: int) -> str:
        """The characters between the word and the one before."""
        return self.gaps[place] if place else self.gaps[0][-4:] if self.folds else ""

    def opens(self, place: int) -> bool:
        """Whether the word opens a sentence, a line or a bracket, where ordinary words have a
        capital too."""
        if place == 0:
            return True
        before = self.before(place)
        if before == ". " and (
            self.shapes[place - 1] == LETTER or self.folds[place - 1] in _ABBREVIATED
        ):
            return False
        return not _ENDS.isdisjoint(before)

    def cue(self, place: int) -> str:
        """The word right before, with a blank or the stop of a short form between; or nothing."""
        return self.folds[place - 1] if place and self.before(place) in (" ", ". ", "\n") else ""

    def starts_line(self, place: int) -> bool:
        start = self.starts[place]
        return place == 0 or "\n" in self.before(place) or start == 0

    def ends_line(self, place: int) -> bool:
        return place + 1 == len(self.starts) or "\n" in self.gap(place)

    def shouts(self, place: int) -> bool:
        """Whether the words on both sides are in capitals too, so that capitals are no evidence."""
        if self.shapes[place] != CAPS:
            return False
        near = [
            self.shapes[at]
            for at in range(max(0, place - 3), min(len(self.shapes), place + 4))
            if at != place
        ]
        return sum(shape == CAPS for shape in near) * 2 > sum(
            shape in (LOWER, INITIAL, MIXED, CAPS) for shape in near
        )

    def bare(self, place: int) -> tuple[str, int]:
        """The fold without a possessive ending, and where it then ends."""
        fold, bare = self.folds[place], self.bares[place]
        return bare, self.ends[place] - (len(fold) - len(bare))

    def longest(self, place: int, lexicon: Callable[[], Collection[str]], *, most: int = 4) -> int:
        """How many words from here on are the longest entry of the lexicon; 0 if none is."""
        phrase = self.folds[place]
        begins = self._begins.get(lexicon)
        if phrase not in (self._beginning(lexicon) if begins is None else begins):
            return 0
        entries = lexicon()
        best = 1 if phrase in entries else 0
        if phrase not in openings(lexicon):
            return best
        last = min(place + most, len(self.folds))
        for at in range(place + 1, last):
            if self.gap(at - 1) not in _JOINTS:
                break
            phrase = f"{phrase} {self.folds[at]}"
            if phrase in entries:
                best = at - place + 1
        return best

    def _beginning(self, lexicon: Callable[[], Collection[str]]) -> frozenset[str]:
        """The words of the text with which an entry of the lexicon begins."""
        begins = self._begins[lexicon] = frozenset(filter(_opening(lexicon), self.where))
        return begins

    def places(self, folds: Collection[str]) -> Iterator[int]:
        """The places of any of the words, word by word."""
        where = self.where
        if len(folds) < len(where):
            there = [fold for fold in folds if fold in where]
        else:
            there = [fold for fold in where if fold in folds]
        for fold in sorted(there):
            yield from where[fold]

    def span(self, first: int, last: int) -> tuple[int, int]:
        """The characters of the words from first to last, both included."""
        return self.starts[first], self.ends[last]


def _read(document: Document) -> WordReading:
    texts = document.texts
    plain = document.text.isascii()
    folds = document.lowered if plain else list(map(_folds.__getitem__, texts))
    return WordReading(
        text=document.text,
        starts=document.starts,
        ends=document.ends,
        gaps=document.gaps,
        folds=folds,
        bares=[fold[:-2] if fold.endswith("'s") else fold for fold in folds]
        if "'s" in document.text.replace("’", "'")
        else folds,
        shapes=bytearray(map(_shapes.__getitem__, texts)),
        where=document.where if plain else places_of(folds),
    )


class WordCache(dict[str, _T]):
    """The result of a function for each word form, computed once; forgotten when there are too
    many."""

    def __init__(self, function: Callable[[str], _T]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, word: str) -> _T:
        if len(self) >= _MOST_FORMS:
            self.clear()
        out = self[word] = self._function(word)
        return out


def _shape(word: str) -> int:
    if word.islower():
        return (
            LOWER
            if word.isalpha() or "'" in word or "’" in word or not any(map(str.isdigit, word))
            else NUMBER
        )
    if not word[0].isupper():
        return (
            NUMBER
            if any(letter.isdigit() for letter in word)
            else MIXED
            if word.lower() != word
            else OTHER
        )
    if len(word) == 1:
        return LETTER
    if word.isupper():
        return (
            CAPS
            if word.isalpha() or "'" in word or "’" in word or not any(map(str.isdigit, word))
            else NUMBER
        )
    return INITIAL if word[1:].islower() else MIXED


@cache
def _opening(lexicon: Callable[[], Collection[str]]) -> Callable[[str], bool]:
    """Whether an entry of the lexicon begins with a word; words seen before are in a small table,
    which the processor's cache holds."""
    entries, first = lexicon(), openings(lexicon)
    return WordCache(lambda fold: fold in entries or fold in first).__getitem__


_folds = WordCache(folded)
_shapes = WordCache(_shape)
_spellings = WordCache(name_spellings)
