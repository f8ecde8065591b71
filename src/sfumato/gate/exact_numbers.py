"""Exact numbers: the shapes in which an aggregate is exactly what was asked, and records that hold
that very number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .decide.answer_nodes import AnswerNode, DecisionContext, exact_shapes
from .sql import Question


def number_shapes(ground: DecisionContext, question: Question) -> tuple[AnswerNode, ...]:
    """The safe shapes in which every number is exact, those that lose least first; their groups may
    be coarser."""
    found = exact_shapes(ground, fixed=question.measured, shown=question.outputs)
    return tuple(sorted(found, key=lambda each: (each.loss, each.name)))


def number_shape(
    ground: DecisionContext, question: Question, chosen: str = ""
) -> AnswerNode | None:
    """The shape in which a number is exactly the one asked for, if that is safe.

    A chosen shape may have coarser groups than the query: then those are asked for, and the result
    states it."""
    if chosen:
        return next(
            (
                each
                for each in number_shapes(ground, question)
                if written_shape(question, each) == chosen
            ),
            None,
        )
    return next(exact_shapes(ground, fixed=(*question.outputs, *question.measured), shown=()), None)


def is_the_number(
    question: Question, record: Mapping[str, Any], meant: NDArray[np.bool_], *, chosen: str = ""
) -> bool:
    """Whether an answer that was given holds the number that is asked for now, in the shape that is
    chosen now."""
    shown = AnswerNode.of_record(record)
    if (
        (written_shape(question, shown) != chosen)
        if chosen
        else any(question.told_levels(shown.levels).values())
    ):
        return False
    as_they_are = not any(shown.levels[name] for name in question.measured)
    return as_they_are and not shown.withheld and bool(((shown.groups >= 0) == meant).all())


def written_shape(question: Question, shape: AnswerNode) -> str:
    """A shape as askers write it: by the levels that are disclosed to them."""
    return ",".join(f"{name}={level}" for name, level in question.told_levels(shape.levels).items())
