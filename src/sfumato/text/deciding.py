"""The second stage: of what was found, what is masked for a stated purpose (000, section 6.1; Pilán et al. 2022).

Finding says that there is a reference; whether it must go depends on what the text is for and on what else is known.
A date of birth singles somebody out, the day a law came into force does not; "the Government" is found in every
decision of a court. Most kinds are decided by a threshold on their score. In a text that reads like a court's
decision, quasi-identifiers are decided by a small learned rule over facts of the finding: its kind, its score, the
words of it and before it, how often and where it stands, whether it is an institution of a state.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from .bids import Bid
from .documents import Document
from .kinds import Kind
from .learned.cues import CLINIC, COURT
from .lexicons import countries, demonyms, folded

FLOOR: Final = 0.05
"""Findings from this score on are worth deciding about: hand this to `find` as its threshold."""


class Purpose(StrEnum):
    """What is masked."""

    EVERYTHING = "everything"
    DIRECT = "direct"
    SINGLING_OUT = "singling out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What becomes of one finding, and why."""

    finding: Bid
    masks: bool
    reason: str


_USUAL: Final = 0.5
_KEPT: Final = 2.0
"""A threshold that no score reaches."""

THRESHOLDS: Final[Mapping[Kind, float]] = MappingProxyType(
    {
        **dict.fromkeys(Kind, _USUAL),
        **dict.fromkeys((Kind.NAME, Kind.RECORD_NUMBER, Kind.DATE, Kind.HOSPITAL), 0.4),
        **dict.fromkeys((Kind.QUANTITY, Kind.RELATIVE, Kind.OTHER), _KEPT),
    }
)
"""From which score on a kind is masked where those are masked that single somebody out."""

CLINICAL: Final[Mapping[Kind, float]] = MappingProxyType(
    {**THRESHOLDS, **dict.fromkeys((Kind.AGE, Kind.DEMOGRAPHIC, Kind.PROFESSION), _KEPT)}
)
"""The same in a text from a clinic: who somebody is medically stays, only an age of 90 and over does not."""


def decide(
    document: Document,
    findings: Iterable[Bid],
    *,
    purpose: Purpose = Purpose.SINGLING_OUT,
    thresholds: Mapping[Kind, float] | None = None,
) -> tuple[Decision, ...]:
    """Decide about each finding, in the order given. `thresholds` take the place of the usual ones, kind by kind.

    Example:
        >>> name, age = Bid(0, 4, Kind.NAME, 0.9, "x"), Bid(8, 20, Kind.AGE, 0.9, "x")
        >>> note = Document("Anna, a 57-year-old patient, takes insulin.")
        >>> [decision.masks for decision in decide(note, [name, age])]
        [True, False]
        >>> [decision.masks for decision in decide(note, [name, age], purpose=Purpose.EVERYTHING)]
        [True, True]
    """
    found = tuple(findings)
    asked = dict(thresholds or {})
    if purpose is not Purpose.SINGLING_OUT:
        usual: Mapping[Kind, float] = dict.fromkeys(Kind, _USUAL)
    elif reads_like_a_court(document):
        if not asked:
            return tuple(_ruled(document, found, rule()))
        usual = THRESHOLDS
    else:
        usual = CLINICAL if reads_like_a_clinic(document) else THRESHOLDS
    least = {**usual, **asked}
    return tuple(_by_threshold(document, finding, least, purpose) for finding in found)


def masked(document: Document, findings: Iterable[Bid], *, purpose: Purpose = Purpose.SINGLING_OUT) -> tuple[Bid, ...]:
    """The findings that are masked."""
    return tuple(decision.finding for decision in decide(document, findings, purpose=purpose) if decision.masks)


def _by_threshold(document: Document, finding: Bid, least: Mapping[Kind, float], purpose: Purpose) -> Decision:
    kind = finding.kind
    if kind is None:
        return Decision(finding=finding, masks=False, reason="claimed as words to keep")
    if purpose is Purpose.DIRECT and not kind.is_direct:
        return Decision(finding=finding, masks=False, reason="does not name anybody by itself")
    if purpose is Purpose.SINGLING_OUT and kind is Kind.AGE and _is_very_old(document, finding):
        return Decision(finding=finding, masks=finding.score >= FLOOR, reason="an age of 90 or more")
    if least[kind] > 1:
        return Decision(finding=finding, masks=False, reason="many people share it")
    masks = finding.score >= least[kind]
    reason = "sure enough for its kind" if masks else "not sure enough for its kind"
    return Decision(finding=finding, masks=masks, reason=reason)


def _is_very_old(document: Document, finding: Bid) -> bool:
    digits = "".join(mark for mark in document.text[finding.start : finding.end] if mark.isdecimal())
    return bool(digits) and 90 <= int(digits[:4]) < 130


def reads_like_a_court(document: Document) -> bool:
    """Whether a text has the words of a court's decision: five of them, one word in fifty, and more than a clinic's."""
    court = _share(document, COURT)
    return court >= 5 and court >= 0.02 * len(document.words) and court > _share(document, CLINIC)


def reads_like_a_clinic(document: Document) -> bool:
    """Whether a text has the words of a clinic's notes: one in a hundred."""
    clinic = _share(document, CLINIC)
    return clinic >= 1 and clinic >= 0.01 * len(document.words)


def _share(document: Document, cues: frozenset[str]) -> int:
    return sum(word.text.lower() in cues for word in document.words)


# -------------------------------------------------------------------- the learned rule


@dataclass(frozen=True, slots=True)
class Rule:
    """A logistic regression over facts of a finding; facts that it does not know count nothing."""

    bias: float
    threshold: float
    weights: Mapping[str, float] = field(repr=False)

    def likelihood(self, facts: Mapping[str, float]) -> float:
        """How likely a person who masks would mask it."""
        total = self.bias + sum(self.weights.get(name, 0.0) * value for name, value in facts.items())
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


@cache
def rule() -> Rule:
    """The rule that comes with Sfumato, learned by tools/text/train_deciding.py."""
    read = json.loads((files(__package__) / "learned" / "deciding.json").read_text(encoding="utf-8"))
    return Rule(read["bias"], read["threshold"], read["weights"])


def _ruled(document: Document, findings: Sequence[Bid], by: Rule) -> Iterator[Decision]:
    """Decide mentions of the same words alike: by the likeliest of them."""
    likely = [by.likelihood(facts) for facts in facts_of(document, findings)]
    keys = [_key(document, finding) for finding in findings]
    best: dict[str, float] = defaultdict(float)
    for key, value in zip(keys, likely, strict=True):
        best[key] = max(best[key], value)
    for finding, key in zip(findings, keys, strict=True):
        masks = finding.kind is not None and best[key] >= by.threshold
        reason = "people who masked such texts would" if masks else "people who masked such texts would not"
        yield Decision(finding=finding, masks=masks, reason=reason)


def facts_of(document: Document, findings: Sequence[Bid]) -> list[dict[str, float]]:
    """What the learned rule looks at, for each finding."""
    keys = [_key(document, finding) for finding in findings]
    often = Counter(keys)
    states = Counter(state for key in keys if (state := _state(key)))
    home = states.most_common(1)[0][0] if states else ""
    return [_facts(document, finding, often[key], home, key) for finding, key in zip(findings, keys, strict=True)]


def _key(document: Document, finding: Bid) -> str:
    return " ".join(folded(document.text[finding.start : finding.end]).split()).removeprefix("the ")


def _state(key: str) -> str:
    """The country that is named, or whose people are."""
    return countries().get(key) or demonyms().get(key) or ""


def _facts(document: Document, finding: Bid, often: int, home: str, key: str) -> dict[str, float]:
    text, kind = document.text, str(finding.kind)
    words = key.split()
    before = folded(text[max(0, finding.start - 40) : finding.start]).replace("\n", " ").split(" ")
    after = folded(text[finding.end : finding.end + 25]).split()
    place = finding.start / max(1, len(text))
    names = [
        f"kind {kind}",
        f"{kind} often {min(often, 4)}",
        f"{kind} tenth {int(place * 10)}",
        f"{kind} words {min(len(words), 5)}",
        f"{kind} by {len(finding.detector.split('+'))}",
        f"{kind} learned {'learned' in finding.detector}",
        f"{kind} ends {words[-1] if words else ''}",
        f"{kind} begins {words[0] if words else ''}",
        f"{kind} after {' '.join(before[-2:])}",
        f"{kind} after {before[-1] or before[-2 if len(before) > 1 else -1]}",
        f"before {after[0] if after else ''}",
        f"{kind} home {bool(home) and _state(key) == home}",
        f"{kind} other state {bool(_state(key)) and _state(key) != home}",
        *(f"has {word}" for word in set(words)),
    ]
    odds = math.log((finding.score + 0.01) / (1.01 - finding.score))
    return {**dict.fromkeys(names, 1.0), "odds": odds, f"{kind} odds": odds}
