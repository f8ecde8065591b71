"""Brute force over the whole lattice agrees with `minimal`, `optimal` and `anytime`, for every
model and mixtures."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from random_tables import FIELDS, VALUES, tables

from sfumato.bins import GlobalRecoding
from sfumato.errors import NoRecodingFound
from sfumato.measures import utility
from sfumato.protection import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    BinSizes,
    Combinations,
    ConfidenceGain,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    MaximumRisk,
    NonUniqueness,
    PSensitiveKAnonymity,
    RecursiveCLDiversity,
    TCloseness,
    reference_of,
)
from sfumato.solvers import Anytime, Minimal, Optimal
from sfumato.solvers.lattice import OBJECTIVES, objective_for
from sfumato.solvers.lattice.node_bins import RollUp
from sfumato.solvers.solver import failing_rows

LIMITS = (0.0, 0.1, 0.3, 1.0)
NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)  # A failing table is small already.


def all_models(bins, k):
    reference = reference_of(bins, "value")
    return {
        "k": KAnonymity(k=k, fields=FIELDS),
        "k over two fields": KAnonymity(k=k, fields=FIELDS[:2]),
        "bin sizes": BinSizes(sizes={"a": k, "c": k}),
        "combinations": Combinations(k=k, combinations=(("a", "b"), ("b", "c"))),
        "non-uniqueness": NonUniqueness(sensitive=("value",), fields=FIELDS),
        "distinct l": DistinctLDiversity(l=2, sensitive="value", fields=FIELDS),
        "entropy l": EntropyLDiversity(l=1.6, sensitive="value", fields=FIELDS),
        "recursive": RecursiveCLDiversity(c=2.0, l=2, sensitive="value", fields=FIELDS),
        "t": TCloseness(t=0.3, sensitive="value", fields=FIELDS, reference=reference),
        "t ordered": TCloseness(
            t=0.2,
            sensitive="value",
            fields=FIELDS,
            reference=reference,
            distance="ordered",
            order=VALUES,
        ),
        "p-sensitive": PSensitiveKAnonymity(p=2, k=k, sensitive=("value",), fields=FIELDS),
        "alpha-k": AlphaKAnonymity(alpha=0.7, k=k, sensitive="value", fields=FIELDS),
        "delta-disclosure": DeltaDisclosure(
            delta=1.0, sensitive="value", fields=FIELDS, reference=reference
        ),
        "beta": BetaLikeness(beta=1.0, sensitive="value", fields=FIELDS, reference=reference),
        "confidence gain": ConfidenceGain(
            gain=0.5, sensitive="value", fields=FIELDS, reference=reference
        ),
        "confidence gain with a fact": ConfidenceGain(
            gain=0.6, facts=1, sensitive="value", fields=FIELDS, reference=reference
        ),
        "average risk": AverageRisk(threshold=0.4, fields=FIELDS),
        "maximum risk": MaximumRisk(threshold=1 / k, fields=FIELDS),
    }


def every_node(bins, bounds, models, limit):
    """For each node: its levels and the recoding, where it is within the limit."""
    out = []
    for place in itertools.product(*(range(bounds[name].height + 1) for name in bins.fields)):
        levels = dict(zip(bins.fields, place, strict=True))
        failing = failing_rows(bins, bounds, levels, models)
        if bins.counts[failing].sum() <= limit * bins.rows + 1e-9:
            out.append((place, GlobalRecoding(levels=levels, suppressed=failing)))
    return out


def score(objective, bins, bounds, place, recoding):
    """Independent formulas for the plain objectives; the objective's own on freshly rolled bins for
    the others."""
    measured = utility(bins, bounds, recoding)
    if objective == "ncp":
        return measured.loss
    if objective == "precision":
        return 1 - measured.precision
    if objective == "entropy":
        return 1 - measured.entropy
    goal = objective_for(objective, bins, bounds)
    up = RollUp(bins, bounds)
    rolled = up.roll(up.base, place)
    kept = recoding.apply(bins, bounds).sizes()
    failing = np.array([t not in kept for t in up.bins(rolled).tuples()], bool)
    return goal.score(rolled, failing)


@pytest.mark.long("a brute-force search of each lattice; each third stays", every=3)
@pytest.mark.parametrize("name", range(18))
@settings(max_examples=example_count(15), deadline=None, phases=NO_SHRINKING)
@given(data=st.data())
def test_optimal_and_minimal_are_what_brute_force_finds(name, data):
    bins, bounds = data.draw(tables())
    k = data.draw(st.integers(1, 4))
    models = list(all_models(bins, k).values())
    chosen = [models[name], *data.draw(st.lists(st.sampled_from(models), max_size=1))]
    limit = data.draw(st.sampled_from(LIMITS))
    objective = data.draw(st.sampled_from(OBJECTIVES))
    nodes = every_node(bins, bounds, chosen, limit)
    check_optimal(bins, bounds, chosen, limit, objective, nodes)
    check_minimal(bins, bounds, chosen, limit, nodes)


def check_optimal(bins, bounds, models, limit, objective, nodes):
    for solver in (Optimal, Anytime):
        search = solver(models=models, max_suppression=limit, objective=objective)
        if not nodes:
            with pytest.raises(NoRecodingFound):
                search.search(bins, bounds)
            continue
        found = search.search(bins, bounds)
        best = min(score(objective, bins, bounds, place, recoding) for place, recoding in nodes)
        assert found.complete
        assert found.loss == pytest.approx(best, abs=1e-9)
        mine = dict(nodes)[found.levels]
        assert score(objective, bins, bounds, found.levels, mine) == pytest.approx(best, abs=1e-9)


def check_minimal(bins, bounds, models, limit, nodes):
    places = {place for place, _ in nodes}
    expected = {
        place
        for place in places
        if not any(
            other != place and all(o <= p for o, p in zip(other, place, strict=True))
            for other in places
        )
    }
    found = Minimal(models=models, max_suppression=limit).search(bins, bounds)
    assert {node.levels for node in found.nodes} == expected
