"""The loss of a recoding of several tables, global or table after table, so that the two can be
compared.

The loss is the mean by weight over the fields of all tables, each in its own table. A row that is
left out counts as fully generalised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, CountedPeople, GlobalRecoding, Recoding, field_losses
from sfumato.hierarchies import Hierarchy
from sfumato.protection import KAnonymity

from ..solver import failing_rows
from .linked_recoding import LinkedRecoding
from .people_tables import TableBins


def loss_of_levels(
    tables: Sequence[TableBins],
    levels: Mapping[str, int],
    *,
    weights: Mapping[str, float],
    k: int,
) -> float:
    """The loss where every value of a field is raised to one level; `levels` are by the names that
    all tables know."""
    found = []
    for table in tables:
        bins = _people(table)
        here = {name: levels[table.names.get(name, name)] for name in bins.fields}
        models = (KAnonymity(k=k, fields=bins.fields), *table.models)
        failing = failing_rows(bins, table.hierarchies, here, models)
        recoding = GlobalRecoding(levels=here, suppressed=failing)
        losses = _losses(bins, table.hierarchies, recoding)
        found.append(_weighed(table, tables, losses, weights))
    return _mean(found)


def loss_of_bins(
    tables: Sequence[TableBins],
    recoded: Mapping[str, LinkedRecoding],
    *,
    weights: Mapping[str, float],
) -> float:
    """The loss where each table was recoded bin by bin, after the one above it."""
    found = []
    for table in tables:
        one = recoded[table.name]
        rows, shown = _people(table).rows_in_bins.sum(), one.bins.rows_in_bins.sum()
        losses = _losses(one.bins, one.hierarchies, one.recoding)
        gone = (rows - shown) / max(rows, 1)
        found.append(_weighed(table, tables, losses * (1 - gone) + gone, weights))
    return _mean(found)


def _people(table: TableBins) -> CountedPeople:
    assert table.counted is not None
    return table.counted.only(table.counted.counts > 0)


def _losses(
    bins: CountedPeople, hierarchies: Mapping[str, Hierarchy], recoding: Recoding
) -> NDArray[np.float64]:
    """Per field, over the people of each bin, whom a local recoding counts too."""
    plain = Bins(bins.fields, bins.labels, bins.codes, bins.counts)
    return field_losses(plain, hierarchies, recoding)


def _weighed(
    table: TableBins,
    tables: Sequence[TableBins],
    losses: NDArray[np.float64],
    weights: Mapping[str, float],
) -> tuple[float, float]:
    """The losses of the table's own fields by weight, and the weights; nothing of an empty table."""
    above = {name for each in tables if each.name == table.above for name in each.known_as}
    own = [column for column, name in enumerate(table.known_as) if name not in above]
    if not own or not table.rows:
        return 0.0, 0.0
    by_field = np.array([weights.get(table.known_as[column], 1.0) for column in own])
    return float(losses[own] @ by_field), float(by_field.sum())


def _mean(parts: Sequence[tuple[float, float]]) -> float:
    weight = sum(each for _, each in parts)
    return sum(loss for loss, _ in parts) / weight if weight else 0.0
