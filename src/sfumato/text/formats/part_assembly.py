"""Weaving: putting the replacements of a text back into the places that the text was read from.

A format gathers a text from many places of a file: runs of letters, cells, entities. Each is a
*span* of the text. Between spans there may be characters that the file does not hold, such as the
line break between two paragraphs. A reference may extend over several spans, such as a name with
its first letter in bold. Its first span then gets the whole surrogate and the others lose their
share; characters between spans are the file's and stay. Where the surrogate has the same between
its parts, as "Townsend" and "Virginia" in two cells, each part is put in its own span."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from sfumato.errors import Bug
from sfumato.wording import counted as counted

from ..replacement import ReplacedDocument, TextReplacement

Span = tuple[int, int]


def rewoven(spans: Sequence[Span], replaced: ReplacedDocument) -> list[str | None]:
    """The new text of each span, None where nothing of it was replaced. Spans are in order and do
    not overlap.

    Example:
        >>> from sfumato.text.kinds import ReferenceKind
        >>> from sfumato.text.replacement import How
        >>> change = TextReplacement(start=3, end=10, new_start=3, new_end=6, how=How.SURROGATE,
        ...                          kind=ReferenceKind.NAME, original="Ann Lee", surrogate="Bob")
        >>> now = ReplacedDocument(text="Dr Bob came, late.", replacements=(change,))
        >>> rewoven([(0, 4), (4, 6), (7, 14), (14, 20)], now)
        ['Dr Bob', '', ' cam', None]
    """
    text = _original(replaced)
    changed = (change for change in replaced.replacements if change.original != change.surrogate)
    changes = [piece for change in changed for piece in _cut(change, spans, text)]
    out: list[str | None] = []
    place = 0
    given: set[int] = set()
    for start, end in spans:
        while place < len(changes) and changes[place].end <= start:
            place += 1
        out.append(_span(text, (start, end), changes, first=place, given=given))
    return out


def _cut(change: TextReplacement, spans: Sequence[Span], text: str) -> Iterator[TextReplacement]:
    """A change cut where it reaches over what the file does not hold, such as from one cell into
    the next. Where the surrogate has the same there, each side gets its own piece. Else it stays
    whole."""
    pieces, start, rest = list[TextReplacement](), change.start, change.surrogate
    place = max(0, bisect_right(spans, change.start, key=itemgetter(0)) - 1)
    while place + 1 < len(spans) and spans[place + 1][0] < change.end:
        end, following = spans[place][1], spans[place + 1][0]
        place += 1
        if end == following or end <= start:
            continue
        before, found, behind = rest.partition(text[end:following])
        if not found:
            yield change
            return
        pieces.append(replace(change, start=start, end=end, surrogate=before))
        start, rest = following, behind
    yield from (*pieces, replace(change, start=start, surrogate=rest) if pieces else change)


def _span(
    text: str, span: Span, changes: Sequence[TextReplacement], *, first: int, given: set[int]
) -> str | None:
    start, end = span
    pieces: list[str] = []
    last = start
    touched = False
    for number in range(first, len(changes)):
        change = changes[number]
        if change.start >= end:
            break
        touched = True
        pieces.append(text[last : max(last, change.start)])
        if number not in given:
            given.add(number)
            pieces.append(change.surrogate)
        last = min(change.end, end)
    return "".join((*pieces, text[last:end])) if touched else None


def _original(replaced: ReplacedDocument) -> str:
    """The text before, put together from the text after: text that was not replaced is the same in
    both."""
    pieces: list[str] = []
    last = 0
    for change in replaced.replacements:
        pieces += (replaced.text[last : change.new_start], change.original)
        last = change.new_end
    return "".join((*pieces, replaced.text[last:]))


@dataclass(slots=True)
class Weave:
    """A text gathered piece by piece, with the place of each piece.

    Example:
        >>> weave = Weave()
        >>> weave.add("Ann"), weave.between(" "), weave.add("Lee")
        (0, None, 1)
        >>> weave.text, weave.spans
        ('Ann Lee', [(0, 3), (4, 7)])
    """

    spans: list[Span] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _length: int = 0

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    @property
    def ends_blank(self) -> bool:
        """Whether nothing was gathered yet or the last character is a blank or a line break."""
        return not self._length or self._pieces[-1][-1].isspace()

    @property
    def ends_line(self) -> bool:
        return not self._length or self._pieces[-1][-1] == "\n"

    def add(self, piece: str) -> int:
        """Gather a piece that the file holds; which span it is."""
        self.spans.append((self._length, self._length + len(piece)))
        self.between(piece)
        return len(self.spans) - 1

    def between(self, piece: str) -> None:
        """Gather what the file does not hold, such as a line break between two paragraphs."""
        if piece:
            self._pieces.append(piece)
            self._length += len(piece)


def checked(parts: int, replaced: Sequence[ReplacedDocument]) -> None:
    """One `ReplacedDocument` for each part, or it is our mistake."""
    if parts != len(replaced):
        raise Bug(f"a file of {parts:,} parts was to be written with {len(replaced):,} texts.")
