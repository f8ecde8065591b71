"""Search a text for the values that the tables have of its person: identifiers, and values that the
release generalises.

Detectors find what looks like a reference. This search finds known values, whatever they look like.
"47" is an age because the row has it as one, and a record number is one also in the middle of a
sentence. A value that the release generalises must not be readable in the note beside it, whatever
the text is scrubbed for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sfumato.text import (
    Document,
    ReferenceKind,
    as_seen,
    is_telling,
    name_spellings,
    reading,
    spelling_pattern,
)
from sfumato.text.detectors import Medicine
from sfumato.text.lexicons import drugs, eponyms, folded, medical_words, words
from sfumato.text.surrogates import is_name_part, read_date

from .messages import Cue, Forbidden

ISO_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ].*)?", re.ASCII)
_AGE = re.compile(r"\d{1,3}", re.ASCII)
_DIGITS = re.compile(r"\d{5,}")
_BEFORE_AGE = r"(?:turn(?:s|ed|ing)?|aged?|at|is|was|now|of)\s+"
_AFTER_AGE = r"(?:(?:st|nd|rd|th)\s+birthday|\s*[- ]?(?:y\.?o\.?\b|y/o|yrs?\b|years?\b|year-old))"
_UNIT = r"(?!\s*(?:[%/°]|mg|ml|kg|cm|mm|mcg|g\b|units?|beats|bpm|days?|weeks?|months?|hours?|minutes?)|[.,:]?\d)"
_JOINED = re.compile(r"(?<=[^\W\d_])['’ʼ-](?=[^\W\d_])")
"""An apostrophe or a hyphen inside a name, which another spelling lacks: O'Brien and OBrien."""
_FEWEST = 4
_GAP = 3
"""So many characters that are neither letters nor digits may be between two parts of a number or a
name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSpan:
    """The place of a value of the person's own."""

    start: int
    end: int
    kind: ReferenceKind
    is_coarser: bool


class OwnRow:
    """The known values of one person, ready to be looked for.

    Example:
        >>> cues = [Cue(kind="phone", value="617-555-0123", looks=frozenset()),
        ...         Cue(kind="age", value="47", looks=frozenset(), is_coarser=True)]
        >>> text = "Call (617) 555 0123 before she turns 47; 47 mg."
        >>> [text[place.start : place.end] for place in OwnRow(cues).places(Document(text))]
        ['617) 555 0123', '47']
    """

    def __init__(self, cues: Iterable[Cue]) -> None:
        self._targets: dict[str, list[_Target]] = {}
        self._patterns: list[re.Pattern[str]] = []
        self._names = OwnNames()
        self.dates: list[tuple[int, int, int]] = []
        self.forbidden: list[Forbidden] = []
        for cue in cues:
            self._add(cue)

    def places(self, document: Document) -> Iterator[KnownSpan]:
        """In no order; they may overlap."""
        for number, word in enumerate(document.words if self._targets else ()):
            first = folded(word.text).removesuffix("'s")
            for target in self._targets.get(first[:1], ()):
                last = target.ends(document, number, first)
                if last is not None:
                    end = document.words[last].end
                    tail = document.words[last].text
                    end -= 2 if tail.endswith(("'s", "’s")) else 0
                    yield KnownSpan(
                        start=word.start, end=end, kind=target.kind, is_coarser=target.is_coarser
                    )
            yield from self._inside(word.start, word.text)
        for start, end in self._names.places(document):
            yield KnownSpan(start=start, end=end, kind=ReferenceKind.NAME, is_coarser=False)
        for pattern in self._patterns:
            for found in pattern.finditer(document.text):
                yield KnownSpan(
                    start=found.start("own"),
                    end=found.end("own"),
                    kind=ReferenceKind.OTHER,
                    is_coarser=True,
                )

    def exempt(self, text: str, *, dates: Iterable[str]) -> set[tuple[int, int]]:
        """Where parts of the person's own name may occur in a scrubbed text: see
        `OwnNames.exempt`."""
        return self._names.exempt(text, dates=dates)

    def is_own_date(self, written: str) -> bool:
        """Whether a date in the text is one that the release generalises: the same year, or the
        same day."""
        return any(_is_of(written, *date) for date in self.dates)

    def _add(self, cue: Cue) -> None:
        value = cue.value.strip()
        parts = [folded(word.text).removesuffix("'s") for word in Document(value).words]
        day = ISO_DATE.fullmatch(value)
        if not parts:
            return
        if day is not None:
            self.dates += [(int(day[1]), int(day[2]), int(day[3]))] if cue.is_coarser else []
        elif cue.is_coarser and _AGE.fullmatch(value) and cue.kind == ReferenceKind.AGE:
            self._patterns += _ages(int(value))
        elif cue.is_coarser:
            self._add_coarser(cue, value, parts)
        else:
            self._add_direct(cue, value, parts)

    def _add_direct(self, cue: Cue, value: str, parts: Sequence[str]) -> None:
        kind = ReferenceKind(cue.kind) if cue.kind in tuple(ReferenceKind) else ReferenceKind.OTHER
        if kind is ReferenceKind.NAME:
            self.forbidden += self._names.add([word.text for word in Document(value).words])
        if not is_telling(value, kind, words_in_it=len(parts)):
            return
        self._target("".join(parts), kind)
        self.forbidden.append(Forbidden(value=value, as_written=False))
        if kind is ReferenceKind.NAME and len(parts) > 1:
            self._target("".join((parts[-1], *parts[:-1])), kind)
        elif kind is not ReferenceKind.NAME:
            for digits in _DIGITS.findall("".join(parts)):
                if digits != "".join(parts) and not any(part.isdecimal() for part in parts):
                    self._target(digits, kind)
                    self.forbidden.append(Forbidden(value=digits, as_written=False))

    def _add_coarser(self, cue: Cue, value: str, parts: Sequence[str]) -> None:
        joined = "".join(parts)
        if len(joined) < _FEWEST:
            # A letter, a digit, a short code: it stands everywhere, and says nothing by itself.
            return
        ordinary = (
            len(parts) == 1 and joined.isalpha() and not value.islower() and joined in words()
        )
        self._target(
            joined, ReferenceKind.OTHER, is_coarser=True, as_written=value if ordinary else ""
        )
        self.forbidden.append(Forbidden(value=value, as_written=ordinary))

    def _target(
        self, joined: str, kind: ReferenceKind, *, is_coarser: bool = False, as_written: str = ""
    ) -> None:
        target = _Target(joined=joined, kind=kind, is_coarser=is_coarser, as_written=as_written)
        self._targets.setdefault(joined[:1], []).append(target)

    def _inside(self, start: int, text: str) -> Iterator[KnownSpan]:
        """A number in a longer run, as "MRN1234567" has it."""
        for found in _DIGITS.finditer(text) if not text.isdecimal() else ():
            for target in self._targets.get(found.group()[:1], ()):
                if target.joined == found.group():
                    end = start + found.end()
                    yield KnownSpan(
                        start=start + found.start(),
                        end=end,
                        kind=target.kind,
                        is_coarser=target.is_coarser,
                    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    """A value as its letters and digits in a row."""

    joined: str
    kind: ReferenceKind
    is_coarser: bool
    as_written: str

    def ends(self, document: Document, number: int, first: str) -> int | None:
        """The last of the words, from this one on, that make up the value; None where they do
        not."""
        if self.as_written:
            return number if document.words[number].text == self.as_written else None
        so_far, last = first, number
        while self.joined.startswith(so_far):
            if len(so_far) == len(self.joined):
                return last
            last += 1
            if (
                last == len(document.words)
                or document.words[last].start - document.words[last - 1].end > _GAP
            ):
                return None
            so_far += folded(document.words[last].text).removesuffix("'s")
        return None


def stands_in(forbidden: Forbidden, text: str) -> bool:
    """Whether a value is in a text as whole words, more often than it may be; written in another
    way than the search above, to check it.

    Example:
        >>> stands_in(Forbidden(value="02138", as_written=False), "of 02138."), stands_in(
        ...     Forbidden(value="Black", as_written=True), "black stools")
        (True, False)
    """
    return next(islice(spots(forbidden, text), forbidden.allowed, None), None) is not None


def spots(forbidden: Forbidden, text: str) -> Iterator[tuple[int, int]]:
    """Every place where it occurs."""
    pieces = re.findall(r"[^\W_]+", forbidden.value)
    if not pieces:
        return
    spelt = [
        re.escape(piece) if forbidden.as_written else spelling_pattern(piece) for piece in pieces
    ]
    seen = as_seen(Document(text))
    plain = seen.document.text
    if plain.isascii() and spelt[0].isalnum() and spelt[0].lower() not in plain.lower():
        return  # Mostly so, and much faster told than by a pattern.
    flags = re.NOFLAG if forbidden.as_written else re.IGNORECASE
    between = r"[\W_]{0,3}" if _JOINED.search(forbidden.value) else r"[\W_]{1,3}"
    pattern = between.join(spelt)
    for found in re.finditer(rf"(?<![^\W_]){pattern}(?![^\W_])", plain, flags):
        yield seen.span(*found.span())


def _ages(age: int) -> list[re.Pattern[str]]:
    """A number in the places of an age that detectors do not look at."""
    return [
        re.compile(rf"(?i)\b{_BEFORE_AGE}(?P<own>{age})\b{_UNIT}"),
        re.compile(rf"(?i)(?<![\d.,/])(?P<own>{age}){_AFTER_AGE}"),
    ]


def _is_of(written: str, year: int, month: int, day: int) -> bool:
    read = read_date(written, day_first=False)
    other = read_date(written, day_first=True)
    for date in (read, other):
        if date is None:
            continue
        same_year = date.year == year or (0 < date.year < 100 and date.year == year % 100)
        if same_year or (not date.year and (date.month, date.day) == (month, day)):
            return True
    return str(year) in re.findall(r"\d{4}", written)


# Parts of a person's own name in a text: what the row says is a name is one, also where it is an
# ordinary word.
# "Will came" may be about Will or about a will; where the row says that its person is called
# Will, the name is taken for granted. Only a word of medicine (Graves' disease) and the month of
# a date (May 3) are exempt, and they are counted.

_SHORTEST = 4


class OwnNames:
    """The parts of somebody's names. With a capital each is the name, but not where it is a word of
    medicine. A part that is no ordinary word is the name in small letters too.

    Example:
        >>> names = OwnNames()
        >>> len(names.add(["will", "hall"]))
        4
        >>> text = "Hall is well. Will return with Will's hall pass, at will."
        >>> [text[start:end] for start, end in names.places(Document(text))]
        ['Will', 'Will', 'Hall']
    """

    def __init__(self) -> None:
        self._parts: dict[str, None] = {}
        self._medicine = Medicine()

    def add(self, parts: Iterable[str]) -> list[Forbidden]:
        """Take in the parts of a name, and their spellings; those that must not be in the text are
        returned."""
        spelt = dict.fromkeys(
            spelling for part in parts for spelling in (part.lower(), *sorted(name_spellings(part)))
        )
        own = [part for part in spelt if is_name_part(part) and part.replace("'", "").isalpha()]
        self._parts |= dict.fromkeys(own)
        out = []
        for part in own:
            if _is_only_a_name(part):
                out.append(Forbidden(value=part, as_written=False))
            else:
                out += [
                    Forbidden(value=form, as_written=True)
                    for form in (part.capitalize(), part.upper())
                ]
        return out

    def places(self, document: Document) -> Iterator[tuple[int, int]]:
        if not self._parts:
            return
        read = reading(document)
        for part in self._parts:
            only = _is_only_a_name(part)
            for place in read.places_spelt(part):
                if only or (read.is_capital(place) and not self._medicine.keeps(read, place)):
                    yield read.starts[place], read.bare(place)[1]

    def exempt(self, text: str, *, dates: Iterable[str]) -> set[tuple[int, int]]:
        """Where a part may occur in a scrubbed text: as a word of medicine, or inside one of the
        new `dates`.

        Example:
            >>> names = OwnNames()
            >>> _ = names.add(["may", "graves"])
            >>> sorted(names.exempt("May has Graves' disease since May 3, 2001.", dates=["May 3, 2001"]))
            [(8, 14), (30, 33)]
        """
        months = [
            span
            for date in set(dates)
            for found in re.finditer(re.escape(date), text)
            for span in [found.span()]
        ]
        read = reading(Document(text))
        out = set()
        for part in self._parts:
            for place in read.places_spelt(part):
                start, end = read.starts[place], read.bare(place)[1]
                in_date = any(first <= start and end <= last for first, last in months)
                if in_date or (not _is_only_a_name(part) and self._medicine.keeps(read, place)):
                    out.add((start, end))
        return out


def _is_only_a_name(part: str) -> bool:
    return len(part) >= _SHORTEST and part not in words() and not _means_more(part)


def _means_more(part: str) -> bool:
    """Whether the word is one of medicine too."""
    return any(part in known() for known in (eponyms, drugs, medical_words))
