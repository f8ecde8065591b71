"""The verdict on intervals: how many people the days between two of their dates single out."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.protection import Outcome
from sfumato.report import percent

from .attacks import Rate
from .page import Judgement
from .risk.date_intervals import IntervalFindings
from .verdict_limits import FOUND

QUESTION = "Do the days between two dates single people out?"
RULE = (
    f"Red where one interval between known dates, or between any where rows of a person are linked, "
    f"finds over {percent(FOUND[1])} of people. Amber over {percent(FOUND[0])}, insensitive dates "
    f"included, or where an interval between any released dates finds over {percent(FOUND[1])}."
)


def about_intervals(found: IntervalFindings | None) -> Iterator[Judgement]:
    """One line; nothing where nobody has two whole days."""
    if found is None:
        return
    yield Judgement(
        question=QUESTION,
        outcome=_outcome(found),
        answer=_answer(found),
        rule=RULE,
        anchor="intervals",
        advice="Release months in place of days, the days between them in classes, or fewer dates of "
        "a person: a shift leaves the days between them as they are.",
    )


def share(found: IntervalFindings, rate: Rate) -> float:
    """Of all people, those without two dates included."""
    return rate.value * found.people / max(found.of, 1)


def _outcome(found: IntervalFindings) -> Outcome:
    if share(found, found.known) > FOUND[1]:
        return "fail"
    beyond = share(found, found.everything) > FOUND[1]
    return "review" if beyond or share(found, found.knowable) > FOUND[0] else "pass"


def _answer(found: IntervalFindings) -> str:
    which = "of a person" if found.linked else "of everything released"
    said = f"One interval between two dates {which} finds {percent(share(found, found.everything))}"
    said += f" of people, two find {percent(share(found, found.two))}."
    if not found.linked and share(found, found.knowable) < share(found, found.everything):
        known = percent(share(found, found.knowable))
        said += f" Between dates that somebody may know, one finds {known}."
    return said
