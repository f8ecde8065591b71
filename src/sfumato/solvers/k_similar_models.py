"""k-Similar under other protection models: clusters that break one are merged with the nearest
until none does.

Sweeney 2000, section 6.4 asks for k only. Bins are not cut here, so that the sensitive values in a
cluster are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import Bug, NoRecodingFound
from sfumato.protection import Model

from .k_similar_ladders import APART, Ladders, Numbers
from .k_similar_large import in_similar_order, meetings
from .k_similar_portions import Portions
from .solver import Hierarchies

WINDOW = 2_048
"""How many clusters before and after, in an order of alikeness, are looked at for the nearest."""


def merge_failing(
    portions: Portions,
    bins: Bins,
    hierarchies: Hierarchies,
    *,
    ladders: Ladders,
    component: Numbers,
    k: int,
    models: Sequence[Model],
) -> Portions:
    """Merge until every model holds. Bins of different `component` cannot meet at any level."""
    cluster = _cluster_of(portions, len(bins))
    while True:
        whole = Portions.whole(bins.counts, cluster)
        failing = _failing(whole, bins, hierarchies, ladders=ladders, models=models)
        if not failing.any():
            return whole
        merged = _merged(
            ladders, bins.counts, cluster, component=component, failing=np.unique(cluster[failing])
        )
        if merged is None:
            raise _not_found(bins, k, models, failing=bins.people_in(failing))
        cluster = merged


def _cluster_of(portions: Portions, bins: int) -> Numbers:
    if len(portions.bin_of) != bins:
        raise Bug("k-Similar cut a bin that should have stayed whole")
    out = np.zeros(bins, np.int64)
    out[portions.bin_of] = portions.cluster
    return out


def _failing(
    portions: Portions,
    bins: Bins,
    hierarchies: Hierarchies,
    *,
    ladders: Ladders,
    models: Sequence[Model],
) -> NDArray[np.bool_]:
    """Which source bins are in a released bin that breaks a model; sensitive values go along."""
    labels, codes = portions.recoding(bins, hierarchies, ladders).cells(bins, hierarchies)
    released, groups = bins.with_cells(labels, codes).recoded(hierarchies, {})
    failing = np.zeros(len(released), bool)
    for model in models:
        failing |= model.failing(released)
    return failing[groups]


def _merged(
    ladders: Ladders, counts: Numbers, cluster: Numbers, *, component: Numbers, failing: Numbers
) -> Numbers | None:
    """Each failing cluster joined to the nearest one; None when no cluster has another that it
    could join."""
    numbers, first, dense = np.unique(cluster, return_index=True, return_inverse=True)
    closures, costs, sizes = meetings(ladders, counts, dense.astype(np.int64))
    order = dense[in_similar_order(ladders, first)]
    place = np.argsort(order)
    into = np.arange(len(sizes))
    joined = np.zeros(len(sizes), bool)
    for number in np.searchsorted(numbers, failing).tolist():
        if joined[number]:
            continue  # it has company already in this round
        near = order[max(0, place[number] - WINDOW) : place[number] + WINDOW]
        near = near[(component[first[near]] == component[first[number]]) & (near != number)]
        if not len(near):
            continue
        own = closures[number]
        far = ((closures[near] != own) | (own == APART)) @ ladders.steps[first[number]]
        best = int(near[np.argmin((sizes[near] + sizes[number]) * far - sizes[near] * costs[near])])
        into[number] = into[best]
        joined[[number, best]] = True
    return into[dense] if joined.any() else None


def _not_found(bins: Bins, k: int, models: Sequence[Model], *, failing: int) -> NoRecodingFound:
    return NoRecodingFound(
        f"No recoding of ({', '.join(bins.fields)}) meets k = {k} and "
        f"{', '.join(model.name for model in models)}.",
        found=f"Even with all clusters merged, {failing} of {bins.people} {bins.unit} are in "
        "bins that fail.",
        attempt="weaker numbers for these models, or a solver that may suppress rows.",
    )
