"""The first pass: it decides the masks of each person's documents, and collects the real values."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sfumato.text import (
    SURE,
    Bid,
    Decision,
    Document,
    PersonFindings,
    ReferenceKind,
    as_decided,
    find_together,
    read_ahead,
    values_of,
    visible,
    without_uncertain,
    words_left,
)
from sfumato.text.languages import languages_of
from sfumato.text.surrogates import UnsureStyle, has_own_words

from .file_batch import Batch, Place, open_batch
from .file_inspection import InspectedFile
from .request import ScrubRequest

Value = tuple[ReferenceKind, str]
Decided = tuple[tuple[Decision, ...], ...]
"""The treatment of the findings, for each part of a file."""
TOGETHER = 50_000
"""So many characters of short texts are looked at together."""
REMEMBERED, MOST_REMEMBERED = 1_000, 10_000
"""Findings are remembered for scopes of so many characters, and for so many of them."""
FEWEST_CHARACTERS = 5
"""Names and numbers from this length on are looked for in everybody's documents."""

LABELLED, FEWEST_OF_NUMBER = 0.9, 7
"""Record numbers below this score are looked for in everybody's only with so many characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchFindings:
    """The first pass's result for a batch: decisions by file and part, real values, and those of
    them that are looked for in everybody's documents. It also has the number of texts with each
    word, and the languages of each file."""

    decided: tuple[Decided, ...] = field(repr=False)
    values: frozenset[Value] = field(repr=False)
    everywhere: frozenset[Value] = field(repr=False)
    words: Counter[str] = field(repr=False)
    texts: int
    languages: tuple[Mapping[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenDecisions:
    """Decisions that were made before, by a person: nothing is looked for."""

    seen: tuple[InspectedFile, ...]
    decided: tuple[Decided, ...] = field(repr=False)


def look(asked: ScrubRequest, piece: tuple[InspectedFile, ...] | GivenDecisions) -> BatchFindings:
    """Find in a batch of files, person by person, or take decisions made before."""
    given = piece if isinstance(piece, GivenDecisions) else None
    batch = open_batch(asked, given.seen if given else piece)  # type: ignore[arg-type]
    decided: dict[Place, tuple[Decision, ...]] = {}
    values, everywhere = set[Value](), set[Value]()
    finder = _Finder(asked)
    for places in _read_ahead(asked, batch, skips=given is not None):
        texts = batch.at(places)
        if given:
            found = as_decided(texts, [given.decided[file][part] for file, part in places])
        else:
            found = finder.find(texts, batch.certain(places))
            everywhere.update(_telling(texts, found.masked))
        values.update(found.values)
        kept = found.decisions if given else [_kept(asked, each) for each in found.decisions]
        decided |= zip(places, kept, strict=True)
    left = [set().union(*words) for words in _words(batch, decided)]
    return BatchFindings(
        decided=tuple(
            tuple(decided[file, part] for part in range(len(texts)))
            for file, texts in enumerate(batch.documents)
        ),
        values=frozenset(values),
        everywhere=frozenset(everywhere),
        words=Counter(word for words in left for word in words),
        texts=len(left),
        languages=tuple(
            languages_of(part.text for part in file.parts if part.kind is None)
            for file in batch.files
        ),
    )


def _read_ahead(asked: ScrubRequest, batch: Batch, *, skips: bool) -> Iterator[list[Place]]:
    """The documents of each scope; some scopes at a time are shown to detectors that are faster on
    many texts."""
    group: list[list[Place]] = []
    size = 0
    for places in (*batch.scopes().values(), []):
        size += sum(map(len, batch.at(places)))
        group.append(places)
        if size >= TOGETHER or not places:
            if not skips and len(group) > 2:
                texts = batch.at([place for each in group for place in each])
                deque(read_ahead(texts, asked.looking.chosen()), maxlen=0)
            yield from filter(None, group)
            group, size = [], 0


class _Finder:
    """Finds in one scope after the other. Short scopes that read alike, such as rows of a table,
    are read once."""

    def __init__(self, asked: ScrubRequest) -> None:
        self._asked = asked
        self._found: dict[Hashable, PersonFindings] = {}

    def find(self, texts: Sequence[Document], certain: dict[int, ReferenceKind]) -> PersonFindings:
        if sum(map(len, texts)) > REMEMBERED:
            return self._find(texts, certain)
        cues = tuple(tuple(sorted(document.cues.items())) for document in texts)
        alike = tuple(document.text for document in texts), cues, tuple(sorted(certain.items()))
        if alike not in self._found:
            if len(self._found) >= MOST_REMEMBERED:
                self._found.clear()
            self._found[alike] = self._find(texts, certain)
        return self._found[alike]

    def _find(self, texts: Sequence[Document], certain: dict[int, ReferenceKind]) -> PersonFindings:
        found = find_together(
            texts,
            purpose=self._asked.looking.purpose,
            thresholds=self._asked.looking.thresholds,
            detectors=self._asked.looking.chosen(),
            certain=certain,
        )
        if self._asked.style.unsure is not UnsureStyle.KEEP:
            return found
        return as_decided(texts, without_uncertain(texts, found.decisions))


def _kept(asked: ScrubRequest, decided: tuple[Decision, ...]) -> tuple[Decision, ...]:
    """All decisions where a person will check them, else only those that mask; of a person's own
    all are needed."""
    return decided if asked.reviews else tuple(each for each in decided if each.masks)


def _telling(texts: Iterable[Document], masked: Iterable[Sequence[Bid]]) -> Iterator[Value]:
    """Names and numbers sure and long enough to be looked for in everybody's documents."""
    for document, bids in zip(texts, masked, strict=True):
        sure = (
            bid for bid in bids if bid.kind is not None and bid.kind.is_direct and bid.score >= SURE
        )
        told = (bid for bid in sure if _is_of_one(document, bid))
        yield from (
            value for value in values_of(document, told) if len(value[1]) >= FEWEST_CHARACTERS
        )


def _is_of_one(document: Document, bid: Bid) -> bool:
    """Whether the value belongs to one person wherever it occurs. A number that no label vouches
    for must be long, since short ones are measured values in other letters. "Dr. A" is nobody's own
    name: many people are called so, and so are surrogates."""
    if bid.kind is ReferenceKind.NAME:
        return has_own_words(bid.kind, visible(document.text[bid.start : bid.end]))
    if bid.kind is not ReferenceKind.RECORD_NUMBER or bid.score >= LABELLED:
        return True
    written = document.text[bid.start : bid.end]
    return sum(map(str.isalnum, written)) >= FEWEST_OF_NUMBER


def units(batch: Batch) -> Iterator[list[Place]]:
    """One text in the search for unusual ones: a file's parts of one scope."""
    for places in batch.scopes().values():
        files: dict[int, list[Place]] = {}
        for file, part in places:
            files.setdefault(file, []).append((file, part))
        yield from files.values()


def _words(batch: Batch, decided: dict[Place, tuple[Decision, ...]]) -> Iterator[list[set[str]]]:
    for places in units(batch):
        yield [
            words_left(
                batch.documents[file][part],
                (each.finding for each in decided[file, part] if each.masks),
            )
            for file, part in places
        ]
