"""The ways to scrub, compared on the holder's own letters (Sweeney 2000, Fig. 24).

Nobody marked these letters, so no way can be given its recall. A reference is a span that any of
the ways masks; the table states how many of these each way masks by itself. Nothing is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sfumato.errors import Mistake
from sfumato.text import (
    Bid,
    Document,
    SearchWithCues,
    StraightSearch,
    TextDetector,
    find,
    find_together,
)
from sfumato.text.detectors import Detectors, detectors
from sfumato.text.surrogates import untitled

from .corpus import FindSettings
from .file_batch import open_batch
from .file_inspection import batches
from .request import FILE, ScrubRequest
from .scrub_run import readable_files

SEARCH, CUES, RULES, ALL = "search", "search with cues", "rules", "all detectors"
WAYS: Final = (SEARCH, CUES, RULES, ALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class WaysCompared:
    """How many references of each kind there are, and how many of them each way masks whole."""

    texts: int
    references: Mapping[str, int]
    masked: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By way, then by kind."""

    def share(self, way: str, kind: str | None = None) -> float:
        every = self.references if kind is None else {kind: self.references[kind]}
        total = sum(every.values())
        return sum(self.masked[way].get(each, 0) for each in every) / total if total else 1.0


def compare_ways(
    paths: Sequence[Path],
    *,
    looking: FindSettings | None = None,
    known: Mapping[str, Mapping[str, tuple[str, ...]]] | None = None,
    person_from: str = FILE,
) -> WaysCompared:
    """Compare search for what a register knows, search with cues, rules, and all detectors."""
    wanted = looking or FindSettings()
    if not paths:
        raise Mistake("Ways are compared on files.", attempt="sfumato scrub PATH --compare.")
    asked = ScrubRequest(
        paths=tuple(paths),
        target=paths[0].absolute().parent / ".nothing-is-written",
        looking=wanted,
        known=known or {},
        person_from=person_from,
    )
    references: Counter[str] = Counter()
    masked: dict[str, Counter[str]] = {way: Counter() for way in WAYS}
    texts = 0
    for batch in batches(readable_files(asked)):
        opened = open_batch(asked, batch)
        for places in opened.scopes().values():
            documents = opened.at(places)
            texts += len(documents)
            found = _by_way(documents, wanted)
            for number, document in enumerate(documents):
                _count(document, {way: of[number] for way, of in found.items()}, references, masked)
    return WaysCompared(texts=texts, references=dict(references), masked=masked)


def _by_way(
    documents: Sequence[Document], looking: FindSettings
) -> dict[str, list[tuple[Bid, ...]]]:
    """The masks of each way in one person's documents."""

    def decided(by: Sequence[TextDetector]) -> list[tuple[Bid, ...]]:
        found = find_together(
            documents, purpose=looking.purpose, thresholds=looking.thresholds, detectors=by
        )
        return list(found.masked)

    return {
        SEARCH: [find(each, [StraightSearch()], spreads=False) for each in documents],
        CUES: [find(each, [SearchWithCues()], spreads=False) for each in documents],
        RULES: decided(detectors(Detectors.RULES)),
        ALL: decided(looking.chosen()),
    }


def _count(
    document: Document,
    found: Mapping[str, Sequence[Bid]],
    references: Counter[str],
    masked: Mapping[str, Counter[str]],
) -> None:
    covered = {way: bytearray(len(document.text)) for way in found}
    for way, bids in found.items():
        for bid in bids:
            covered[way][bid.start : bid.end] = b"\1" * len(bid)
    taken = bytearray(len(document.text))
    for way in (ALL, RULES, CUES, SEARCH):
        for bid in found[way]:
            if bid.kind is None or any(taken[bid.start : bid.end]):
                continue
            taken[bid.start : bid.end] = b"\1" * len(bid)
            references[str(bid.kind)] += 1
            for other, mask in covered.items():
                masked[other][str(bid.kind)] += _covers(document.text, mask, bid)


def _covers(text: str, mask: bytearray, bid: Bid) -> bool:
    """Whether all of it is masked, a title apart."""
    places = range(bid.end - len(untitled(text[bid.start : bid.end])), bid.end)
    return all(mask[place] for place in places if text[place].isalnum())
