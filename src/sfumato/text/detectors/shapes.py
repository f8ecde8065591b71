"""Numbers by their shape: "943 476 5919" has the shape "999 999 9999", "AB 12 34 56 C" the shape
"AA 99 99 99 A".

Hundreds of kinds of numbers can be distinguished by one look-up of the shape. As many patterns
would each have to read the whole text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from string import ascii_letters, digits

from ..documents import Code, Document

_JOINTS = "-./"
_ASCII = str.maketrans(digits + ascii_letters, "9" * 10 + "A" * 52)
_LONGEST = 42


@dataclass(frozen=True, slots=True)
class ShapedText:
    """A stretch of text of a shape that was asked for; `code` is the first code in it, for the
    words before."""

    start: int
    end: int
    shape: str
    characters: str
    code: Code


class Shapes:
    """The shapes that are looked for, with their beginnings up to a blank, so that a search can
    stop early."""

    def __init__(self, shapes: Iterable[str]) -> None:
        self.whole = frozenset(shapes)
        parts = [shape.split(" ") for shape in self.whole]
        self.starts = frozenset(
            " ".join(each[:count]) for each in parts for count in range(1, len(each))
        )


def shape_of(text: str) -> str:
    """Decimal digits become 9, Latin letters A, the rest stays.

    Example:
        >>> shape_of("QQ 12 34 56 C"), shape_of("123-45-6789")
        ('AA 99 99 99 A', '999-99-9999')
    """
    if text.isascii():
        return text.translate(_ASCII)
    return "".join(
        "9" if c.isdecimal() else "A" if c.isascii() and c.isalpha() else c for c in text
    )


def characters_of(text: str) -> str:
    """Only letters and digits, in capitals and European digits."""
    return "".join(
        str(int(c)) if c.isdecimal() else c.upper() for c in text if c.isdecimal() or c.isalpha()
    )


def shaped(document: Document, shapes: Shapes) -> Iterator[ShapedText]:
    """Every stretch of one of the shapes that starts where a code does and ends where a word does.

    A stretch is one code, or several groups with one blank between. A word of one or two capital
    letters may be before the first digit, as in a British national insurance number."""
    for code in document.codes:
        if code.end - code.start > _LONGEST:
            continue
        yield from _from(document, code, code.start, shapes)
        if (
            code.first
            and document.gaps[code.first] == " "
            and _is_short(document.texts[code.first - 1])
        ):
            yield from _from(document, code, document.starts[code.first - 1], shapes)


def _from(document: Document, code: Code, start: int, shapes: Shapes) -> Iterator[ShapedText]:
    """The stretches from one start: groups are added as long as some shape starts so."""
    text, last = document.text, code.last
    while True:
        end = document.ends[last]
        if end - start > _LONGEST:
            return
        shape = shape_of(text[start:end])
        if shape in shapes.whole:
            yield ShapedText(start, end, shape, characters_of(text[start:end]), code)
        following = _next(document, last) if shape in shapes.starts else None
        if following is None:
            return
        last = following


def _is_short(text: str) -> bool:
    return len(text) <= 2 and text.isascii() and text.isalpha() and text.isupper()


def _next(document: Document, last: int) -> int | None:
    """The place of the last word of the next group after one blank, if that could go on with the
    number."""
    texts, starts, ends, gaps = document.texts, document.starts, document.ends, document.gaps
    if last + 1 >= len(texts) or gaps[last + 1] != " ":
        return None
    group = texts[last + 1]
    if not (_is_short(group) or any(map(str.isdecimal, group))):
        return None
    place = last + 1
    while place + 1 < len(texts) and len(gaps[place + 1]) == 1 and gaps[place + 1] in _JOINTS:
        place += 1
        if ends[place] - starts[last] > _LONGEST:
            return None
    return place
