"""A lower bound for the recodings that a search cannot reach, because the table was rolled up to coarser levels first.

Each of them has some field at a level below the one that the field was raised to. The rows of each label of that field
alone are known. Where the label has fewer than k rows, so has every bin inside it, whatever the other fields do: these
rows are suppressed in all such recodings. Where that is more than may be, none of them is feasible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.bins import Bins
from sfumato.policy import NullRule, Reading
from sfumato.policy.hierarchies import SUPPRESSED, Hierarchy, RaisedHierarchy
from sfumato.protection import BinSizes, Combinations, KAnonymity, Model

from .objectives import Reals, objective_for


def bound_below(
    bins: Bins,
    hierarchies: Mapping[str, Hierarchy],
    models: Sequence[Model],
    *,
    objective: str,
    weights: Mapping[str, float],
    max_suppression: float,
) -> float:
    """No recoding with a field below its raised level loses less; infinite where there is none that keeps the limit."""
    raised = {name: found for name, found in hierarchies.items() if isinstance(found, RaisedHierarchy)}
    if not any(found.start for found in raised.values()):
        return float("inf")
    whole = {
        name: RaisedHierarchy.of(found.whole, 0, counts=found.counts, occurring=found.whole.labels[0])
        for name, found in raised.items()
    }
    goal = objective_for(objective, bins, whole, weights=weights)
    plain = [model for model in models if _is_plain(model)]
    lowest, allowed = float("inf"), max_suppression * bins.rows + 1e-9
    for place, name in enumerate(bins.fields):
        for level in range(raised[name].start):
            rows = _stuck_alone(bins.fields, place, whole[name], level, plain)
            if rows.sum() <= allowed:
                low = np.zeros((1, len(bins.fields)), np.int8)
                low[0, place] = level
                lowest = min(lowest, float(goal.lifted(low, goal.gone_in(place, level, rows))[0]))
    return lowest


def _is_plain(model: Model) -> bool:
    """Whether a bin fails where a bin around it has too few rows, whatever labels the two have."""
    if isinstance(model, KAnonymity):
        return model.reading is Reading.STRICT and model.nulls is NullRule.VALUE
    return isinstance(model, BinSizes) or (isinstance(model, Combinations) and model.reading is Reading.STRICT)


def _stuck_alone(
    fields: Sequence[str], place: int, hierarchy: RaisedHierarchy, level: int, models: Sequence[Model]
) -> Reals:
    """For each label of one field at a level, the rows that fail with every other field suppressed."""
    labels = hierarchy.whole.labels[level]
    counts = np.bincount(hierarchy.whole.up[level], weights=hierarchy.counts, minlength=len(labels)).astype(np.int64)
    codes = np.zeros((len(labels), len(fields)), np.int32)
    codes[:, place] = np.arange(len(labels))
    named = tuple(labels if f == place else (SUPPRESSED,) for f in range(len(fields)))
    there = counts > 0
    alone = Bins(tuple(fields), named, codes[there], counts[there])
    failing = np.zeros(len(alone), bool)
    for model in models:
        failing |= model.failing(alone)
    out = np.zeros(len(labels))
    out[there] = np.where(failing, alone.counts, 0)
    return out
