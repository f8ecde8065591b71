"""Whatever people hold: the recoding keeps k^m-anonymity, is a cut, and is rarely worse than the
best of all cuts."""

from __future__ import annotations

import random

import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st
from item_tables import Counting, cuts, holds, item_hierarchies, loss_of, people_with

from sfumato.errors import NoRecodingFound
from sfumato.hierarchies import Hierarchy
from sfumato.protection.k_m_anonymity import KMAnonymity
from sfumato.solvers.apriori import Apriori


@settings(max_examples=example_count(150), deadline=None)
@given(data=st.data(), k=st.integers(1, 4), m=st.integers(1, 3), undo=st.integers(0, 3))
def test_what_it_finds_holds_and_is_a_cut(data, k, m, undo):
    hierarchy = data.draw(
        item_hierarchies(top=data.draw(st.booleans()), nulls=data.draw(st.booleans()))
    )
    people = data.draw(people_with(hierarchy, groups=data.draw(st.integers(1, 2))))
    count = Counting(people)
    try:
        found = Apriori(k=k, m=m, undo=undo).solve(hierarchy, count)
    except NoRecodingFound:
        assert not any(holds(people, cut, k=k, m=m) for cut in cuts(hierarchy))
        return
    assert holds(people, found.labels, k=k, m=m)
    counted = Counting(people)(found.labels, m)
    assert (
        KMAnonymity(k=k, m=m, table="t", field="item").judge(counted, len(people)).outcome == "pass"
    )
    assert found.labels in list(cuts(hierarchy)) or _same_sets_as_a_cut(found.labels, hierarchy)
    assert found.counts == len(count.asked)
    assert found.loss == pytest.approx(loss_of(people, found.labels))


def _same_sets_as_a_cut(labels, hierarchy):
    """A group of one value is released as the value: what it covers is what counts."""

    def covered(cut):
        return {frozenset(value for value in cut if cut[value] == label) for label in cut.values()}

    return any(covered(cut) == covered(labels) for cut in cuts(hierarchy))


@settings(max_examples=example_count(60), deadline=None)
@given(data=st.data(), k=st.integers(2, 3), m=st.integers(1, 3))
def test_no_cut_that_holds_is_beaten_by_wrong_accounts(data, k, m):
    hierarchy = data.draw(item_hierarchies())
    people = data.draw(people_with(hierarchy))
    losses = [loss_of(people, cut) for cut in cuts(hierarchy) if holds(people, cut, k=k, m=m)]
    if not losses:
        with pytest.raises(NoRecodingFound):
            Apriori(k=k, m=m).solve(hierarchy, Counting(people))
        return
    found = Apriori(k=k, m=m).solve(hierarchy, Counting(people))
    without = Apriori(k=k, m=m, undo=0).solve(hierarchy, Counting(people))
    assert min(losses) - 1e-9 <= found.loss <= without.loss + 1e-9


def table(source: random.Random) -> tuple[Hierarchy, list[tuple[int, frozenset[str]]]]:
    """Five to eight values under four groups under two, some popular and some rare, held by 8 to 30
    people."""
    values = [f"v{n}" for n in range(source.randint(5, 8))]
    groups = [source.randrange(4) for _ in values]
    rows = [
        (value, f"g{group}", f"h{group % 2}", "*")
        for value, group in zip(values, groups, strict=True)
    ]
    often = [0.6 * (source.random() ** 2 + 0.05) for _ in values]
    sets = [
        frozenset(v for v, p in zip(values, often, strict=True) if source.random() < p)
        for _ in range(30)
    ]
    return Hierarchy.from_rows(rows), [(0, found) for found in sets[: source.randint(8, 30)]]


def test_it_is_usually_the_best_of_all_cuts():
    """Measured over 800 such tables with two other seeds: the optimum in 99 %, at worst 1.8 times
    its loss."""
    source = random.Random(2008)
    ratios = []
    while len(ratios) < 100:
        hierarchy, people = table(source)
        k, m = source.choice((2, 3)), source.choice((2, 2, 3))
        best = min(
            (loss_of(people, cut) for cut in cuts(hierarchy) if holds(people, cut, k=k, m=m)),
            default=1.0,
        )
        if 0 < best < 1:
            ratios.append(Apriori(k=k, m=m).solve(hierarchy, Counting(people)).loss / best)
    assert min(ratios) > 1 - 1e-9
    assert sum(ratio < 1 + 1e-9 for ratio in ratios) >= 95
    assert max(ratios) < 2
