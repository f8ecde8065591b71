"""Free text: letters, notes, comments, which may contain anything."""

from __future__ import annotations

from dataclasses import dataclass

from ..evidence import Evidence, percent
from ..name_words import phrase_in
from ..records import FieldLikeness, LooksLike

PHRASES = (
    "note", "notes", "comment", "comments", "text", "narrative", "description", "remark", "remarks", "letter",
    "message", "report", "summary", "history", "observation", "memo", "body", "bemerkung", "kommentar", "notiz",
    "commentaire",
    "observaciones", "opmerking", "free text", "impression", "findings", "reason", "details",
)  # fmt: skip
MANY_WORDS = 6
LONG = 80
LABELS, REPEATED = ("description", "reason"), 0.1
"""Descriptions with fewer different values than this share of the rows are the words of a code."""


def is_sentence(text: str) -> bool:
    """A value of many words, or of some words and a long one.

    Example:
        >>> is_sentence("Seen on Monday, felt well, sent home."), is_sentence("Never married")
        (True, False)
    """
    words = text.split()
    return len(words) >= MANY_WORDS or (len(words) > 2 and len(text) >= LONG)


@dataclass(frozen=True, slots=True)
class FreeText:
    """Values of many words that differ from row to row; long labels that repeat are a category, not
    text."""

    looks_like: LooksLike = LooksLike.FREE_TEXT

    def detect(self, evidence: Evidence) -> FieldLikeness | None:
        phrase = phrase_in(evidence.words, PHRASES)
        says = (f"its name contains '{phrase}'",) if phrase is not None else ()
        if not evidence.values:
            return FieldLikeness(self.looks_like, 0.5, says) if says else None
        share = evidence.share(is_sentence)
        counted = f"{percent(share)} of sampled values have {MANY_WORDS} words or more"
        label = phrase in LABELS and evidence.distinct_share < REPEATED
        if says and not label and (share >= 0.1 or evidence.profile.longest >= LONG):
            return FieldLikeness(self.looks_like, 0.95 if share >= 0.3 else 0.8, (*says, counted))
        if share >= 0.3 and (evidence.distinct_share >= 0.2 or evidence.profile.distinct > 200):
            return FieldLikeness(
                self.looks_like,
                0.85 if share >= 0.6 else 0.65,
                (counted, "and they differ from row to row"),
            )
        return None


TEXT = (FreeText(),)
