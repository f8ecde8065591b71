"""Scrub: find the personal references in a collection, decide which go, put others in their place (000, section 6.1).

A person's documents are read together: a name found in one is looked for in the others. What comes out is
de-identified, not anonymous, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_

from .bids import Bid, Detector
from .deciding import FLOOR, Purpose, masked
from .documents import Document
from .finding import THRESHOLD, find
from .replacing import Days, How, Replaced, replace_findings, scope_of, values_of
from .spreading import Known
from .surrogates.drawing import Drawing
from .surrogates.real_values import RealValues
from .surrogates.styles import Style
from .sweeping import sweep
from .unusualness import Unusualness, unusualness

SHIFT = 365
"""Dates move by 1 to this many days either way where no function says otherwise."""
DE_IDENTIFIED = (
    "The text is de-identified, not anonymous: the personal references that were found have been replaced. Some may "
    "have been missed, and what a person did, had or went through can identify them without any name."
)

Progress = Callable[[int, int], None]
"""Called with how many documents are done, and of how many; every document counts twice, once for each pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrubbedDocument:
    """One document after scrubbing. `findings` and `replaced.replacements` are for the holder only."""

    name: str
    replaced: Replaced
    findings: tuple[Bid, ...] = field(repr=False)
    unusualness: Unusualness

    @property
    def text(self) -> str:
        return self.replaced.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrubbed:
    """A collection after scrubbing, in the order in which it was given, and what must be said with it."""

    documents: tuple[ScrubbedDocument, ...] = field(repr=False)

    def counts(self) -> dict[How, int]:
        return {how: sum(document.replaced.count(how) for document in self.documents) for how in How}

    @property
    def standing_out(self) -> tuple[int, ...]:
        """The places of documents that are unusual in the collection."""
        return tuple(place for place, document in enumerate(self.documents) if document.unusualness.stands_out)

    @property
    def words(self) -> str:
        """What goes with the text wherever it goes."""
        if not self.standing_out:
            return DE_IDENTIFIED
        noun = "document is" if len(self.standing_out) == 1 else "documents are"
        return f"{DE_IDENTIFIED} {len(self.standing_out):,} {noun} unusual here and should be read before leaving."


def scrub(
    documents: Iterable[Document | str],
    *,
    secret: bytes,
    purpose: Purpose = Purpose.SINGLING_OUT,
    style: Style | None = None,
    days: Days | None = None,
    known: Callable[[str], Mapping[str, str]] | None = None,
    detectors: Sequence[Detector] | None = None,
    progress: Progress | None = None,
) -> Scrubbed:
    """Scrub a collection. `days` and `known` are asked for each person: the shift and the names that tables gave them.

    Without `days` the shift comes from the secret. A string is a document of nobody's: it shares surrogates with none.

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
    for places in people.values():
        found |= _found(collection, places, purpose=purpose, detectors=detectors, real=real)
        steps.done(len(places))
    moved = days or keyed_days(secret)
    replaced: dict[int, Replaced] = {}
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
    return Scrubbed(
        documents=tuple(
            ScrubbedDocument(
                name=each.name, replaced=replaced[place], findings=findings[place], unusualness=judged[place]
            )
            for place, each in enumerate(collection)
        )
    )


def keyed_days(secret: bytes, *, most: int = SHIFT) -> Days:
    """The shift of each person from the secret: from -most to most days without 0, each equally likely.

    Example:
        >>> days = keyed_days(bytes(range(32)), most=30)
        >>> days("7") == days("7"), all(0 < abs(days(str(person))) <= 30 for person in range(100))
        (True, True)
    """
    drawing = Drawing(secret).derive("days")

    def days(person: str) -> int:
        drawn = drawing.number(person) % (2 * most)
        return drawn - most if drawn < most else drawn - most + 1

    return days


def _by_scope(collection: Sequence[Document]) -> dict[str, list[int]]:
    out: dict[str, list[int]] = {}
    for place, document in enumerate(collection):
        out.setdefault(scope_of(document), []).append(place)
    return out


def _found(
    collection: Sequence[Document],
    places: Sequence[int],
    *,
    purpose: Purpose,
    detectors: Sequence[Detector] | None,
    real: RealValues,
) -> dict[int, tuple[Bid, ...]]:
    """What is masked in one person's documents; what was found at all becomes a real value of the collection."""
    together = [collection[place] for place in places]
    first = [find(document, detectors, threshold=FLOOR) for document in together]
    told = [Known.of(document, bids) for document, bids in zip(together, first, strict=True)]
    known = reduce(or_, told)
    first = [
        bids if own == known else find(document, detectors, threshold=FLOOR, elsewhere=known)
        for document, bids, own in zip(together, first, told, strict=True)
    ]
    going = [masked(document, bids, purpose=purpose) for document, bids in zip(together, first, strict=True)]
    going = sweep(together, going)
    for document, bids, gone in zip(together, first, going, strict=True):
        real.add(values_of(document, (bid for bid in bids if bid.score >= THRESHOLD)))
        real.add(values_of(document, gone))
    return dict(zip(places, going, strict=True))


class _Steps:
    """Tells how far it is, if anyone asked."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._total, self._progress, self._done = total, progress, 0

    def done(self, count: int) -> None:
        self._done += count
        if self._progress is not None:
            self._progress(self._done, self._total)
