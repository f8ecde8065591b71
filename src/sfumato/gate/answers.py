"""An answer: the rows of a shape, or numbers that follow from them, in an order that discloses
nothing."""

from __future__ import annotations

import decimal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.engines.duckdb import run_over
from sfumato.techniques import KeyedRandom

from .decide.answer_nodes import AnswerNode
from .decide.derived_table import typed
from .decide.protected_table import ProtectedTable
from .result_marks import AS_ASKED, Marks, level_words
from .sql.admission import ANSWER, PERSON
from .sql.questions import Question

Rows = list[tuple[Any, ...]]
ROW = "\u2022"
"""A column that every answer has, so that rows can be counted where no field is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The data that the gate sends. `withheld` are rows left out of it because their groups were
    too small or too alike.

    With `one_each`, one row of each person is shown, though some have several. `levels` has the
    level of each known field, `noise` how far noisy numbers may be off. An answer that is not
    exactly what was asked has `marks`, which every door sends inside the result: see `marked`."""

    query: str
    table: str
    columns: tuple[str, ...]
    rows: Rows = field(repr=False)
    levels: Mapping[str, int] = field(default_factory=dict)
    withheld: int = 0
    widened: bool = False
    one_each: bool = False
    noise: Mapping[str, float] = field(default_factory=dict)
    threshold: int = 0
    """The noisy count below which groups are left out, at a cost of `delta`."""
    delta: float = 0.0
    cuts: tuple[str, ...] = ()
    """The values that were cut before noise was added, in words: `noise` does not cover it."""
    remembered: bool = False
    epsilon: float = 0.0
    """The cost of noise to the asker's budget, as the epsilon of the question."""
    left: int | None = None
    """How many such noisy answers are left to the asker."""
    public: str = ""
    """The field whose counts are public by the policy: no k is claimed for them."""
    as_of: str = ""
    """When the rows that it is made from were read from their source."""
    marks: Marks | None = field(default=None, repr=False)
    record: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The noisy counts and sums that it is made of, and their noise."""

    @property
    def as_asked(self) -> bool:
        return self.marks is None

    def marked(self) -> tuple[tuple[str, ...], Rows]:
        """The columns and rows as they are sent, with marks that state inside the result how it
        differs from the query."""
        if self.marks is None:
            return self.columns, self.rows
        return (*self.columns, *self.marks.names(self.columns)), self.marks.rows(self.rows)


def union_of(answers: Sequence[Answer]) -> Answer:
    """Several answers one below the other, as UNION ALL puts them; each row states its difference
    from the question."""
    first, *more = answers
    if not more:
        return first
    marked = [each for each in answers if each.marks is not None]
    marks = None
    if marked:
        places = sorted(
            {place for each in marked for place in (each.marks.within if each.marks else ())}
        )
        notes: list[str] = []
        within: dict[int, list[float | None]] = {place: [] for place in places}
        for each in answers:
            own = each.marks
            notes += own.notes if own is not None else (AS_ASKED,) * len(each.rows)
            for place in places:
                known = own.within.get(place) if own is not None else None
                within[place] += known if known is not None else (0.0,) * len(each.rows)
        marks = Marks(
            notes=tuple(notes), within={place: tuple(each) for place, each in within.items()}
        )
    left = [each.left for each in answers if each.left is not None]
    return replace(
        first,
        rows=[row for each in answers for row in each.rows],
        levels={} if any(each.levels != first.levels for each in more) else first.levels,
        withheld=sum(each.withheld for each in answers),
        widened=any(each.widened for each in answers),
        one_each=any(each.one_each for each in answers),
        noise={name: off for each in answers for name, off in each.noise.items()},
        threshold=max(each.threshold for each in answers),
        delta=sum(each.delta for each in answers),
        cuts=tuple(dict.fromkeys(cut for each in answers for cut in each.cuts)),
        remembered=all(each.remembered for each in answers),
        epsilon=max(each.epsilon for each in answers),
        left=min(left) if left else None,
        as_of=min(each.as_of for each in answers),
        marks=marks,
    )


def shape_marks(
    answer: Answer, holding: ProtectedTable, *, shown: Sequence[str], numbers: Sequence[int]
) -> Marks | None:
    """The marks of an answer without noise; none where it is exactly what was asked. `shown` are
    the known fields whose levels it discloses, `numbers` the places of its numbers, which are
    exact."""
    parts = [
        level_words(name, holding.hierarchies[name].level_name(answer.levels[name]))
        for name in shown
        if answer.levels[name]
    ]
    if answer.widened:
        parts.append("condition widened to whole groups")
    if answer.one_each:
        parts.append("one row of each person")
    if answer.withheld:
        parts.append(f"{answer.withheld:,} {'row' if answer.withheld == 1 else 'rows'} withheld")
    if not parts:
        return None
    count = len(answer.rows)
    return Marks(notes=("; ".join(parts),) * count, within=dict.fromkeys(numbers, (0.0,) * count))


def rows_of(
    shape: AnswerNode, question: Question, holding: ProtectedTable
) -> dict[str, NDArray[Any]]:
    """The columns of the rows that a shape shows: labels of known fields, values of the others.

    Where a protected field is shown or asked about, one row of each person is shown.
    """
    chosen = shape.groups[holding.bin_of] >= 0
    if question.unknown:
        chosen &= holding.stands
    if question.having is not None:
        codes = {name: holding.fields[name].codes for name in question.having.fields()}
        chosen &= question.having.marks(holding.fields, codes)
    places = np.flatnonzero(chosen)
    out: dict[str, NDArray[Any]] = {ROW: np.zeros(len(places), np.int8)}
    for name in question.known:
        held, level = holding.fields[name], shape.levels[name]
        hierarchy = holding.hierarchies[name]
        if level == 0:
            out[name] = typed(held, held.codes[places])
        else:
            labels = np.array(hierarchy.labels[level], object)
            out[name] = labels[hierarchy.up[level][held.codes[places]]]
    if any(each.field == PERSON and each.distinct for each in question.aggregates):
        out[PERSON] = holding.person_of[places]  # Counted by the query, and in no column of it.
    made = (name for name, each in question.derived.items() if not each.is_known)
    for name in (*question.unknown, *made):
        held = holding.fields[name]
        out[name] = typed(held, held.codes[places])
    return out


def follow(
    question: Question, columns: Mapping[str, NDArray[Any]], chance: KeyedRandom
) -> tuple[tuple[str, ...], Rows]:
    """The query applied to the rows: first shuffled, then sorted, counted or cut as it asks."""
    order = chance.permutation(len(columns[ROW]))
    shuffled = {name: column[order] for name, column in columns.items()}
    plain = _plain_fields(question) if question.is_plain else [None]
    if all(name in shuffled for name in plain):
        shown = [shuffled[name].tolist() for name in plain if name is not None]
        return question.columns, list(zip(*shown, strict=True))
    names, rows = run_over(question.after, ANSWER, shuffled)
    if not rows and question.is_over_all_groups:
        names, rows = run_over(question.over_nothing(), ANSWER, {ROW: np.zeros(1, np.int8)})
    return tuple(names), plain_rows(rows)


def plain_rows(rows: Rows) -> Rows:
    """Rows with numbers that every door can send: decimal ones as the nearest float.

    Example:
        >>> from decimal import Decimal
        >>> plain_rows([("a", Decimal("1.5"), None)])
        [('a', 1.5, None)]
    """
    return [
        tuple(float(cell) if isinstance(cell, decimal.Decimal) else cell for cell in row)
        for row in rows
    ]


def _plain_fields(question: Question) -> list[str | None]:
    """The field that each column shows, None for one that shows something else."""
    shown = (each.this if each.key == "alias" else each for each in question.after.expressions)
    return [each.name if each.key == "column" else None for each in shown]
