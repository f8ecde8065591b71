"""A document as detectors see it: its text, its words with their places, its lines and sentences;
found once."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate

# Long texts in blocks, cut where a reader would pause, so that memory does not grow with the
# text.

_PAUSES = ("\n\n", "\n", ". ", " ")
"""Where to cut, the best first: an empty line, a line, a sentence, a word."""


def blocks(text: str, *, size: int) -> Iterator[tuple[int, int]]:
    """Spans of at most `size` characters that cover the text; one is cut inside a word only if the
    whole is one word.

    Example:
        >>> list(blocks("Seen twice. Is well.", size=14))
        [(0, 12), (12, 20)]
    """
    start = 0
    while len(text) - start > size:
        end = _pause(text, start + size // 2, start + size)
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)


def _pause(text: str, first: int, last: int) -> int:
    for pause in _PAUSES:
        found = text.rfind(pause, first, last)
        if found >= 0:
            return found + len(pause)
    return last


_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e8\u06ea-\u06ed\u0711-\u07f3\u07fd\u0816-\u082d\u0859-\u085b\u0898-\u08e1\u08e3-\u0963\u0981-\u09e3\u09fe-\u0a75"
    "\u0a81-\u0ae3\u0afa-\u0b63\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83\u0cbc-\u0d4d\u0d57-\u0d63\u0d81-\u0df3\u0e31-\u0e3a"
    "\u0e47-\u0e4e\u0eb1-\u0ecd\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0f84\u0f86-\u0fbc\u0fc6\u102b-\u103e\u1056-\u109d\u135d-\u135f"
    "\u1712-\u1734\u1752-\u17d3\u17dd\u180b-\u180d\u180f-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1abd\u1abf-\u1b44\u1b6b-\u1b73"
    "\u1b80-\u1bf3\u1c24-\u1c37\u1cd0-\u1cd2\u1cd4-\u1dff\u302a-\u302f\u3099\u309a\ua802-\ua827\ua880-\ua8c5\ua8e0-\ua8f1\ua8ff-\ua92d"
    "\ua947-\ua953\ua980-\ua9c0\ua9e5-\uaa4d\uaa7b-\uaac1\uaaeb-\uaaef\uaaf5\uaaf6\uabe3-\uabea\uabec\uabed\ufb1e\u200c\u200d"
)
"""Marks that belong to the letter before them, as vowels of Hindi and Thai, and what joins letters
without a space."""
_WORD = re.compile(rf"([^\W_]+(?:[{_MARKS}]+[^\W_]*|['’][^\W\d_]+)*)")
_ASCII_WORD = re.compile(r"([A-Za-z0-9]+(?:'[A-Za-z]+)*)")
_BLOCK = 100_000
_LONG, _OVERLAP = 120_000, 2_000
"""Characters of a text that is read at once; the parts of a longer one see so many more on both
sides."""
_JOINTS = frozenset("-/_‐‑–")  # Hyphens and slashes join anything; a dot joins numbers only.
_STOPS = frozenset(".!?;")
_ABBREVIATIONS = frozenset(
    "no nos nr num tel ph mob ext acct acc ref reg dr mr mrs ms st lic art approx id cert "
    "geb az app pt hosp med rec "
    "rx fax dob ca cf ser pol ins prof tlf tél núm nº n ssn mrn vs incl est".split()
)
_WORDS_BEFORE = 6
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)]*\s+(?=[\"'“‘(]?[A-Z0-9])|\n\s*\n")


@dataclass(frozen=True, slots=True)
class Word:
    """A run of letters and digits, with what is joined by an apostrophe."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Code:
    """A run without blanks that holds a digit: a number, a date, "32-841-09787", "18403/91", "A12".

    `first` and `last` are the places of its first and last word. `before` has the words before it
    in its sentence in small letters, the nearest first: the label of a number is there."""

    text: str
    start: int
    end: int
    first: int
    last: int
    before: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Document:
    """One text about, or from the record of, somebody.

    `person` is whose documents belong together. `cues` are the known values of people in it, such
    as the names in the row of a table. They are by kind, as the text would spell them.

    Example:
        >>> document = Document("Dear Dr. Lang:\\nDot is 7.")
        >>> [word.text for word in document.words]
        ['Dear', 'Dr', 'Lang', 'Dot', 'is', '7']
        >>> document
        Document(characters=24)
    """

    text: str
    name: str = ""
    person: str = ""
    cues: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Document(characters={len(self.text)})"

    def __len__(self) -> int:
        return len(self.text)

    @property
    def is_long(self) -> bool:
        return len(self.text) > _LONG

    def parts(self) -> Iterator[DocumentPart]:
        """A long document in parts that overlap; one that is not long as a whole."""
        for first, last in blocks(self.text, size=_LONG):
            start = max(0, first - _OVERLAP) if self.is_long else 0
            part = replace(self, text=self.text[start : last + _OVERLAP]) if self.is_long else self
            yield DocumentPart(document=part, start=start, first=first, last=last)

    def each_word(self) -> Iterator[tuple[str, int]]:
        """Every word and where it starts, block by block: nothing is kept."""
        pattern = _ASCII_WORD if self.text.isascii() else _WORD
        for start, end in blocks(self.text, size=_BLOCK):
            for found in pattern.finditer(self.text, start, end):
                yield found.group(), found.start()

    @cached_property
    def _cut(self) -> list[str]:
        """The gaps between words and the words, in turn. The text is cut once; all else is slices
        of it."""
        return (_ASCII_WORD if self.text.isascii() else _WORD).split(self.text)

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(map(len, self._cut)))

    @cached_property
    def texts(self) -> list[str]:
        """The words by themselves, with `starts`, `ends` and `gaps` beside: faster than objects
        where all are seen."""
        return self._cut[1::2]

    @cached_property
    def gaps(self) -> list[str]:
        """The characters before each word, and at last those behind the last."""
        return self._cut[::2]

    @cached_property
    def starts(self) -> list[int]:
        """Where each word starts."""
        return self._ends[:-1:2]

    @cached_property
    def ends(self) -> list[int]:
        """Where each word ends."""
        return self._ends[1::2]

    @cached_property
    def lowered(self) -> list[str]:
        """The words in small letters."""
        return list(map(str.lower, self.texts))

    @cached_property
    def where(self) -> Mapping[str, list[int]]:
        """The places of each word, in small letters."""
        return places_of(self.lowered)

    @cached_property
    def words(self) -> tuple[Word, ...]:
        return tuple(map(Word, self.texts, self.starts, self.ends))

    def word(self, place: int) -> Word:
        return Word(self.texts[place], self.starts[place], self.ends[place])

    def places(self, words: Collection[str]) -> list[int]:
        """The places of any of the words, written in small letters or not, in the order of the
        text."""
        if (
            not self.text.isascii()
        ):  # Readers fold such a text's words in another way: no index is worth it for this.
            return [place for place, word in enumerate(self.lowered) if word in words]
        return sorted(place for word in words if word in self.where for place in self.where[word])

    def has(self, words: Collection[str]) -> bool:
        """Whether any of the words, in small letters, is in the text."""
        return any(map(self._different.__contains__, words))

    @cached_property
    def _different(self) -> Collection[str]:
        """The different words in small letters."""
        return self.where if self.text.isascii() else frozenset(self.lowered)

    @cached_property
    def number_starts(self) -> tuple[int, ...]:
        """Where each word starts that begins with a digit."""
        return tuple(
            start
            for text, start in zip(self.texts, self.starts, strict=True)
            if text[0].isdecimal()
        )

    @cached_property
    def tally(self) -> Counter[str]:
        """How often each word is in the text, in small letters; block by block, so that long texts
        stay small."""
        out = Counter[str]()
        pattern = _ASCII_WORD if self.text.isascii() else _WORD
        for start, end in blocks(self.text, size=_BLOCK):
            out.update(map(str.lower, pattern.findall(self.text, start, end)))
        return out

    @cached_property
    def codes(self) -> tuple[Code, ...]:
        """Everything with a digit in it, found once for all detectors of numbers."""
        return tuple(self._codes())

    def _codes(self) -> Iterator[Code]:
        texts, starts, ends, text, free = self.texts, self.starts, self.ends, self.text, 0
        for place, word in enumerate(texts):
            if word.isalpha() or place < free or not any(map(str.isdecimal, word)):
                continue
            first = last = place
            while first > free and self._are_joined(first - 1):
                first -= 1
            while last + 1 < len(texts) and self._are_joined(last):
                last += 1
            start, end = starts[first], ends[last]
            yield Code(text[start:end], start, end, first, last, self.words_before(first))
            free = last + 1

    def _are_joined(self, place: int) -> bool:
        """Whether a word and the next are parts of one run."""
        joint = self.gaps[place + 1]
        if joint in _JOINTS:
            return True
        return joint == "." and self.texts[place].isdecimal() and self.texts[place + 1].isdecimal()

    def words_before(self, place: int) -> tuple[str, ...]:
        """Up to six words before a word, in small letters and the nearest first, as far as its
        sentence reaches.

        A full stop ends it, but not that of an abbreviation such as "Tel." or "No.".
        """
        out: list[str] = []
        texts, gaps = self.texts, self.gaps
        for at in range(place - 1, max(-1, place - 1 - _WORDS_BEFORE), -1):
            word, gap = texts[at].lower(), gaps[at + 1]
            if gap != " ":
                stopped = not _STOPS.isdisjoint(gap) and word not in _ABBREVIATIONS
                if (stopped and gap.strip() != gap) or gap.count("\n") > 1:
                    break
            out.append(word)
        return tuple(out)

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """Sentences as spans; a blank line ends one too."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[tuple[int, int]]:
        start = 0
        for found in _SENTENCE_END.finditer(self.text):
            yield start, found.start()
            start = found.end()
        if start < len(self.text):
            yield start, len(self.text)

    def lines(self) -> Iterator[tuple[int, int]]:
        """Lines as spans, without their ends."""
        start = 0
        for line in self.text.splitlines(keepends=True):
            yield start, start + len(line.rstrip("\r\n"))
            start += len(line)


def words_in(text: str) -> list[str]:
    """The words of a short text by themselves, without a document around them."""
    return (_ASCII_WORD if text.isascii() else _WORD).findall(text)


def places_of(words: Sequence[str]) -> Mapping[str, list[int]]:
    """The places of each word."""
    out = defaultdict[str, list[int]](list)
    for place, word in enumerate(words):
        out[word].append(place)
    out.default_factory = None
    return out


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPart:
    """A part of a long document: a document that begins at `start` of the whole. The characters
    from `first` up to `last` are its own; other characters are context, and another part bids for
    them."""

    document: Document
    start: int
    first: int
    last: int

    def owns(self, place: int) -> bool:
        """Whether what begins at a place of the part is the part's own."""
        return self.first <= place + self.start < self.last
