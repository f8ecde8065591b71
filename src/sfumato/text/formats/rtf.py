"""RTF: read whole, written anew as plain paragraphs, so that nothing of the old file is carried
over but its texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..replacement import ReplacedDocument
from .part_assembly import checked, counted, rewoven
from .parts import FilePart, FileReading
from .rtf_reader import RtfTexts, read_rtf

_HEAD = "{\\rtf1\\ansi\\ansicpg1252\\deff0\\uc1{\\fonttbl{\\f0\\fswiss Arial;}}\n"
_GROUPS = {
    "header": "{\\header ",
    "footer": "{\\footer ",
    "footnote": "{\\footnote ",
    "comment": "{\\*\\annotation ",
}
_PLURALS = {
    "set of document properties": "sets of document properties",
    "custom property": "custom properties",
    "table of authors": "tables of authors",
    "piece of hidden or deleted text": "pieces of hidden or deleted text",
    "custom XML": "pieces of custom XML",
}


class Rtf:
    """An RTF file. Body, headers, footers, footnotes and comments are parts; fonts and layout are
    not copied.

    Example:
        >>> opened = Rtf().open(rb"{\\rtf1{\\info{\\author Ann}}{\\header H}Dear {\\b A}nn}", FileReading())
        >>> [(part.place, part.text) for part in opened.parts], opened.left_out
        ([('text', 'Dear Ann'), ('header 1', 'H')], ('1 set of document properties', 'fonts and layout'))
    """

    name = "RTF"
    suffixes = (".rtf",)

    def open(self, content: bytes, reading: FileReading) -> OpenedRtf:
        texts = read_rtf(content)
        gone = [
            counted(number, what, _PLURALS.get(what, ""))
            for what, number in sorted(texts.gone.items())
        ]
        full = [number for number, weave in enumerate(texts.weaves) if weave.text.strip()]
        parts = [
            FilePart(place=_place(texts, number), text=texts.weaves[number].text) for number in full
        ]
        return OpenedRtf(texts=texts, full=full, parts=parts, left_out=(*gone, "fonts and layout"))


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedRtf:
    """An RTF file that was read; `full` are the texts with something in them, which are the
    parts."""

    texts: RtfTexts = field(repr=False)
    full: Sequence[int]
    parts: Sequence[FilePart]
    left_out: Sequence[str]
    notes: Sequence[str] = ()
    suffix: str = ""

    def written(self, replaced: Sequence[ReplacedDocument]) -> bytes:
        checked(len(self.parts), replaced)
        new = {
            number: self._spans(number, each)
            for number, each in zip(self.full, replaced, strict=True)
        }
        pieces = [_HEAD]
        body = new.get(0, [])
        at = 0
        for number, place in self.texts.order:
            if number == 0:
                pieces += map(_escaped, body[at:place])
                at = place
            elif number in new:
                pieces += (_GROUPS[self.texts.kinds[number]], *map(_escaped, new[number]), "}")
        pieces += (*map(_escaped, body[at:]), "}\n")
        return "".join(pieces).encode("ascii")

    def _spans(self, number: int, replaced: ReplacedDocument) -> list[str]:
        weave = self.texts.weaves[number]
        text = weave.text
        new = rewoven(weave.spans, replaced)
        return [
            text[start:end] if each is None else each
            for (start, end), each in zip(weave.spans, new, strict=True)
        ]


def _place(texts: RtfTexts, number: int) -> str:
    kind = texts.kinds[number]
    return kind if number == 0 else f"{kind} {texts.kinds[: number + 1].count(kind):,}"


def _escaped(text: str) -> str:
    """Text as RTF in ASCII.

    Example:
        >>> print(_escaped("a{ü}\\nb"))
        a\\{\\u252?\\}\\par
        b
    """
    return "".join(_ESCAPES.get(character) or _character(character) for character in text)


_ESCAPES = {"\\": "\\\\", "{": "\\{", "}": "\\}", "\n": "\\par\n", "\t": "\\tab ", "\r": " "}


def _character(character: str) -> str:
    if " " <= character <= "~":
        return character
    content = character.encode("utf-16-le", "replace")
    units = [
        int.from_bytes(content[place : place + 2], "little", signed=True)
        for place in range(0, len(content), 2)
    ]
    return "".join(f"\\u{unit}?" for unit in units)
