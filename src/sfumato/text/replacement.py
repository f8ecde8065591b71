"""Replacing: findings in, text with surrogates out. Nothing is found here, and nothing outside a
finding is changed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from sfumato.errors import Mistake
from sfumato.keys import KeyedDraws

from .bids import Bid
from .certainty import uncertain_values
from .documents import Document
from .hidden import visible
from .kinds import ReferenceKind
from .surrogates.dates import date_surrogate
from .surrogates.genders import told_genders
from .surrogates.numbers import identity, number_kinds
from .surrogates.real_values import RealValues, untitled
from .surrogates.scope import Scope
from .surrogates.styles import DateStyle, ReplacementMethod, Style, Trait, UnsureStyle
from .surrogates.tags import Tags, masked
from .surrogates.written_dates import tells_order

_BETWEEN_NUMBERS = re.compile(r"(?i)\s*(?:[;,]|\b(?:or|and|oder|und|ou|et|o|y)\b)\s*(?=[+(]?\w*\d)")
_FEWEST_DIGITS = 5
Days = Callable[[str], int]
"""By how many days a person's dates move: the same function for tables and text, so that they
agree."""


class How(StrEnum):
    """The result of a finding."""

    SURROGATE = "surrogate"
    TAG = "tag"
    MASK = "mask"
    SUPPRESSED = "suppressed"
    KEPT = "kept"
    """It discloses no more than the style keeps, such as a year alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReplacement:
    """One finding and its replacement; `new_start` and `new_end` are its place in the new text."""

    start: int
    end: int
    new_start: int
    new_end: int
    kind: ReferenceKind
    how: How
    original: str = field(repr=False)
    surrogate: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplacedDocument:
    """A document after replacing. The replacements hold the originals: they are the holder's, and
    are never released."""

    text: str = field(repr=False)
    replacements: tuple[TextReplacement, ...] = field(repr=False)

    def count(self, how: How) -> int:
        return sum(replacement.how is how for replacement in self.replacements)


def replace_findings(
    documents: Sequence[Document],
    findings: Sequence[Iterable[Bid]],
    *,
    secret: bytes,
    style: Style | None = None,
    days: Days | None = None,
    real: RealValues | None = None,
    known: Mapping[str, str] | None = None,
) -> tuple[ReplacedDocument, ...]:
    """One person's documents with their findings replaced; the same person and number have the same
    surrogate in all.

    `real` has the values of the whole collection, which no surrogate repeats; `known` the
    surrogates that names were given in a table. Without `days` a style that shifts dates is
    refused.

    Example:
        >>> letter = Document("Ann Lee, call 473-1214. Ann came.", person="7")
        >>> spans = (0, 7, ReferenceKind.NAME), (14, 22, ReferenceKind.PHONE), (24, 27, ReferenceKind.NAME)
        >>> found = [Bid(*span, 0.9, "x") for span in spans]
        >>> style = Style(method=ReplacementMethod.TAG)
        >>> replace_findings([letter], [found], secret=bytes(range(32)), style=style)[0].text
        '[NAME 1], call [PHONE 1]. [NAME 1] came.'
    """
    chosen = style or Style()
    marked = [
        (document, _checked(document, bids))
        for document, bids in zip(documents, findings, strict=True)
    ]
    name = _scope_of(documents)
    planner = _Planner(
        marked, KeyedDraws(secret).derive("scope", name), style=chosen, real=real, known=known
    )
    moved = _days(marked, chosen, days, person=name)
    return tuple(_replaced(document, bids, planner, days=moved) for document, bids in marked)


def scope_of(document: Document) -> str:
    """The documents with which a document shares surrogates: its person's, else only those of its
    name, else none."""
    if document.person:
        return f"person {document.person}"
    if document.name:
        return f"document {document.name}"
    return f"text {hashlib.sha256(document.text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def values_of(document: Document, findings: Iterable[Bid]) -> list[tuple[ReferenceKind, str]]:
    """The found values, as they are seen; for `RealValues`."""
    return [
        (bid.kind, visible(document.text[bid.start : bid.end]))
        for bid in findings
        if bid.kind is not None
    ]


class _Planner:
    """The replacement of each value of one scope."""

    def __init__(
        self,
        marked: Sequence[tuple[Document, tuple[Bid, ...]]],
        drawing: KeyedDraws,
        *,
        style: Style,
        real: RealValues | None,
        known: Mapping[str, str] | None,
    ) -> None:
        values = [value for document, bids in marked for value in values_of(document, bids)]
        self._number_kinds = number_kinds(values)
        by_method: dict[ReplacementMethod, list[tuple[ReferenceKind, str]]] = {
            method: [] for method in ReplacementMethod
        }
        for read, value in values:
            kind = self._kind(read, value)
            by_method[style.method_for(kind)].append((kind, value))
        avoided = [RealValues(values), *([] if real is None else [real])]
        self.style = style
        self._scope = Scope(
            by_method[ReplacementMethod.SURROGATE],
            drawing,
            style=style,
            avoid=avoided,
            known=known,
            genders=told_genders(marked) if Trait.GENDER in style.keep else None,
        )
        self._uncertain = (
            uncertain_values(marked) if style.unsure is UnsureStyle.TAG else frozenset()
        )
        self._tags = Tags(by_method[ReplacementMethod.TAG], is_real=self._scope.is_real)

    def _kind(self, read: ReferenceKind, value: str) -> ReferenceKind:
        """The kind of a value throughout the scope, whatever it was read as in one place."""
        return self._number_kinds[identity(value)] if read.is_number else read

    def put(
        self, read: ReferenceKind, value: str, *, days: int, day_first: bool
    ) -> tuple[How, str]:
        kind = self._kind(read, value)
        method = self.style.method_for(kind)
        out: str | None = None
        how = How.SUPPRESSED
        name = untitled(value) if kind is ReferenceKind.NAME else value
        title = value.removesuffix(name)  # It stays, as it does before a surrogate.
        if method is ReplacementMethod.SURROGATE and (read, value) in self._uncertain:
            return How.TAG, f"{title}[{kind.value.upper()}?]"
        if method is ReplacementMethod.MASK:
            return How.MASK, title + masked(name)
        if method is ReplacementMethod.TAG:
            how, out = How.TAG, title + self._tags.tag(kind, value)
        elif method is ReplacementMethod.SURROGATE and kind is ReferenceKind.DATE:
            how, out = (
                How.SURROGATE,
                date_surrogate(value, style=self.style.dates, days=days, day_first=day_first),
            )
        elif method is ReplacementMethod.SURROGATE:
            how, out = How.SURROGATE, self._scope.surrogate(kind, value)
        if out is None:
            return How.SUPPRESSED, "" if value == self.style.suppressed else self.style.suppressed
        return (How.KEPT if out == value else how), out


def _replaced(
    document: Document, bids: Sequence[Bid], planner: _Planner, *, days: int
) -> ReplacedDocument:
    text = document.text
    order = tells_order(
        visible(text[bid.start : bid.end]) for bid in bids if bid.kind is ReferenceKind.DATE
    )
    day_first = planner.style.day_first if order is None else order
    pieces: list[str] = []
    done: list[TextReplacement] = []
    last = length = 0
    for bid in bids:
        if bid.kind is None:
            continue
        value = text[bid.start : bid.end]
        how, out = planner.put(bid.kind, visible(value), days=days, day_first=day_first)
        length += bid.start - last
        done.append(
            TextReplacement(
                start=bid.start,
                end=bid.end,
                new_start=length,
                new_end=length + len(out),
                kind=bid.kind,
                how=how,
                original=value,
                surrogate=out,
            )
        )
        pieces += (text[last : bid.start], out)
        length, last = length + len(out), bid.end
    return ReplacedDocument(text="".join((*pieces, text[last:])), replacements=tuple(done))


def _checked(document: Document, bids: Iterable[Bid]) -> tuple[Bid, ...]:
    """The findings in the order of the text; refused where they overlap or run past its end."""
    found = (bid for bid in bids if bid.kind is not None and len(bid) > 0)
    ordered = tuple(
        sorted(
            (one for bid in found for one in _each_number(document, bid)), key=lambda bid: bid.start
        )
    )
    ends = [0, *(bid.end for bid in ordered)]
    if any(bid.start < end for bid, end in zip(ordered, ends, strict=False)) or ends[-1] > len(
        document.text
    ):
        raise Mistake(
            "Findings that overlap, or that run past the end of the text, cannot be replaced.",
            found=f"{len(ordered):,} findings were given.",
            attempt="the findings of `find`, or of `winners`, for this very document.",
        )
    return ordered


def _each_number(document: Document, bid: Bid) -> Iterator[Bid]:
    """A finding as it is, or number by number: "617-473-1214 or 617-473-1299" are two, each with
    its own surrogate."""
    start = bid.start
    for between in (
        _BETWEEN_NUMBERS.finditer(document.text, bid.start, bid.end)
        if bid.kind and bid.kind.is_number
        else ()
    ):
        before, after = (
            document.text[start : between.start()],
            document.text[between.end() : bid.end],
        )
        if all(sum(map(str.isdecimal, part)) >= _FEWEST_DIGITS for part in (before, after)):
            yield replace(bid, start=start, end=between.start())
            start = between.end()
    yield replace(bid, start=start) if start > bid.start else bid


def _scope_of(documents: Sequence[Document]) -> str:
    scopes = {scope_of(document) for document in documents if document.person} or {
        scope_of(d) for d in documents
    }
    if len(scopes) > 1:
        raise Mistake(
            "Documents of several people are replaced together.",
            found=f"{len(scopes):,} people or names among {len(documents):,} documents.",
            attempt="one call for each person's documents.",
        )
    return next(iter(scopes), "")


def _days(
    marked: Iterable[tuple[Document, Sequence[Bid]]],
    style: Style,
    days: Days | None,
    *,
    person: str,
) -> int:
    dated = any(bid.kind is ReferenceKind.DATE for _, bids in marked for bid in bids)
    if (
        not dated
        or style.method_for(ReferenceKind.DATE) is not ReplacementMethod.SURROGATE
        or style.dates is not DateStyle.SHIFT
    ):
        return 0
    moved = 0 if days is None else days(person.partition(" ")[2])
    if moved == 0:
        found = (
            "No number of days was given."
            if days is None
            else "The number of days is 0 for somebody."
        )
        raise Mistake(
            "Dates that are not moved are not shifted.",
            found=found,
            attempt="days, or dates cut to the month.",
        )
    return moved
