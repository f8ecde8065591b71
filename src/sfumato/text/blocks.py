"""Long texts in blocks, cut where a reader would pause, so that memory does not grow with the
text."""

from __future__ import annotations

from collections.abc import Iterator

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
