"""DOCX: read story by story, and packed anew with what a list allows; nothing else of the old
package is copied."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from sfumato.errors import SourceError

from ..replacement import ReplacedDocument
from .docx_markup import HEAD, NAMESPACES, Styles, attribute, filtered, local
from .docx_stories import opened_story
from .packages import Package, packed
from .part_assembly import checked, counted
from .parts import FilePart, FileReading
from .patchwork import Patchwork

_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_CONTENT = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_SETTINGS = (
    f'{HEAD}<w:settings {NAMESPACES}><w:compat><w:compatSetting w:name="compatibilityMode" '
    'w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat></w:settings>'
)
_NOTES = ("footnotes", "endnotes", "comments")
_OTHERS = (
    (r".*/media/.*|.*\.(?:png|jpe?g|gif|emf|wmf|tiff?|bmp|svg|wdp)", "picture in the package|pictures in the package"),
    (r".*vba.*|.*/macros/.*", "macro file"),
    (r".*/embeddings/.*|.*/activeX/.*|.*/afchunk.*", "embedded file"),
    (r"customXml/.*|.*/customXml/.*", "file of custom XML|files of custom XML"),
    (r"docProps/.*", "file of document properties|files of document properties"),
    (r".*/(?:people|comments[A-Z][A-Za-z]*)\.xml", "file about those who commented|files about those who commented"),
    (r".*/(?:charts|diagrams)/.*", "file of a chart or diagram|files of charts and diagrams"),
    (r".*/fonts/.*", "embedded font"),
    (r".*/(?:settings|webSettings|fontTable|stylesWithEffects)\.xml|.*/theme/.*|.*/glossary/.*|.*\.xml", "other file"),
)  # fmt: skip


class Docx:
    """A Word document, 2007 or later.

    Parts are the body, each header and footer, each footnote, endnote and comment. Paragraphs,
    tables, lists, bold and the like stay; pictures, properties, authors, links' targets, macros and
    whatever is not listed do not."""

    name = "DOCX"
    suffixes = (".docx",)

    def open(self, content: bytes, reading: FileReading) -> OpenedDocx:
        package = Package(content, name=self.name)
        gone: Counter[str] = Counter()
        main = _main(package)
        related = _related(package, main)
        sheet = {
            name: package.xml(related[name][0][1])
            for name in ("styles", "numbering")
            if related.get(name)
        }
        styles = Styles.of(sheet.get("styles"))
        notes = {name: package.xml(related[name][0][1]) for name in _NOTES if related.get(name)}
        ids = {
            name: frozenset(attribute(each, "id") for each in root) for name, root in notes.items()
        }
        edges = [(kind, *each) for kind in ("header", "footer") for each in related.get(kind, ())]
        links = {given: f"rId{10 + number}" for number, (_, given, _) in enumerate(edges, start=1)}
        stories: dict[str, Patchwork] = {}

        def story(name: str, root: Element, place: str) -> None:
            stories[name] = opened_story(
                root, place, links=links, notes=ids, styles=styles, gone=gone
            )

        story("word/document.xml", package.xml(main), "text")
        for number, (kind, _, target) in enumerate(edges, start=1):
            story(f"word/{kind}{number}.xml", package.xml(target), f"{kind} {number:,}")
        for name, root in notes.items():
            story(f"word/{name}.xml", root, name)
        read = {main, *(target for each in related.values() for _, target in each)}
        _count_others(package, read, gone)
        left_out = [counted(number, *what.split("|")) for what, number in sorted(gone.items())]
        files = {f"word/{name}.xml": _sheet(name, root, styles) for name, root in sheet.items()}
        return OpenedDocx(stories=stories, files=files, left_out=tuple(left_out))


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedDocx:
    """A document that was read: its stories by the names of their files, and the files that hold no
    text."""

    stories: Mapping[str, Patchwork] = field(repr=False)
    files: Mapping[str, str] = field(repr=False)
    left_out: Sequence[str]
    notes: Sequence[str] = ()
    suffix: str = ""

    @property
    def parts(self) -> Sequence[FilePart]:
        return [part for story in self.stories.values() for part in story.parts]

    def written(self, replaced: Sequence[ReplacedDocument]) -> bytes:
        checked(len(self.parts), replaced)
        out: dict[str, str] = {}
        at = 0
        for name, story in self.stories.items():
            out[name] = story.text(replaced[at : at + len(story.parts)])
            at += len(story.parts)
        out |= {"word/settings.xml": _SETTINGS, **self.files}
        whole = {
            "[Content_Types].xml": _content_types(out),
            "_rels/.rels": _root(),
            _RELS: _document_relations(out),
            **out,
        }
        return packed({name: text.encode() for name, text in whole.items()})


_RELS = "word/_rels/document.xml.rels"


def _main(package: Package) -> str:
    """Where the document itself is."""
    if "_rels/.rels" in package.names:
        for relation in package.xml("_rels/.rels"):
            if relation.get("Type", "").endswith("/officeDocument"):
                target = relation.get("Target", "").lstrip("/")
                if target in package.names and local(package.xml(target)) == "document":
                    return target
    raise SourceError(
        "This file is not a Word document.",
        found="It is a package without a Word document in it.",
        attempt="a DOCX file; spreadsheets and slides are not read.",
    )


def _related(package: Package, main: str) -> dict[str, list[tuple[str, str]]]:
    """The files that the document refers to, by what they are: their ids and names."""
    folder, name = posixpath.split(main)
    relations = posixpath.join(folder, "_rels", f"{name}.rels")
    out: dict[str, list[tuple[str, str]]] = {}
    for relation in package.xml(relations) if relations in package.names else ():
        target = relation.get("Target", "")
        where = posixpath.normpath(
            target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
        )
        kind = relation.get("Type", "").rpartition("/")[2]
        is_inside = relation.get("TargetMode") != "External" and where in package.names
        if is_inside and kind in ("styles", "numbering", "header", "footer", *_NOTES):
            out.setdefault(kind, []).append((relation.get("Id", ""), where))
    return out


def _sheet(name: str, root: Element, styles: Styles) -> str:
    if name == "styles":
        return styles.written(root)
    return (
        f"{HEAD}<w:numbering "
        f"{NAMESPACES}>{''.join(filtered(each, styles) for each in root)}</w:numbering>"
    )


def _count_others(package: Package, read: set[str], gone: Counter[str]) -> None:
    for name in package.names:
        if name in read or name.endswith(("/", ".rels")) or name == "[Content_Types].xml":
            continue
        what = next(
            (what for pattern, what in _OTHERS if re.fullmatch(pattern, name, re.IGNORECASE)),
            "other file",
        )
        gone[what] += 1


def _kind(name: str) -> str:
    return re.sub(r"\d+$", "", posixpath.basename(name).removesuffix(".xml"))


def _content_types(files: Mapping[str, str]) -> str:
    kinds = {"document": "document.main"}
    overrides = "".join(
        f'<Override PartName="/{name}" '
        f'ContentType="{_CONTENT}.{kinds.get(_kind(name), _kind(name))}+xml"/>'
        for name in files
    )
    relations = "application/vnd.openxmlformats-package.relationships+xml"
    defaults = "".join(
        f'<Default Extension="{suffix}" ContentType="{kind}"/>'
        for suffix, kind in (("rels", relations), ("xml", "application/xml"))
    )
    return f'{HEAD}<Types xmlns="{_TYPES}">{defaults}{overrides}</Types>'


def _root() -> str:
    relation = f'<Relationship Id="rId1" Type="{_TYPE}/officeDocument" Target="word/document.xml"/>'
    return f'{HEAD}<Relationships xmlns="{_RELATIONS}">{relation}</Relationships>'


def _document_relations(files: Mapping[str, str]) -> str:
    """Headers and footers have the ids that the document was given for them, the others those
    before."""
    out: list[str] = []
    others = 0
    for name in files:
        kind = _kind(name)
        if kind == "document":
            continue
        if kind in ("header", "footer"):
            number = 10 + int(re.sub(r"\D", "", posixpath.basename(name)))
        else:
            others += 1
            number = others
        out.append(
            f'<Relationship Id="rId{number}" Type="{_TYPE}/{kind}" '
            f'Target="{posixpath.basename(name)}"/>'
        )
    return f'{HEAD}<Relationships xmlns="{_RELATIONS}">{"".join(out)}</Relationships>'
