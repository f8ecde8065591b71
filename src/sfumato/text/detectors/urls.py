"""Web addresses: with their scheme, with www, or a bare domain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .declaration import Basis, DetectorDeclaration

_MARK = re.compile(r"://")
_SCHEME_BEFORE = re.compile(r"(?<![^\W_])[A-Za-z][A-Za-z+.-]{1,11}\Z")
_REST = re.compile(r"[^\s<>\"“”«»{}|\\^`]{1,2000}")
_WWW = re.compile(r"[Ww](?<![\w@.]\w)[Ww]{2}\d?\.[^\s<>\"“”«»{}|\\^`]{1,2000}")
_TOP = re.compile(
    r"\.(?:com|org|net|edu|gov|mil|int|info|biz|io|co|me|app|dev|health|online|site|xyz|"
    r"uk|us|ca|au|nz|ie|de|at|ch|fr|be|nl|lu|es|pt|it|se|no|dk|fi|is|pl|cz|sk|hu|ro|bg|gr|tr|ru|ua|ee|lv|lt|si|hr|"
    r"br|mx|ar|cl|pe|in|cn|jp|kr|sg|hk|tw|il|za|eu)(?![\w-]|\.\w)"
)
_PATH = re.compile(r"(?::\d{2,5})?(?:[/?#][^\s<>\"“”«»{}|\\^`]{0,2000})?")
_LONGEST_HOST = 200
_TRAILING = ".,;:!?'’)]*_"
_SURE = frozenset("com org net edu gov info biz io".split())
_SHORTHAND = frozenset("e.g i.e p.o b.i d.c".split())


class Urls:
    """Finds what marks an address ("://", "www.", a top-level domain) and reads on from there."""

    name = "urls"

    def bid(self, document: Document) -> Iterable[Bid]:
        yield from self._with_scheme(document.text)
        for match in _WWW.finditer(document.text):
            yield self._bid(document.text, match.start(), match.end(), 0.95, "starts with www")
        yield from self._bare(document.text)

    def _with_scheme(self, text: str) -> Iterator[Bid]:
        free = 0
        for mark in _MARK.finditer(text):
            before = _SCHEME_BEFORE.search(text, max(free, mark.start() - 13), mark.start())
            rest = _REST.match(text, mark.end()) if before else None
            if before and rest:
                free = rest.end()
                yield self._bid(text, before.start(), rest.end(), 0.97, "has a scheme")

    def _bare(self, text: str) -> Iterator[Bid]:
        for top in _TOP.finditer(text):
            start = _start_of_host(text, top.start())
            if text[start - 1 : start] in ("@", "/", ".") or not _is_host(
                text[start : top.start()]
            ):
                continue
            path = _PATH.match(text, top.end())
            end = path.end() if path else top.end()
            sure = top.group()[1:] in _SURE or end > top.end() or "." in text[start : top.start()]
            yield self._bid(text, start, end, 0.85 if sure else 0.6, "ends in a top-level domain")

    def _bid(self, text: str, start: int, end: int, score: float, reason: str) -> Bid:
        while text[end - 1] in _TRAILING and not (
            text[end - 1] == ")" and text.count("(", start, end) >= text.count(")", start, end)
        ):
            end -= 1
        return Bid(start, end, ReferenceKind.URL, score, self.name, reason)


def _start_of_host(text: str, end: int) -> int:
    """Where the labels before a top-level domain start: letters, digits, hyphens and dots between
    them."""
    start, floor = end, max(0, end - _LONGEST_HOST)
    while start > floor and (text[start - 1].isalnum() or text[start - 1] in "-._"):
        start -= 1
    while start < end and not text[start].isalnum():
        start += 1
    return start


def _is_host(host: str) -> bool:
    """A host has a letter in it and two characters or more; "he.is" without a blank is caught by
    the low score."""
    return (
        len(host) > 1
        and any(character.isalpha() for character in host)
        and host.lower() not in _SHORTHAND
    )


DECLARATION = DetectorDeclaration(
    key="urls",
    doc="web addresses",
    kinds=(ReferenceKind.URL,),
    basis=Basis.FORM,
    make=Urls,
    order=30,
)
