"""Scrub: find the personal references in a collection, decide which to mask, and replace those
(Sweeney 2000, section 6.1).

A person's documents are read together: a name found in one is looked for in the others. The result
is de-identified, not anonymous, and states it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sfumato.keys import KeyedDraws

from .bids import Bid, TextDetector
from .decision import FLOOR, Decision, Purpose, decide
from .documents import Document
from .finder import THRESHOLD, DocumentBids, read_ahead
from .hidden import VisibleText, as_seen
from .kinds import ReferenceKind
from .name_propagation import GIVEN, KnownNames
from .repeat_mask import sweep
from .replacement import Days, How, ReplacedDocument, replace_findings, scope_of, values_of
from .surrogates.real_values import RealValues
from .surrogates.styles import Style
from .unusualness import Unusualness, unusualness

SHIFT = 365
"""Dates move by 1 to this many days either way by default."""
DE_IDENTIFIED = (
    "The text is de-identified, not anonymous: the personal references that were found "
    "have been replaced. Some may "
    "have been missed, and what a person did, had or went through can identify them "
    "without any name."
)

_TOGETHER = 50_000
"""So many characters of short texts are looked at together."""
_SWEPT = "it is masked in another place"
NEARLY = "nearly replaced (score {:.2f}), and kept as medicine"
"""Why a bid that gave way to medicine, or to the silence of learned detectors, is not masked."""
_NEARLY_FROM = 0.3
"""Bids that gave way are reported from this score on."""

Progress = Callable[[int, int], None]
"""Called with how many documents are done, and of how many; every document counts twice, once for
each pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrubbedDocument:
    """One document after scrubbing. `findings`, `decisions` and `replaced.replacements` are for the
    holder only.

    `findings` are the masked ones; `decisions` has the others too, for the person who checks.
    """

    name: str
    replaced: ReplacedDocument
    findings: tuple[Bid, ...] = field(repr=False)
    unusualness: Unusualness
    decisions: tuple[Decision, ...] = field(default=(), repr=False)

    @property
    def text(self) -> str:
        return self.replaced.text


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrubbedCollection:
    """A collection after scrubbing, in the given order, and the statement that must accompany
    it."""

    documents: tuple[ScrubbedDocument, ...] = field(repr=False)

    def counts(self) -> dict[How, int]:
        return {
            how: sum(document.replaced.count(how) for document in self.documents) for how in How
        }

    @property
    def standing_out(self) -> tuple[int, ...]:
        """The places of documents that are unusual in the collection."""
        return tuple(
            place
            for place, document in enumerate(self.documents)
            if document.unusualness.stands_out
        )

    @property
    def words(self) -> str:
        """The statement that must accompany the text."""
        if not self.standing_out:
            return DE_IDENTIFIED
        noun = "document is" if len(self.standing_out) == 1 else "documents are"
        return (
            f"{DE_IDENTIFIED} {len(self.standing_out):,} {noun} unusual here and should be "
            "read before release."
        )


def scrub(
    documents: Iterable[Document | str],
    *,
    secret: bytes,
    purpose: Purpose = Purpose.SINGLING_OUT,
    style: Style | None = None,
    days: Days | None = None,
    known: Callable[[str], Mapping[str, str]] | None = None,
    detectors: Sequence[TextDetector] | None = None,
    progress: Progress | None = None,
    decisions: Sequence[Sequence[Decision]] | None = None,
) -> ScrubbedCollection:
    """Scrub a collection. `days` and `known` are asked for each person: the shift and the names
    that tables gave them.

    Without `days` the shift is derived from the secret. A string is a document of nobody's: it
    shares surrogates with none. `decisions`, one sequence for each document, are taken as they are
    and nothing is looked for. They are a review's, or those of an earlier run, whose result is then
    repeated.

    Example:
        >>> texts = "RE: Virginia Townsend. She is well.", "Ms. Townsend came."
        >>> done = scrub([Document(text, person="7") for text in texts], secret=bytes(range(32)))
        >>> done.documents[1].text.split()[1] in done.documents[0].text, "Townsend" in done.documents[1].text
        (True, False)
        >>> done.words.partition(":")[0]
        'The text is de-identified, not anonymous'
    """
    collection = [Document(each) if isinstance(each, str) else each for each in documents]
    people = _by_scope(collection)
    steps = _Steps(2 * len(collection), progress)
    real = RealValues()
    found: dict[int, tuple[Bid, ...]] = {}
    decided: dict[int, tuple[Decision, ...]] = {}
    for places in _shown_ahead(collection, people.values(), detectors, skips=decisions is not None):
        texts = [collection[place] for place in places]
        if decisions is None:
            together = find_together(texts, purpose=purpose, detectors=detectors)
        else:
            together = as_decided(texts, [decisions[place] for place in places])
        real.add(together.values)
        found |= zip(places, together.masked, strict=True)
        decided |= zip(places, together.decisions, strict=True)
        steps.done(len(places))
    moved = days or keyed_days(secret)
    replaced: dict[int, ReplacedDocument] = {}
    for scope, places in people.items():
        done = replace_findings(
            [collection[place] for place in places],
            [found[place] for place in places],
            secret=secret,
            style=style,
            days=moved,
            real=real,
            known=known(scope.partition(" ")[2]) if known else None,
        )
        replaced |= zip(places, done, strict=True)
        steps.done(len(places))
    findings = [found[place] for place in range(len(collection))]
    judged = unusualness(collection, findings)
    return ScrubbedCollection(
        documents=tuple(
            ScrubbedDocument(
                name=each.name,
                replaced=replaced[place],
                findings=findings[place],
                unusualness=judged[place],
                decisions=decided[place],
            )
            for place, each in enumerate(collection)
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonFindings:
    """The findings in one person's documents: the masks of each, and every real value, masked or
    not."""

    masked: tuple[tuple[Bid, ...], ...] = field(repr=False)
    values: tuple[tuple[ReferenceKind, str], ...] = field(repr=False)
    decisions: tuple[tuple[Decision, ...], ...] = field(default=(), repr=False)
    """The treatment of every finding, masked or not, in each document; for the person who
    checks."""


def find_together(
    documents: Sequence[Document],
    *,
    purpose: Purpose = Purpose.SINGLING_OUT,
    thresholds: Mapping[ReferenceKind, float] | None = None,
    detectors: Sequence[TextDetector] | None = None,
    certain: Mapping[int, ReferenceKind] | None = None,
) -> PersonFindings:
    """Find in one person's documents together, and decide. `certain` has documents that are one
    reference as a whole.

    Documents of the same text are looked at once: a table repeats its cells.

    Example:
        >>> texts = Document("RE: Virginia Townsend"), Document("Townsend, V.")
        >>> [len(bids) for bids in find_together(texts, certain={1: ReferenceKind.NAME}).masked]
        [1, 1]
    """
    first_of: dict[Hashable, int] = {}
    alike = [
        first_of.setdefault(_likeness(each, (certain or {}).get(n)), n)
        for n, each in enumerate(documents)
    ]
    firsts = {place: number for number, place in enumerate(first_of.values())}
    found = _find_apart(
        [documents[place] for place in firsts],
        purpose=purpose,
        thresholds=thresholds,
        detectors=detectors,
        certain={firsts[place]: kind for place, kind in (certain or {}).items() if place in firsts},
    )
    if len(firsts) == len(documents):
        return found
    places = [firsts[place] for place in alike]
    return replace(
        found,
        masked=tuple(found.masked[place] for place in places),
        decisions=tuple(found.decisions[place] for place in places),
    )


def _likeness(document: Document, kind: ReferenceKind | None) -> Hashable:
    """The properties on which the findings depend: documents with the same ones have the same
    findings."""
    return document.text, kind, tuple(sorted(document.cues.items()))


def _find_apart(
    documents: Sequence[Document],
    *,
    purpose: Purpose,
    thresholds: Mapping[ReferenceKind, float] | None,
    detectors: Sequence[TextDetector] | None,
    certain: Mapping[int, ReferenceKind],
) -> PersonFindings:
    """Find in documents of which no two are alike."""
    seen = [as_seen(document) for document in documents]
    texts = [each.document for each in seen]
    wholes = {place: _whole(texts[place], kind) for place, kind in certain.items()}
    searches = [
        None if place in wholes else DocumentBids(document, detectors, threshold=FLOOR)
        for place, document in enumerate(texts)
    ]
    first = [
        wholes[place] if search is None else search.findings()
        for place, search in enumerate(searches)
    ]
    vetoed = [() if search is None else tuple(search.vetoed) for search in searches]
    if len(documents) == 1:
        searches = [
            None
        ]  # Nothing will be told from elsewhere: what was bid for a long text need not be held.
    told = [KnownNames.of(document, bids) for document, bids in zip(texts, first, strict=True)]
    known = KnownNames.all_of(told)
    first = [
        bids if own == known or search is None else search.findings(elsewhere=known)
        for bids, own, search in zip(first, told, searches, strict=True)
    ]
    decided = [
        decide(document, bids, purpose=purpose, thresholds=thresholds)
        for document, bids in zip(texts, first, strict=True)
    ]
    going = sweep(texts, [tuple(each.finding for each in of if each.masks) for of in decided])
    final = (
        _with_vetoed(_with_swept(of, bids), spared)
        for of, bids, spared in zip(decided, going, vetoed, strict=True)
    )
    return as_decided(
        documents, [_in_its_place(of, each) for of, each in zip(final, seen, strict=True)]
    )


def as_decided(
    documents: Sequence[Document], decisions: Sequence[Sequence[Decision]]
) -> PersonFindings:
    """The result of earlier decisions, or a person's, for one person's documents; nothing is found.

    Example:
        >>> whole = Decision(finding=Bid(0, 4, ReferenceKind.NAME, 0.9, "x"), masks=True, reason="")
        >>> as_decided([Document("Anna came.")], [[whole]]).values
        ((<ReferenceKind.NAME: 'name'>, 'Anna'),)
    """
    values: dict[tuple[ReferenceKind, str], None] = {}
    for document, decided in zip(documents, decisions, strict=True):
        real = (each.finding for each in decided if each.masks or each.finding.score >= THRESHOLD)
        values |= dict.fromkeys(values_of(document, real))
    masked = tuple(tuple(each.finding for each in decided if each.masks) for decided in decisions)
    return PersonFindings(
        masked=masked, values=tuple(values), decisions=tuple(map(tuple, decisions))
    )


def _with_swept(decided: Sequence[Decision], masked: Iterable[Bid]) -> tuple[Decision, ...]:
    """The decisions, with those that the sweep added."""
    before = {each.finding for each in decided if each.masks}
    more = (Decision(finding=bid, masks=True, reason=_SWEPT) for bid in masked if bid not in before)
    return tuple(sorted((*decided, *more), key=lambda each: (each.finding.start, each.finding.end)))


def _with_vetoed(decided: tuple[Decision, ...], vetoed: Sequence[Bid]) -> tuple[Decision, ...]:
    """The decisions, with what was nearly replaced: bids that gave way, of one place the surest."""
    if not vetoed:
        return decided
    taken = [(each.finding.start, each.finding.end) for each in decided if each.masks]
    surest: dict[tuple[int, int], Bid] = {}
    for bid in vetoed:
        place = bid.start, bid.end
        if bid.kind is not None and (place not in surest or bid.score > surest[place].score):
            surest[place] = bid
    more = [
        Decision(finding=replace(bid, score=FLOOR), masks=False, reason=NEARLY.format(bid.score))
        for (start, end), bid in surest.items()
        if bid.score >= _NEARLY_FROM
        and not any(start < last and first < end for first, last in taken)
    ]
    return tuple(sorted((*decided, *more), key=lambda each: (each.finding.start, each.finding.end)))


def _in_its_place(decided: Sequence[Decision], seen: VisibleText) -> Sequence[Decision]:
    """Decisions about what is seen, in places of the text as it is."""
    return (
        [replace(each, finding=seen.back(each.finding)) for each in decided]
        if seen.cuts
        else decided
    )


def _whole(document: Document, kind: ReferenceKind) -> tuple[Bid, ...]:
    """The one finding of a document that is a reference as a whole, blanks around it apart."""
    start = len(document.text) - len(document.text.lstrip())
    end = len(document.text.rstrip())
    return (Bid(start, end, kind, 1.0, GIVEN, "the file states its kind"),) if end > start else ()


def keyed_days(secret: bytes, *, most: int = SHIFT) -> Days:
    """The shift of each person from the secret: from -most to most days without 0, each equally
    likely.

    Example:
        >>> days = keyed_days(bytes(range(32)), most=30)
        >>> days("7") == days("7"), all(0 < abs(days(str(person))) <= 30 for person in range(100))
        (True, True)
    """
    drawing = KeyedDraws(secret).derive("days")

    def days(person: str) -> int:
        drawn = drawing.number(person) % (2 * most)
        return drawn - most if drawn < most else drawn - most + 1

    return days


def _shown_ahead(
    collection: Sequence[Document],
    people: Iterable[list[int]],
    detectors: Sequence[TextDetector] | None,
    *,
    skips: bool,
) -> Iterator[list[int]]:
    """The places of each scope; some scopes at a time are shown to detectors that are faster on
    many texts."""
    group: list[list[int]] = []
    size = 0
    for places in (*people, []):
        size += sum(len(collection[place]) for place in places)
        group.append(places)
        if size >= _TOGETHER or not places:
            if not skips and len(group) > 1:
                shown = [collection[place] for each in group for place in each]
                deque(read_ahead(shown, detectors), maxlen=0)
            yield from filter(None, group)
            group, size = [], 0


def _by_scope(collection: Sequence[Document]) -> dict[str, list[int]]:
    out: dict[str, list[int]] = {}
    for place, document in enumerate(collection):
        out.setdefault(scope_of(document), []).append(place)
    return out


class _Steps:
    """Reports the progress, if anyone asked."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._total, self._progress, self._done = total, progress, 0

    def done(self, count: int) -> None:
        self._done += count
        if self._progress is not None:
            self._progress(self._done, self._total)
