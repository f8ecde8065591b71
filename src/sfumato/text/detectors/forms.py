"""Forms: ways of writing a reference that a regular expression knows, with how sure each is.

A pattern starts with a set of characters and looks behind only after it, so that the matcher can
skip to the next one. Its repetitions are bounded. Patterns that start with a digit are tried only
where a number starts. A form may name strings of which the text must hold one: most forms cost
nothing in most documents. `tests/unit/text/detectors/test_linear_time.py` runs every pattern on a
megabyte of near-matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import repeat

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind

Check = Callable[["re.Match[str]"], bool]
_DIGIT_FIRST = re.compile(r"(?:\(\?P<\w+>|\()?(?:\\d|\[[0-9-]+\]|[0-9])(?![|*?{])")


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternForm:
    """A pattern, what it is worth alone, and what a match must pass beside it.

    The bid is for the group called `found`, or for the whole match where there is none.
    """

    pattern: re.Pattern[str]
    score: float
    reason: str
    check: Check | None = None
    needs: tuple[str, ...] = ()

    def matches(self, document: Document) -> Iterator[re.Match[str]]:
        if self.needs and not any(map(document.text.__contains__, self.needs)):
            return iter(())
        found = matches(self.pattern, document)
        return found if self.check is None else filter(self.check, found)


def matches(pattern: re.Pattern[str], document: Document) -> Iterator[re.Match[str]]:
    """The matches of a pattern without overlap. One that starts with a digit starts where a word
    does."""
    if not _starts_with_digit(pattern):
        return pattern.finditer(document.text)
    starts = document.number_starts
    return (
        _apart(filter(None, map(pattern.match, repeat(document.text), starts)))
        if starts
        else iter(())
    )


def matches_from(
    pattern: re.Pattern[str], document: Document, words: Collection[str]
) -> Iterator[re.Match[str]]:
    """The matches without overlap of a pattern that starts with one of these words, in small
    letters: it is tried only where one of them starts.

    Example:
        >>> pattern = re.compile("(?i)mother of two")
        >>> [found.start() for found in matches_from(pattern, Document("A Mother of two."), {"mother"})]
        [2]
    """
    starts, text, free = document.starts, document.text, 0
    for place in document.places(words):
        if starts[place] >= free and (found := pattern.match(text, starts[place])):
            free = found.end()
            yield found


def _apart(found: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    free = 0
    for match in found:
        if match.start() >= free:
            free = match.end()
            yield match


@cache
def _starts_with_digit(pattern: re.Pattern[str]) -> bool:
    return _DIGIT_FIRST.match(pattern.pattern) is not None


def form(
    pattern: str, score: float, reason: str, *, check: Check | None = None, needs: str = ""
) -> PatternForm:
    """A form; `needs` are strings with a bar between."""
    return PatternForm(
        pattern=re.compile(pattern),
        score=score,
        reason=reason,
        check=check,
        needs=tuple(needs.split("|")) if needs else (),
    )


def span_of(match: re.Match[str]) -> tuple[int, int]:
    return match.span("found") if "found" in match.re.groupindex else match.span()


def bids_of(
    forms: Iterable[PatternForm], document: Document, kind: ReferenceKind, detector: str
) -> Iterator[Bid]:
    """A bid for each match of each form."""
    for each in forms:
        for match in each.matches(document):
            start, end = span_of(match)
            yield Bid(start, end, kind, each.score, detector, each.reason)
