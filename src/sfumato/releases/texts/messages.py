"""Messages between the processes that scrub: the cues of each person, and the results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from sfumato.policy import ScrubPolicy
from sfumato.text import OwnDetector
from sfumato.text.detectors import Detectors

Span = tuple[int, int, str, float]
"""Where a finding starts and ends, its kind and its score."""
Counted = tuple[str, str]
"""A kind, and what became of a finding of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How the texts of some fields are scrubbed, and the kinds that the release generalises, which
    are masked whatever the purpose.

    With `ages`, a date of somebody's life, or an age, is among it: then every age in the text is
    masked. `detectors` is the set that reads: the policy's, or the usual one where it names none.
    `own` are the holder's own patterns and word lists."""

    scrub: ScrubPolicy
    detectors: Detectors
    widened: frozenset[str] = frozenset()
    ages: bool = False
    own: tuple[OwnDetector, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A value that the tables have of a person. `looks` are those that search for it. With
    `is_coarser`, the release has it in a coarser form, or not at all, though it is no identifier by
    itself. `of` is its field."""

    kind: str
    value: str = field(repr=False)
    looks: frozenset[int]
    is_coarser: bool = False
    of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One text of a person: the number of its field, and the look that it is given."""

    of: int
    look: int
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody's texts over all rows and tables. `keys` are the cells that name the person, or the
    row, in a table."""

    name: str = field(repr=False)
    keys: tuple[str | None, ...] = field(repr=False)
    texts: tuple[Text, ...] = field(repr=False)
    cues: tuple[Cue, ...] = field(default=(), repr=False)

    @property
    def characters(self) -> int:
        return sum(len(each.text) for each in self.texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The masks of each of a person's texts, every real value, and the words that remain, by
    field."""

    spans: tuple[tuple[Span, ...], ...] = field(repr=False)
    values: tuple[tuple[str, str], ...] = field(repr=False)
    words: Mapping[int, Counter[str]] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonReplacements:
    """A person whose findings are to be replaced: the days by which dates move, and the tables'
    replacements of values."""

    person: Person
    spans: tuple[tuple[Span, ...], ...] = field(repr=False)
    days: int = field(repr=False)
    known: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forbidden:
    """An original value that the scrubbed texts of its person must not have; capitals count where
    `as_written`.

    `allowed` is the number of places of one text where it may be because it has another meaning
    there."""

    value: str = field(repr=False)
    as_written: bool
    allowed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NewText:
    """A scrubbed text, the values that must not be in it, the result of each finding, and its
    rarity."""

    text: str = field(repr=False)
    forbidden: tuple[Forbidden, ...] = field(repr=False)
    counts: Counter[Counted]
    unusualness: float | None
