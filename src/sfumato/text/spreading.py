"""A name once found is found everywhere: elsewhere in the document, in the patient's other documents, misspelt too.

Letters name people in full once and then by a part, a nickname, initials, or with a slip of the finger, as "Lang" for
"Long" in the salutation of Fig. 21 (000, section 6.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .bids import Bid
from .detectors.medicine import Medicine
from .detectors.name_evidence import MONTHS_AND_DAYS, NEVER, PARTICLES, TITLES
from .documents import Document
from .kinds import Kind
from .lexicons import first_names, folded, last_names, nicknames, towns, words
from .misspelling import deletions, is_misspelt
from .reading import LETTER, LOWER, NUMBER, Reading, reading

SURE = 0.6
"""A finding below this score spreads nothing: one mistake would become many."""
_NAME = "spreading"
_ELSEWHERE = frozenset({Kind.HOSPITAL, Kind.ORGANISATION, Kind.STREET, Kind.TEAM, Kind.TOWN, Kind.USER_NAME})
_SHORTEST_MISSPELT = 5


@dataclass(frozen=True, kw_only=True)
class Known:
    """What is known of somebody: parts of names as lexicons spell them, whole phrases by kind, and initials.

    Example:
        >>> Known.of(Document("Virginia Townsend"), [Bid(0, 17, Kind.NAME, 0.9, "x")])
        Known(parts=2, phrases=1)
        >>> sorted((Known(parts=frozenset({"anna"})) | Known(parts=frozenset({"ruth"}))).parts)
        ['anna', 'ruth']
    """

    parts: frozenset[str] = frozenset()
    phrases: frozenset[tuple[str, Kind]] = frozenset()
    initials: frozenset[str] = field(default=frozenset())

    def __repr__(self) -> str:
        return f"Known(parts={len(self.parts)}, phrases={len(self.phrases)})"

    def __or__(self, other: Known) -> Known:
        return Known(
            parts=self.parts | other.parts,
            phrases=self.phrases | other.phrases,
            initials=self.initials | other.initials,
        )

    @classmethod
    def of(cls, document: Document, findings: Iterable[Bid]) -> Known:
        """What a document's findings and cues tell: give it to the spreading over the person's other documents."""
        told = [(document.text[bid.start : bid.end], bid.kind) for bid in findings if bid.kind and bid.score >= SURE]
        kinds = {str(kind): kind for kind in Kind}
        told += [(text, kinds[kind]) for kind, texts in document.cues.items() if kind in kinds for text in texts]
        parts, phrases, initials = set[str](), set[tuple[str, Kind]](), set[str]()
        for text, kind in told:
            tokens = [folded(word.text).removesuffix("'s") for word in Document(text).words]
            if kind is Kind.NAME:
                parts.update(token for token in tokens if _is_part(token))
                initials.add("".join(token[0] for token in tokens if token not in PARTICLES))
            if ((kind is Kind.NAME or kind in _ELSEWHERE) and len(tokens) > 1) or _is_rare(tokens, kind):
                phrases.add((" ".join(tokens), kind))
        return cls(
            parts=frozenset(parts), phrases=frozenset(phrases), initials=frozenset(i for i in initials if len(i) > 1)
        )


def spread(document: Document, findings: Iterable[Bid], *, elsewhere: Known | None = None) -> tuple[Bid, ...]:
    """Further bids for what was found, in the document or `elsewhere`; the findings themselves are left out.

    Example:
        >>> document = Document("Marjorie Long wrote. Mr Lang said that Long was ill for long.")
        >>> bids = spread(document, [Bid(0, 13, Kind.NAME, 0.95, "x")])
        >>> [document.text[bid.start : bid.end] for bid in bids]
        ['Lang', 'Long']
    """
    found = list(findings)
    known = Known.of(document, found)
    if elsewhere is not None:
        known |= elsewhere
    read = reading(document)
    taken = bytearray(len(document.text))
    for bid in found:
        taken[bid.start : bid.end] = b"\1" * len(bid)
    bids = [*_phrases(read, known), *_parts(read, known), *_initials(read, known), *_misspelt(read, known)]
    free = {
        (bid.start, bid.end, bid.kind): bid
        for bid in sorted(bids, key=lambda bid: bid.score)
        if not all(taken[bid.start : bid.end])
    }
    return tuple(sorted(free.values(), key=lambda bid: (bid.start, bid.end)))


def _phrases(read: Reading, known: Known) -> Iterator[Bid]:
    """Whole names, hospitals, streets and the like, word for word."""
    kinds = dict(sorted(known.phrases))
    sizes: dict[str, set[int]] = {}
    for phrase in kinds:
        sizes.setdefault(phrase.partition(" ")[0], set()).add(phrase.count(" "))
    for first in sorted(sizes):
        for place in read.where.get(first, []) + read.where.get(f"{first}'s", []):
            for more in sorted(sizes[first]):
                kind = kinds.get(" ".join(read.bares[place : place + more + 1]))
                if kind and place + more < len(read) and not _breaks(read, place, place + more):
                    yield _bid(read, place, place + more, kind, 0.95, "found elsewhere, word for word")


def _parts(read: Reading, known: Known) -> Iterator[Bid]:
    """A part of a name by itself, or a nickname of it."""
    medicine = Medicine()
    nicks = {full for part in known.parts for full in nicknames().get(part, "").split()}
    for place in read.capitals if known.parts else ():
        nick = read.bares[place]
        if not known.parts.isdisjoint(nicknames().get(nick, "").split()) and _is_part(nick):
            nicks.add(nick)
    for part in sorted(known.parts | nicks):
        for place in read.where.get(part, []) + read.where.get(f"{part}'s", []):
            score = _part_score(read, place, part) * (1.0 if part in known.parts else 0.9)
            if score >= 0.3 and not medicine.keeps(read, place):
                reason = (
                    "a part of a name found elsewhere"
                    if part in known.parts
                    else "a nickname of a name found elsewhere"
                )
                yield _bid(read, place, place, Kind.NAME, round(score, 3), reason)


def _part_score(read: Reading, place: int, part: str) -> float:
    ordinary = words().get(part, "0")
    if read.shapes[place] == LOWER:
        return (
            0.7 if ordinary == "0" and part not in towns() and (part in first_names() or part in last_names()) else 0.0
        )
    if not read.is_capital(place):
        return 0.85 if read.shapes[place] != NUMBER else 0.0
    if ordinary >= "3" and (read.opens(place) or read.shouts(place)):
        return 0.25 if ordinary >= "5" else 0.5
    return 0.92 if ordinary < "3" else 0.8


def _initials(read: Reading, known: Known) -> Iterator[Bid]:
    """V.T. for Virginia Townsend, with stops."""
    for place in read.capitals if known.initials else ():
        if read.shapes[place] != LETTER:
            continue
        for size in (4, 3, 2):
            last = place + size - 1
            if last >= len(read) or "".join(read.folds[place : last + 1]) not in known.initials:
                continue
            if all(read.gap(at) in (".", ". ") for at in range(place, last)) and read.gap(last)[:1] == ".":
                yield _bid(read, place, last, Kind.NAME, 0.8, "the initials of a name found elsewhere")
                break


def _misspelt(read: Reading, known: Known) -> Iterator[Bid]:
    """One slip apart: a capitalised word that is no ordinary one; a short word or a town only behind a title."""
    near: dict[str, set[str]] = {}
    medicine = Medicine()
    for part in sorted(known.parts):
        if len(part) >= _SHORTEST_MISSPELT - 1:
            for form in deletions(part):
                near.setdefault(form, set()).add(part)
    for place in read.capitals if near else ():
        fold = read.bares[place]
        if fold in known.parts or fold in words() or not _is_part(fold) or len(fold) < _SHORTEST_MISSPELT - 1:
            continue
        titled = place > 0 and (read.folds[place - 1] in TITLES or read.folds[place - 1] == "dear")
        if (len(fold) < _SHORTEST_MISSPELT or fold in towns()) and not titled:
            continue
        if medicine.keeps(read, place):
            continue
        candidates = set().union(*(near.get(form, ()) for form in deletions(fold)))
        if any(is_misspelt(fold, part) for part in candidates):
            score = 0.9 if titled else 0.5 if fold in first_names() or last_names().get(fold, "0") >= "3" else 0.75
            yield _bid(read, place, place, Kind.NAME, score, "a name found elsewhere, misspelt")


def _bid(read: Reading, first: int, last: int, kind: Kind, score: float, reason: str) -> Bid:
    return Bid(read.starts[first], read.bare(last)[1], kind, score, _NAME, reason)


def _breaks(read: Reading, first: int, last: int) -> bool:
    return any("\n\n" in read.gap(at) or len(read.gap(at)) > 4 for at in range(first, last))


def _is_part(token: str) -> bool:
    if len(token) < 2 or token in PARTICLES or token in TITLES or token in NEVER or token in MONTHS_AND_DAYS:
        return False
    return token.replace("'", "").isalpha() and (len(token) > 2 or words().get(token, "0") < "3")


def _is_rare(tokens: list[str], kind: Kind) -> bool:
    """One word that names a place or a body and is no ordinary word."""
    return kind in _ELSEWHERE and len(tokens) == 1 and len(tokens[0]) > 3 and tokens[0] not in words()
