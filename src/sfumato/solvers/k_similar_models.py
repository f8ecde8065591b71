"""k-Similar under other protection models: clusters that break one are merged with the nearest until none does.

Paper 000, section 6.4 asks for k only. Bins are not cut here, so that the sensitive values in a cluster are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import Bug, NoRecodingFound
from sfumato.protection import Model

from .k_similar_ladders import APART, Ladders, Numbers
from .k_similar_large import meetings
from .k_similar_portions import Portions
from .solver import Hierarchies

if TYPE_CHECKING:
    from .k_similar import KSimilar


def merge_failing(
    portions: Portions,
    bins: Bins,
    hierarchies: Hierarchies,
    *,
    ladders: Ladders,
    component: Numbers,
    solver: KSimilar,
) -> Portions:
    """Merge until every model holds. Bins of different `component` cannot meet at any level."""
    cluster = _cluster_of(portions, len(bins))
    while True:
        whole = Portions.whole(bins.counts, cluster)
        failing = _failing(whole, bins, hierarchies, ladders=ladders, models=solver.models)
        if not failing.any():
            return whole
        merged = _merged(ladders, bins.counts, cluster, component=component, failing=np.unique(cluster[failing]))
        if merged is None:
            raise _not_found(solver, bins, int(bins.counts[failing].sum()))
        cluster = merged


def _cluster_of(portions: Portions, bins: int) -> Numbers:
    if len(portions.bin_of) != bins:
        raise Bug("k-Similar cut a bin that should have stayed whole")
    out = np.zeros(bins, np.int64)
    out[portions.bin_of] = portions.cluster
    return out


def _failing(
    portions: Portions, bins: Bins, hierarchies: Hierarchies, *, ladders: Ladders, models: Sequence[Model]
) -> NDArray[np.bool_]:
    """Which source bins are in a released bin that breaks a model; sensitive values go along."""
    labels, codes = portions.recoding(bins, hierarchies, ladders).cells(bins, hierarchies)
    recoded = Bins(bins.fields, labels, codes, bins.counts, bins.histograms)
    groups, _ = recoded.group_of(bins.fields)
    released = recoded.project(bins.fields)
    failing = np.zeros(len(released), bool)
    for model in models:
        failing |= model.failing(released)
    return failing[groups]


def _merged(
    ladders: Ladders, counts: Numbers, cluster: Numbers, *, component: Numbers, failing: Numbers
) -> Numbers | None:
    """Each failing cluster joined to the nearest one; None when no cluster has another that it could join."""
    _, cluster, failing = _renumbered(cluster, failing)
    closures, costs, sizes = meetings(ladders, counts, cluster)
    first = np.unique(cluster, return_index=True)[1]
    into = np.arange(len(sizes))
    for number in failing.tolist():
        if into[number] != number or (into == number).sum() > 1:
            continue  # it has company already in this round
        own = closures[number]
        far = ((closures != own) | (own == APART)) @ ladders.steps[first[number]]
        change = (sizes + sizes[number]) * far - sizes * costs
        change[component[first] != component[first[number]]] = np.inf
        change[number] = np.inf
        best = int(np.argmin(change))
        if np.isfinite(change[best]):
            into[number] = into[best]
    return None if (into == np.arange(len(into))).all() else into[cluster]


def _renumbered(cluster: Numbers, failing: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    numbers, dense = np.unique(cluster, return_inverse=True)
    return numbers, dense.astype(np.int64), np.searchsorted(numbers, failing)


def _not_found(solver: KSimilar, bins: Bins, rows_failing: int) -> NoRecodingFound:
    return NoRecodingFound(
        f"No recoding of ({', '.join(bins.fields)}) meets k = {solver.k} and "
        f"{', '.join(model.name for model in solver.models)}.",
        found=f"Even with all clusters merged, {rows_failing} of {bins.rows} rows are in bins that fail.",
        attempt="weaker numbers for these models, or a solver that may suppress rows.",
    )
