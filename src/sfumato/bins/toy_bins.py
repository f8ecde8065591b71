"""Bins of a few rows written out by hand, with their sensitive values: for examples and tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from sfumato.engines import Histogram
from sfumato.hierarchies import Label

from .bins import Bins

Row = Sequence[Label]


def bins_of_rows(
    fields: Sequence[str], rows: Sequence[Row], *, sensitive: Sequence[str] = ()
) -> Bins:
    """The bins of `rows`, each the values of `fields` and then those of `sensitive`; bins in order
    of appearance.

    Example:
        >>> rows = [("021**", "flu"), ("021**", "cold"), ("946**", "flu")]
        >>> bins = bins_of_rows(("zip",), rows, sensitive=("problem",))
        >>> bins.sizes(), bins.histograms["problem"].values
        ({('021**',): 2, ('946**',): 1}, ('cold', 'flu'))
    """
    width = len(fields)
    sizes = Counter(tuple(row[:width]) for row in rows)
    place = {found: number for number, found in enumerate(sizes)}
    counted = Bins.of(fields, sizes)
    histograms = {}
    for column, name in enumerate(sensitive, start=width):
        histograms[name] = _histogram([(place[tuple(row[:width])], row[column]) for row in rows])
    return Bins(counted.fields, counted.labels, counted.codes, counted.counts, histograms)


def _histogram(entries: Sequence[tuple[int, Label]]) -> Histogram:
    """Values sorted as text with null last, as an engine counts them."""
    values = tuple(
        sorted({value for _, value in entries}, key=lambda value: (value is None, value or ""))
    )
    code = {value: number for number, value in enumerate(values)}
    counted = sorted(Counter((number, code[value]) for number, value in entries).items())
    return Histogram(
        values=values,
        bin_of=np.array([number for (number, _), _ in counted], np.int64),
        value_of=np.array([value for (_, value), _ in counted], np.int32),
        counts=np.array([count for _, count in counted], np.int64),
    )
