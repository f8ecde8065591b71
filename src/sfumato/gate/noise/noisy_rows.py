"""Noisy numbers as the rows of the query, with error bars: its expressions over aggregates are
computed from noisy ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.engines.duckdb import run_over

from ..answers import plain_rows
from ..result_marks import Marks
from ..sql.admission import AGGREGATES, ANSWER, read_aggregate
from ..sql.derivation import REGRESSIONS, aggregates_of
from ..sql.questions import Aggregate, Question
from .error_bars import Span, average, span_of
from .imitated_errors import imitated_span
from .quantiles import HIGH, LOW
from .statistics import QUANTILE, statistic

SUPPRESSED: Final = "*"
_GROUP: Final = "\u2022"
"""A column that every answer has, so that there is one row for each group."""
_NOTE: Final = "\u2022 note"
_WITHIN: Final = "\u2022 within"
NOISY, BELOW, BEYOND, FEW = (
    "noisy",
    "below zero",
    "average outside its bounds",
    "too few to average",
)
UNFITTED: Final = "too few to fit"
WINDOWS: Final = "windows are over the groups shown"
LISTED: Final = "groups that WHERE lists (field IN (...)) are shown whatever their size"
UNCERTAIN, CHOSEN, CLAMPED = "order uncertain", "groups chosen by noisy numbers", "clamped"

Rows = list[tuple[Any, ...]]
Numbers = Mapping[str, Sequence[float]]
Labels = Mapping[str, Sequence[Any]]
Bounds = Mapping[str, tuple[float, float]]
ANYWHERE: Final = (-math.inf, math.inf)


@dataclass(frozen=True, eq=False, kw_only=True)
class NoisyTable:
    """Noisy numbers of groups: `labels` by field, `numbers` by aggregate, and how far each may be
    off (`within`).

    `bounds` are those of the fields that are summed. With `clamp`, counts below zero are shown as
    zero, and averages outside the bounds of their field as the nearer one. Otherwise they stay as
    they are. Either way they are marked."""

    question: Question
    labels: Labels
    numbers: Numbers
    within: Mapping[str, float]
    bounds: Bounds = field(default_factory=dict)
    clamp: bool = False
    threshold: int = 0
    """The noisy count below which groups are left out, where they have to pass one."""
    cuts: tuple[str, ...] = ()
    """The values that were cut before noise was added, in words."""

    @property
    def count(self) -> int:
        return max(map(len, (*self.labels.values(), *self.numbers.values())), default=0)

    @cached_property
    def spans(self) -> Mapping[str, Span]:
        """The aggregates of the query by the name of their column."""
        found = {each.canonical(): each for each in self.question.aggregates}
        return {name: self._span(each) for name, each in found.items()}

    def _span(self, aggregate: Aggregate) -> Span:
        name = aggregate.canonical()
        if aggregate.function == QUANTILE:
            value, low, high = (
                np.array(self.numbers[name + end], float) for end in ("", LOW, HIGH)
            )
            return Span(value=value, low=low, high=high)
        made = statistic(aggregate, self.bounds)
        keys = [part.canonical() for part in made.parts]
        values = [np.array(self.numbers[key], float) for key in keys]
        within = [self.within[key] for key in keys]
        if made.made is not None:
            return made.span(values, within)
        parts = [Span.around(value, each) for value, each in zip(values, within, strict=True)]
        if len(parts) == 2:
            return average(parts[0], parts[1], self.bounds.get(aggregate.field, ANYWHERE))
        return parts[0]

    def column(self, node: exp.Expr) -> NDArray[Any]:
        """The numbers of an aggregate as they are shown."""
        values = self.spans[column_of(node)].value
        if self.clamp:
            values = np.clip(values, *self._limits(node))
        return values.astype(np.int64) if isinstance(node, exp.Count) else values

    def _limits(self, node: exp.Expr) -> tuple[float, float]:
        if isinstance(node, exp.Avg):
            return self.bounds.get(node.this.name, ANYWHERE)
        return (0.0, math.inf) if isinstance(node, exp.Count) else ANYWHERE

    def notes(self) -> list[str]:
        """The notes on each group."""
        left_out = [f"groups under {self.threshold:,} left out"] if self.threshold else []
        out = [[NOISY, *self.cuts, *left_out] for _ in range(self.count)]
        words = {exp.Count: BELOW, exp.Avg: BEYOND}
        for node in aggregates_of(self.question.after):
            if type(node) in REGRESSIONS:
                self._say(out, np.isnan(self.spans[column_of(node)].value), UNFITTED)
            if not isinstance(node, (exp.Count, exp.Avg)):
                continue
            values, (low, high) = self.spans[column_of(node)].value, self._limits(node)
            self._say(
                out, (values < low) | (values > high), CLAMPED if self.clamp else words[type(node)]
            )
            if isinstance(node, exp.Avg):
                self._say(out, np.array(self.numbers[f"count({node.this.name})"]) < 1, FEW)
        if self.question.after.args.get("having"):
            self._say(out, np.ones(self.count, bool), CHOSEN)
        self._say(out, self._disordered(), UNCERTAIN)
        return ["; ".join(parts) for parts in out]

    def _say(self, notes: list[list[str]], where: NDArray[np.bool_], word: str) -> None:
        for place in np.flatnonzero(where).tolist():
            if word not in notes[place]:
                notes[place].append(word)

    def _disordered(self) -> NDArray[np.bool_]:
        """The groups that noise may have sorted wrongly: their error bars meet those of another
        group."""
        order = self.question.after.args.get("order")
        for key in order.expressions if order is not None else ():
            span = self.bars_of(self._sorted_by(key.this))
            if span is not None:
                return span.overlaps()
            if self._sorted_by(key.this).find(exp.AggFunc):
                break
        else:
            return np.zeros(self.count, bool)
        return np.ones(self.count, bool)

    def _sorted_by(self, key: exp.Expr) -> exp.Expr:
        """The meaning of a key of the order: a column of the result by its name or place, or
        itself."""
        shown = self.question.after.expressions
        if isinstance(key, exp.Column):
            return next(
                (each for each in shown if each.alias == key.name and each.find(exp.AggFunc)), key
            )
        if isinstance(key, exp.Literal) and key.is_int and 1 <= int(key.name) <= len(shown):
            found: exp.Expr = shown[int(key.name) - 1]
            return found
        return key

    def bars_of(self, node: exp.Expr) -> Span | None:
        """The error bars of a column that is made of aggregates; None where they are unknown, or it
        is none. A window over chosen groups is over fewer than there are here."""
        if not node.find(exp.AggFunc):
            return None
        found = span_of(node, lambda each: self.spans.get(column_of(each)), self.count)
        is_of_chosen = bool(self.question.after.args.get("having")) and node.find(exp.Window)
        if found is not None or is_of_chosen:
            return found
        return imitated_span(node, self.spans, self.labels, column_of=column_of, count=self.count)

    def marks(self) -> dict[str, NDArray[Any]]:
        """A column for the error bars of each number of the result, and one for notes."""
        out: dict[str, NDArray[Any]] = {}
        for place in self.question.numbers:
            span = self.bars_of(self.question.after.expressions[place])
            out[f"{_WITHIN} {place}"] = np.full(self.count, np.nan) if span is None else span.within
        return {**out, _NOTE: np.array(self.notes(), object)}


def noisy_rows(table: NoisyTable, *, suppressed: int = 0) -> tuple[tuple[str, ...], Rows, Marks]:
    """The columns, rows and marks of the query; groups that are withheld are one row of `*` at the
    end.

    Sorting, limits and conditions on groups are worked out from the noisy numbers, and so cost
    nothing."""
    question, marks = table.question, table.marks()
    rows = _as_they_are(table, marks)
    if rows is None:
        rows = _worked_out(table, marks)
    width = len(question.columns)
    within = {
        place: tuple(or_none(row[width + number]) for row in rows)
        for number, place in enumerate(question.numbers)
    }
    notes, shown = tuple(row[-1] for row in rows), [tuple(map(_cell, row[:width])) for row in rows]
    if (suppressed or table.threshold) and question.after.find(exp.Window):
        notes = tuple(f"{note}; {WINDOWS}" for note in notes)
    if suppressed and question.groups:
        shown.append(
            tuple(None if place in question.numbers else SUPPRESSED for place in range(width))
        )
        within, notes = (
            {place: (*each, None) for place, each in within.items()},
            (*notes, "groups withheld"),
        )
    elif table.threshold and not table.count and question.groups:
        shown = [tuple(None if place in question.numbers else SUPPRESSED for place in range(width))]
        within = {place: (None,) for place in question.numbers}
        notes = (f"no group has a noisy count of {table.threshold:,} or more; {LISTED}",)
    return question.columns, shown, Marks(notes=notes, within=within)


def _cell(cell: Any) -> Any:
    """Where too little is left to fit, there is no number."""
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def or_none(number: float) -> float | None:
    """Six digits are enough, and those beyond them are rounding of the number that noise was added
    to."""
    return None if number is None or not math.isfinite(number) else float(f"{number:.6g}")


def _as_they_are(table: NoisyTable, marks: Mapping[str, NDArray[Any]]) -> Rows | None:
    """The rows where each column is a label or a number, and all are shown in their order; None
    where it is not so."""
    question = table.question
    if any(
        question.after.args.get(part) for part in ("having", "order", "limit", "offset", "distinct")
    ):
        return None
    columns: list[Sequence[Any]] = []
    for shown in question.after.expressions:
        inner = shown.unalias()
        if type(inner) in AGGREGATES:
            columns.append(table.column(inner).tolist())
        elif isinstance(inner, exp.Column) and inner.name in table.labels:
            columns.append(table.labels[inner.name])
        else:
            return None
    return list(zip(*columns, *(each.tolist() for each in marks.values()), strict=True))


def _worked_out(table: NoisyTable, marks: Mapping[str, NDArray[Any]]) -> Rows:
    """The query applied to the noisy numbers."""
    columns: dict[str, NDArray[Any]] = {_GROUP: np.zeros(table.count, np.int8)}
    columns |= {name: _column(values) for name, values in table.labels.items()}
    after = table.question.after.copy()
    for node in list(aggregates_of(after)):
        key = column_of(node)
        columns[key] = table.column(node)
        node.replace(_named(key))
    after.set(
        "expressions",
        [*after.expressions, *(exp.alias_(_named(key), key, quoted=True) for key in marks)],
    )
    groups = after.args.get("having")
    after.set("group", None)
    after.set("having", None)
    after.set("where", exp.Where(this=groups.this) if groups else None)
    return plain_rows(run_over(after, ANSWER, {**columns, **marks})[1])


def _named(key: str) -> exp.Column:
    return exp.column(exp.to_identifier(key, quoted=True))


def _column(values: Sequence[Any]) -> NDArray[Any]:
    return np.array(
        values, object if any(isinstance(each, str | None) for each in values) else None
    )


def column_of(node: exp.Expr) -> str:
    """The name of an aggregate among the noisy numbers."""
    return read_aggregate(node).canonical()
