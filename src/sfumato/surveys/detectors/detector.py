"""The protocol of a detector, and its most frequent kind: words in the field's name, a test of its
values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..evidence import Evidence, Test, percent
from ..name_words import phrase_in, stem_in
from ..records import FieldLikeness, LooksLike

FEW_VALUES = 5
"""Fewer sampled values than this are weak evidence on their own."""
CLASSES, ROWS_OF_A_CLASS = 10, 20
ABOUT_IT = ("count", "type", "flag", "has", "is", "available", "consent", "known")
"""A name such as phone_type is not about a phone number, unless the values are phone numbers."""


class FieldDetector(Protocol):
    """Decides whether a field looks like one thing, how surely and why; None where there is no
    evidence."""

    @property
    def looks_like(self) -> LooksLike: ...

    def detect(self, evidence: Evidence) -> FieldLikeness | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NameAndValues:
    """A detector from phrases in the field's name and one test that each sampled value passes or
    fails.

    `needed` is the share of values that must pass. The confidence is `both` where name and values
    agree, `named` where only the name is evidence, and `alone` where only the values are (0:
    never). It is `despite` where the name agrees and the values do not: low, but not zero, because
    a wrong guess here only protects too much. `stems` are parts of words that are as good evidence
    as a phrase. Values alone are evidence from `least_alone` different ones on: two short codes are
    in many lists. With `own`, each person has a value of their own: a few values that many rows
    share are no match, unless they look like one and the phrase is the whole name or has several words:
    `pid` and `study_patient_id` number people, `pid7` is an answer with seven values.
    """

    looks_like: LooksLike
    phrases: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()
    test: Test | None = None
    values_are: str = ""
    needed: float = 0.8
    needed_alone: float = 0.95
    both: float = 0.95
    named: float = 0.6
    alone: float = 0.0
    despite: float = 0.25
    least_alone: int = 1
    own: bool = False

    def detect(self, evidence: Evidence) -> FieldLikeness | None:
        phrase = phrase_in(evidence.words, self.phrases) or stem_in(evidence.words, self.stems)
        if phrase is not None and phrase_in(evidence.words, self.unless) is not None:
            return None
        says = (f"its name contains '{phrase}'",) if phrase is not None else ()
        if self.test is None or not evidence.values:
            return FieldLikeness(self.looks_like, self.named, says) if says else None
        share = evidence.share(self.test)
        if not says:
            return self._from_values(evidence, share)
        if self.own and _is_shared(evidence) and _is_part(phrase, evidence.words):
            return None
        if share >= self.needed:
            return FieldLikeness(
                self.looks_like, self.both, (*says, values_reason(share, self.values_are))
            )
        if not self.despite or phrase_in(evidence.words, ABOUT_IT) is not None:
            return None
        if self.own and _is_shared(evidence):
            return None
        but = f"but only {percent(share)} of sampled values are {self.values_are}"
        return FieldLikeness(self.looks_like, self.despite, (*says, but))

    def _from_values(self, evidence: Evidence, share: float) -> FieldLikeness | None:
        if not self.alone or share < self.needed_alone or len(evidence.values) < self.least_alone:
            return None
        few = len(evidence.values) < FEW_VALUES
        confidence = self.alone * 0.6 if few else self.alone
        reasons = (
            values_reason(share, self.values_are),
            *(("there are few values to judge by",) if few else ()),
        )
        return FieldLikeness(self.looks_like, round(confidence, 2), reasons)


def _is_part(phrase: str | None, words: tuple[str, ...]) -> bool:
    """Whether a phrase of one word is a part of the name: its other words may change the meaning."""
    return phrase is not None and " " not in phrase and len(words) > 1


def _is_shared(evidence: Evidence) -> bool:
    """Whether so few values are in so many rows that they are classes, and nobody's own."""
    distinct = evidence.profile.distinct
    return distinct <= CLASSES and distinct * ROWS_OF_A_CLASS <= evidence.present


def values_reason(share: float, values_are: str) -> str:
    return f"{percent(share)} of sampled values are {values_are}"
