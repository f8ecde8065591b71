"""Noisy numbers as the rows of the query: averages from sums and counts, one row for the groups that are not told."""

from __future__ import annotations

from typing import Any

import numpy as np
from sqlglot import exp

from .noisy import Noisy
from .sql.admitting import AGGREGATES
from .sql.questions import Question

SUPPRESSED = "*"


def noisy_rows(question: Question, found: Noisy) -> tuple[tuple[str, ...], list[list[Any]]]:
    """The columns in the order of the query, then the rows; groups that are not told of are one row of `*`."""
    count = max([len(column) for column in (*found.labels.values(), *found.numbers.values())], default=0)
    columns: list[list[Any]] = []
    for outer in question.after.expressions:
        inner = outer.this if isinstance(outer, exp.Alias) else outer
        node = next(inner.find_all(*AGGREGATES), None)
        if node is None:
            columns.append(found.labels[inner.name].tolist())
        else:
            columns.append(_numbers(node, found))
    rows = [list(row) for row in zip(*columns, strict=True)] if columns and count else []
    if found.suppressed and question.groups:
        rows.append(
            [SUPPRESSED if not next(e.find_all(*AGGREGATES), None) else None for e in question.after.expressions]
        )
    return question.columns, rows


def _numbers(node: exp.Expr, found: Noisy) -> list[Any]:
    inner = node.this
    distinct = isinstance(inner, exp.Distinct)
    name = inner.expressions[0].name if distinct else inner.name if isinstance(inner, exp.Column) else "*"
    if isinstance(node, exp.Count):
        key = f"count(distinct {name})" if distinct else "count(*)"
        return [int(number) for number in found.numbers[key]]
    sums = found.numbers[f"sum({name})"]
    if isinstance(node, exp.Sum):
        return [float(number) for number in sums]
    counts = np.maximum(found.numbers["count(*)"], 1)
    return [float(number) for number in sums / counts]
