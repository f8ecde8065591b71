"""The first pass over a person's texts: their findings, their masks, and the remaining words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sfumato.text import (
    Bid,
    Decision,
    Document,
    Purpose,
    ReferenceKind,
    find_together,
    values_of,
    words_left,
)
from sfumato.text.detectors import detectors

from .known_values import KnownSpan, OwnRow
from .messages import Cue, Findings, Look, Person

WEAK = 0.3
"""From this score on a finding of a kind that the release generalises is masked, whatever the
purpose."""
_NAME = "own row"


def read_batch(looks: tuple[Look, ...], batch: Sequence[Person]) -> list[Findings]:
    """The findings in the texts of some people."""
    return [read_person(looks, person) for person in batch]


def read_person(looks: Sequence[Look], person: Person) -> Findings:
    """Find references in all texts of one person together, each text decided by its own look. Then
    search for the tables' values of the person."""
    spans: dict[int, tuple[Bid, ...]] = {}
    values: dict[tuple[str, str], None] = {}
    for number in dict.fromkeys(each.look for each in person.texts):
        look = looks[number]
        cues = [cue for cue in person.cues if number in cue.looks]
        documents = documents_of(person, cues)
        found = find_together(
            documents,
            purpose=Purpose(look.scrub.purpose.value),
            thresholds={
                ReferenceKind(kind): least for kind, least in look.scrub.thresholds.items()
            },
            detectors=(*detectors(look.detectors), *look.own),
        )
        own = OwnRow(cues)
        for place, each in enumerate(person.texts):
            if each.look == number:
                masked = _widened(
                    documents[place],
                    found.masked[place],
                    found.decisions[place],
                    look=look,
                    own=own,
                )
                spans[place] = with_places(masked, own.places(documents[place]))
                values |= dict.fromkeys(
                    (str(k), v) for k, v in values_of(documents[place], spans[place])
                )
        values |= dict.fromkeys((str(kind), value) for kind, value in found.values)
    values |= dict.fromkeys((cue.kind, cue.value) for cue in person.cues if not cue.is_coarser)
    words: dict[int, Counter[str]] = {}
    for place, each in enumerate(person.texts):
        words.setdefault(each.of, Counter()).update(words_left(Document(each.text), spans[place]))
    ordered = (spans[place] for place in range(len(person.texts)))
    return Findings(
        spans=tuple(
            tuple((bid.start, bid.end, str(bid.kind), bid.score) for bid in bids)
            for bids in ordered
        ),
        values=tuple(values),
        words=words,
    )


def documents_of(person: Person, cues: Iterable[Cue]) -> list[Document]:
    by_kind: dict[str, tuple[str, ...]] = {}
    for cue in cues:
        if not cue.is_coarser:
            by_kind[cue.kind] = (*by_kind.get(cue.kind, ()), cue.value)
    return [Document(each.text, person=person.name, cues=by_kind) for each in person.texts]


def _widened(
    document: Document,
    masked: Iterable[Bid],
    decisions: Iterable[Decision],
    *,
    look: Look,
    own: OwnRow,
) -> list[Bid]:
    """The masks, with the kinds that the release generalises; a finer statement of it is removed
    altogether."""
    chosen = {(bid.start, bid.end): bid for bid in masked}
    for decision in decisions:
        bid = decision.finding
        place, kind = (bid.start, bid.end), bid.kind
        if (kind is ReferenceKind.AGE and look.ages) or (
            kind is ReferenceKind.DATE and own.is_own_date(document.text[bid.start : bid.end])
        ):
            chosen[place] = replace(bid, kind=ReferenceKind.OTHER)
        elif kind is not None and str(kind) in look.widened and bid.score >= WEAK:
            chosen.setdefault(place, bid)
    return sorted(chosen.values())


def with_places(masked: Iterable[Bid], places: Iterable[KnownSpan]) -> tuple[Bid, ...]:
    """Findings and the person's own values together, none overlapping another.

    A value inside a finding is masked with it. A value that the release generalises makes the whole
    finding one: a surrogate may keep the decade of an age or the region of a town. Where two
    overlap in part, both are masked as one.

    Example:
        >>> name = Bid(0, 8, ReferenceKind.NAME, 0.9, "x")
        >>> own = [KnownSpan(start=4, end=12, kind=ReferenceKind.TOWN, is_coarser=False)]
        >>> [(bid.start, bid.end, str(bid.kind)) for bid in with_places([name], own)]
        [(0, 12, 'other')]
    """
    out: list[Bid] = []
    added = [
        Bid(
            p.start,
            p.end,
            ReferenceKind.OTHER if p.is_coarser else p.kind,
            1.0,
            _NAME,
            "a value of the person's own row",
        )
        for p in places
    ]
    for bid in sorted(
        (*added, *masked), key=lambda bid: (bid.start, -bid.end)
    ):  # Of equals, the row's own comes first.
        last = out[-1] if out else None
        if last is None or bid.start >= last.end:
            out.append(bid)
            continue
        inside = bid.end <= last.end
        same = bid.kind == last.kind or (inside and bid.kind is not ReferenceKind.OTHER)
        out[-1] = replace(
            last, end=max(last.end, bid.end), kind=last.kind if same else ReferenceKind.OTHER
        )
    return tuple(out)
