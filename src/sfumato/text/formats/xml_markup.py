"""XML as a patchwork: text, the values of attributes, and markup that stays.

The whole file is checked by a parser first, which refuses document types and with them entities of
its own. Comments and processing instructions are dropped: either can hold data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from html import unescape
from xml.sax.saxutils import escape

from ..kinds import ReferenceKind
from .encodings import DecodedText
from .packages import parsed_xml
from .part_assembly import counted
from .patchwork import Patchwork, Quilt
from .timestamps import day_and_time

_TOKEN = re.compile(
    r"(?P<comment><!--.*?-->)|<!\[CDATA\[(?P<cdata>.*?)\]\]>|(?P<instruction><\?.*?\?>)"
    r"|<(?P<close>/?)(?P<name>[^\s/>\"'=]+)(?P<attributes>(?:[^>\"']|\"[^\"]*\"|'[^']*')*+)>|(?P<text>[^<]+)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"(?P<before>\s*)(?P<name>[^\s=/]+)\s*=\s*(?P<value>\"[^\"]*\"|'[^']*')")
KEEP, DROP, READ = "keep", "drop", "read"
Path = tuple[str, ...]
"""Local names of the elements around, the outermost first."""
TextKind = Callable[[Path, str], ReferenceKind | None]
AttributeUse = Callable[[Path, str, str], "ReferenceKind | str"]
"""The treatment of an attribute: a kind, or to keep, drop or read it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class XmlReading:
    """How the elements and attributes of one sort of XML are read.

    `inline` elements are within a line; every other begins one. `spaces` are elements that
    represent a blank."""

    text_kind: TextKind
    attribute_use: AttributeUse
    inline: Collection[str] = ()
    spaces: Collection[str] = ()
    dropped: Collection[str] = ()


def sewn_xml(text: DecodedText, reading: XmlReading, *, name: str) -> Patchwork:
    """A patchwork of the file; `SourceError` where it is no XML that can be read."""
    parsed_xml(
        text.text.encode("utf-8") if not _declares(text.text) else _undeclared(text.text), name=name
    )
    sewing = _Sewing(reading=reading, quilt=Quilt())
    for found in _TOKEN.finditer(text.text):
        sewing.take(found)
    left = [counted(number, *what.split("|")) for what, number in sorted(sewing.gone.items())]
    return sewing.quilt.sewn(text, left_out=left)


def _declares(source: str) -> bool:
    return source.lstrip().startswith("<?xml")


def _undeclared(source: str) -> bytes:
    """Without the declaration, whose encoding was heeded before."""
    return source[source.index("?>") + 2 :].strip().encode("utf-8")


def _quoted(text: str) -> str:
    """As the value of an attribute."""
    return escape(text, {'"': "&quot;", "\n": "&#10;"})


@dataclass(slots=True)
class _Sewing:
    reading: XmlReading
    quilt: Quilt
    path: list[str] = field(default_factory=list)
    gone: Counter[str] = field(default_factory=Counter)
    body: int = -1
    within: int = 0
    """How deep it is in elements that are dropped."""

    def take(self, found: re.Match[str]) -> None:
        if found["comment"] is not None:
            self.gone["comment"] += 1
        elif found["instruction"] is not None:
            self._instruction(found.group())
        elif found["name"] is not None:
            self._tag(found)
        elif self.within:
            return
        elif found["cdata"] is not None:
            self._text(escape(found["cdata"]), found["cdata"])
        else:
            self._text(found["text"], unescape(found["text"]))

    def _instruction(self, source: str) -> None:
        if source.startswith("<?xml "):
            self.quilt.keep(source)
        else:
            self.gone["processing instruction"] += 1

    def _tag(self, found: re.Match[str]) -> None:
        local = found["name"].rpartition(":")[2]
        attributes = found["attributes"]
        closes_itself = attributes.endswith("/")
        if self.within or local in self.reading.dropped:
            if local in self.reading.dropped and not found["close"] and not closes_itself:
                self.within += 1
            elif local in self.reading.dropped and found["close"]:
                self.within -= 1
            self.gone["object"] += local in self.reading.dropped and not found["close"]
            return
        if local in self.reading.spaces:
            self._between(" ")
        elif local not in self.reading.inline:
            self._between("\n")
        if found["close"]:
            if self.path:
                self.path.pop()
            self.quilt.keep(found.group())
            return
        self.path.append(local)
        self.quilt.keep(f"<{found['name']}")
        self._attributes(attributes)
        self.quilt.keep("/>" if closes_itself else ">")
        if closes_itself:
            self.path.pop()

    def _attributes(self, source: str) -> None:
        path = tuple(self.path)
        for found in _ATTRIBUTE.finditer(source):
            name, value = found["name"], unescape(found["value"][1:-1])
            use = self.reading.attribute_use(path, name, value)
            if use == DROP:
                continue
            if use == KEEP or not value.strip():
                self.quilt.keep(found.group())
                continue
            self.quilt.keep(f'{found["before"]}{name}="')
            kind = use if isinstance(use, ReferenceKind) else None
            own, rest = day_and_time(value) if kind is ReferenceKind.DATE else (value, "")
            place = f"attribute {name.rpartition(':')[2]} of {path[-1]}"
            self.quilt.whole(place, _quoted(own), text=own, encode=_quoted, kind=kind)
            self.quilt.keep(_quoted(rest) + '"')

    def _text(self, source: str, text: str) -> None:
        kind = self.reading.text_kind(tuple(self.path), text)
        if not text.strip():
            self.quilt.keep(source)
            self._between(" " if text else "")
        elif kind is not None:
            self.quilt.whole(
                f"element {self.path[-1]}", source, text=text, encode=escape, kind=kind
            )
        else:
            if self.body < 0:
                self.body = self.quilt.part("text")
            self.quilt.add(self.body, source, text=text, encode=escape)

    def _between(self, piece: str) -> None:
        if self.body >= 0:
            weave = self.quilt.weave(self.body)
            if not (weave.ends_blank if piece == " " else weave.ends_line):
                weave.between(piece)
