"""The second stage: it decides which findings are masked for a stated purpose (Sweeney 2000,
section 6.1; Pilán et al. 2022).

A finding means that there is a reference. Whether it is masked depends on the purpose of the text
and on what else is known. A date of birth singles somebody out, the first day of a law does not;
"the Government" is found in every decision of a court. Most kinds are decided by a threshold on
their score. In a text that reads like a court's decision, quasi-identifiers are decided by a small
learned rule over facts of the finding. These are its kind, its score, its words and those before
it. Others are how often and where it occurs, and whether it is an institution of a state."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from .bids import Bid
from .documents import Document
from .genres import (
    has_medicine,
    is_dense_in_medicine,
    is_terse_note,
    reads_like_a_clinic,
    reads_like_a_court,
    reads_like_a_life,
)
from .kinds import ReferenceKind
from .mask_classifier import MaskRule, facts_of, key_of, rule_for
from .own_patterns import is_own

FLOOR: Final = 0.03
"""Findings from this score on are worth deciding about: hand this to `find` as its threshold."""


class Purpose(StrEnum):
    """The findings to mask."""

    EVERYTHING = "everything"
    DIRECT = "direct"
    SINGLING_OUT = "singling out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The treatment of one finding, and why."""

    finding: Bid
    masks: bool
    reason: str


_OLD_IN_WORDS: Final = re.compile(
    r"\bninet(?:y|ies)\b|\bhundred\b|nonagenarian|centenarian", re.IGNORECASE
)
_STAFF: Final = frozenset(
    "dentist dentists physician physicians doctor doctors nurse nurses nursing assistant assistants "
    "practitioner practitioners surgeon surgeons therapist therapists pharmacist pharmacists "
    "cardiologist dermatologist gynecologist neurologist oncologist ophthalmologist orthopedist "
    "pediatrician psychiatrist psychologist podiatrist radiologist rheumatologist urologist "
    "optometrist chiropractor midwife obstetrician endocrinologist gastroenterologist "
    "nephrologist pulmonologist anesthesiologist dietitian nutritionist physical occupational "
    "speech primary care attending resident staff registered certified triage".split()
)
"""Words for people who care for patients; in a note from a clinic they are everywhere."""
_WORK: Final = re.compile(
    r"(?i)\b(?:work\w*|employ\w*|retired|job|career|occupation|profession|trained|studied|"
    r"(?:he|she|patient|husband|wife|father|mother|son|daughter|brother|sister|who|i) (?:is|was|am))\b"
)
_CLOCK: Final = re.compile(
    r"\W{0,2}(?:[01]?\d|2[0-4])(?::[0-5]\d(?::[0-5]\d)?(?: ?(?:hrs?|h|[ap]\.?m\.?))?| ?[ap]\.?m\.?)\W{0,2}",
    re.IGNORECASE,
)
"""A learned detector takes some times of day for dates: "[10:02]"."""
_BEFORE_WORK: Final = 40
_PRESENTS: Final = re.compile(
    r"(?i)\b(?:presents?|presented|presenting|complain\w*|admitted|status post|history of|denies|"
    r"diagnosed|follow-up)\b"
)
_USUAL: Final = 0.5
_OLD: Final = 0.1
"""From which score on a number of 90 or more is masked as an age: "1:100k" is none."""
_KEPT: Final = 2.0
"""A threshold that no score reaches."""

THRESHOLDS: Final[Mapping[ReferenceKind, float]] = MappingProxyType(
    {
        **dict.fromkeys(ReferenceKind, _USUAL),
        **dict.fromkeys(
            (
                ReferenceKind.NAME,
                ReferenceKind.RECORD_NUMBER,
                ReferenceKind.DATE,
                ReferenceKind.HOSPITAL,
            ),
            0.4,
        ),
        **dict.fromkeys(
            (ReferenceKind.QUANTITY, ReferenceKind.RELATIVE, ReferenceKind.OTHER), _KEPT
        ),
    }
)
"""From which score on a kind is masked where those are masked that single somebody out."""

CLINICAL: Final[Mapping[ReferenceKind, float]] = MappingProxyType(
    {**THRESHOLDS, ReferenceKind.AGE: _KEPT, ReferenceKind.TIME: _KEPT}
)
"""The same in a text from a clinic: ages stay, but for those of 90 and over, and so do times of day:
another hour of a dose or an operation would be a false one."""

OF_A_LIFE: Final[Mapping[ReferenceKind, float]] = MappingProxyType(
    {**THRESHOLDS, ReferenceKind.OTHER: _USUAL, ReferenceKind.QUANTITY: _USUAL}
)
"""The same in the story of a life, where prizes, works and numbers single somebody out."""

_OF_SOMEBODY: Final = frozenset({ReferenceKind.DEMOGRAPHIC, ReferenceKind.PROFESSION})
"""Kinds that do not tell of whom a note is."""
_OF_NOBODY: Final = _OF_SOMEBODY | {ReferenceKind.TIME}
"""Kinds that single nobody out in a note without any other reference."""

BROAD: Final = frozenset(
    "white, black, caucasian, hispanic, asian, latino, latina, african american, "
    "african-american, native american, "
    "asian american, asian-american".split(", ")
)
"""Groups so large that they inform a doctor more than they identify anybody; they stay."""


def decide(
    document: Document,
    findings: Iterable[Bid],
    *,
    purpose: Purpose = Purpose.SINGLING_OUT,
    thresholds: Mapping[ReferenceKind, float] | None = None,
) -> tuple[Decision, ...]:
    """Decide about each finding, in the order given. `thresholds` take the place of the usual ones,
    kind by kind.

    Example:
        >>> name, age = Bid(0, 4, ReferenceKind.NAME, 0.9, "x"), Bid(8, 20, ReferenceKind.AGE, 0.9, "x")
        >>> note = Document("Anna, a 57-year-old patient, takes insulin.")
        >>> [decision.masks for decision in decide(note, [name, age])]
        [True, False]
        >>> [decision.masks for decision in decide(note, [name, age], purpose=Purpose.EVERYTHING)]
        [True, True]
    """
    found = tuple(findings)
    asked = dict(thresholds or {})
    if purpose is Purpose.DIRECT:
        least = {**dict.fromkeys(ReferenceKind, _USUAL), **asked}
        return tuple(
            _or_if_own(_by_threshold(document, finding, least, purpose)) for finding in found
        )
    decided = _singling_out(document, found, asked)
    if purpose is Purpose.EVERYTHING:
        decided = tuple(_or_if_sure(decision, asked) for decision in decided)
    return tuple(map(_or_if_own, decided))


def masked(
    document: Document, findings: Iterable[Bid], *, purpose: Purpose = Purpose.SINGLING_OUT
) -> tuple[Bid, ...]:
    """The findings that are masked."""
    return tuple(
        decision.finding
        for decision in decide(document, findings, purpose=purpose)
        if decision.masks
    )


def _singling_out(
    document: Document, found: Sequence[Bid], asked: Mapping[ReferenceKind, float]
) -> tuple[Decision, ...]:
    if not asked and reads_like_a_court(document):
        return tuple(_ruled(document, found, rule_for(found)))
    named = any(_tells_of_somebody(document, finding) for finding in found)
    clinical = (
        reads_like_a_clinic(document)
        or is_dense_in_medicine(document)
        or is_terse_note(document)
        or (has_medicine(document) and (not named or _PRESENTS.search(document.text) is not None))
    )
    kept = () if named else _OF_NOBODY if clinical else (ReferenceKind.PROFESSION,)
    usual = CLINICAL if clinical else OF_A_LIFE if reads_like_a_life(document) else THRESHOLDS
    least = {**usual, **dict.fromkeys(kept, _KEPT), **asked}
    return tuple(
        _by_threshold(
            document, finding, least, Purpose.SINGLING_OUT, keeps_years=clinical and not named
        )
        for finding in found
    )


def _tells_of_somebody(document: Document, finding: Bid) -> bool:
    """Whether the finding identifies the subject of a note: one that is masked by itself, but no
    year, age or trait."""
    kind = finding.kind
    if (
        kind is None
        or kind is ReferenceKind.AGE
        or kind in _OF_NOBODY
        or finding.score < THRESHOLDS[kind]
    ):
        return False
    return kind is not ReferenceKind.DATE or not _is_year(document, finding)


def _or_if_own(decision: Decision) -> Decision:
    """Mask each finding of a user's own pattern or word list, whatever the purpose: the user asked
    for it by name."""
    if decision.masks or decision.finding.kind is None or not is_own(decision.finding):
        return decision
    return Decision(
        finding=decision.finding, masks=True, reason="a pattern or word list of your own"
    )


def _or_if_sure(decision: Decision, asked: Mapping[ReferenceKind, float]) -> Decision:
    """Mask each finding that singles somebody out, and each other one that is sure to be a
    reference."""
    kind = decision.finding.kind
    if decision.masks or kind is None or decision.finding.score < asked.get(kind, _USUAL):
        return decision
    return Decision(finding=decision.finding, masks=True, reason="sure enough for its kind")


def _by_threshold(
    document: Document,
    finding: Bid,
    least: Mapping[ReferenceKind, float],
    purpose: Purpose,
    *,
    keeps_years: bool = False,
) -> Decision:
    kind = finding.kind
    if kind is None:
        return Decision(finding=finding, masks=False, reason="claimed as words to keep")
    if purpose is Purpose.DIRECT and not kind.is_direct:
        return Decision(finding=finding, masks=False, reason="does not name anybody by itself")
    if (
        purpose is Purpose.SINGLING_OUT
        and kind is ReferenceKind.AGE
        and _is_very_old(document, finding)
    ):
        return Decision(finding=finding, masks=finding.score >= _OLD, reason="an age of 90 or more")
    if (
        purpose is Purpose.SINGLING_OUT
        and kind is ReferenceKind.DEMOGRAPHIC
        and key_of(document, finding) in BROAD
    ):
        return Decision(finding=finding, masks=False, reason="many people share it")
    if (
        purpose is Purpose.SINGLING_OUT
        and kind is ReferenceKind.PROFESSION
        and least[ReferenceKind.AGE] > 1
        and _is_staff(document, finding)
    ):
        return Decision(finding=finding, masks=False, reason="somebody who cares for patients")
    if keeps_years and kind is ReferenceKind.DATE and _is_year(document, finding):
        return Decision(finding=finding, masks=False, reason="a year alone, and nobody is named")
    if (
        purpose is Purpose.SINGLING_OUT
        and kind is ReferenceKind.DATE
        and least[ReferenceKind.TIME] > 1
        and _CLOCK.fullmatch(document.text, finding.start, finding.end)
    ):
        return Decision(finding=finding, masks=False, reason="a time of day without a date")
    if least[kind] > 1:
        return Decision(finding=finding, masks=False, reason="many people share it")
    masks = finding.score >= least[kind]
    reason = "sure enough for its kind" if masks else "not sure enough for its kind"
    return Decision(finding=finding, masks=masks, reason=reason)


def _is_staff(document: Document, finding: Bid) -> bool:
    """Whether a note names a carer's profession: "has not seen a dentist". Where the words before
    tell of work, it is somebody's own: "is employed as a nurse"."""
    found = document.text[finding.start : finding.end].lower().split()
    before = document.text[max(0, finding.start - _BEFORE_WORK) : finding.start]
    return _STAFF.issuperset(found) and _WORK.search(before) is None


def _is_year(document: Document, finding: Bid) -> bool:
    words = document.text[finding.start : finding.end].split()
    return (
        all(word.islower() or word.isdecimal() for word in words)
        and sum(map(str.isdecimal, words)) == 1
    )


def _is_very_old(document: Document, finding: Bid) -> bool:
    found = document.text[finding.start : finding.end]
    if _OLD_IN_WORDS.search(found):
        return True
    digits = "".join(mark for mark in found if mark.isdecimal())
    return bool(digits) and 90 <= int(digits[:4]) < 130


def _ruled(document: Document, findings: Sequence[Bid], by: MaskRule) -> Iterator[Decision]:
    """Decide mentions of the same words alike: by the mean of their odds."""
    keys = [key_of(document, finding) for finding in findings]
    odds: dict[str, list[float]] = defaultdict(list)
    for key, facts in zip(keys, facts_of(document, findings), strict=True):
        odds[key].append(by.odds(facts))
    masking = {key for key, each in odds.items() if sum(each) / len(each) >= by.least_odds}
    for finding, key in zip(findings, keys, strict=True):
        masks = finding.kind is not None and key in masking
        reason = (
            "people who masked such texts would"
            if masks
            else "people who masked such texts would not"
        )
        yield Decision(finding=finding, masks=masks, reason=reason)
