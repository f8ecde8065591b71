"""Offers: in which shapes a question can be answered, and in words what else may be asked in place
of a refused number.

The words follow from the policy, the question and what the asker was shown before, never from rows.
A look at the shapes reads rows: it is a question of its own, limited and audited as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from .decide.answer_nodes import AnswerNode
from .decide.protected_table import ProtectedTable
from .result_marks import level_words
from .settings import Terms
from .sql import Question

_MOST_NAMED: Final = 3


class PlannedAnswer(StrEnum):
    """How a question among others would be answered: as asked, with noise, or not at all. The name
    of a shape means coarser groups."""

    EXACT = "exact"
    NOISY = "noisy"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseCost:
    """The cost of a noisy answer: rho, the epsilon that it implies by itself, and its part of all
    that a recipient has."""

    rho: float
    epsilon: float
    share: float
    within: Mapping[str, float] = field(default_factory=dict)
    """How far each count and sum that the answer is made of would usually be off."""
    threshold: int = 0
    """The noisy count below which groups would be left out; none may be left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """How a question could be answered: the shapes, the best first, and what noise would cost."""

    query: str
    table: str
    shapes: tuple[AnswerNode, ...]
    cost: NoiseCost | None = None
    left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyOffer:
    """How a question would be answered with noise. `asked` has the fields that its noisy numbers are
    made of, `terms` are those of its noise."""

    query: str
    asked: Question
    terms: Terms
    left: int
    is_answered: bool
    """Whether it has an answer with as little noise, which costs nothing more."""


def offer_in_words(
    question: Question, holding: ProtectedTable, shown: Iterable[Mapping[str, Any]]
) -> str:
    """The question to ask in place of a number that is refused; `shown` are the records of what the
    asker saw before."""
    before = next((each for each in shown if _covers(each, question)), None)
    if before is not None:
        levels = {name: int(before["levels"][name]) for name in question.known}
        words = ", ".join(
            level_words(name, holding.hierarchies[name].level_name(level))
            for name, level in levels.items()
            if level
        )
        name = ",".join(f"{name}={level}" for name, level in levels.items())
        return (
            f"the same number with {words}: it is exact, because it follows from earlier "
            f"answers. Ask with the shape {name}."
        )
    coarser = [*_ladders(question.outputs, holding)]
    whole = [
        *_ladders(
            [n for n in question.known if n not in (*question.outputs, *question.measured)], holding
        )
    ]
    out = []
    if coarser:
        out.append(
            f"coarser groups, which may be exact: {'; '.join(coarser)}. A preview lists the "
            "exact shapes."
        )
    if whole:
        out.append(f"{'Or a' if coarser else 'a'} condition on whole groups: {'; '.join(whole)}.")
    return " ".join(out) or "fewer fields, or rows in place of numbers."


def _covers(record: Mapping[str, Any], question: Question) -> bool:
    """Whether this number follows from an earlier answer, at its levels.

    That answer was about everybody, with the same protected fields. The measured fields and those
    of the condition were shown as they are. The number then distinguishes nobody who was not
    distinguished before.
    """
    levels = record.get("levels", {})
    if record.get("table") != question.table or not record.get("whole") or record.get("withheld"):
        return False
    still = [
        name for name in question.known if name in question.measured or name not in question.outputs
    ]
    return (
        set(question.unknown) <= set(record.get("shows", ()))
        and all(name in levels for name in question.known)
        and all(levels[name] == 0 for name in still)
        and any(levels[name] for name in question.outputs)
    )


def _ladders(names: Iterable[str], holding: ProtectedTable) -> Iterator[str]:
    """The coarser levels of fields, as the policy has them."""
    for name in names:
        hierarchy = holding.hierarchies[name]
        steps = [hierarchy.level_name(level) for level in range(1, holding.top(name) + 1)]
        steps = [each for each in steps if each != "suppressed"][:_MOST_NAMED]
        if steps:
            yield " or ".join(level_words(name, each) for each in steps)
