"""A finished assessment: its outcome, its measurements, and the page and the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.measures import Ads0
from sfumato.protection import Outcome, Verdict

from .assessment_record import AssessmentRecord
from .page import AssessmentFacts, Judgement, render_assessment


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Assessment(AssessmentRecord):
    """The result of an assessment. `results` has the families of measures that could be measured,
    `left_out` why others are not.

    Nothing in it is a value of the source: it has counts, shares and names of fields.
    """

    title: str
    outcome: Outcome
    judgements: tuple[Judgement, ...]
    verdicts: tuple[Verdict, ...]
    ads0: Ads0 | None
    results: Mapping[str, Any] = field(repr=False)
    left_out: Mapping[str, str]
    notes: tuple[str, ...]
    facts: AssessmentFacts = field(repr=False)
    release: str = ""

    def page(self) -> str:
        """One HTML page that loads and runs nothing."""
        return render_assessment(self.facts)

    def as_dict(self) -> dict[str, Any]:
        """All numbers, as values that JSON has."""
        facts = self.facts
        return {
            "sfumato": facts.version,
            "created": facts.created,
            "title": self.title,
            "outcome": self.outcome,
            "release": self.release,
            "counted_in": facts.unit,
            "known": list(facts.known),
            "sensitive": list(facts.sensitive),
            "released": facts.released,
            "source": facts.source,
            "judgements": [one.as_dict() for one in self.judgements],
            "verdicts": [verdict.as_dict() for verdict in self.verdicts],
            "five_safes": [question.as_dict() for question in facts.questions],
            "ads0": None if self.ads0 is None else self.ads0.as_dict(),
            **{name: found.as_dict() for name, found in self.results.items()},
            "left_out": dict(self.left_out),
            "notes": list(self.notes),
            "method": [account.as_dict() for account in facts.accounts],
        }
