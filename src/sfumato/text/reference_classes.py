"""What a finding of a court's decision is: a higher court, a ministry, a law, an illness, a sum.

A rule that learned words of few countries knows no others. A class holds anywhere: "Landgericht" and
"regional court" are courts of first instance. With its class go facts of the same sort. These are whether a
place or the state of the case is in the words, how often and where it first occurs, and under which heading.
The classes are closed lists of common nouns, no names."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from .kinds import ReferenceKind

_CLASSES: Final[tuple[tuple[str, frozenset[str]], ...]] = tuple(
    (name, frozenset(words.split()))
    for name, words in (
        (
            "treaty body",
            "strasbourg convention echr commission rapporteur committee council europe european",
        ),
        (
            "law",
            "law laws act acts code codes statute regulation regulations directive decree ordinance "
            "rules constitution article protocol treaty agreement bill",
        ),
        ("high court", "supreme constitutional cassation bundesverfassungsgericht conseil lords"),
        ("appeal court", "appeal appeals appellate high"),
        (
            "first court",
            "regional district magistrate magistrates crown county provincial first instance assize "
            "criminal civil labour family juvenile peace security land enforcement commercial "
            "tribunal landgericht amtsgericht",
        ),
        ("special court", "administrative military"),
        ("court", "court courts tribunal chamber judge bench"),
        ("prosecution", "prosecutor prosecutors prosecution attorney prosecuting"),
        (
            "police",
            "police gendarmerie gendarme gendarmes constabulary security forces anti-terrorist",
        ),
        ("prison", "prison jail remand detention penitentiary cell gaol"),
        (
            "government",
            "government ministry minister ministries cabinet home secretary prime president chancellor "
            "foreign",
        ),
        ("parliament", "parliament assembly senate diet bundestag sejm congress"),
        (
            "authority",
            "authority authorities directorate department office agency board commission registry "
            "inspectorate service services administration council municipality mayor governor",
        ),
        (
            "health",
            "hospital clinic institute forensic medical physician psychiatric sanatorium health",
        ),
        ("school", "university school faculty college academy rector"),
        (
            "company",
            "company ltd plc gmbh inc bank corporation firm enterprise cooperative insurance factory",
        ),
        (
            "association",
            "party association union federation movement organisation organization foundation church "
            "league group",
        ),
        ("press", "newspaper magazine journal daily television radio weekly gazette"),
        ("army", "army regiment barracks battalion command forces"),
        ("nationality", "national nationals citizen citizens nationality origin born"),
        (
            "condition",
            "disability disabled injury injured illness disease invalid pension ill syndrome wounded "
            "suffering hiv cancer",
        ),
        (
            "work",
            "officer teacher lawyer driver engineer journalist editor doctor businessman farmer worker "
            "director manager clerk servant",
        ),
        (
            "kin",
            "wife husband son daughter mother father brother sister child children cousin parents family "
            "widow",
        ),
        ("building", "house flat building village street plot property apartment road"),
        (
            "money",
            "euros eur pounds marks liras zlotys trl pln dem gbp schillings dollars sum amount percent",
        ),
        ("time", "years months days weeks hours age old year month day"),
    )
)
_MOST: Final = 2
"""So many classes of one finding count: "regional court" is of two."""
_MONTHS: Final = frozenset(
    "january february march april may june july august september october november december".split()
)
_SPANS: Final = frozenset("years months days weeks hours".split())
_HEADING: Final = re.compile(
    r"^[ \t]*(?:[IVX]{1,5}\.[ \t]*)?([A-Z][A-Z ,.’']{6,90})[ \t]*$", re.MULTILINE
)
_SECTIONS: Final = (
    ("PROCEDURE", "procedure"),
    ("FACTS", "facts"),
    ("CIRCUMSTANCES", "facts"),
    ("RELEVANT", "law"),
    ("LAW", "reasons"),
)
_BEFORE: Final = 60
_AFTER: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """What is known of a finding beside its words: whose state and place it names, how often it occurs
    (at most 4), in which quarter of the text first."""

    state: str
    place: str
    often: int
    first: int


def classes_of(parts: Sequence[str]) -> tuple[str, ...]:
    """The first classes that the words belong to.

    Example:
        >>> classes_of(["warsaw", "regional", "court"]), classes_of(["widget"])
        (('first court', 'court'), ('none',))
    """
    own = set(parts)
    return tuple(name for name, known in _CLASSES if own & known)[:_MOST] or ("none",)


class Sections:
    """The headings of a decision, and under which a place is.

    Example:
        >>> Sections("THE FACTS\\nHe was born.").of(12)
        'facts'
    """

    def __init__(self, text: str) -> None:
        headings = [(found.start(), found[1]) for found in _HEADING.finditer(text)]
        self._starts = [start for start, _ in headings]
        self._names = [
            next((name for word, name in _SECTIONS if word in heading), "other")
            for _, heading in headings
        ]

    def of(self, place: int) -> str:
        at = bisect_right(self._starts, place) - 1
        return self._names[at] if at >= 0 else "none"


def facts_by_class(
    text: str,
    span: tuple[int, int],
    parts: Sequence[str],
    kind: ReferenceKind | None,
    seen: Occurrence,
    section: str,
) -> Iterator[str]:
    """The facts of one finding that hold in any country."""
    for name in classes_of(parts):
        yield f"is {name}"
        own = f"{kind} is {name}"
        yield from (own, f"{own} {seen.state}", f"{own} {seen.place}")
        yield f"{own} {seen.place} {seen.state}"
        yield f"{own} often {seen.often}"
        yield f"{own} {seen.place} often {seen.often}"
        yield f"{own} first {seen.first}"
        yield f"{own} under {section}"
    yield f"under {section}"
    yield f"{kind} under {section}"
    yield f"{kind} {seen.state} {seen.place}"
    start, end = span
    before, after = text[max(0, start - _BEFORE) : start], text[end : end + _AFTER]
    cited = any(" v. " in near for near in (before, text[start:end], after)) or "§" in after[:15]
    yield f"{kind} cited {cited or 'no.' in before[-8:]}"
    yield f"{kind} in brackets {before.rfind('(') > before.rfind(')')}"
    if kind is ReferenceKind.DATE:
        own = f"date of {_precision(parts)}"
        yield from (own, f"{own} often {seen.often}", f"{own} under {section}")
        yield from (f"{own} cited {cited}", f"{own} first {seen.first}")


def _precision(parts: Sequence[str]) -> str:
    """Whether a date is a day, a month, a year or a span of time."""
    if len(parts) > 1 and parts[0].isdecimal() and parts[1] in _MONTHS:
        return "a day"
    if parts and parts[0] in _MONTHS:
        return "a month"
    if len(parts) == 1 and parts[0].isdecimal():
        return "a year"
    return "a span" if _SPANS & set(parts) else "another form"
