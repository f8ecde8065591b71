"""Markdown: read without its marks, so that a name half in bold is one name, and written with them.

Emphasis, code marks and tags without attributes stay in the file and are not in the text; entities
and escapes are read as their characters. Front matter is a part of its own, whose values are quoted
where a new one needs it. The target of a link stays one word."""

from __future__ import annotations

import html
import re

from .encodings import decoded
from .parts import FileReading
from .patchwork import Patchwork, Quilt

_FRONT = re.compile(
    r"\A---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_MARKS = re.compile(
    r"(?P<entity>&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});)"
    r"|(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<tag></?[A-Za-z][A-Za-z0-9]{0,15}[ \t]*/?>)"
    r"|(?P<mark>(?<=[^\s*])\*{1,3}|\*{1,3}(?=[^\s*])|(?<![^\W_])_{1,3}(?=[^\s_])|(?<=[^\s_])_{1,3}(?![^\W_])|~~|`+)"
    r"|(?P<target>(?<=\]\()[^\s()<>]+)"
)
_VALUE = re.compile(
    r"^[ \t]*(?:-[ \t]+)*(?:[^\s:#'\"\[{][^:\r\n]*:[ \t]+|-[ "
    r"\t]+)(?P<value>\S(?:[^\r\n]*\S)?)[ \t]*\r?$",
    re.MULTILINE,
)
_PLAIN = re.compile(r"[^\W_][^:#\[\]{},&*!|>'\"%@`]*", re.UNICODE)


class Markdown:
    """A Markdown file.

    Example:
        >>> opened = Markdown().open(b"---\\nauthor: Ann\\n---\\nDear **M**s. &Uuml;nal", FileReading())
        >>> [(part.place, part.text) for part in opened.parts]
        [('front matter', 'author: Ann\\n'), ('text', 'Dear Ms. Ünal')]
    """

    name = "Markdown"
    suffixes = (".md", ".markdown", ".mdown", ".mkd", ".rmd", ".qmd")

    def open(self, content: bytes, reading: FileReading) -> Patchwork:
        text = decoded(content, asked=reading.encoding)
        quilt = Quilt()
        body = text.text
        if front := _FRONT.match(body):
            quilt.keep(body[: front.start(1)])
            _front_matter(quilt, front.group(1))
            quilt.keep(body[front.end(1) : front.end()])
            body = body[front.end() :]
        _body(quilt, body)
        return quilt.sewn(text)


def _body(quilt: Quilt, body: str) -> None:
    part = quilt.part("text")
    last = 0
    for found in _MARKS.finditer(body):
        quilt.add(part, body[last : found.start()])
        source = found.group()
        match found.lastgroup:
            case "entity":
                quilt.add(part, source, text=html.unescape(source))
            case "escape":
                quilt.add(part, source, text=source[1:])
            case "target":
                quilt.add(part, source, encode=_target)
            case "mark":
                quilt.mark(source)
            case _:
                quilt.keep(source)
        last = found.end()
    quilt.add(part, body[last:])


def _target(text: str) -> str:
    return re.sub(r"[\s()<>]", lambda found: f"%{ord(found.group()):02X}", text)


def _front_matter(quilt: Quilt, source: str) -> None:
    part = quilt.part("front matter")
    last = 0
    for found in _VALUE.finditer(source):
        start, end = found.span("value")
        quote = (
            source[start]
            if source[start] in "'\"" and end - start > 1 and source[end - 1] == source[start]
            else ""
        )
        if not quote and source[start] in "[{|>&*!'\"":
            continue
        quilt.add(part, source[last : start + len(quote)])
        encode = {"'": _single_quoted, '"': _double_quoted}.get(quote, _yaml)
        value = source[start + len(quote) : end - len(quote)]
        plain = value.replace("''", "'") if quote == "'" else value
        quilt.add(part, value, text=plain, encode=encode)
        last = end - len(quote)
    quilt.add(part, source[last:])


def _yaml(text: str) -> str:
    return (
        text if _PLAIN.fullmatch(text) and not text.endswith(" ") else f'"{_double_quoted(text)}"'
    )


def _single_quoted(text: str) -> str:
    return text.replace("'", "''")


def _double_quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
