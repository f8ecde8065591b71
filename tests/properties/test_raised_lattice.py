"""Searches of raised hierarchies against brute force over the whole lattice, for every model and
objective."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from random_tables import FIELDS, tables
from test_interrupted_searches import interrupted_at, lines_of
from test_lattice import LIMITS, all_models, every_node, score

from sfumato.bins import Bins
from sfumato.errors import NoRecodingFound
from sfumato.hierarchies import Hierarchy, RaisedHierarchy
from sfumato.solvers import Optimal
from sfumato.solvers.lattice import OBJECTIVES

SLACK = 1e-9
NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)


def raised(
    bins: Bins, bounds: dict[str, Hierarchy], start: dict[str, int]
) -> tuple[Bins, dict[str, Hierarchy]]:
    """The bins at some levels, and hierarchies from there on, as rolling up leaves them."""
    coarse = bins.recode(bounds, start)
    counts = [np.bincount(bins.codes[:, f], weights=bins.counts) for f in range(len(bins.fields))]
    found: dict[str, Hierarchy] = {}
    codes = coarse.codes.copy()
    labels = []
    for f, name in enumerate(bins.fields):
        there = np.unique(coarse.codes[:, f])
        occurring = tuple(coarse.labels[f][code] for code in there.tolist())
        codes[:, f] = np.searchsorted(there, coarse.codes[:, f])
        labels.append(occurring)
        found[name] = RaisedHierarchy.of(
            bounds[name], start[name], counts=counts[f].astype(np.int64), occurring=occurring
        )
    return Bins(bins.fields, tuple(labels), codes, coarse.counts, coarse.histograms), found


def drawn(data: st.DataObject) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
    bins, bounds = data.draw(tables())
    models = list(all_models(bins, data.draw(st.integers(1, 4))).values())
    chosen = data.draw(st.lists(st.sampled_from(models), min_size=1, max_size=2))
    start = {name: data.draw(st.integers(0, bounds[name].height)) for name in FIELDS}
    asked = {
        "max_suppression": data.draw(st.sampled_from(LIMITS)),
        "objective": data.draw(st.sampled_from(OBJECTIVES)),
    }
    return bins, bounds, chosen, start, asked


@settings(max_examples=example_count(150), deadline=None, phases=NO_SHRINKING)
@given(data=st.data())
def test_what_is_proven_holds_for_every_recoding(data: st.DataObject) -> None:
    bins, bounds, models, start, asked = drawn(data)
    nodes = every_node(bins, bounds, models, asked["max_suppression"])
    losses = {
        place: score(asked["objective"], bins, bounds, place, recoding) for place, recoding in nodes
    }
    coarse, above = raised(bins, bounds, start)
    searched = [
        loss
        for place, loss in losses.items()
        if all(p >= s for p, s in zip(place, start.values(), strict=True))
    ]
    solver = Optimal(models=models, **asked)
    if not searched:
        with pytest.raises(NoRecodingFound):
            solver.search(coarse, above)
        return
    found = solver.search(coarse, above)
    optimum = min(losses.values())
    assert found.loss == pytest.approx(min(searched), abs=SLACK)
    assert found.searched_bound == pytest.approx(min(searched), abs=SLACK)
    assert found.bound <= optimum + SLACK
    assert not found.complete or found.loss == pytest.approx(optimum, abs=SLACK)
    proof = solver.solve(coarse, above).proof
    assert proof is not None
    assert ("proven optimal" in proof.in_words()) == found.complete


@settings(max_examples=example_count(25), deadline=None, phases=NO_SHRINKING)
@given(data=st.data())
def test_ctrl_c_at_any_line_leaves_a_bound_for_every_recoding(data: st.DataObject) -> None:
    bins, bounds, models, start, asked = drawn(data)
    coarse, above = raised(bins, bounds, start)
    losses = [
        score(asked["objective"], bins, bounds, place, recoding)
        for place, recoding in every_node(bins, bounds, models, asked["max_suppression"])
    ]

    def search() -> Any:
        return Optimal(models=models, **asked).search(coarse, above)

    try:
        total = lines_of(search)
    except NoRecodingFound:
        return
    for line in sorted({data.draw(st.integers(1, total)) for _ in range(8)}):
        try:
            with interrupted_at(line):
                found = search()
        except KeyboardInterrupt:
            continue
        assert not found.complete
        assert found.bound <= min(losses) + SLACK
        assert min(losses) <= found.loss + SLACK
