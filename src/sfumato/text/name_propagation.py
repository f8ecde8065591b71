"""A name once found is found everywhere: elsewhere in the document, in the patient's other
documents, misspelt too.

Letters name people in full once, and then by a part, a nickname, initials or a misspelling. An
example is "Lang" for "Long" in the salutation of Fig. 21 (Sweeney 2000, section 6.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

from .bids import Bid
from .detectors.clinical_eponyms import is_eponymous
from .detectors.clinical_people import acts
from .detectors.medicine import Medicine
from .detectors.name_evidence import MONTHS_AND_DAYS, NEVER, PARTICLES, TITLES
from .documents import Document, words_in
from .kinds import ReferenceKind
from .lexicons import first_names, folded, last_names, nicknames, towns, words
from .misspelling import deletions, is_misspelt
from .name_spelling import name_spellings
from .packed_bids import PackedBids
from .surrogates.real_values import is_name_part, words_of
from .word_reading import LETTER, LOWER, NUMBER, WordReading, reading

SURE = 0.6
"""A finding below this score spreads nothing: one mistake would become many."""
GIVEN = "format"
"""The finder of certain content of a file: the cell of a column called "surname" is a name."""
_WEAK = 0.5
_GIVEN_SCORE = 0.93
_ACTING_SCORE = 0.85
"""The score of a part of a known name that does what only people do: "Down has chest pain"."""
_NAME = "spreading"
_MOST_WORDS = 20
"""More words are no name: nobody writes them twice alike."""
_NONE: frozenset[int] = frozenset()
_ELSEWHERE = frozenset(
    {
        ReferenceKind.HOSPITAL,
        ReferenceKind.ORGANISATION,
        ReferenceKind.STREET,
        ReferenceKind.TEAM,
        ReferenceKind.TOWN,
        ReferenceKind.USER_NAME,
    }
)
_SHORTEST_MISSPELT, _LONGEST_MISSPELT = 5, 40
"""A longer run of letters is no name, and trying all its slips would take the square of its
length."""


@dataclass(frozen=True, kw_only=True)
class KnownNames:
    """The known names of somebody: parts of names as lexicons spell them, whole phrases by kind,
    and initials.

    Example:
        >>> KnownNames.of(Document("Virginia Townsend"), [Bid(0, 17, ReferenceKind.NAME, 0.9, "x")])
        KnownNames(parts=2, phrases=2)
        >>> sorted((KnownNames(parts=frozenset({"anna"})) | KnownNames(parts=frozenset({"ruth"}))).parts)
        ['anna', 'ruth']
    """

    parts: frozenset[str] = frozenset()
    phrases: frozenset[tuple[str, ReferenceKind]] = frozenset()
    initials: frozenset[str] = field(default=frozenset())
    certain: frozenset[str] = field(default=frozenset())
    """Parts of names that a row, a register or the file itself gives: with a capital each is the
    name, "Will" too."""

    def __repr__(self) -> str:
        return f"KnownNames(parts={len(self.parts)}, phrases={len(self.phrases)})"

    def __or__(self, other: KnownNames) -> KnownNames:
        return KnownNames.all_of((self, other))

    @classmethod
    def all_of(cls, every: Sequence[KnownNames]) -> KnownNames:
        """The knowledge of all of them, put together in one step: a person may have thousands of
        documents."""
        return cls(
            parts=frozenset[str]().union(*(each.parts for each in every)),
            phrases=frozenset[tuple[str, ReferenceKind]]().union(*(each.phrases for each in every)),
            initials=frozenset[str]().union(*(each.initials for each in every)),
            certain=frozenset[str]().union(*(each.certain for each in every)),
        )

    @classmethod
    def of(cls, document: Document, findings: Iterable[Bid]) -> KnownNames:
        """The names in a document's findings and cues: give it to the propagation over the person's
        other documents."""
        kinds = {str(kind): kind for kind in ReferenceKind}
        given = {
            (text, kinds[kind])
            for kind, texts in document.cues.items()
            if kind in kinds
            for text in texts
        }
        told = set[tuple[str, ReferenceKind]]()
        for bid in findings:
            if bid.kind is not None and bid.score >= SURE:
                (given if bid.detector == GIVEN else told).add(
                    (document.text[bid.start : bid.end], bid.kind)
                )
        told |= given
        parts, phrases, initials = set[str](), set[tuple[str, ReferenceKind]](), set[str]()
        for text, kind in told:
            tokens = [folded(word).removesuffix("'s") for word in words_in(text)]
            if kind is ReferenceKind.NAME:
                parts.update(token for token in tokens if _is_part(token))
                spelt = {spelling for word in words_in(text) for spelling in name_spellings(word)}
                parts.update(spelling for spelling in spelt if _is_part(spelling))
                phrases.update((token.replace("'", " "), kind) for token in tokens if "'" in token)
                initials.add("".join(token[0] for token in tokens if token not in PARTICLES))
            several = 1 < len(tokens) <= _MOST_WORDS and (
                kind is ReferenceKind.NAME or kind in _ELSEWHERE
            )
            if several or _is_rare(tokens, kind):
                phrases.add((" ".join(tokens), kind))
            own = [token for token in tokens if token not in TITLES]
            if several and kind is ReferenceKind.NAME and len(own) > 1:
                phrases.add(
                    (" ".join((own[-1], *own[:-1])), kind)
                )  # As lists and names of files have it.
        own = [text for text, kind in given if kind is ReferenceKind.NAME]
        certain = {word for text in own for word in words_of(text)}
        certain |= {
            spelling for text in own for word in words_in(text) for spelling in name_spellings(word)
        }
        return cls(
            parts=frozenset(parts),
            phrases=frozenset(phrases),
            initials=frozenset(i for i in initials if len(i) > 1),
            certain=frozenset(
                word for word in certain if is_name_part(word) and word.replace("'", "").isalpha()
            ),
        )


def spread(
    document: Document, findings: Iterable[Bid], *, elsewhere: KnownNames | None = None
) -> tuple[Bid, ...]:
    """Further bids for what was found, in the document or `elsewhere`; the findings themselves are
    left out.

    Example:
        >>> document = Document("Marjorie Long wrote. Mr Lang said that Long was ill for long.")
        >>> bids = spread(document, [Bid(0, 13, ReferenceKind.NAME, 0.95, "x")])
        >>> [document.text[bid.start : bid.end] for bid in bids]
        ['Lang', 'Long']
    """
    found = findings if isinstance(findings, PackedBids) else list(findings)
    known = KnownNames.of(document, found)
    if elsewhere is not None:
        known |= elsewhere
    taken = bytearray(len(document.text))
    for bid in found:
        if (
            bid.score >= _WEAK
        ):  # What was hardly taken for a name is one where it is known from elsewhere.
            taken[bid.start : bid.end] = b"\1" * len(bid)
    free = {
        (bid.start, bid.end, bid.kind): bid
        for bid in _further(document, known)
        if 0 in taken[bid.start : bid.end]
    }
    return tuple(sorted(free.values(), key=lambda bid: (bid.start, bid.end)))


@dataclass(frozen=True, eq=False)
class _Sought:
    """The known names, prepared once for the search in every part of a document."""

    known: KnownNames

    @cached_property
    def kinds(self) -> Mapping[str, ReferenceKind]:
        return dict(sorted(self.known.phrases))

    @cached_property
    def sizes(self) -> Mapping[str, Mapping[str, Set[int]]]:
        """How many words follow the first, by the first and the second word: "the" alone is
        everywhere."""
        out: dict[str, dict[str, set[int]]] = {}
        for phrase in self.kinds:
            first, second, *_ = *phrase.split(" "), ""
            out.setdefault(first, {}).setdefault(second, set()).add(phrase.count(" "))
        return out

    @cached_property
    def full_names(self) -> Set[str]:
        """The full names of which the parts may be short forms."""
        return {full for part in self.known.parts for full in nicknames().get(part, "").split()}

    @cached_property
    def near(self) -> Mapping[str, str]:
        """Parts by what is left of them without one letter; with a space between where there are
        several."""
        out: dict[str, str] = {}
        for part in self.known.parts:
            if _SHORTEST_MISSPELT - 1 <= len(part) <= _LONGEST_MISSPELT:
                for form in deletions(part):
                    out[form] = f"{out[form]} {part}" if form in out else part
        return out


def _further(document: Document, known: KnownNames) -> Iterator[Bid]:
    """Bids for all that is known, the surest of each part of the text last."""
    sought = _Sought(known)
    for part in document.parts():
        read = reading(part.document)
        bids = [
            *_phrases(read, sought),
            *_parts(read, sought),
            *_initials(read, known),
            *_misspelt(read, sought),
        ]
        for bid in sorted(bids, key=lambda bid: bid.score):
            if part.owns(bid.start):
                yield bid.moved(part.start) if part.start else bid


def _phrases(read: WordReading, sought: _Sought) -> Iterator[Bid]:
    """Whole names, hospitals, streets and the like, word for word."""
    for first in sorted(sought.sizes.keys() & read.words_without_s):
        seconds = sought.sizes[first]
        for place in read.where.get(first, []) + read.where.get(f"{first}'s", []):
            following = read.bares[place + 1] if place + 1 < len(read) else ""
            for more in seconds.get("", _NONE) | seconds.get(following, _NONE):
                kind = sought.kinds.get(" ".join(read.bares[place : place + more + 1]))
                if kind and place + more < len(read) and not _breaks(read, place, place + more):
                    yield _bid(
                        read, place, place + more, kind, 0.95, "found elsewhere, word for word"
                    )


def _parts(read: WordReading, sought: _Sought) -> Iterator[Bid]:
    """A part of a name by itself, or a nickname of it."""
    medicine, known = Medicine(), sought.known.parts
    nicks = {
        nick
        for nick in (nicknames().keys() & read.capital_bares if known else ())
        if not known.isdisjoint(nicknames()[nick].split()) and _is_part(nick)
    }
    certain = sought.known.certain
    there = read.words_without_s | read.spelt.keys()
    for part in sorted((known | certain | sought.full_names | nicks) & there):
        for place in read.places_spelt(part):
            if part in certain and read.is_capital(place):
                score, what = _GIVEN_SCORE, "a part of a name that is known"
            else:
                score = _part_score(read, place, part) * (1.0 if part in known else 0.9)
                what = f"{'a part' if part in known else 'a nickname'} of a name found elsewhere"
            vouched = part in certain and score == _GIVEN_SCORE
            if part in known and acts(read, place):
                score, vouched = max(score, _ACTING_SCORE), True
            if score >= 0.3 and (
                not medicine.keeps(read, place) or (vouched and not is_eponymous(read, place))
            ):
                yield _bid(read, place, place, ReferenceKind.NAME, round(score, 3), what)


def _part_score(read: WordReading, place: int, part: str) -> float:
    ordinary = words().get(part, "0")
    if read.shapes[place] == LOWER:
        is_name = (
            len(part) > 2
            and part not in towns()
            and (part in first_names() or part in last_names())
        )
        return 0.7 if ordinary == "0" and is_name else 0.0
    if not read.is_capital(place):
        return 0.85 if read.shapes[place] != NUMBER else 0.0
    if ordinary >= "3" and (read.opens(place) or read.shouts(place)):
        return 0.25 if ordinary >= "5" else 0.5
    return 0.92 if ordinary < "3" else 0.8


def _initials(read: WordReading, known: KnownNames) -> Iterator[Bid]:
    """V.T. for Virginia Townsend, with stops."""
    for place in read.capitals if known.initials else ():
        if read.shapes[place] != LETTER:
            continue
        for size in (4, 3, 2):
            last = place + size - 1
            if last >= len(read) or "".join(read.folds[place : last + 1]) not in known.initials:
                continue
            if (
                all(read.gap(at) in (".", ". ") for at in range(place, last))
                and read.gap(last)[:1] == "."
            ):
                yield _bid(
                    read,
                    place,
                    last,
                    ReferenceKind.NAME,
                    0.8,
                    "the initials of a name found elsewhere",
                )
                break


def _misspelt(read: WordReading, sought: _Sought) -> Iterator[Bid]:
    """One slip apart: a capitalised word that is no ordinary one; a short word or a town only
    behind a title."""
    medicine = Medicine()
    slips = (
        {fold for fold in read.capital_bares if _is_slip(fold, sought)} if sought.near else set()
    )
    for place in read.capitals if slips else ():
        fold = read.bares[place]
        if fold not in slips:
            continue
        titled = place > 0 and (read.folds[place - 1] in TITLES or read.folds[place - 1] == "dear")
        if (len(fold) < _SHORTEST_MISSPELT or fold in towns()) and not titled:
            continue
        if not medicine.keeps(read, place):
            score = (
                0.9
                if titled
                else 0.5
                if fold in first_names() or last_names().get(fold, "0") >= "3"
                else 0.75
            )
            yield _bid(
                read, place, place, ReferenceKind.NAME, score, "a name found elsewhere, misspelt"
            )


def _is_slip(fold: str, sought: _Sought) -> bool:
    """Whether a word that no lexicon of words has is one slip apart from a part that is known."""
    if not _SHORTEST_MISSPELT - 1 <= len(fold) <= _LONGEST_MISSPELT + 1:
        return False
    if fold in sought.known.parts or fold in words() or not _is_part(fold):
        return False
    candidates = {part for form in deletions(fold) for part in sought.near.get(form, "").split()}
    return any(is_misspelt(fold, part) for part in candidates)


def _bid(
    read: WordReading, first: int, last: int, kind: ReferenceKind, score: float, reason: str
) -> Bid:
    return Bid(read.starts[first], read.bare(last)[1], kind, score, _NAME, reason)


def _breaks(read: WordReading, first: int, last: int) -> bool:
    """Whether words that follow each other are no phrase: a paragraph ends between them, or a
    sentence does."""
    return any(
        "\n\n" in read.gap(at)
        or len(read.gap(at)) > 4
        or (read.shapes[at] == LOWER and not set(".!?").isdisjoint(read.gap(at)))
        for at in range(first, last)
    )


def _is_part(token: str) -> bool:
    if (
        len(token) < 2
        or token in PARTICLES
        or token in TITLES
        or token in NEVER
        or token in MONTHS_AND_DAYS
    ):
        return False
    return token.replace("'", "").isalpha() and (len(token) > 2 or words().get(token, "0") < "3")


def _is_rare(tokens: list[str], kind: ReferenceKind) -> bool:
    """One word that names a place or a body and is no ordinary word."""
    return (
        kind in _ELSEWHERE and len(tokens) == 1 and len(tokens[0]) > 3 and tokens[0] not in words()
    )
