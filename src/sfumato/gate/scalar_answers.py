"""Answers to subqueries, as numbers in the query around them, and what that makes of its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final

import numpy as np
from sqlglot import exp

from sfumato.errors import NotAdmitted

from .answers import Answer
from .noise.error_bars import Numbers, Span, combined, rounded, span_of
from .noise.noisy_rows import or_none
from .result_marks import AS_ASKED, Marks
from .sql import Question
from .sql.scalar_subqueries import WITHIN, ScalarNumber, UnmeasuredColumns

Inverse = Callable[[Numbers, Numbers], Numbers]
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
    these is in it and how far that moves it is unknown: inside an aggregate or in a condition."""
    noisy = {text: each for text, each in below.items() if each.noise and text in unmeasured}
    if not noisy:
        return answer
    places = [unmeasured[text] for text in noisy]
    blank: set[int] = set()
    for each in places:
        blank.update(question.numbers if each is None else each)
    moved = {} if answer.noise else _moved(answer, question)
    blank.update(place for place, each in moved.items() if {*each} == {None})
    count, before = len(answer.rows), answer.marks
    told = _in_words(noisy.values(), unknown=bool(blank))
    notes = before.notes if before is not None else ("",) * count
    made = tuple(told if note in ("", AS_ASKED) else f"{note}; {told}" for note in notes)
    known = {**(before.within if before is not None else {}), **moved}
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


def _moved(answer: Answer, question: Question) -> dict[int, tuple[float | None, ...]]:
    """How far noisy constants may move the numbers of an exact answer, by the places of columns that
    these are in; None where that does not follow."""
    out: dict[int, tuple[float | None, ...]] = {}
    for place, each in enumerate(question.after.expressions):
        if not _has_noise(each):
            continue
        cells = [row[place] for row in answer.rows]
        value = np.array([np.nan if cell is None else float(cell) for cell in cells])
        span = _around(each, value)
        within = [None] * len(cells) if span is None else span.within.tolist()
        out[place] = tuple(map(or_none, within))
    return out


def _has_noise(tree: exp.Expr) -> bool:
    return any(WITHIN in node.meta for node in tree.find_all(exp.Literal))


def _around(node: exp.Expr, value: Numbers) -> Span | None:
    """The bounds of an expression over noisy constants and exact numbers, from its values: where one
    side of a sum or a product is a constant, the other one follows."""
    if not _has_noise(node):
        return Span(value=value, low=value, high=value)
    if node.find(exp.AggFunc, exp.Column) is None:
        return span_of(node, lambda each: None, len(value))
    if isinstance(node, (exp.Alias, exp.Paren)):
        return _around(node.this, value)
    if isinstance(node, (exp.Round, exp.Cast)):
        return rounded(node, _around(node.this, value))
    inverse = _INVERSES.get(type(node))
    if inverse is None:
        return None
    sides = node.this, node.expression
    for place, side in enumerate(sides):
        known = None
        if side.find(exp.AggFunc, exp.Column) is None:
            known = span_of(side, lambda each: None, len(value))
        if known is None:
            continue
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = _around(sides[1 - place], inverse[place](value, known.value))
        if rest is None:
            return None
        return combined(node, *((known, rest) if place == 0 else (rest, known)))
    return None


_INVERSES: Final[Mapping[type[exp.Expr], tuple[Inverse, Inverse]]] = {
    exp.Add: (lambda value, left: value - left, lambda value, right: value - right),
    exp.Sub: (lambda value, left: left - value, lambda value, right: value + right),
    exp.Mul: (lambda value, left: value / left, lambda value, right: value / right),
    exp.Div: (lambda value, left: left / value, lambda value, right: value * right),
}
"""By a side of an operation and its value, the other side."""
