"""The learned rule that decides what to mask in a court's decision, and the facts of a finding that
it weighs.

A logistic regression (tools/text/train_mask_classifier.py) over facts that a reader uses. These are
the kind of the finding and its certainty, what it is (`reference_classes`), its words, the words
around it, how often and where it occurs, and its neighbours. Another is whether it is an
institution of the state whose case it is."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Final

from .bids import Bid
from .documents import Document
from .kinds import ReferenceKind
from .lexicons import countries, demonyms, folded, towns, words
from .reference_classes import Occurrence, Sections, facts_by_class

_AROUND: Final = 120
"""Characters on both sides in which cues are looked for."""
_CUES: Final = frozenset(
    "applicant applicants government agent represented lawyer counsel judge president "
    "registrar section chamber "
    "article convention rule protocol law act code born lives national adjourned hearing "
    "delegates judgment decision "
    "complaint commission request married police prosecutor witness appeal dismissed "
    "convicted sentenced reported see "
    "against".split()
)
_WORD = re.compile(r"\w+")
PLAIN: Final = "mask_classifier.json"
TRANSFORMED: Final = "mask_classifier_with_transformer.json"
"""The rule where the transformer looked as well: it finds more, and more that stays."""


@dataclass(frozen=True, slots=True)
class MaskRule:
    """A logistic regression over facts of a finding; facts that it does not know count nothing."""

    bias: float
    threshold: float
    weights: Mapping[str, float] = field(repr=False)

    def odds(self, facts: Mapping[str, float]) -> float:
        """The logarithm of the odds that a person who masks would mask it."""
        return self.bias + sum(self.weights.get(name, 0.0) * value for name, value in facts.items())

    def likelihood(self, facts: Mapping[str, float]) -> float:
        """How likely a person who masks would mask it."""
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, self.odds(facts)))))

    @property
    def least_odds(self) -> float:
        return math.log(self.threshold / (1 - self.threshold))


def rule_for(findings: Sequence[Bid]) -> MaskRule:
    """The rule that was learned with the detectors that found these."""
    return rule(
        TRANSFORMED if any("transformer" in finding.detector for finding in findings) else PLAIN
    )


@cache
def rule(name: str = PLAIN) -> MaskRule:
    """A packaged rule of Sfumato, learned by tools/text/train_mask_classifier.py."""
    read = json.loads((files(__package__) / "learned" / name).read_text(encoding="utf-8"))
    return MaskRule(read["bias"], read["threshold"], read["weights"])


@dataclass(frozen=True, slots=True)
class _Seen:
    """The facts of all findings together: how often each occurs, where first, how sure at best,
    whose state."""

    often: Counter[str]
    first: dict[str, int]
    best: dict[str, float]
    home: str


def facts_of(document: Document, findings: Sequence[Bid]) -> Iterator[dict[str, float]]:
    """The facts of the learned rule, for each finding, one by one: of a long text they would fill
    the memory."""
    keys = [key_of(document, finding) for finding in findings]
    states = Counter(state for key in keys if (state := _state(key)))
    seen = _Seen(Counter(keys), {}, {}, states.most_common(1)[0][0] if states else "")
    for finding, key in zip(findings, keys, strict=True):
        seen.first.setdefault(key, finding.start)
        seen.best[key] = max(seen.best.get(key, 0.0), finding.score)
    cues = [
        (found.start(), found.group())
        for found in _WORD.finditer(document.text.lower())
        if found[0] in _CUES
    ]
    places = [place for place, _ in cues]
    sections = Sections(document.text)
    for number, (finding, key) in enumerate(zip(findings, keys, strict=True)):
        near = cues[
            bisect_right(places, finding.start - _AROUND) : bisect_right(
                places, finding.end + _AROUND
            )
        ]
        before = findings[number - 1] if number else None
        after = findings[number + 1] if number + 1 < len(findings) else None
        kind = str(finding.kind)
        facts = dict.fromkeys(
            (
                *_own(finding, key, kind, seen),
                *_around(document.text, finding, kind),
                *_placed(document.text, finding, key, kind, seen),
                *(f"{kind} near {cue}" for _, cue in near),
                *_beside(finding, kind, before, after),
                *facts_by_class(
                    document.text,
                    (finding.start, finding.end),
                    key.split(),
                    finding.kind,
                    _occurrence(key, seen, length=len(document.text)),
                    sections.of(finding.start),
                ),
            ),
            1.0,
        )
        odds, best = _odds(finding.score), _odds(seen.best[key])
        facts |= {"odds": odds, f"{kind} odds": odds, f"{kind} best odds": best}
        yield facts


def key_of(document: Document, finding: Bid) -> str:
    """The words of a finding, by which mentions of the same are known: folded, without "the"."""
    return " ".join(folded(document.text[finding.start : finding.end]).split()).removeprefix("the ")


def _odds(score: float) -> float:
    return math.log((score + 0.01) / (1.01 - score))


def _state(key: str) -> str:
    """The country that is named, or whose people are."""
    return countries().get(key) or demonyms().get(key) or ""


def _own(finding: Bid, key: str, kind: str, seen: _Seen) -> Iterator[str]:
    """Facts of the finding itself: its detectors, its words."""
    parts = key.split()
    yield f"kind {kind}"
    yield f"{kind} words {min(len(parts), 5)}"
    for detector in finding.detector.split("+"):
        yield f"{kind} by {detector}"
    yield f"{kind} found by {min(3, finding.detector.count('+') + 1)}"
    if finding.kind is not ReferenceKind.NAME:  # Nobody's name is to be remembered.
        yield f"{kind} ends {parts[-1] if parts else ''}"
        yield f"{kind} begins {parts[0] if parts else ''}"
        yield f"key {' '.join(parts[:5])}"
        yield from (f"has {part}" for part in set(parts))
        yield from (f"pair {one} {other}" for one, other in pairwise(parts))
    state = {_state(part) for part in (key, *parts)} - {""}
    yield f"{kind} home {bool(seen.home) and seen.home in state}"
    yield f"{kind} other state {bool(state - {seen.home})}"
    proper = [part for part in parts if part.isalpha() and len(part) > 2 and part not in words()]
    yield f"{kind} proper {bool(proper)} town {any(part in towns() for part in proper)}"


def _occurrence(key: str, seen: _Seen, *, length: int) -> Occurrence:
    parts = key.split()
    states = {_state(part) for part in (key, *parts)} - {""}
    proper = [part for part in parts if part.isalpha() and len(part) > 2 and part not in words()]
    named = any(part in towns() for part in proper)
    return Occurrence(
        state="home" if seen.home and seen.home in states else "abroad" if states else "no state",
        place="a town" if named else "a name" if proper else "plain",
        often=min(seen.often[key], 4),
        first=seen.first[key] * 4 // max(1, length),
    )


def _around(text: str, finding: Bid, kind: str) -> Iterator[str]:
    """The words before and after."""
    before = (
        folded(text[max(0, finding.start - 40) : finding.start]).replace("\n", " ").split()[-3:]
    )
    after = folded(text[finding.end : finding.end + 30]).split()[:2]
    yield f"{kind} after {' '.join(before[-2:])}"
    yield f"{kind} after {before[-1] if before else ''}"
    yield f"after {' '.join(before)}"
    yield f"before {after[0] if after else ''}"
    yield f"{kind} before {' '.join(after)}"


def _placed(text: str, finding: Bid, key: str, kind: str, seen: _Seen) -> Iterator[str]:
    """How often it occurs, and where."""
    length = max(1, len(text))
    yield f"{kind} often {min(seen.often[key], 4)}"
    yield f"{kind} tenth {finding.start * 10 // length}"
    yield f"{kind} first {seen.first[key] * 10 // length}"
    opens = (
        finding.start == 0
        or text[finding.start - 1] == "\n"
        or text.endswith(". ", 0, finding.start)
    )
    yield f"{kind} opens {opens}"


def _beside(finding: Bid, kind: str, before: Bid | None, after: Bid | None) -> Iterator[str]:
    """The findings just before and after."""
    if before is not None and finding.start - before.end < 60:
        yield f"{kind} behind {before.kind}"
    if after is not None and after.start - finding.end < 60:
        yield f"{kind} ahead of {after.kind}"
