"""OpenDocument text: paragraphs, tables, notes, headers and footers; written as a package with
nothing else in it.

Pictures, scripts, settings, properties, embedded objects and every attribute that is no layout are
left out: each can hold data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.errors import SourceError

from ..kinds import ReferenceKind
from ..replacement import ReplacedDocument
from .compound import Compound
from .encodings import decoded
from .packages import Package, packed
from .part_assembly import counted
from .parts import FilePart, FileReading
from .xml_markup import DROP, KEEP, Path, XmlReading, sewn_xml

_TYPE = "application/vnd.oasis.opendocument.text"
_FILES = ("content.xml", "styles.xml")
_LAYOUT = re.compile(
    r"xmlns(?::[\w-]+)?|office:(?:version|value-type)|style:[\w-]+|fo:[\w-]+|svg:(?:width|height|x|y|[a-z-]*font[a-z-]*)|"
    r"text:(?:style-name|level|outline-level|c|anchor-type|class-names|note-class|start-value|"
    r"list-style-name|consecutive-numbering|label-followed-by|list-level-position-and-space-mode|"
    r"list-tab-stop-position|bullet-char|space-before|min-label-width)|"
    r"table:(?:style-name|number-columns-repeated|number-columns-spanned|number-rows-spanned|"
    r"number-rows-repeated|default-cell-style-name|align)|draw:[a-z]*-?(?:fill|stroke)[a-z-]*|"
    r"number:[\w-]+|loext:[\w-]+|xml:space"
)


def _text_kind(path: Path, text: str) -> ReferenceKind | None:
    return {"creator": ReferenceKind.NAME, "date": ReferenceKind.DATE}.get(path[-1] if path else "")


def _attribute_use(path: Path, name: str, value: str) -> ReferenceKind | str:
    return KEEP if _LAYOUT.fullmatch(name) else DROP


_READING = XmlReading(
    text_kind=_text_kind,
    attribute_use=_attribute_use,
    inline=frozenset(
        "span a sub sup ruby ruby-base bookmark bookmark-start bookmark-end s tab".split()
    ),
    spaces=frozenset({"s", "tab", "line-break"}),
    dropped=frozenset(
        {"scripts", "frame", "object", "object-ole", "forms", "event-listeners", "font-face-decls"}
    ),
)


class Odt:
    """An OpenDocument text."""

    name = "ODT"
    suffixes = (".odt",)

    def open(self, content: bytes, reading: FileReading) -> OpenedOdt:
        package = Package(content, name=self.name)
        if "content.xml" not in package.names:
            raise SourceError("This ODT file is broken.", found="It has no text in it.")
        names = [name for name in _FILES if name in package.names]
        files = tuple(
            (
                "" if name == "content.xml" else "page",
                sewn_xml(decoded(package.read(name)), _READING, name=self.name),
            )
            for name in names
        )
        known = {*names, "mimetype", "META-INF/manifest.xml"}
        others = [name for name in package.names if name not in known and not name.endswith("/")]
        return OpenedOdt(compound=Compound(files=files), names=tuple(names), others=len(others))


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedOdt:
    """An OpenDocument text that was read."""

    compound: Compound
    names: tuple[str, ...]
    others: int
    suffix: str = ""

    @property
    def parts(self) -> Sequence[FilePart]:
        return self.compound.parts

    @property
    def left_out(self) -> Sequence[str]:
        more = (counted(self.others, "picture, setting or property file"),) if self.others else ()
        return (*self.compound.left_out, *more)

    @property
    def notes(self) -> Sequence[str]:
        return self.compound.notes

    def written(self, replaced: Sequence[ReplacedDocument]) -> bytes:
        files = dict(zip(self.names, self.compound.written_each(replaced), strict=True))
        entries = "".join(
            f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="text/xml"/>'
            for name in files
        )
        manifest = (
            '<?xml version="1.0" encoding="UTF-8"?><manifest:manifest manifest:version="1.2" '
            'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
            f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{_TYPE}"/>'
            f"{entries}</manifest:manifest>"
        )
        return packed(
            {"mimetype": _TYPE.encode(), **files, "META-INF/manifest.xml": manifest.encode()}
        )
