"""The second pass: replace, write, and look through what was written."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.text import (
    Bid,
    Days,
    Decision,
    Document,
    How,
    ReferenceKind,
    RepeatValues,
    ReplacedDocument,
    ReversalEntry,
    keyed_days,
    replace_findings,
    score,
    sweep,
    way_of,
    words_left,
)
from sfumato.text.surrogates import RealValues, Style

from .file_batch import Batch, Place, open_batch
from .file_inspection import InspectedFile
from .find_pass import Decided, units
from .recount import Originals, recount
from .request import Names, ScrubRequest

_SWEPT = "the same was masked in another document"


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionFacts:
    """The second pass's knowledge of the whole collection."""

    asked: ScrubRequest
    folder: Path
    secret: bytes = field(repr=False)
    days: Mapping[str, int] = field(repr=False)
    """The days by which people's dates move, from linked tables; other dates move by a number from
    the secret."""
    real: RealValues
    everywhere: RepeatValues
    words: Mapping[str, int] = field(repr=False)
    texts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToWrite:
    """A batch with what was decided about it, and what its files will be called."""

    seen: tuple[InspectedFile, ...]
    decided: tuple[Decided, ...] = field(repr=False)
    names: tuple[str, ...]
    by_person: bool = False
    """Whether a person decided: then nothing is added, and what they spared stays."""
    languages: tuple[Mapping[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedDocument:
    """A document for the person who checks: its text, its decisions and its replacements.

    `file` and `where` identify the written text that it is a part of.
    """

    file: str
    where: str
    name: str
    person: str = field(repr=False)
    text: str = field(repr=False)
    decided: tuple[Decision, ...] = field(repr=False)
    replaced: ReplacedDocument = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrote:
    """A file that was written. `ways` and `checked` are the holder's."""

    name: str
    seen: InspectedFile
    sha256: str
    size: int
    parts: int
    counts: Counter[tuple[ReferenceKind, How]]
    scores: tuple[tuple[str, float | None], ...]
    """How unusual each text of it is: its place in the file, "" for the whole of it, and the
    score."""
    standing: int
    found_again: int
    reads_back: bool
    languages: Mapping[str, int] = field(default_factory=dict)
    """In how many passages each language is used."""
    ways: tuple[ReversalEntry, ...] = field(default=(), repr=False)
    checked: tuple[CheckedDocument, ...] = field(default=(), repr=False)


def write(settled: CollectionFacts, piece: ToWrite) -> tuple[Wrote, ...]:
    """Replace in a batch of files, write them, and look through what was written."""
    asked = settled.asked
    batch = open_batch(asked, piece.seen)
    decided = {
        (file, part): decisions
        for file, of in enumerate(piece.decided)
        for part, decisions in enumerate(of)
    }
    replaced: dict[Place, ReplacedDocument] = {}
    originals: dict[Place, Originals] = {}
    own_days = keyed_days(settled.secret)

    def days(person: str) -> int:
        return settled.days.get(person) or own_days(person)

    for places in batch.scopes().values():
        texts = batch.at(places)
        findings: Findings = [_masked(decided[place]) for place in places]
        if not piece.by_person:
            findings = sweep(texts, findings, also=settled.everywhere)
        findings, made = replace_all(
            texts,
            findings,
            secret=settled.secret,
            style=asked.style,
            days=days,
            real=settled.real,
            everywhere=settled.everywhere,
            known=asked.given.get(texts[0].person) if texts[0].person else None,
            more=not piece.by_person,
        )
        for place, bids in zip(places, findings, strict=True):
            decided[place] = _with_swept(decided[place], bids)
        replaced |= zip(places, made, strict=True)
        spared = _spared(texts, [decided[place] for place in places]) if piece.by_person else ()
        left = Originals.of(made, spared=spared)
        originals |= dict.fromkeys(places, left)
    scores = _scores(settled, batch, decided)
    return tuple(
        _written(
            settled,
            batch,
            number,
            name=name,
            decided=decided,
            replaced=replaced,
            originals=originals,
            scores=scores,
            languages=piece.languages[number] if piece.languages else {},
        )
        for number, name in enumerate(piece.names)
    )


def _written(
    settled: CollectionFacts,
    batch: Batch,
    number: int,
    *,
    name: str,
    decided: Mapping[Place, Sequence[Decision]],
    replaced: Mapping[Place, ReplacedDocument],
    originals: Mapping[Place, Originals],
    scores: Mapping[int, Sequence[tuple[str, float | None]]],
    languages: Mapping[str, int],
) -> Wrote:
    asked, texts = settled.asked, batch.documents[number]
    here = [(number, part) for part in range(len(texts))]
    made = [replaced[place] for place in here]
    content = batch.files[number].written(made)
    path = settled.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    looked = recount(
        path,
        made,
        [originals[place] for place in here],
        everywhere=settled.everywhere,
        name=name if asked.names is Names.KEPT else "",
        reading=asked.reading,
        detectors=asked.looking.chosen(),
        given=frozenset(
            new.casefold()
            for document in texts
            for new in asked.given.get(document.person, {}).values()
        ),
    )
    return Wrote(
        name=name,
        seen=batch.seen[number],
        sha256=hashlib.sha256(content).hexdigest(),
        size=len(content),
        parts=len(texts),
        counts=Counter((change.kind, change.how) for each in made for change in each.replacements),
        scores=tuple(scores.get(number, ())),
        standing=looked.standing,
        found_again=looked.found_again,
        reads_back=looked.reads_back,
        languages=dict(languages),
        ways=tuple(map(way_of, made)) if asked.maps else (),
        checked=_checked(batch, number, name, decided, made) if asked.reviews else (),
    )


def _masked(decided: Iterable[Decision]) -> tuple[Bid, ...]:
    return tuple(each.finding for each in decided if each.masks)


def _spared(texts: Sequence[Document], decided: Sequence[Sequence[Decision]]) -> set[str]:
    """The values that a person kept in place, although the same may be masked in another place."""
    return {
        document.text[each.finding.start : each.finding.end]
        for document, of in zip(texts, decided, strict=True)
        for each in of
        if not each.masks
    }


def _with_swept(decided: Sequence[Decision], masked: Iterable[Bid]) -> tuple[Decision, ...]:
    before = set(_masked(decided))
    more = [Decision(finding=bid, masks=True, reason=_SWEPT) for bid in masked if bid not in before]
    return tuple(sorted((*decided, *more), key=lambda each: (each.finding.start, each.finding.end)))


def _scores(
    settled: CollectionFacts, batch: Batch, decided: Mapping[Place, Sequence[Decision]]
) -> dict[int, list[tuple[str, float | None]]]:
    """How unusual each text is, by file."""
    out: dict[int, list[tuple[str, float | None]]] = {}
    several = Counter(places[0][0] for places in units(batch))
    for places in units(batch):
        file, first = places[0]
        words: set[str] = set().union(
            *(words_left(batch.documents[f][part], _masked(decided[f, part])) for f, part in places)
        )
        where = batch.files[file].parts[first].place if several[file] > 1 else ""
        out.setdefault(file, []).append((where, score(words, settled.words, settled.texts)))
    return out


def _checked(
    batch: Batch,
    number: int,
    file: str,
    decided: Mapping[Place, Sequence[Decision]],
    made: Sequence[ReplacedDocument],
) -> tuple[CheckedDocument, ...]:
    several = [places for places in units(batch) if places[0][0] == number]
    where = {
        place: batch.files[number].parts[places[0][1]].place if len(several) > 1 else ""
        for places in several
        for place in places
    }
    return tuple(
        CheckedDocument(
            file=file,
            where=where[number, part],
            name=document.name,
            person=document.person,
            text=document.text,
            decided=tuple(decided[number, part]),
            replaced=each,
        )
        for part, (document, each) in enumerate(zip(batch.documents[number], made, strict=True))
    )


# Replacing in one person's documents until nothing that was masked stands in the new texts.
# Replacing can lay a value bare that was no word of its own before: where "Court's" becomes
# "[...]'s", what follows begins a new word. Such places are masked too, and the texts replaced
# anew.

MOST = 3
"""So many times at most: each masks more, so that it ends in any case."""
_REASON = "the same was masked in another place"
Findings = Sequence[tuple[Bid, ...]]


def replace_all(
    texts: Sequence[Document],
    findings: Findings,
    *,
    secret: bytes,
    style: Style,
    days: Days,
    real: RealValues,
    everywhere: RepeatValues,
    more: bool,
    known: Mapping[str, str] | None = None,
) -> tuple[Findings, tuple[ReplacedDocument, ...]]:
    """The findings, with those that replacing exposed where `more` may be masked, and the documents
    replaced."""
    made = replace_findings(
        texts, findings, secret=secret, style=style, days=days, real=real, known=known
    )
    for _ in range(MOST if more else 0):
        wanted = (Originals.of(made).wanted, everywhere)
        bare = [tuple(_laid_bare(each, wanted)) for each in made]
        if not any(bare):
            break
        findings = [tuple(sorted((*own, *new))) for own, new in zip(findings, bare, strict=True)]
        made = replace_findings(
            texts, findings, secret=secret, style=style, days=days, real=real, known=known
        )
    return findings, made


def _laid_bare(replaced: ReplacedDocument, wanted: Sequence[RepeatValues]) -> Iterator[Bid]:
    """Findings of the old text for values in the new one outside of the replacements."""
    document = Document(replaced.text)
    starts = [change.new_start for change in replaced.replacements]
    taken = 0
    places = sorted(
        set(place for values in wanted for place in values.places(document)),
        key=lambda place: place[:2],
    )
    for start, end, kind in places:
        before = bisect_right(starts, start) - 1
        last = replaced.replacements[before] if before >= 0 else None
        follows = starts[before + 1] if before + 1 < len(starts) else len(replaced.text)
        if start < taken or end > follows or (last is not None and start < last.new_end):
            # A part of it was put there: it is none of the old text's, and the recount will tell.
            continue
        moved = last.end - last.new_end if last is not None else 0
        yield Bid(start + moved, end + moved, kind, 1.0, "sweeping", _REASON)
        taken = end
