"""A page read as a browser reads it: its elements with their attributes and text, and who is inside
whom."""

from __future__ import annotations

from dataclasses import dataclass
from html.parser import HTMLParser

VOID = {"br", "hr", "img", "input", "link", "meta"}


@dataclass(eq=False)
class Element:
    name: str
    given: dict[str, str]
    above: Element | None
    text: str = ""

    def within(self, name: str) -> bool:
        return self.above is not None and (self.above.name == name or self.above.within(name))


class Page(HTMLParser):
    """All elements of a page, in their order. A page that closes what it did not open is no
    page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: Element | None = None
        self.feed(text)
        self.close()
        assert self._open is None, f"{self._open.name} is not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {name: value or "" for name, value in attrs}, self._open)
        self.elements.append(made)
        if tag not in VOID:
            self._open = made

    def handle_endtag(self, tag: str) -> None:
        assert self._open is not None, f"{tag} closes nothing"
        assert self._open.name == tag, f"{tag} closes {self._open.name}"
        self._open = self._open.above

    def handle_data(self, data: str) -> None:
        at = self._open
        while at is not None:
            at.text += data
            at = at.above

    def all(self, *names: str) -> list[Element]:
        return [each for each in self.elements if each.name in names]

    def ids(self) -> list[str]:
        return [each.given["id"] for each in self.elements if "id" in each.given]
