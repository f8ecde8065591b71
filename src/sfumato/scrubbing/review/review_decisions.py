"""Applying a review: a person's marks in the file become decisions about the reviewed documents.

A document that was changed since, or that nobody reviewed, is refused. Masks may overlap where a
person added something: then the whole of both is masked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from pathlib import Path

from sfumato.errors import Problem, ReviewError
from sfumato.text import (
    THRESHOLD,
    Bid,
    Decision,
    Document,
    KnownNames,
    ReferenceKind,
    as_seen,
    scope_of,
    spread,
    visible,
)

from .review_file import Key, keys_of
from .review_reader import Mark, ReviewMarks, is_open_to_others, read_sheet

PERSON = "decided by a person who checked it"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewDecisions:
    """Decisions for each document, in the order given, for `scrub(..., decisions=)`; and what the
    person changed.

    `open_to_others` are files of the review that others than their owner may read, which should be
    reported."""

    decisions: tuple[tuple[Decision, ...], ...] = field(repr=False)
    reviewers: tuple[str, ...] = ()
    masked_more: int = 0
    kept_more: int = 0
    kinds_changed: int = 0
    open_to_others: tuple[Path, ...] = ()

    @property
    def findings(self) -> tuple[tuple[Bid, ...], ...]:
        """The masks of each document."""
        return tuple(
            tuple(each.finding for each in decided if each.masks) for decided in self.decisions
        )


def apply_review(path: Path | Sequence[Path], documents: Sequence[Document]) -> ReviewDecisions:
    """Read a review, and any files of corrections after it, and decide the masks of each document.

    The first file is whole; in a later one a finding takes the place of the one at the same
    characters. A review may have more documents than are given, but not fewer."""
    paths = [path] if isinstance(path, Path) else list(path)
    sheets = [read_sheet(each) for each in paths]
    keys = keys_of(documents)
    merged = _merged(sheets, keys, name=str(paths[0]))
    marks = [_placed(document, merged[key]) for document, key in zip(documents, keys, strict=True)]
    problems = [problem for _, found in marks for problem in found]
    if problems:
        raise ReviewError(problems, name=" and ".join(map(str, paths)))
    everywhere = [mark for sheet in sheets for mark in sheet.everywhere]
    decided = _spread(documents, [placed for placed, _ in marks], everywhere)
    changes = [
        _changes(document, merged[key], of)
        for document, key, of in zip(documents, keys, decided, strict=True)
    ]
    return ReviewDecisions(
        decisions=tuple(decided),
        reviewers=tuple(
            dict.fromkeys(sheet.reviewer for sheet in sheets if sheet.reviewer.strip())
        ),
        masked_more=sum(more for more, _, _ in changes),
        kept_more=sum(fewer for _, fewer, _ in changes),
        kinds_changed=sum(renamed for _, _, renamed in changes),
        open_to_others=tuple(each for each in paths if is_open_to_others(each)),
    )


def _merged(
    sheets: Sequence[ReviewMarks], keys: Sequence[Key], *, name: str
) -> dict[Key, list[Mark]]:
    """The marks of each document, a later file's over an earlier one's."""
    first, *later = sheets
    problems = []
    if not first.whole:
        attempt = "the review that was written with the texts first, and this file after it."
        problems.append(Problem(where="the file", found="has corrections only.", attempt=attempt))
    names = {key[0] for key in first.documents}
    missing = [key for key in keys if key not in first.documents]
    changed = sum(key[0] in names for key in missing)
    if changed and first.whole:
        found = f"{changed:,} of {len(keys):,} have changed since the review."
        problems.append(
            Problem(where="the documents", found=found, attempt="the same texts, or a new review.")
        )
    if len(missing) > changed and first.whole:
        found = f"{len(missing) - changed:,} of {len(keys):,} are not in the review."
        problems.append(
            Problem(where="the documents", found=found, attempt="the review of these documents.")
        )
    for place, sheet in enumerate(later, start=2):
        strangers = sum(key not in first.documents for key in sheet.documents)
        if strangers:
            found = f"corrects {strangers:,} documents that are not in the review."
            problems.append(
                Problem(
                    where=f"file {place}", found=found, attempt="the corrections of this review."
                )
            )
    if problems:
        raise ReviewError(problems, name=name)
    out = {key: list(first.documents[key]) for key in keys}
    for sheet in later:
        for key in out.keys() & sheet.documents.keys():
            out[key] = _over(out[key], sheet.documents[key])
    return out


def _over(before: Sequence[Mark], after: Sequence[Mark]) -> list[Mark]:
    again = {(mark.start, mark.end) for mark in after if mark.start is not None}
    return [
        mark for mark in before if mark.start is None or (mark.start, mark.end) not in again
    ] + list(after)


# ------------------------------------------------------------------------- placing


def _placed(document: Document, marks: Iterable[Mark]) -> tuple[list[Mark], list[Problem]]:
    """The marks with their characters; those without are looked for, and must be there."""
    placed: list[Mark] = []
    problems: list[Problem] = []
    text = document.text
    for mark in marks:
        if mark.start is not None and mark.end is not None:
            if (
                not 0 <= mark.start < mark.end <= len(text)
                or text[mark.start : mark.end] != mark.text
            ):
                found = 'has another "text" than the document has from "start" to "end".'
                problems.append(
                    Problem(
                        where=mark.where, found=found, attempt="leaving all three as they were."
                    )
                )
            else:
                placed.append(mark)
            continue
        times = text.count(mark.text)
        if times == 0 and mark.masks and not Everywhere([(mark.text, mark.kind)]).bids(document):
            problems.append(
                Problem(where=mark.where, found='"text" does not occur in its document.')
            )
        elif times > 1 and not mark.everywhere:
            found = f'"text" occurs {times:,} times in its document.'
            problems.append(
                Problem(
                    where=mark.where,
                    found=found,
                    attempt='"everywhere": true, or "start" and "end".',
                )
            )
        elif times == 1 and not mark.everywhere:
            start = text.index(mark.text)
            placed.append(replace(mark, start=start, end=start + len(mark.text)))
        elif mark.everywhere:
            placed.append(mark)
        else:
            attempt = '"everywhere": true, or the words as they are there.'
            problems.append(
                Problem(
                    where=mark.where, found='"text" is written otherwise there.', attempt=attempt
                )
            )
    return placed, problems


# ----------------------------------------------------------------------- deciding


def _spread(
    documents: Sequence[Document], marks: Sequence[Sequence[Mark]], everywhere: Sequence[Mark]
) -> list[tuple[Decision, ...]]:
    """The result for each document once requests for all documents are looked for in the person's
    documents."""
    masked: dict[str, dict[Asked, None]] = {}
    kept: dict[str, set[str]] = {}
    for document, own in zip(documents, marks, strict=True):
        scope = scope_of(document)
        asked = masked.setdefault(
            scope, {(each.text, each.kind): None for each in everywhere if each.masks}
        )
        spared = kept.setdefault(scope, {each.text for each in everywhere if not each.masks})
        for mark in own:
            if mark.everywhere and mark.masks:
                asked[mark.text, mark.kind] = None
            elif mark.everywhere:
                spared.add(mark.text)
    lookers = {scope: Everywhere(asked) for scope, asked in masked.items()}
    return [
        _decided(document, own, lookers[scope_of(document)], kept[scope_of(document)])
        for document, own in zip(documents, marks, strict=True)
    ]


def _decided(
    document: Document, marks: Sequence[Mark], asked: Everywhere, spared: set[str]
) -> tuple[Decision, ...]:
    placed = [mark for mark in marks if mark.start is not None]
    decisions = [_decision(mark, spared=mark.text in spared) for mark in placed]
    off = [(mark.start or 0, mark.end or 0) for mark in placed if _turned_off(mark)]
    on = [(each.finding.start, each.finding.end) for each in decisions if each.masks]
    covered = _cover(len(document.text), (*off, *on))
    more = [bid for bid in asked.bids(document) if 0 in covered[bid.start : bid.end]]
    decisions += [Decision(finding=bid, masks=True, reason=PERSON) for bid in more]
    return settled(decisions)


def _cover(length: int, spans: Iterable[tuple[int, int]]) -> bytearray:
    out = bytearray(length)
    for start, end in spans:
        out[start:end] = b"\1" * (end - start)
    return out


def _decision(mark: Mark, *, spared: bool) -> Decision:
    masks = mark.masks and not (spared and mark.proposed is not None)
    changed = mark.proposed is None or mark.proposed != (masks, mark.kind)
    finding = Bid(mark.start or 0, mark.end or 0, mark.kind, mark.score, mark.detector, mark.reason)
    return Decision(finding=finding, masks=masks, reason=PERSON if changed else mark.decided)


def settled(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """The decisions in the order of the text; masked ones that overlap become one, of the kind that
    a person gave.

    Example:
        >>> from sfumato.text.kinds import ReferenceKind
        >>> spans = (0, 8, ReferenceKind.NAME), (4, 12, ReferenceKind.STREET)
        >>> found = [Decision(finding=Bid(*span, 0.9, "x"), masks=True, reason="") for span in spans]
        >>> [(each.finding.start, each.finding.end) for each in settled(found)]
        [(0, 12)]
    """
    ordered = sorted(decisions, key=lambda each: (each.finding.start, each.finding.end))
    masked: list[Decision] = []
    for each in ordered:
        if each.masks and masked and masked[-1].finding.overlaps(each.finding):
            masked[-1] = _united(masked[-1], each)
        elif each.masks:
            masked.append(each)
    spans = {(each.finding.start, each.finding.end) for each in masked}
    kept = [
        each
        for each in ordered
        if not each.masks and (each.finding.start, each.finding.end) not in spans
    ]
    return tuple(sorted((*masked, *kept), key=lambda each: (each.finding.start, each.finding.end)))


def _united(one: Decision, other: Decision) -> Decision:
    first = max((one, other), key=lambda each: (each.reason == PERSON, len(each.finding)))
    start, end = (
        min(one.finding.start, other.finding.start),
        max(one.finding.end, other.finding.end),
    )
    return replace(first, finding=replace(first.finding, start=start, end=end))


# ----------------------------------------------------------------------- counting


def _turned_off(mark: Mark) -> bool:
    return not mark.masks and mark.proposed is not None and mark.proposed[0]


def _changes(
    document: Document, marks: Iterable[Mark], decided: Iterable[Decision]
) -> tuple[int, int, int]:
    """How many findings are masked that were not to be, are kept that were to be masked, and
    changed their kind."""
    before = {
        (mark.start, mark.end): mark.proposed[1]
        for mark in marks
        if mark.proposed and mark.proposed[0]
    }
    after = {
        (each.finding.start, each.finding.end): each.finding.kind for each in decided if each.masks
    }
    covered = _cover(len(document.text), after)
    more = sum(span not in before for span in after)
    fewer = sum(1 not in covered[start:end] for start, end in before)
    return more, fewer, sum(before.get(span, kind) != kind for span, kind in after.items())


# Everywhere: what a person added in one place is masked wherever it stands, in a part and
# misspelt too.

Asked = tuple[str, ReferenceKind]
"""The words, and what they are."""
_BY = "review"


class Everywhere:
    """A value to be masked everywhere. Made once for all documents in which it is looked for.

    Example:
        >>> asked = Everywhere([("Dot Long", ReferenceKind.NAME)])
        >>> text = "DOT LONG came. Dot is 7. A dot."
        >>> [text[bid.start : bid.end] for bid in asked.bids(Document(text))]
        ['DOT LONG', 'Dot']
    """

    def __init__(self, asked: Iterable[Asked]) -> None:
        self._kinds = {_plain(visible(text)): kind for text, kind in asked}
        longest_first = sorted(self._kinds, key=lambda text: (-len(text), text))
        self._pattern = (
            re.compile("|".join(map(_written, longest_first)), re.UNICODE) if self._kinds else None
        )
        self._known = reduce(
            or_, (_known(text, kind) for text, kind in self._kinds.items()), KnownNames()
        )

    def bids(self, document: Document) -> tuple[Bid, ...]:
        """Its places: word for word first, then in parts, as a nickname or misspelt."""
        if self._pattern is None:
            return ()
        seen = as_seen(document)
        text = seen.document
        kinds = self._kinds | {words.upper(): kind for words, kind in self._kinds.items()}
        exact = [
            Bid(
                found.start(),
                found.end(),
                kinds[_plain(found.group())],
                1.0,
                _BY,
                "asked for everywhere",
            )
            for found in self._pattern.finditer(text.text)
        ]
        wider: Sequence[Bid] = (
            spread(text, (), elsewhere=self._known) if self._known != KnownNames() else ()
        )
        taken = bytearray(len(text.text))
        for bid in exact:
            taken[bid.start : bid.end] = b"\1" * len(bid)
        near = [
            bid for bid in wider if bid.score >= THRESHOLD and 1 not in taken[bid.start : bid.end]
        ]
        return tuple(sorted(map(seen.back, (*exact, *near))))


def _known(text: str, kind: ReferenceKind) -> KnownNames:
    return KnownNames.of(Document(text), [Bid(0, len(text), kind, 1.0, _BY)])


def _plain(text: str) -> str:
    return " ".join(text.split())


def _written(text: str) -> str:
    """As it is written or in capitals, with any blanks between its words, and not within a longer
    word."""
    before = r"(?<!\w)" if _is_word(text[0]) else ""
    after = r"(?!\w)" if _is_word(text[-1]) else ""
    forms = dict.fromkeys((text, text.upper()))
    return (
        before
        + "(?:"
        + "|".join(r"\s+".join(map(re.escape, form.split())) for form in forms)
        + ")"
        + after
    )


def _is_word(mark: str) -> bool:
    return mark.isalnum() or mark == "_"
