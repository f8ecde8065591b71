"""The verdict on sensitive numbers: for how many people a number can be inferred approximately."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.protection import Outcome
from sfumato.report import counted, percent
from sfumato.wording import some_of

from .page import Judgement
from .risk.number_closeness import ClosenessFindings
from .verdict_limits import LEARNED

MOST_NAMED = 3
QUESTION = "Can a sensitive number be inferred closely?"


def about_closeness(found: ClosenessFindings | None) -> Iterator[Judgement]:
    """One line for all numbers; nothing where there is none."""
    if found is None or not found.fields:
        return
    name, worst = max(found.fields.items(), key=lambda one: one[1].close)
    outcome: Outcome = "pass"
    if worst.close > LEARNED[0]:
        outcome = "fail" if worst.close > LEARNED[1] else "review"
    if worst.close:
        answer = (
            f"{name} is known within {worst.width:.3g} for {percent(worst.close)} of people: "
            "nearly all people with the same known values are that close."
        )
    else:
        fields = counted(len(found.fields), "sensitive number")
        answer = f"No: of {fields}, none is close together among people with the same known values."
    if found.not_judged:
        answer += (
            f" Not judged: {some_of(found.not_judged, MOST_NAMED)}, of which over half of all people "
            "have nearly the same value."
        )
    yield Judgement(
        question=QUESTION,
        outcome=outcome,
        answer=answer,
        rule="Amber where nine in ten people with the same known values are within a "
        f"twentieth of the usual range for over {percent(LEARNED[0])} of people, red "
        f"for over {percent(LEARNED[1])}.",
        anchor="chapter-risk",
        advice=f"Require value_spread of {name}, or release it coarser.",
    )
