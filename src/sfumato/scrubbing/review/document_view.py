"""One document on a page: original and scrubbed side by side, and its findings as a table that
needs no script."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sfumato.report import Html, join, tag
from sfumato.text import Document, Unusualness
from sfumato.text.languages import languages_of, unread

from .document_blocks import Block, Stretch
from .entries import Certainty, Entry, drawn
from .escaped_text import original, scrubbed, shown
from .review_file import Key, heading, line


@dataclass(frozen=True, kw_only=True)
class DocumentSheet:
    """A document with everything that a page shows of it. `number` is its place in the collection,
    from 1."""

    number: int
    document: Document
    key: Key
    entries: tuple[Entry, ...] = field(repr=False)
    unusualness: Unusualness

    @property
    def title(self) -> str:
        return self.document.name or f"Document {self.number:,}"

    @property
    def masked(self) -> int:
        return sum(entry.masks for entry in self.entries)

    @property
    def uncertain(self) -> int:
        return sum(entry.certainty is Certainty.UNCERTAIN for entry in self.entries)

    @property
    def nearly(self) -> int:
        return sum(entry.certainty is Certainty.NEARLY for entry in self.entries)

    @cached_property
    def unread_languages(self) -> tuple[str, ...]:
        """The languages of the text that the detectors do not read."""
        return tuple(unread(languages_of([self.document.text])))


def view(sheet: DocumentSheet, stretch: Stretch, *, first: int) -> Html:
    """The stretch of a document on a page; its findings are numbered from `first`."""
    start, end = (
        stretch.blocks[0].start if stretch.blocks else 0,
        stretch.blocks[-1].end if stretch.blocks else 0,
    )
    inside = entries_in(sheet, stretch)
    numbers = {id(entry): number for number, entry in enumerate(inside, start=first)}
    marked = [(numbers[id(entry)], entry) for entry in drawn(inside)]
    part = f" · part {stretch.part:,} of {stretch.parts:,}" if not stretch.is_whole else ""
    about = heading(sheet.key, stands_out=sheet.unusualness.stands_out)
    return tag(
        "article",
        tag("h2", shown(sheet.title), tag("small", part) if part else ""),
        tag("p", _facts(sheet, stretch, start, end), class_="facts"),
        *([_warning(sheet)] if sheet.unusualness.stands_out else []),
        *([_language_warning(sheet)] if sheet.unread_languages else []),
        tag(
            "div",
            tag("span", "Original"),
            tag("span", "Scrubbed"),
            class_="pair heads",
            aria_hidden="true",
        ),
        *(_block(sheet.document.text, block, marked) for block in stretch.blocks),
        *([] if stretch.blocks else [tag("p", "This document is empty.", class_="facts")]),
        tag("ul", class_="added", aria_label="Added by you"),
        _table(inside, first),
        id=anchor(sheet, stretch),
        class_="doc",
        data_doc=json.dumps(about),
    )


def anchor(sheet: DocumentSheet, stretch: Stretch) -> str:
    return f"d{sheet.number}" + ("" if stretch.is_whole else f"-{stretch.part}")


def entries_in(sheet: DocumentSheet, stretch: Stretch) -> list[Entry]:
    """The entries that start in a stretch; one that is not marked in the text may end behind it."""
    if stretch.is_whole:
        return list(sheet.entries)
    first, last = (
        bisect_left(sheet.entries, place, key=lambda entry: entry.start)
        for place in (stretch.blocks[0].start, stretch.blocks[-1].end)
    )
    return list(sheet.entries[first:last])


def _facts(sheet: DocumentSheet, stretch: Stretch, start: int, end: int) -> str:
    kept = len(sheet.entries) - sheet.masked
    words = [f"{sheet.masked:,} masked", f"{kept:,} kept", f"{sheet.uncertain:,} uncertain"]
    if sheet.nearly:
        words.append(f"{sheet.nearly:,} nearly replaced")
    if not stretch.is_whole:
        words.append(f"characters {start + 1:,} to {end:,} of {len(sheet.document.text):,}")
    return " · ".join(words)


def _warning(sheet: DocumentSheet) -> Html:
    score = sheet.unusualness.score
    told = f" (score {score:.2f})" if score is not None else ""
    return tag(
        "p",
        tag("strong", "Unusual in this collection"),
        f"{told}: read it whole. A course of events can identify a person without any name.",
        class_="unusual",
    )


def _language_warning(sheet: DocumentSheet) -> Html:
    return tag(
        "p",
        tag("strong", f"Not English: {', '.join(sheet.unread_languages)}. "),
        "The detectors miss names and places in it: read it whole and add what they missed.",
        class_="unusual",
    )


def _block(text: str, block: Block, marked: Sequence[tuple[int, Entry]]) -> Html:
    start, end = block.start, block.end
    if block.folded:
        lines = text.count("\n", start, end) + 1
        told = (
            f"{end - start:,} characters in {lines:,} line{'s' if lines > 1 else ''} without "
            "findings"
        )
        inner = tag("div", shown(text[start:end]), class_="o", data_s=str(start), dir="auto")
        return tag("details", tag("summary", told), inner, class_="fold")
    inside = [(number, entry) for number, entry in marked if start <= entry.start < end]
    return tag(
        "div",
        tag("div", original(text, start, end, inside), class_="o", data_s=str(start), dir="auto"),
        tag("div", scrubbed(text, start, end, inside), class_="n", dir="auto"),
        class_="pair",
    )


_HEADS = ("Original", "Kind", "Decision", "In its place", "Score", "Found by", "Why")


def _table(entries: Sequence[Entry], first: int) -> Html:
    if not entries:
        return tag("p", "There are no findings here.", class_="facts")
    noun = "finding" if len(entries) == 1 else "findings"
    head = tag("tr", *(tag("th", name, scope="col") for name in _HEADS))
    rows = join(_rows(entries, first))
    inner = tag("table", tag("thead", head), tag("tbody", rows))
    told = f"{len(entries):,} {noun} as a table"
    return tag("details", tag("summary", told), tag("div", inner, class_="wide"), class_="all")


def _rows(entries: Sequence[Entry], first: int) -> Iterable[Html]:
    for number, entry in enumerate(entries, start=first):
        decided = f"{'masked' if entry.masks else 'kept'}: {entry.decided or 'no reason given'}"
        put = shown(entry.put) if entry.put is not None else Html("")
        yield tag(
            "tr",
            tag("th", shown(entry.text), scope="row"),
            tag("td", str(entry.kind), class_=f"g-{entry.group} kind"),
            tag("td", decided, class_="decided"),
            tag("td", put, class_="became"),
            tag("td", f"{entry.score:.2f}", class_="number"),
            tag("td", entry.detector.replace("+", ", ")),
            tag("td", entry.reason),
            id=f"r{number}",
            data_f=json.dumps(line(entry)),
        )
