"""Ctrl-C during a search: keep the best found, or stop altogether."""

from __future__ import annotations

import pytest

from sfumato.bins import Bins
from sfumato.hierarchies import Hierarchy
from sfumato.protection import KAnonymity
from sfumato.solvers import Optimal

FIELDS = tuple("abcdefgh")


def table() -> tuple[Bins, dict[str, Hierarchy]]:
    sizes = {
        tuple(str((i * (f + 3)) % 6) for f in range(len(FIELDS))): 1 + i % 3 for i in range(60)
    }
    bins = Bins.of(FIELDS, sizes)
    ladders = {
        name: Hierarchy.from_rows([(v, "low" if v < "3" else "high", "*") for v in bins.labels[f]])
        for f, name in enumerate(FIELDS)
    }
    return bins, ladders


def interrupt(visited: int, best: float, bound: float) -> None:
    raise KeyboardInterrupt


def search(**options):
    bins, ladders = table()
    solver = Optimal(
        models=(KAnonymity(k=4, fields=FIELDS),), max_suppression=0.2, progress=interrupt, **options
    )
    return solver.search(bins, ladders)


def test_the_best_found_is_kept_with_its_bound():
    found = search()
    assert not found.complete
    assert found.bound < found.loss


def test_a_release_stops_instead():
    with pytest.raises(KeyboardInterrupt):
        search(keeps_best=False)


def test_time_and_gap_stop_a_search_with_an_honest_bound():
    bins, ladders = table()
    models = (KAnonymity(k=4, fields=FIELDS),)
    whole = Optimal(models=models, max_suppression=0.2).search(bins, ladders)
    for options in ({"seconds": 0.0}, {"gap": 0.2}):
        found = Optimal(models=models, max_suppression=0.2, **options).search(bins, ladders)
        assert found.bound <= whole.loss + 1e-12 <= found.loss + 2e-12
