"""Which candidates are dominated, and where returns diminish."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.assessment.utility.ru_map import RuMap, RuPoint, diminishing_return


def point(risk, utility, solver="one", setting=1.0):
    return RuPoint(
        setting=setting, solver=solver, risks={"highest": risk}, utilities={"information": utility}
    )


def test_a_candidate_is_dominated_by_one_no_worse_in_both():
    found = RuMap(
        over="k", points=(point(0.5, 0.9), point(0.2, 0.9), point(0.2, 0.9), point(0.1, 0.5))
    )
    assert found.dominated == (True, False, False, False)


def test_a_candidate_that_was_not_found_is_neither():
    missing = RuPoint(setting=100, solver="one", reason="none")
    found = RuMap(over="k", points=(point(0.5, 0.9), missing))
    assert found.dominated == (False, False)
    assert found.knees == {}


def test_each_solver_has_its_own_turning_point():
    one = [point(r, u) for r, u in ((0.1, 0.2), (0.2, 0.8), (0.5, 0.9))]
    other = [point(r, u, "other") for r, u in ((0.1, 0.1), (0.2, 0.2), (0.4, 0.4), (0.5, 0.41))]
    assert RuMap(over="k", points=(*one, *other)).knees == {"one": 1, "other": 5}


def test_none_where_there_is_no_corner():
    assert diminishing_return([]) is None
    assert diminishing_return([(0.1, 0.2), (0.2, 0.4)]) is None
    assert diminishing_return([(0.1, 0.5), (0.2, 0.5), (0.3, 0.5)]) is None
    assert diminishing_return([(0.1, 0.1), (0.2, 0.15), (0.3, 0.9)]) is None  # returns grow


@given(st.lists(st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)), min_size=3, max_size=12))
def test_after_it_the_hull_rises_by_less_than_one(places):
    found = diminishing_return(places)
    if found is None:
        return
    kept = [p for p in places if not any(o != p and o[0] <= p[0] and o[1] >= p[1] for o in places)]
    low, span = np.min(kept, axis=0), np.ptp(kept, axis=0)
    scaled = (np.array(kept) - low) / span
    at = (np.array(places[found]) - low) / span
    right, left = scaled[scaled[:, 0] > at[0]], scaled[scaled[:, 0] < at[0]]
    assert ((right[:, 1] - at[1]) <= (right[:, 0] - at[0]) + 1e-6).all()
    assert ((at[1] - left[:, 1]) >= (at[0] - left[:, 0]) - 1e-6).all()
