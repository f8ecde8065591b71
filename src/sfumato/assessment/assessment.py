"""A finished assessment: its outcome, what was measured, and the page and the numbers that tell
it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.measures import Ads0
from sfumato.protection import Outcome, Verdict
from sfumato.report import table, tag

from .page import AssessmentFacts, Judgement, render_assessment
from .page_file import write_private


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Assessment:
    """What was found. `results` has the families of measures that could be measured, `left_out` why
    others are not.

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

    def write(self, to: str | Path, *, replace: bool = False) -> Path:
        """Write the page; an earlier page is kept unless `replace` is true."""
        path = Path(to)
        write_private(path, self.page(), replace=replace)
        return path

    def write_json(self, to: str | Path, *, replace: bool = False) -> Path:
        path = Path(to)
        write_private(
            path, json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n", replace=replace
        )
        return path

    def __repr__(self) -> str:
        said = (f"  {one.outcome}: {one.question} {one.answer}" for one in self.judgements)
        return "\n".join((f"Assessment of {self.title}: {self.outcome}", *said))

    def _repr_html_(self) -> str:
        rows = [(one.outcome, one.question, one.answer) for one in self.judgements]
        title = tag("p", tag("b", self.outcome), f": {self.title}")
        return str(
            tag("div", title, table(("verdict", "question", "answer"), rows, caption="Assessment"))
        )
