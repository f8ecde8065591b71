"""Text of a document as HTML: escaped. Characters that a page would hide or twist are shown by
their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from sfumato.report import Html, tag

from .entries import Entry

# Controls but tab and line feed, marks of direction, blanks without width, tags and surrogates. The
# joiners U+200C and U+200D are letters' business in Persian and Hindi, and emoji's, and stay.
_TWISTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)


def shown(text: str) -> Html:
    """A text for a page. A character that would twist it is an empty element that a style sheet
    labels.

    Example:
        >>> shown("<b>" + chr(0x202E))
        '&lt;b&gt;<i class="u" data-c="202e" role="img" aria-label="character U+202E"></i>'
    """
    return Html(_TWISTING.sub(_chip, escape(text)))


def _chip(found: re.Match[str]) -> str:
    code = ord(found.group())
    if (
        code == 0x0D
    ):  # A browser would read it as a line end of its own; it is counted, and not seen.
        return '<i class="u cr" data-c="d"></i>'
    return f'<i class="u" data-c="{code:x}" role="img" aria-label="character U+{code:04X}"></i>'


def original(text: str, start: int, end: int, entries: Iterable[tuple[int, Entry]]) -> Html:
    """The characters from `start` to `end`, with the entries in them marked; each has its number on
    the page."""
    out: list[str] = []
    for number, entry in entries:
        out.append(shown(text[start : entry.start]))
        about = f"{entry.kind}, {'masked' if entry.masks else 'kept'}, {entry.certainty}"
        out.append(
            tag(
                "mark",
                shown(entry.text),
                class_=_classes(entry),
                data_n=str(number),
                tabindex="0",
                title=f"{about}: {entry.reason or 'no reason given'} ({entry.detector})",
                aria_description=about,
            )
        )
        start = entry.end
    return Html("".join((*out, shown(text[start:end]))))


def scrubbed(text: str, start: int, end: int, entries: Iterable[tuple[int, Entry]]) -> Html:
    """The same characters with the replacements of those masked."""
    out: list[str] = []
    for number, entry in entries:
        out.append(shown(text[start : entry.start]))
        put = entry.text if entry.put is None else entry.put
        empty = "" if put else " empty"
        out.append(
            tag("span", shown(put), class_=f"put {_classes(entry)}{empty}", data_n=str(number))
        )
        start = entry.end
    return Html("".join((*out, shown(text[start:end]))))


def _classes(entry: Entry) -> str:
    return f"g-{entry.group} {'masked' if entry.masks else 'kept'} c-{entry.certainty}"
