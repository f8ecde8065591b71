"""The second pass over a person's texts: surrogates are put in, and forbidden values are looked for
again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial

from sfumato.errors import Bug
from sfumato.policy import ScrubPolicy
from sfumato.text import (
    Bid,
    Document,
    How,
    ReferenceKind,
    ReplacedDocument,
    is_telling,
    replace_findings,
    score,
    words_left,
)
from sfumato.text.surrogates import (
    DateStyle,
    PlaceStyle,
    RealValues,
    ReplacementMethod,
    Style,
    Trait,
    UnsureStyle,
)

from .known_values import OwnRow, spots, stands_in
from .messages import Counted, Forbidden, Look, NewText, PersonReplacements

ATTEMPTS = 3
OWN_NAME = "own name as another word"
"""Counted where a part of the person's own name stays, as a word of medicine or as the month of a
date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """The second pass's knowledge of the whole collection: its real values, and how many texts of a
    field have each word, for words of more than one text."""

    looks: tuple[Look, ...]
    secret: bytes = field(repr=False)
    real: RealValues
    having: Mapping[int, Mapping[str, int]] = field(repr=False)
    texts: Mapping[int, int] = field(default_factory=dict)


def replace_batch(
    collection: Collection, batch: Sequence[PersonReplacements]
) -> list[tuple[NewText, ...]]:
    """The scrubbed texts of some people."""
    return [replace_person(collection, each) for each in batch]


def replace_person(collection: Collection, moving: PersonReplacements) -> tuple[NewText, ...]:
    """Somebody's texts with surrogates; the same value has the same one in all of them."""
    person = moving.person
    out: dict[int, NewText] = {}
    for number in dict.fromkeys(each.look for each in person.texts):
        style = style_of(collection.looks[number].scrub)
        places = [place for place, each in enumerate(person.texts) if each.look == number]
        documents = [Document(person.texts[place].text, person=person.name) for place in places]
        bids = [_bids(moving.spans[place]) for place in places]
        own = OwnRow(cue for cue in person.cues if number in cue.looks)
        forbidden = tuple(own.forbidden)
        made = replace_findings(
            documents,
            bids,
            secret=collection.secret,
            style=style,
            days=lambda _: moving.days,
            real=collection.real,
            known=_fitting(moving.known, forbidden),
        )
        forbidden = tuple(
            dict.fromkeys((*forbidden, *(each for done in made for each in _originals(done))))
        )
        for place, document, found, done in zip(places, documents, bids, made, strict=True):
            of = person.texts[place].of
            dates = [
                each.surrogate for each in done.replacements if each.kind is ReferenceKind.DATE
            ]
            exempt = partial(own.exempt, dates=dates)
            text, taken = without(forbidden, done.text, suppressed=style.suppressed, exempt=exempt)
            judged = tuple(_allowing(forbidden, text, exempt(text)))
            counts = Counter[Counted]((str(each.kind), str(each.how)) for each in done.replacements)
            counts[str(ReferenceKind.OTHER), str(How.SUPPRESSED)] += taken
            counts[OWN_NAME, str(How.KEPT)] += sum(each.allowed for each in judged)
            left = words_left(document, found)
            unusual = score(left, collection.having.get(of, {}), collection.texts.get(of, 0))
            out[place] = NewText(text=text, forbidden=judged, counts=+counts, unusualness=unusual)
    return tuple(out[place] for place in range(len(person.texts)))


def style_of(scrub: ScrubPolicy) -> Style:
    """The style of the text room that a policy's words ask for."""
    return Style(
        method=ReplacementMethod(scrub.method.value),
        by_kind={
            ReferenceKind(kind): ReplacementMethod(method.value)
            for kind, method in scrub.methods.items()
        },
        keep=frozenset(Trait(trait.value) for trait in scrub.keep),
        dates=DateStyle(scrub.dates.value),
        places=PlaceStyle(scrub.places.value),
        unsure=UnsureStyle(scrub.unsure.value),
    )


def without(
    forbidden: Iterable[Forbidden],
    text: str,
    *,
    suppressed: str,
    exempt: Callable[[str], Set[tuple[int, int]]] = lambda text: frozenset(),
) -> tuple[str, int]:
    """The text without its forbidden values, and how often they were found: seldom, where two
    findings met.

    `exempt` has the places of a text where they may be.

    Example:
        >>> without([Forbidden(value="02138", as_written=False)], "at 02138.", suppressed="[...]")
        ('at [...].', 1)
    """
    taken = 0
    for _ in range(ATTEMPTS):
        left = [each for each in _allowing(forbidden, text, exempt(text)) if stands_in(each, text)]
        if not left:
            return text, taken
        for each in left:
            spared = exempt(text)
            for start, end in reversed([spot for spot in spots(each, text) if spot not in spared]):
                text, taken = f"{text[:start]}{suppressed}{text[end:]}", taken + 1
    raise Bug("an original value came back each time it was removed from a text.")


def _allowing(
    forbidden: Iterable[Forbidden], text: str, exempt: Set[tuple[int, int]]
) -> Iterable[Forbidden]:
    """The values that must not be in a text, each with the number of places in which it may be."""
    for each in forbidden:
        yield (
            replace(each, allowed=sum(spot in exempt for spot in spots(each, text)))
            if exempt
            else each
        )


def _bids(spans: Iterable[tuple[int, int, str, float]]) -> list[Bid]:
    return [
        Bid(start, end, ReferenceKind(kind), score_, "first pass")
        for start, end, kind, score_ in spans
    ]


def _originals(done: ReplacedDocument) -> Iterable[Forbidden]:
    """The replaced values with one meaning everywhere."""
    for each in done.replacements:
        words = len(Document(each.original).words)
        if (
            each.how is not How.KEPT
            and words
            and is_telling(each.original, each.kind, words_in_it=words)
        ):
            yield Forbidden(value=each.original, as_written=True)


def _fitting(known: Mapping[str, str], forbidden: Sequence[Forbidden]) -> dict[str, str]:
    """The tables' replacements of the person's names and numbers, unless a part of an original is
    in them."""
    parts = {
        word.text.casefold()
        for each in forbidden
        for word in Document(each.value).words
        if len(word.text) > 1
    }
    return {
        old: new
        for old, new in known.items()
        if not any(word.text.casefold() in parts for word in Document(new).words)
    }
