"""HTML: read as it is shown, and written anew from a list of what may be in it.

A block is a line, and the content of a line is one text whatever is bold in it. Blanks are as a
browser shows them, entities are their characters. Attributes that are read out or shown are parts
of their own. Comments, scripts, styles, `data-` attributes, names, classes and everything else that
is not listed here are dropped: any of them can hold data."""

from __future__ import annotations

import re
from collections import Counter
from html import escape
from html.parser import HTMLParser

from sfumato.errors import SourceError

from ..kinds import ReferenceKind
from .encodings import DecodedText, decoded
from .part_assembly import counted
from .parts import FileReading
from .patchwork import Patchwork, Quilt

_INLINE = frozenset("a abbr b bdi bdo big cite code dfn em font i kbd mark q s samp small span strike strong sub sup "
                    "tt u var wbr del ins time data label ruby rt rp".split())  # fmt: skip
_BLOCKS = frozenset(
    "html head body title meta p div h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table caption "
    "colgroup col thead tbody tfoot "
    "tr th td br hr blockquote pre address article aside footer header main nav section "
    "figure figcaption details "
    "summary form fieldset legend input textarea select option optgroup button center".split()
)
_VOID = frozenset("br hr wbr meta col input".split())
_DROPPED = {
    "script": "script", "noscript": "script", "style": "style sheet", "template": "template", "object": "object",
    "iframe": "frame", "svg": "drawing", "math": "formula", "canvas": "drawing", "video": "video", "audio": "sound",
    "applet": "object", "map": "image map",
}  # fmt: skip
_DROPPED_VOID = {
    "img": "picture",
    "link": "link to another file|links to other files",
    "embed": "object",
    "base": "base address|base addresses",
}
_SHOWN = frozenset(
    "alt title aria-label aria-description placeholder value content label summary abbr".split()
)
_SHAPE = {
    "lang": r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*", "dir": "ltr|rtl|auto", "colspan": r"\d{1,4}", "rowspan": r"\d{1,4}",
    "span": r"\d{1,4}", "charset": r"[A-Za-z0-9_-]{1,20}", "border": r"\d{1,3}", "align": "[a-z]{1,8}",
    "start": r"\d{1,6}", "reversed": "", "open": "", "scope": "row|col|rowgroup|colgroup", "checked": "|checked",
    "selected": "|selected", "disabled": "|disabled",
    "type": "text|hidden|checkbox|radio|number|date|email|tel|url|[1aAiI]",
    "name": "description|keywords", "xmlns": r"http://www\.w3\.org/1999/xhtml",
}  # fmt: skip
_DECLARED = re.compile(
    rb"""<(?:meta|\?xml)[^>]{0,400}?(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,30})""",
    re.I,
)
_CHARSET = re.compile(r"^[a-z]+/[a-z+]+\s*;\s*charset=([A-Za-z0-9_-]+)\s*$", re.IGNORECASE)
_XML = re.compile(
    r"xml version=[\"']1\.[01][\"'](?: encoding=[\"'][A-Za-z0-9_.-]{2,20}[\"'])? ?\??",
    re.IGNORECASE,
)
_UNSEEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL
)
_DEEPEST = 500
_BLANKS = re.compile(r"[ \t\n\r\f]+")
_BAD = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


class HtmlFormat:
    """An HTML page, or a piece of one.

    Example:
        >>> opened = HtmlFormat().open(b"<p>Dear Dr. <b>L</b>ang:<p>Dot is <!-- Ann --> 7", FileReading())
        >>> [(part.place, part.text) for part in opened.parts], opened.left_out
        ([('text', 'Dear Dr. Lang:\\nDot is 7')], ('1 comment',))
    """

    name = "HTML"
    suffixes = (".html", ".htm", ".xhtml")

    def open(self, content: bytes, reading: FileReading) -> Patchwork:
        found = _DECLARED.search(content[:4096])
        name = found.group(1).decode("ascii").lower() if found else ""
        declared = "cp1252" if name in ("iso-8859-1", "latin1", "us-ascii", "ascii") else name
        return opened_html(decoded(content, declared=declared, asked=reading.encoding))


def opened_html(text: DecodedText) -> Patchwork:
    """HTML that was decoded before, such as the narrative of a FHIR resource."""
    page = _Page()
    try:
        page.feed(page.seen(_BAD.sub(" ", text.text)))
        page.close()
    except (AssertionError, ValueError):
        raise SourceError(
            "This file cannot be read as HTML.", found="Its markup is broken."
        ) from None
    for tag in reversed(page.open_tags):
        page.quilt.keep(f"</{tag}>")
    return page.quilt.sewn(
        text,
        left_out=[counted(number, *what.split("|")) for what, number in sorted(page.gone.items())],
    )


class _Page(HTMLParser):
    """Gathers the patches. The content of a dropped element is dropped with it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.quilt = Quilt()
        self.text = self.quilt.part("text")
        self.open_tags: list[str] = []
        self.gone: Counter[str] = Counter()
        self._within: list[str] = []  # The dropped elements we are in.
        self._title = -1
        self._shown = 0

    def seen(self, source: str) -> str:
        """The source without comments, scripts and styles; "<" in what follows the last tag is a
        sign like any other.

        Taken out here because the parser takes time with the square of those that are never closed.
        """

        def gone(found: re.Match[str]) -> str:
            self.gone[_DROPPED[found.group(1).lower()] if found.group(1) else "comment"] += 1
            return ""

        tags, closing, rest = _UNSEEN.sub(gone, source).rpartition(">")
        return tags + closing + rest.replace("<", "&lt;")

    def handle_decl(self, decl: str) -> None:
        if decl.strip().lower().startswith("doctype"):
            self.quilt.keep("<!DOCTYPE html>\n")

    def handle_comment(self, data: str) -> None:
        if not self._within:
            self.gone["comment"] += 1

    def unknown_decl(self, data: str) -> None:
        self.gone["comment"] += 1

    def handle_pi(self, data: str) -> None:
        if _XML.fullmatch(data):
            self.quilt.keep(f"<?{data}>")
        else:
            self.gone["processing instruction"] += 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID and tag not in _DROPPED_VOID:
            self.handle_endtag(tag)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._within:
            if tag == self._within[-1]:
                self._within.append(tag)
            return
        if tag in _DROPPED:
            self._within.append(tag)
            self.gone[_DROPPED[tag]] += 1
            return
        if tag in _DROPPED_VOID:
            self.gone[_DROPPED_VOID[tag]] += 1
            if alternative := dict(attrs).get("alt"):
                self._put(f"[{_BLANKS.sub(' ', alternative)}]", self.text)
            return
        if tag == "meta":
            attrs = self._property(dict(attrs))
        if (tag not in _INLINE and tag not in _BLOCKS) or (tag == "meta" and not attrs):
            return
        if len(self.open_tags) >= _DEEPEST:
            self.gone["tag too deep inside others|tags too deep inside others"] += 1
            return
        self._break(tag)
        self.quilt.keep(f"<{tag}")
        for name, value in attrs:
            self._attribute(tag, name, value or "")
        self.quilt.keep("/>" if tag in _VOID else ">")
        if tag not in _VOID:
            self.open_tags.append(tag)
        if tag == "title":
            self._title = self.quilt.part("title")

    def handle_endtag(self, tag: str) -> None:
        if self._within:
            if tag == self._within[-1]:
                self._within.pop()
            return
        if tag not in self.open_tags:
            return
        while self.open_tags:
            last = self.open_tags.pop()
            self.quilt.keep(f"</{last}>")
            self._break(last, is_end=True)
            if last == tag:
                break
        if tag == "title":
            self._title = -1

    def handle_data(self, data: str) -> None:
        if self._within:
            return
        part = self.text if self._title < 0 else self._title
        if "pre" not in self.open_tags and "textarea" not in self.open_tags:
            data = _BLANKS.sub(" ", data)
            if self.quilt.weave(part).ends_blank:
                data = data.removeprefix(" ")
        self._put(data, part)

    def _put(self, text: str, part: int) -> None:
        self.quilt.add(part, escape(text, quote=False), text=text, encode=_escaped)

    def _break(self, tag: str, *, is_end: bool = False) -> None:
        weave = self.quilt.weave(self.text)
        if tag in ("td", "th"):
            weave.between("" if weave.ends_blank or is_end else "\t")
        elif tag not in _INLINE and not weave.ends_line:
            weave.between("\n")

    def _attribute(self, tag: str, name: str, value: str) -> None:
        if name == "href" and tag == "a":
            self._target(value.strip())
        elif name in _SHOWN:
            self._shown += 1
            self.quilt.keep(f' {name}="')
            self.quilt.whole(
                f"{name} {self._shown}", escape(value), text=value, encode=_escaped_quoted
            )
            self.quilt.keep('"')
        elif name in _SHAPE and re.fullmatch(_SHAPE[name], value):
            self.quilt.keep(f' {name}="{value}"')
        elif name in ("class", "id", "style", "name"):
            self.gone[
                "class, name or style of an element|classes, names and styles of elements"
            ] += 1
        else:
            self.gone["other attribute"] += 1

    def _property(self, given: dict[str, str | None]) -> list[tuple[str, str | None]]:
        """The kept part of a `meta` element: its encoding, a description or keywords; an author and
        others are dropped."""
        content = given.get("content") or ""
        charset = given.get("charset") or (
            found.group(1) if (found := _CHARSET.search(content)) else ""
        )
        if charset:
            return [("charset", charset)]
        if (name := (given.get("name") or "").lower()) in ("description", "keywords"):
            return [("name", name), ("content", content)]
        self.gone["property of the page|properties of the page"] += 1
        return []

    def _target(self, value: str) -> None:
        scheme, colon, rest = value.partition(":")
        kinds = {
            "mailto": ReferenceKind.EMAIL,
            "tel": ReferenceKind.PHONE,
            "sms": ReferenceKind.PHONE,
            "http": ReferenceKind.URL,
            "https": ReferenceKind.URL,
        }
        kind = kinds.get(scheme.lower()) if colon else None
        if kind is None:
            self.gone["other attribute"] += 1
            return
        self._shown += 1
        shown = value if kind is ReferenceKind.URL else rest.partition("?")[0]
        self.quilt.keep(' href="' + ("" if kind is ReferenceKind.URL else f"{scheme.lower()}:"))
        self.quilt.whole(
            f"link {self._shown}", escape(shown), text=shown, encode=_escaped_quoted, kind=kind
        )
        self.quilt.keep('"')


def _escaped(text: str) -> str:
    return escape(text, quote=False)


def _escaped_quoted(text: str) -> str:
    return escape(text)
