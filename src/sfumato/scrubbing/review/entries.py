"""A review's entries: every finding in a document, its treatment, and its replacement."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from sfumato.text import NEARLY, Bid, Document, ReferenceKind, ScrubbedDocument

SURE, UNLIKELY, NEARLY_FROM = 0.7, 0.4, 0.2
_NEARLY = NEARLY.partition(" (")[0]


ON_PURPOSE = frozenset(
    {"many people share it", "does not name anybody by itself", "claimed as words to keep"}
)
"""Why findings are kept however sure they are: no question to the person who checks."""


class Certainty(StrEnum):
    """How sure Scrub is of what it decided."""

    SURE = "sure"
    UNCERTAIN = "uncertain"
    NEARLY = "nearly"
    """Kept, and nearly replaced: medicine outbid it, or its score is just too low."""
    UNLIKELY = "unlikely"

    @classmethod
    def of(cls, score: float) -> Certainty:
        """Example:
        >>> [str(Certainty.of(score)) for score in (0.9, 0.5, 0.1)]
        ['sure', 'uncertain', 'unlikely']
        """
        return cls.SURE if score >= SURE else cls.UNCERTAIN if score >= UNLIKELY else cls.UNLIKELY


class Group(StrEnum):
    """Kinds that share a colour and a sign: thirty of either could not be distinguished."""

    PEOPLE = "people"
    PLACES = "places"
    CONTACT = "contact"
    DATES = "dates"
    NUMBERS = "numbers"
    BODIES = "bodies"
    FACTS = "facts"

    @classmethod
    def of(cls, kind: ReferenceKind) -> Group:
        return _GROUPS.get(kind, cls.FACTS)


_GROUPS: dict[ReferenceKind, Group] = {
    **dict.fromkeys(
        (ReferenceKind.NAME, ReferenceKind.RELATIVE, ReferenceKind.USER_NAME), Group.PEOPLE
    ),
    **dict.fromkeys(
        (ReferenceKind.STREET, ReferenceKind.TOWN, ReferenceKind.REGION, ReferenceKind.POSTCODE),
        Group.PLACES,
    ),
    **dict.fromkeys((ReferenceKind.COUNTRY, ReferenceKind.COORDINATES), Group.PLACES),
    **dict.fromkeys(
        (ReferenceKind.PHONE, ReferenceKind.EMAIL, ReferenceKind.URL, ReferenceKind.IP),
        Group.CONTACT,
    ),
    **dict.fromkeys((ReferenceKind.DATE, ReferenceKind.TIME, ReferenceKind.AGE), Group.DATES),
    **{
        kind: Group.NUMBERS
        for kind in ReferenceKind
        if kind.is_number and kind is not ReferenceKind.PHONE
    },
    **dict.fromkeys(
        (ReferenceKind.HOSPITAL, ReferenceKind.ORGANISATION, ReferenceKind.TEAM), Group.BODIES
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One finding as the person who checks sees it. `put` is its replacement, None where it was
    kept."""

    start: int
    end: int
    kind: ReferenceKind
    masks: bool
    score: float
    detector: str
    reason: str
    decided: str
    how: str = ""
    text: str = field(repr=False)
    put: str | None = field(default=None, repr=False)

    @property
    def certainty(self) -> Certainty:
        if not self.masks and self.decided in ON_PURPOSE:
            return Certainty.SURE
        if not self.masks and (
            self.decided.startswith(_NEARLY) or NEARLY_FROM <= self.score < SURE
        ):
            return Certainty.NEARLY
        return Certainty.of(self.score)

    @property
    def group(self) -> Group:
        return Group.of(self.kind)


def entries_of(document: Document, scrubbed: ScrubbedDocument) -> tuple[Entry, ...]:
    """Every decision about a document with its result, in the order of the text.

    Example:
        >>> from sfumato.text.detectors import RULES
        >>> from sfumato.text.scrubber import scrub
        >>> letter = Document("Dear Dr. Lang: thank you.")
        >>> [entry] = entries_of(letter, scrub([letter], secret=bytes(range(32)), detectors=RULES).documents[0])
        >>> entry.masks, str(entry.kind), entry.text, entry.how
        (True, 'name', 'Lang', 'surrogate')
    """
    became = {(each.start, each.end): each for each in scrubbed.replaced.replacements}
    decided: Iterable[tuple[Bid, bool, str]] = (
        [(each.finding, each.masks, each.reason) for each in scrubbed.decisions]
        if scrubbed.decisions
        else [(finding, True, "") for finding in scrubbed.findings]
    )
    out = []
    for finding, masks, reason in decided:
        if finding.kind is None:
            continue
        done = became.get((finding.start, finding.end)) if masks else None
        out.append(
            Entry(
                start=finding.start,
                end=finding.end,
                kind=finding.kind,
                masks=masks,
                score=finding.score,
                detector=finding.detector,
                reason=finding.reason,
                decided=reason,
                how=str(done.how) if done else "",
                text=document.text[finding.start : finding.end],
                put=done.surrogate if done else None,
            )
        )
    return tuple(sorted(out, key=lambda entry: (entry.start, entry.end, not entry.masks)))


def drawn(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The entries that a page can mark in the text: none overlaps another, and the masked ones are
    first.

    Example:
        >>> about = {"kind": ReferenceKind.NAME, "score": 0.9, "detector": "x", "reason": "", "decided": ""}
        >>> kept = Entry(start=0, end=9, masks=False, text="Dr. Frank", **about)
        >>> gone = Entry(start=4, end=9, masks=True, text="Frank", **about)
        >>> [entry.start for entry in drawn([kept, gone])]
        [4]
    """
    given = tuple(entries)
    taken = bytearray(max((entry.end for entry in given), default=0))
    out = []
    for entry in sorted(given, key=lambda entry: (not entry.masks, entry.start, -entry.end)):
        if 1 not in taken[entry.start : entry.end]:
            taken[entry.start : entry.end] = b"\1" * (entry.end - entry.start)
            out.append(entry)
    return tuple(sorted(out, key=lambda entry: entry.start))
