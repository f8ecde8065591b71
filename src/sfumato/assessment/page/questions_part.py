"""The first screen of an assessment that is not of one release's bins: each question with its colour."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.protection import Outcome
from sfumato.report import Html, section, table, tag

from .facts import Judgement

_COLOURS = {"pass": "green", "review": "amber", "fail": "red"}


def questions_part(outcome: Outcome, judgements: Sequence[Judgement], *, lead: str) -> Html:
    """The questions as a table, under the worst of their colours."""
    rows = [
        (_COLOURS[one.outcome], one.question, f"{one.answer} {one.advice}".strip())
        for one in judgements
    ]
    return section(
        "questions",
        f"In short: {_COLOURS[outcome]}",
        tag("p", lead, class_="lead"),
        table(("Verdict", "Question", "Found"), rows, caption="Questions"),
    )
