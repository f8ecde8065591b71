"""Text as a reader sees it: without characters that take no room, and with cut and spaced words
joined.

Townsend with a soft hyphen, a blank of no width or a mark of direction in it reads as Townsend. So
does "Town-" at the end of a line with "send" on the next: word processors, web pages and e-mail
programs write them so. T o w n s e n d reads so too: headings and forms have letters with blanks
between. Detectors look at the visible text, and their findings are given in places of the text as
it is.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace
from itertools import accumulate

from .bids import Bid
from .documents import Document

_UNSEEN = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff"
)
_CUT = r"(?:(?<=[^\W\d_])[-‐‑\u00ad]|¬)[ \t]*(?:\r\n?|\n)[ \t]*(?=[^\W\d_])"
_HIDDEN = re.compile(rf"{_CUT}|[{_UNSEEN}]+")
_BLANK, _CAPITAL, _SMALL = "[ \u00a0\u2009\u202f]", "[A-ZÀ-ÖØ-Þ]", "[a-zß-öø-ÿ]"
_SPACED = re.compile(
    rf"(?<![^\W_])(?<![^\W_]['’])(?:{_CAPITAL}(?:(?P<between>{_BLANK}|[-_.]){_SMALL})(?:(?P=between){_SMALL})+"
    rf"|{_CAPITAL}(?:{_BLANK}{_CAPITAL}){{3,}}|{_SMALL}(?:{_BLANK}{_SMALL}){{3,}})(?![^\W_])"
)
"""Letters of one word with blanks between: at least three after a capital, or four alike; lists
have fewer."""
_ONE, _LINE_END = re.compile(rf"[{_UNSEEN}‐‑¬ʼ]"), re.compile(r"-[ \t]*[\r\n]")
_USUAL = str.maketrans({"‐": "-", "‑": "-", "ʼ": "’"})
"""Hyphens and apostrophes that look like the usual ones."""


@dataclass(frozen=True, slots=True)
class VisibleText:
    """A document as it is seen. `cuts` are the places in it before which something is hidden,
    `lengths` how much is hidden up to each."""

    document: Document
    cuts: tuple[int, ...] = field(default=(), repr=False)
    lengths: tuple[int, ...] = field(default=(), repr=False)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in the text itself of a piece of the visible text, with all that is hidden
        inside it."""
        if not self.cuts:
            return start, end
        first = bisect_right(self.cuts, start)
        last = bisect_left(self.cuts, end)
        return start + (self.lengths[first - 1] if first else 0), end + (
            self.lengths[last - 1] if last else 0
        )

    def back(self, bid: Bid) -> Bid:
        start, end = self.span(bid.start, bid.end)
        return bid if (start, end) == (bid.start, bid.end) else replace(bid, start=start, end=end)


def as_seen(document: Document) -> VisibleText:
    """The document as a reader sees it; the very same where nothing is hidden in it.

    Example:
        >>> seen = as_seen(Document("Ms. Towns\\u00adend and Mr. Hay-\\nes"))
        >>> seen.document.text, seen.span(4, 12), seen.span(21, 26)
        ('Ms. Townsend and Mr. Hayes', (4, 13), (22, 29))
    """
    text = document.text
    found = _spaces_between_letters(text)
    if _ONE.search(text) is not None or _LINE_END.search(text) is not None:
        found += [each.span() for each in _HIDDEN.finditer(text) if _is_hidden(text, *each.span())]
        found = sorted(set(found))
    elif not found:
        return VisibleText(document)
    lengths = tuple(accumulate(end - start for start, end in found))
    before = (0, *lengths)
    cuts = tuple(start - hidden for (start, _), hidden in zip(found, before, strict=False))
    seen = _without(text, found).translate(_USUAL)
    return VisibleText(replace(document, text=seen) if seen != text else document, cuts, lengths)


def visible(text: str) -> str:
    """A short piece of text as it is seen.

    Example:
        >>> visible("Town-\\nsend"), visible("Anne-\\nMarie")
        ('Townsend', 'Anne-\\nMarie')
        >>> visible("K e l l e r"), visible("J. R. R. Long"), visible("A B")
        ('Keller', 'J. R. R. Long', 'A B')
    """
    if (
        _ONE.search(text) is None
        and "\n" not in text
        and "\r" not in text
        and _SPACED.search(text) is None
    ):
        return text
    return as_seen(Document(text)).document.text


def _spaces_between_letters(text: str) -> list[tuple[int, int]]:
    """The blanks, one by one, in words whose letters have blanks between."""
    return [
        (at, at + 1)
        for found in _SPACED.finditer(text)
        for at in range(found.start() + 1, found.end(), 2)
    ]


def _is_hidden(text: str, start: int, end: int) -> bool:
    """Whether a reader does not see it: of a hyphen before the end of a line, only where a word
    goes on behind it."""
    if text[start] not in "-‐‑¬":
        return (
            True  # A soft hyphen too: where it stands before the end of a line, the word goes on.
        )
    before, after = text[start - 1 : start], text[end : end + 1]
    small = before.islower() and after.islower()
    return small or (text[max(0, start - 2) : start].isupper() and text[end : end + 2].isupper())


def _without(text: str, found: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    last = 0
    for start, end in found:
        pieces.append(text[last:start])
        last = end
    return "".join((*pieces, text[last:]))
