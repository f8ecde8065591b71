"""Answers to subqueries, as numbers in the query around them, and what that makes of its answer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Final

from sqlglot import exp

from sfumato.errors import NotAdmitted

from .answers import Answer
from .result_marks import AS_ASKED, Marks
from .sql import Question
from .sql.scalar_subqueries import WITHIN, ScalarNumber, UnmeasuredColumns

NOISY_SUBQUERY: Final = "a subquery's number is noisy"


def scalar_of(answer: Answer) -> ScalarNumber:
    """The one number of an answer. Its value was disclosed to the asker by that answer."""
    cell = answer.rows[0][0] if len(answer.rows) == 1 else None
    if cell is not None and not isinstance(cell, int | float):
        raise NotAdmitted(
            "A subquery is one number.",
            code="not-comparable",
            attempt="COUNT, SUM, AVG or another number in it.",
        )
    marks = answer.marks
    within = marks.within.get(0, (None,))[0] if marks is not None else 0.0
    if answer.noise and within is None:
        raise NotAdmitted(
            "The number of a subquery has too much noise to be used in the query around it.",
            code="not-noisy",
            attempt="asking for it by itself, with a larger epsilon.",
        )
    return ScalarNumber(value=cell, within=within or 0.0)


def beside_numbers(
    answer: Answer,
    below: Mapping[str, Answer],
    question: Question,
    unmeasured: UnmeasuredColumns,
) -> Answer:
    """An answer that states the noise of its subqueries. A number has no error bar where one of
    these is in it and how far that moves it is unknown: inside an aggregate, in a condition, or
    beside exact numbers."""
    noisy = {text: each for text, each in below.items() if each.noise and text in unmeasured}
    if not noisy:
        return answer
    places = [unmeasured[text] for text in noisy]
    blank: set[int] = set()
    for each in places:
        blank.update(question.numbers if each is None else each)
    if not answer.noise:
        blank.update(_touched(question))
    count, before = len(answer.rows), answer.marks
    told = _in_words(noisy.values(), unknown=bool(blank))
    notes = before.notes if before is not None else ("",) * count
    made = tuple(told if note in ("", AS_ASKED) else f"{note}; {told}" for note in notes)
    known = before.within if before is not None else {}
    within = {
        place: (None,) * count if place in blank else known.get(place, (0.0,) * count)
        for place in question.numbers
    }
    return replace(answer, marks=Marks(notes=made, within=within))


def _in_words(noisy: Iterable[Answer], *, unknown: bool) -> str:
    """The numbers of noisy subqueries, which were disclosed to the asker, and their errors."""
    numbers = [scalar_of(each) for each in noisy]
    told = ", ".join(
        f"{each.value or 0:,.6g}, usually within {each.within:,.3g}" for each in numbers
    )
    behind = ", which moves this answer by an unknown amount" if unknown else ""
    return f"{NOISY_SUBQUERY}: {told}{behind}"


def _touched(question: Question) -> Collection[int]:
    """The places of columns that a noisy constant is in."""
    return {
        place
        for place, each in enumerate(question.after.expressions)
        if any(WITHIN in node.meta for node in each.find_all(exp.Literal))
    }
