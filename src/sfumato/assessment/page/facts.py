"""The facts of an assessment page: results of the measures, words and counts. No cell value is
among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sfumato.measures import FieldUse
from sfumato.protection import Outcome, Verdict

Rows = tuple[tuple[str, ...], ...]
MOST_NAMED = 8
"""Of more known fields the rest are counted; the method lists all of them."""


def shortened(reason: str, known: Sequence[str]) -> str:
    """A reason without the whole list of many known fields.

    Example:
        >>> shortened("all bins over (a, b) keep it", ("a", "b"))
        'all bins over (a, b) keep it'
        >>> shortened(f"all bins over ({', '.join('abcdefghi')}) keep it", tuple("abcdefghi"))
        'all bins over (all 9 known fields) keep it'
    """
    if len(known) <= MOST_NAMED:
        return reason
    return reason.replace(", ".join(known), f"all {len(known)} known fields")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One question that the page answers with a colour: the question, the answer in words, and what
    was found.

    `rule` has the limits of each colour, and `anchor` is the place on the page with more. `advice`
    is what to do where it is not green."""

    question: str
    outcome: Outcome
    answer: str
    rule: str
    anchor: str = ""
    advice: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class SafeQuestion:
    """One of the Five Safes (Garfinkel 2016, section 3.5): the findings that bear on it, and the
    questions that only the board can answer."""

    name: str
    asks: str
    found: tuple[str, ...]
    for_the_board: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "found": list(self.found),
            "for_the_board": list(self.for_the_board),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodTable:
    """A table of the method: what it is about, its headings and its rows."""

    caption: str
    headings: tuple[str, ...]
    rows: Rows

    def as_dict(self) -> dict[str, Any]:
        return {
            "caption": self.caption,
            "headings": list(self.headings),
            "rows": [list(row) for row in self.rows],
        }


@dataclass(frozen=True, kw_only=True)
class AssessmentFacts:
    """Everything that the page shows.

    `results` are those of the families of measures, by name, and `left_out` is why others are
    missing. `cards` are the few numbers to remember, each with its name and meaning; `constant` are
    known fields that have one value throughout the release. `uses` is the remaining use of each
    known field beside the source, fields to be kept first and then the most lost. `picture` is the
    lattice of recodings, as SVG, where the release has one. Without `charts` their numbers are
    tables."""

    title: str
    created: str
    version: str
    outcome: Outcome
    unit: str
    known: tuple[str, ...]
    sensitive: tuple[str, ...]
    released: int
    source: int | None
    has_manifest: bool
    judgements: tuple[Judgement, ...]
    questions: tuple[SafeQuestion, ...]
    verdicts: tuple[Verdict, ...]
    results: Mapping[str, Any] = field(default_factory=dict, repr=False)
    left_out: Mapping[str, str] = field(default_factory=dict)
    ads0: Any = None
    accounts: tuple[MethodTable, ...] = ()
    cards: tuple[tuple[str, str, str], ...] = ()
    constant: tuple[str, ...] = ()
    uses: tuple[FieldUse, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    picture: str = field(default="", repr=False)
    charts: bool = True
