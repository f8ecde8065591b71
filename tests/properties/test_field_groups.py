"""No node loses less than groups of its fields lose by themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_tables import FIELDS, tables

from sfumato.errors import NoRecodingFound
from sfumato.protection import KAnonymity
from sfumato.solvers import Anytime, Optimal
from sfumato.solvers.effort import Effort
from sfumato.solvers.lattice import boxes
from sfumato.solvers.lattice.field_groups import ADDITIVE


@given(
    tables(),
    st.integers(2, 4),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from(sorted(ADDITIVE)),
    st.sampled_from([{}, {"a": 3.0}, {"b": 0.0}, dict.fromkeys(FIELDS, 0.0)]),
)
def test_groups_of_fields_bound_the_optimum(table, k, limit, objective, weights):
    bins, hierarchies = table
    solver = Optimal(
        models=(KAnonymity(k=k, fields=FIELDS),),
        max_suppression=limit,
        objective=objective,
        weights=weights,
    )
    groups = solver._groups(bins, hierarchies, k=k)
    assert groups is not None
    found = groups(Effort(work=1_000))
    try:
        best = solver.search(bins, hierarchies)
    except NoRecodingFound:
        return
    assert found.bound <= best.loss + 1e-9


@given(tables(), st.sampled_from([0.0, 0.3, 1.0]), st.integers(5, 60))
def test_a_search_that_bounds_groups_proves_nothing_wrong(table, limit, work):
    bins, hierarchies = table
    models = (KAnonymity(k=3, fields=FIELDS),)
    try:
        best = Optimal(models=models, max_suppression=limit).search(bins, hierarchies)
    except NoRecodingFound:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boxes, "ENUMERABLE", 0)
        found = Anytime(models=models, max_suppression=limit, work=work).search(bins, hierarchies)
    assert found.bound <= best.loss + 1e-9
    assert best.loss - 1e-9 <= found.loss
