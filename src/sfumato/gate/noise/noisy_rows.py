"""Noisy numbers as the rows of the query: what it makes of its aggregates is made of the noisy ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.sources.engines.duckdb_scratch import run_over

from ..sql.admitting import AGGREGATES, ANSWER
from ..sql.questions import Question

SUPPRESSED: Final = "*"
_GROUP: Final = "\u2022"
"""A column that every answer has, so that there is one row for each group."""

Rows = list[tuple[Any, ...]]
Numbers = Mapping[str, Sequence[float]]
Labels = Mapping[str, Sequence[Any]]
Bounds = Mapping[str, tuple[float, float]]


def noisy_rows(
    question: Question, labels: Labels, numbers: Numbers, *, suppressed: int, bounds: Bounds | None = None
) -> tuple[tuple[str, ...], Rows]:
    """The columns and rows of the query; groups that are not told of are one row of `*` at the end.

    Sorting, limits and conditions on groups are worked out from the noisy numbers, and so cost nothing. An average lies
    within the `bounds` of its field, whatever noise makes of it in a small group.
    """
    rows = _as_they_are(question, labels, numbers, bounds or {})
    names: Sequence[str] = question.columns
    if rows is None:
        names, rows = _worked_out(question, labels, numbers, bounds or {})
    if suppressed and question.groups:
        numeric = [next(each.find_all(*AGGREGATES), None) is not None for each in question.after.expressions]
        rows.append(tuple(None if number else SUPPRESSED for number in numeric))
    return tuple(names), rows


def _as_they_are(question: Question, labels: Labels, numbers: Numbers, bounds: Bounds) -> Rows | None:
    """The rows where each column is a label or a number, and all are shown as they come; None where it is not so."""
    if any(question.after.args.get(part) for part in ("having", "order", "limit", "offset", "distinct")):
        return None
    columns: list[Sequence[Any]] = []
    for shown in question.after.expressions:
        inner = shown.unalias()
        if type(inner) in AGGREGATES:
            columns.append(_number(inner, numbers, bounds)[1].tolist())
        elif isinstance(inner, exp.Column) and inner.name in labels:
            columns.append(labels[inner.name])
        else:
            return None
    return list(zip(*columns, strict=True))


def _worked_out(question: Question, labels: Labels, numbers: Numbers, bounds: Bounds) -> tuple[list[str], Rows]:
    """What the query makes of the noisy numbers."""
    count = max(map(len, (*labels.values(), *numbers.values())), default=0)
    columns: dict[str, NDArray[Any]] = {_GROUP: np.zeros(count, np.int8)}
    columns |= {name: _column(values) for name, values in labels.items()}
    after = question.after.copy()
    for node in list(after.find_all(*AGGREGATES)):
        key, column = _number(node, numbers, bounds)
        columns[key] = column
        node.replace(exp.column(exp.to_identifier(key, quoted=True)))
    groups = after.args.get("having")
    after.set("group", None)
    after.set("having", None)
    after.set("where", exp.Where(this=groups.this) if groups else None)
    return run_over(after, ANSWER, columns)


def _column(values: Sequence[Any]) -> NDArray[Any]:
    return np.array(values, object if any(isinstance(each, str | None) for each in values) else None)


def keys_of(node: exp.Expr) -> tuple[str, ...]:
    """The noisy numbers that an aggregate is made of: an average is a sum over a count.

    Example:
        >>> import sqlglot
        >>> [keys_of(sqlglot.parse_one(each)) for each in ("COUNT(*)", "SUM(cost)", "AVG(cost)", "COUNT(DISTINCT a)")]
        [('count(*)',), ('sum(cost)',), ('sum(cost)', 'count(cost)'), ('count(distinct a)',)]
    """
    inner = node.this
    distinct = isinstance(inner, exp.Distinct)
    name = inner.expressions[0].name if distinct else inner.name if isinstance(inner, exp.Column) else "*"
    count = f"count(distinct {name})" if distinct else f"count({name})"
    total = f"sum({'distinct ' if distinct else ''}{name})"
    return (count,) if isinstance(node, exp.Count) else (total,) if isinstance(node, exp.Sum) else (total, count)


def _number(node: exp.Expr, numbers: Numbers, bounds: Bounds) -> tuple[str, NDArray[Any]]:
    """The name and the values of an aggregate's column."""
    keys = keys_of(node)
    if len(keys) == 1:
        return keys[0], np.array(numbers[keys[0]], np.int64 if isinstance(node, exp.Count) else float)
    total, count = (np.array(numbers[key], float) for key in keys)
    low, high = bounds.get(node.this.name, (-np.inf, np.inf))
    return f"{keys[0]} over {keys[1]}", np.clip(total / np.maximum(count, 1), low, high)
