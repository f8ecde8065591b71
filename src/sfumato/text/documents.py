"""A document as detectors see it: its text, its words with their places, its lines and sentences; found once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)*", re.UNICODE)
_JOINTS = frozenset("-/_‐‑–")  # Hyphens and slashes join anything; a dot joins numbers only.
_STOPS = frozenset(".!?;")
_ABBREVIATIONS = frozenset(
    "no nos nr num tel ph mob ext acct acc ref reg dr mr mrs ms st lic art approx id cert geb az app pt hosp med rec "
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

    `first` and `last` are the places of its first and last word, `before` the words before it in its sentence in small
    letters, the nearest first: what a form or a writer calls a number stands there.
    """

    text: str
    start: int
    end: int
    first: int
    last: int
    before: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Document:
    """One text about, or from the record of, somebody.

    `person` says whose documents go together, `cues` what is known of people in it from elsewhere, such as the names in
    the row of a table: by kind, as the text would spell it.

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

    @cached_property
    def words(self) -> tuple[Word, ...]:
        return tuple(Word(found.group(), found.start(), found.end()) for found in _WORD.finditer(self.text))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where each word starts, for searching."""
        return tuple(word.start for word in self.words)

    @cached_property
    def number_starts(self) -> tuple[int, ...]:
        """Where each word starts that begins with a digit."""
        return tuple(word.start for word in self.words if word.text[0].isdecimal())

    @cached_property
    def codes(self) -> tuple[Code, ...]:
        """Everything with a digit in it, found once for all detectors of numbers."""
        return tuple(self._codes())

    def _codes(self) -> Iterator[Code]:
        words, text, place, free = self.words, self.text, 0, 0
        while place < len(words):
            if words[place].text.isalpha() or not any(map(str.isdecimal, words[place].text)):
                place += 1
                continue
            first = last = place
            while first > free and self._are_joined(first - 1):
                first -= 1
            while last + 1 < len(words) and self._are_joined(last):
                last += 1
            start, end = words[first].start, words[last].end
            yield Code(text[start:end], start, end, first, last, self.words_before(first))
            place = free = last + 1

    def _are_joined(self, place: int) -> bool:
        """Whether a word and the next are parts of one run."""
        one, other = self.words[place], self.words[place + 1]
        if other.start != one.end + 1:
            return False
        joint = self.text[one.end]
        return joint in _JOINTS or (joint == "." and one.text.isdecimal() and other.text.isdecimal())

    def words_before(self, place: int) -> tuple[str, ...]:
        """Up to six words before a word, in small letters and the nearest first, as far as its sentence reaches.

        A full stop ends it, but not that of an abbreviation such as "Tel." or "No.".
        """
        out: list[str] = []
        words, text = self.words, self.text
        for i in range(place - 1, max(-1, place - 1 - _WORDS_BEFORE), -1):
            word = words[i]
            gap = text[word.end : words[i + 1].start]
            if gap != " ":
                stopped = not _STOPS.isdisjoint(gap) and word.text.lower() not in _ABBREVIATIONS
                if (stopped and gap.strip() != gap) or gap.count("\n") > 1:
                    break
            out.append(word.text.lower())
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
