"""HTML that escapes by construction: a plain string put into a tag is text, only `Html` passes as
it is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from html import escape


class Html(str):
    """A string that is HTML already. Only this module and the chart drawing make one from text."""

    __slots__ = ()


# Control characters but tab and line ends, surrogates, and the characters that make text run
# backwards.
_TWISTING = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]"
)
_VOID = frozenset({"br", "hr", "input", "meta"})


def clean(text: str) -> str:
    """The text with a mark in place of what could break or twist a page: controls, bidi overrides,
    surrogates.

    Example:
        >>> clean("a" + chr(0) + "b" + chr(0x202E)) == "a\ufffdb\ufffd"
        True
    """
    return _TWISTING.sub("\ufffd", text)


def html(part: str) -> Html:
    """A part ready for a page: as it is when it is HTML, else cleaned and escaped."""
    return part if isinstance(part, Html) else Html(escape(clean(part)))


def join(parts: Iterable[str]) -> Html:
    """Parts one after the other."""
    return Html("".join(html(part) for part in parts))


def tag(name: str, *children: str, **attributes: str) -> Html:
    """One element. `class_` gives `class`, `aria_label` gives `aria-label`; empty attributes are
    left out.

    Example:
        >>> tag("p", "a < b & ", tag("b", "c"), class_="note")
        '<p class="note">a &lt; b &amp; <b>c</b></p>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(clean(value))}"'
        for key, value in attributes.items()
        if value
    )
    if name in _VOID:
        return Html(f"<{name}{given}>")
    return Html(f"<{name}{given}>{join(children)}</{name}>")


def section(anchor: str, heading: str, *children: str) -> Html:
    """A part of the page under its own heading, which a link can point to."""
    return tag("section", tag("h2", heading), *children, id=anchor)


def folded(summary: str, *children: str, class_: str = "") -> Html:
    """A part that is closed until it is clicked; no script is needed."""
    return tag("details", tag("summary", summary), *children, class_=class_)


def bullets(items: Iterable[str], *, class_: str = "") -> Html:
    return tag("ul", *(tag("li", item) for item in items), class_=class_)


def table(
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str,
    numeric: Collection[int] = (),
) -> Html:
    """A table with a caption, column headers, and the first cell of each row as its header.

    `numeric` are the columns that hold numbers and are flush right.
    """

    def kind(column: int) -> str:
        return "number" if column in numeric else ""

    def line(row: Sequence[str]) -> Html:
        first, *others = row
        cells = [
            tag("td", cell, class_=kind(column)) for column, cell in enumerate(others, start=1)
        ]
        return tag("tr", tag("th", first, scope="row", class_=kind(0)), *cells)

    head = tag(
        "tr",
        *(tag("th", name, scope="col", class_=kind(column)) for column, name in enumerate(headers)),
    )
    inner = tag(
        "table",
        tag("caption", caption),
        tag("thead", head),
        tag("tbody", *(line(row) for row in rows)),
    )
    return tag("div", inner, class_="wide")


def figure(chart: Html | None, caption: str, numbers: Html) -> Html:
    """A chart with its numbers folded under it, or the numbers alone where charts cannot be
    drawn."""
    if chart is None:
        return numbers
    return join(
        [
            tag("figure", chart, tag("figcaption", caption)),
            folded("The numbers", numbers, class_="numbers"),
        ]
    )
