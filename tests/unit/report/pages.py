"""Reads a page the way a browser does: its tags, its ids, its text."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "path", "line", "rect"}


class Page(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.unclosed: list[str] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()

    @property
    def ids(self) -> list[str]:
        return [
            value
            for tag, name, value in self.attributes
            if name == "id" and tag in {"section", "div"}
        ]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.unclosed.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.unclosed and self.unclosed[-1] == tag:
            self.unclosed.pop()

    def handle_data(self, data: str) -> None:
        if self.unclosed and self.unclosed[-1] != "style":
            self.words.append(data)


def text_of(page: str) -> str:
    """What a reader reads, with single plain spaces."""
    return " ".join(" ".join(Page(page).words).split()).replace(" .", ".").replace(" ,", ",")
