"""Cutting documents into the parts of a page: blocks side by side, and folds where a long document
has no findings.

A block ends with a line, so that both columns stay level. A page holds only so much that a browser
opens it at once, whether the collection is ten thousand notes or one text of ten megabytes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

USUAL, LONGEST = 400, 3_000
"""A block of so many characters ends with its line; a line of so many is cut."""
FOLDED_FROM = 20_000
"""Documents of so many characters are folded where nothing was found."""
LONGEST_FOLD = 100_000
WEIGHT = 500_000
"""The content of a page: the characters shown, and some hundred more for each finding."""
MOST = 200
"""The most documents on a page."""
FINDING = 300
DOCUMENT = 500


@dataclass(frozen=True, slots=True)
class Block:
    """Characters from `start` up to `end`; `folded` ones are shown once, and closed."""

    start: int
    end: int
    findings: int = 0
    folded: bool = False

    @property
    def weight(self) -> int:
        length = self.end - self.start
        return length if self.folded else 2 * length + FINDING * self.findings


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some blocks of one document that are on one page: the `part`th of `parts`."""

    document: int
    blocks: tuple[Block, ...]
    part: int = 1
    parts: int = 1

    @property
    def is_whole(self) -> bool:
        return self.parts == 1


def cut(text: str, spans: Sequence[tuple[int, int]]) -> tuple[Block, ...]:
    """The blocks of a document; no span is cut in two. `spans` are in order and do not overlap.

    Example:
        >>> [(block.start, block.end) for block in cut("Dear Ann,\\n\\nAll well.", [])]
        [(0, 11), (11, 20)]
    """
    starts = [start for start, _ in spans]
    blocks = []
    start = 0
    while start < len(text):
        end = _end(text, start)
        place = bisect_left(starts, end) - 1
        if place >= 0 and spans[place][1] > end:
            end = spans[place][1]
        blocks.append(Block(start, end, bisect_left(starts, end) - bisect_left(starts, start)))
        start = end
    return tuple(blocks) if len(text) < FOLDED_FROM else tuple(_folded(blocks))


def _end(text: str, start: int) -> int:
    """Where a block ends: behind a blank line, behind a line once it is long enough, or within a
    very long line."""
    limit = min(len(text), start + LONGEST)
    at = start
    while (line := text.find("\n", at, limit)) >= 0:
        at = line + 1
        if at - start >= USUAL or text.startswith(("\n", "\r\n"), at):
            while text.startswith(("\n", "\r\n"), at) and at < limit:
                at = text.index("\n", at) + 1
            return at
    if limit == len(text):
        return limit
    blank = max(text.rfind(" ", start, limit), at - 1)
    return blank + 1 if blank > start else limit


def _folded(blocks: Sequence[Block]) -> Iterator[Block]:
    """Blocks without findings, and not beside one with any, put together and folded."""
    start = end = -1
    for place, block in enumerate(blocks):
        near = blocks[max(0, place - 1) : place + 2]
        if any(each.findings for each in near) or (
            end > start >= 0 and block.end - start > LONGEST_FOLD
        ):
            if end > start:
                yield Block(start, end, folded=True)
            start = end = -1
        if any(each.findings for each in near):
            yield block
        else:
            start, end = (block.start if start < 0 else start), block.end
    if end > start:
        yield Block(start, end, folded=True)


def paged(documents: Iterable[tuple[int, Sequence[Block]]]) -> list[list[Stretch]]:
    """The content of each page, documents in the order given; a document too long for one continues
    on the next."""
    pages: list[list[Stretch]] = [[]]
    weight = 0
    for document, blocks in documents:
        pieces = _pieces(blocks)
        for part, piece in enumerate(pieces, start=1):
            more = DOCUMENT + sum(block.weight for block in piece)
            if pages[-1] and (weight + more > WEIGHT or len(pages[-1]) >= MOST):
                pages.append([])
                weight = 0
            pages[-1].append(Stretch(document, tuple(piece), part, len(pieces)))
            weight += more
    return pages


def _pieces(blocks: Sequence[Block]) -> list[list[Block]]:
    pieces: list[list[Block]] = [[]]
    weight = 0
    for block in blocks:
        if pieces[-1] and weight + block.weight > WEIGHT:
            pieces.append([])
            weight = 0
        pieces[-1].append(block)
        weight += block.weight
    return pieces
