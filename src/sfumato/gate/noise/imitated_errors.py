"""Errors of numbers that a query makes of noisy ones in any way: the query is worked out again and
again with noise of the same size added once more.

For windows, logarithms and whatever else interval arithmetic does not follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.engines.duckdb import run_over
from sfumato.errors import Mistake

from ..sql.admission import ANSWER
from ..sql.derivation import aggregates_of
from .error_bars import Numbers, Span

_MOST_DRAWS, _LEAST_DRAWS, _CELLS = 400, 60, 200_000
_DRAW: Final = "\u2022 draw"
_PLACE: Final = "\u2022 group"
_USUALLY: Final = 1.959964
_NUMBERS: Final = (int, float, Decimal, type(None))


def imitated_span(
    node: exp.Expr,
    spans: Mapping[str, Span],
    labels: Mapping[str, Sequence[Any]],
    *,
    column_of: Callable[[exp.Expr], str],
    count: int,
) -> Span | None:
    """The span of an expression over noisy numbers (`spans`, by the name of their column) and labels
    of groups; None where it is no number."""
    draws = max(_LEAST_DRAWS, min(_MOST_DRAWS, _CELLS // max(count, 1)))
    chance = np.random.default_rng(0)  # It imitates noise; nothing is protected by it.
    tree, columns = node.unalias().copy(), _labels(labels, draws)
    root: exp.Paren = exp.Paren(this=tree)
    for each in [*aggregates_of(root)]:
        name = column_of(each)
        if name not in columns:
            columns[name] = _drawn(spans[name], draws, chance)
        each.replace(_column(name))
    for window in root.find_all(exp.Window):
        window.set("partition_by", [*(window.args.get("partition_by") or []), _column(_DRAW)])
    columns[_DRAW] = np.repeat(np.arange(draws), count)
    columns[_PLACE] = np.tile(np.arange(count), draws)
    query = exp.select(root.this, _column(_DRAW), _column(_PLACE))
    query = query.from_(ANSWER)
    try:
        rows = run_over(query, ANSWER, columns)[1]
    except Mistake:
        return None
    if any(not isinstance(row[0], _NUMBERS) or isinstance(row[0], bool) for row in rows):
        return None
    found = np.full((draws, count), np.nan)
    for number, draw, place in rows:
        found[draw, place] = np.nan if number is None else float(number)
    value = found[0]
    with np.errstate(invalid="ignore"):
        off = np.nan_to_num(np.abs(found[1:] - value), nan=np.inf)
    reach = np.quantile(off, 0.95, axis=0, method="higher") if count else value
    return Span(value=value, low=value - reach, high=value + reach)


def _drawn(span: Span, draws: int, chance: np.random.Generator) -> Numbers:
    """The number itself first, then as it may be with noise added once more."""
    sigma = np.nan_to_num(span.within, posinf=0.0) / _USUALLY
    noise = chance.normal(0.0, 1.0, (draws, len(span.value))) * sigma
    noise[0] = 0.0
    return np.asarray((span.value + noise).reshape(-1))


def _labels(labels: Mapping[str, Sequence[Any]], draws: int) -> dict[str, NDArray[Any]]:
    return {name: np.array([*values] * draws, object) for name, values in labels.items()}


def _column(name: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True))
