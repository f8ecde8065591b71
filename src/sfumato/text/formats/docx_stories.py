"""The stories of a DOCX file: body, headers, footers, notes and comments, each a text with its
markup cleaned.

A paragraph is a line, and the cells of a row are in one line with tabs between. A run is a span, so
that a name over three runs is one name. Insertions are taken as made; deleted and hidden text is
left out, as are fields' codes and the targets of links, whose words stay. A text box follows the
paragraph of its anchor."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from html import escape
from xml.etree.ElementTree import Element

from .docx_markup import HEAD, NAMESPACES, R, Styles, attribute, filtered, local
from .encodings import DecodedText
from .patchwork import Patchwork, Quilt

_DELETED = "piece of deleted text|pieces of deleted text"
_CHANGER = "author of a change|authors of changes"
_GONE = {
    "del": _DELETED, "moveFrom": _DELETED, "delText": _DELETED, "ins": _CHANGER, "moveTo": _CHANGER,
    ":oMath": "formula", ":oMathPara": "formula", "instrText": "field code", "bookmarkStart": "bookmark",
    "altChunk": "embedded file", "subDoc": "embedded file", "rt": "reading aid",
    "hyperlink": "link's target|links' targets", "fldSimple": "field code",
}  # fmt: skip
_DROPPED = frozenset(
    "del moveFrom delText delInstrText instrText :oMath :oMathPara altChunk subDoc "
    "bookmarkStart bookmarkEnd sdtPr "
    "sdtEndPr proofErr permStart permEnd smartTagPr customXmlPr rt rubyPr fldChar "
    "softHyphen lastRenderedPageBreak "
    "pPrChange rPrChange tblPrChange sectPrChange tblGridChange numberingChange".split()
)
_WRAPPERS = frozenset(
    "sdt sdtContent ins moveTo smartTag customXml hyperlink fldSimple dir bdo ruby rubyBase".split()
)
_MARKS = frozenset(
    {"footnoteRef", "endnoteRef", "annotationRef", "separator", "continuationSeparator", "pgNum"}
)
_REFERENCES = {
    "footnoteReference": "footnotes", "endnoteReference": "endnotes", "commentReference": "comments",
    "commentRangeStart": "comments", "commentRangeEnd": "comments",
}  # fmt: skip
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_BETWEEN = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011"}


def opened_story(root: Element, place: str, *, links: Mapping[str, str], notes: Mapping[str, frozenset[str]],
                 styles: Styles, gone: Counter[str]) -> Patchwork:  # fmt: skip
    """One story. `links` are the new ids of headers and footers, `notes` the ids that notes and
    comments have."""
    story = _Story(place, links, notes, styles, gone)
    story.quilt.keep(f"{HEAD}<w:{local(root)} {NAMESPACES}>")
    story.outer(root)
    story.quilt.keep(f"</w:{local(root)}>")
    return story.quilt.sewn(DecodedText(text="", encoding="utf-8"))


class _Story:
    """Writes the markup that stays and gathers the text."""

    def __init__(self, place: str, links: Mapping[str, str], notes: Mapping[str, frozenset[str]], styles: Styles,
                 gone: Counter[str]) -> None:  # fmt: skip
        self.quilt = Quilt()
        self.gone = gone
        self._part = self.quilt.part(place)
        self._place, self._links, self._notes, self._styles = place, links, notes, styles
        self._boxes: list[Element] = []
        self._number = 0

    def outer(self, root: Element) -> None:
        """The body, a header or footer, or notes and comments, each a text of its own."""
        if local(root) in ("hdr", "ftr"):
            self._blocks(root)
        for element in root if local(root) not in ("hdr", "ftr") else ():
            self._text(element, local(element))

    def _text(self, element: Element, name: str) -> None:
        if name in ("body", "footnote", "endnote", "comment"):
            number = attribute(element, "id")
            given = f' w:id="{number}"' if re.fullmatch(r"-?\d{1,9}", number) else ""
            if name == "comment":
                self.gone["author of a comment|authors of comments"] += 1
                given += ' w:author="" w:initials=""'
            elif attribute(element, "type") in ("separator", "continuationSeparator"):
                given += f' w:type="{attribute(element, "type")}"'
            if name != "body":
                self._number += 1
                self._part = self.quilt.part(f"{name} {self._number:,}")
            self.quilt.keep(f"<w:{name}{given}>")
            self._blocks(element)
            self.quilt.keep(f"</w:{name}>")

    def _blocks(self, holder: Element, *, in_cell: bool = False) -> None:
        blocks = list(_unwrapped(holder, self.gone))
        for number, block in enumerate(blocks, start=1):
            self._block(block, is_last=in_cell and number == len(blocks))

    def _block(self, block: Element, *, is_last: bool) -> None:
        name = local(block)
        if name == "p":
            self._paragraph(block, is_last=is_last)
        elif name == "tbl":
            self._table(block)
        elif name == "sectPr":
            self.quilt.keep(self._section(block))
        elif name in _REFERENCES:
            self._reference(block)

    def _paragraph(self, paragraph: Element, *, is_last: bool) -> None:
        self.quilt.keep("<w:p>")
        for element in _unwrapped(paragraph, self.gone):
            self._inline(element)
        self.quilt.keep("</w:p>")
        boxes, self._boxes = self._boxes, []
        if not is_last or boxes:
            self.quilt.weave(self._part).between("\n")
        for box in boxes:
            self._blocks(box)

    def _table(self, table: Element) -> None:
        self.quilt.keep("<w:tbl>")
        for element in _unwrapped(table, self.gone):
            if local(element) != "tr":
                self.quilt.keep(filtered(element, self._styles))
                continue
            self.quilt.keep("<w:tr>")
            cells = list(_unwrapped(element, self.gone))
            for number, cell in enumerate(cells, start=1):
                self._cell(cell, is_last=number == len(cells))
            self.quilt.keep("</w:tr>")
        self.quilt.keep("</w:tbl>")

    def _cell(self, cell: Element, *, is_last: bool) -> None:
        if local(cell) != "tc":
            self.quilt.keep(filtered(cell, self._styles))
            return
        self.quilt.keep("<w:tc>")
        for element in cell:
            if local(element) == "tcPr":
                self.quilt.keep(filtered(element, self._styles))
        self._blocks(cell, in_cell=True)
        self.quilt.keep("</w:tc>")
        self.quilt.weave(self._part).between("\n" if is_last else "\t")

    def _inline(self, element: Element) -> None:
        name = local(element)
        if name == "r":
            self._run(element)
        elif name == "pPr":
            self.quilt.keep(self._paragraph_properties(element))
        elif name in _REFERENCES:
            self._reference(element)

    def _run(self, run: Element) -> None:
        properties = next((each for each in run if local(each) == "rPr"), None)
        if properties is not None and any(
            local(each) in ("vanish", "webHidden") for each in properties
        ):
            self.gone["piece of hidden text|pieces of hidden text"] += 1
            return
        self.quilt.keep("<w:r>")
        for element in _unwrapped(run, self.gone):
            self._within_run(element)
        self.quilt.keep("</w:r>")

    def _within_run(self, element: Element) -> None:
        name = local(element)
        if name == "t":
            if text := _CONTROL.sub("", element.text or ""):
                self.quilt.keep('<w:t xml:space="preserve">')
                self.quilt.add(self._part, escape(text, quote=False), text=text, encode=_escaped)
                self.quilt.keep("</w:t>")
        elif name in _BETWEEN:
            kind = (
                f' w:type="{attribute(element, "type")}"'
                if attribute(element, "type") in ("page", "column")
                else ""
            )
            self.quilt.keep(f"<w:{'tab' if name == 'ptab' else name}{kind}/>")
            self.quilt.weave(self._part).between(_BETWEEN[name])
        elif name == "rPr":
            self.quilt.keep(filtered(element, self._styles))
        elif name in _MARKS:
            self.quilt.keep(f"<w:{name}/>")
        elif name == "sym":
            self.gone["symbol"] += 1
        elif name in _REFERENCES:
            self._reference(element)
        elif name in ("drawing", "pict", "object"):
            boxes = list(_boxes(element))
            self._boxes += boxes
            frame = (
                "frame of a text box|frames of text boxes"
                if boxes
                else "picture or drawing|pictures and drawings"
            )
            self.gone["embedded object" if name == "object" else frame] += 1

    def _reference(self, element: Element) -> None:
        name, number = local(element), attribute(element, "id")
        if number in self._notes.get(_REFERENCES[name], frozenset()):
            self.quilt.keep(f'<w:{name} w:id="{number}"/>')

    def _paragraph_properties(self, properties: Element) -> str:
        out = [
            self._section(each) if local(each) == "sectPr" else filtered(each, self._styles)
            for each in properties
        ]
        return f"<w:pPr>{''.join(out)}</w:pPr>"

    def _section(self, section: Element) -> str:
        out: list[str] = []
        for each in section:
            if local(each) in ("headerReference", "footerReference"):
                kind = (
                    attribute(each, "type")
                    if attribute(each, "type") in ("first", "even", "default")
                    else "default"
                )
                if number := self._links.get(each.get(f"{{{R}}}id") or _strict_id(each), ""):
                    out.append(f'<w:{local(each)} w:type="{kind}" r:id="{number}"/>')
            else:
                out.append(filtered(each, self._styles))
        return f"<w:sectPr>{''.join(out)}</w:sectPr>"


def _unwrapped(holder: Element, gone: Counter[str]) -> Iterator[Element]:
    """The content of an element, and of elements that only wrap: links, insertions, content
    controls, smart tags, fields."""
    for element in holder:
        name = local(element)
        if name in _GONE:
            gone[_GONE[name]] += 1
        if name in _DROPPED:
            continue
        if name in _WRAPPERS:
            yield from _unwrapped(element, gone)
        elif name == ":AlternateContent":
            for chosen in _chosen(element):
                yield from _unwrapped(chosen, gone)
        else:
            yield element


def _chosen(alternatives: Element) -> list[Element]:
    """One of several ways to show the same thing."""
    return sorted(alternatives, key=lambda each: local(each) != ":Choice")[:1]


def _boxes(element: Element) -> Iterator[Element]:
    """The texts of boxes in a drawing, with those of boxes inside them."""
    for inner in _chosen(element) if local(element) == ":AlternateContent" else element:
        if local(inner) == "txbxContent":
            yield inner
        else:
            yield from _boxes(inner)


def _strict_id(element: Element) -> str:
    return element.get("{http://purl.oclc.org/ooxml/officeDocument/relationships}id") or ""


def _escaped(text: str) -> str:
    return escape(_CONTROL.sub("", text), quote=False)
