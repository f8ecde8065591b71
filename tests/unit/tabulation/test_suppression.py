"""Cell suppression on tables that are written out: rules, worlds, unions, bounds."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.tabulation import (
    DisclosureAudit,
    LinkedCells,
    SensitivityRules,
    area_tree,
    cell_keys,
    lone_people,
    lowest_cost,
    suppress_cells,
    union_margin,
)

WHOLE = area_tree((), ())


def table(rows, *, people=None, owners=None) -> LinkedCells:
    """A table of two fields from its inner cells, with all totals. `owners` are the people of each
    inner cell with their amounts."""
    inner = np.array(rows)
    keys = cell_keys(WHOLE, inner.shape, [(0, 1)])

    def inside(key):
        spans = [
            [code] if code >= 0 else range(size)
            for code, size in zip(key[2:], inner.shape, strict=True)
        ]
        return [(a, b) for a in spans[0] for b in spans[1]]

    largest, who, count = [], [], []
    for key in keys:
        amounts: dict[int, int] = {}
        for place in inside(key):
            for person, amount in (owners or {}).get(place, ()):
                amounts[person] = amounts.get(person, 0) + amount
        pairs = sorted(((a, p) for p, a in amounts.items()), reverse=True)
        pairs = [*pairs, (0, -1), (0, -1)][:2]
        largest.append([a for a, _ in pairs] if owners else [])
        who.append([p for _, p in pairs] if owners else [])
        count.append(len(amounts))
    values = np.array([sum(inner[place] for place in inside(key)) for key in keys])
    return LinkedCells(
        tree=WHOLE,
        fields=("a", "b"),
        labels=tuple(
            tuple(f"{name}{n}" for n in range(size))
            for name, size in zip("ab", inner.shape, strict=True)
        ),
        keys=keys,
        values=values,
        people=np.array(count) if owners else values,
        largest=np.array(largest, np.int64).reshape(len(keys), -1),
        who=np.array(who, np.int64).reshape(len(keys), -1),
    )


COUNTS = SensitivityRules(threshold=5, is_count=True)
CELLS = table([[20, 3, 30], [40, 25, 9], [1, 60, 12]])


def bounds_of(cells, pattern):
    audit = DisclosureAudit(cells.released(cells.values, pattern.suppressed), WHOLE)
    return {n: audit.bounds([n]) for n in np.flatnonzero(pattern.suppressed).tolist()}


def test_every_sensitive_cell_may_be_empty_or_reach_the_threshold():
    pattern = suppress_cells(CELLS, COUNTS)
    bounds = bounds_of(CELLS, pattern)
    sensitive = np.flatnonzero(pattern.primary).tolist()
    assert sorted(CELLS.values[sensitive].tolist()) == [1, 3]
    assert all(bounds[n].covers(0, 5) for n in sensitive)


def test_the_cost_is_never_below_the_bound():
    pattern = suppress_cells(CELLS, COUNTS)
    assert 0 < lowest_cost(CELLS, pattern) <= pattern.cost + 1e-6


def test_nothing_sensitive_costs_nothing():
    cells = table([[20, 30], [40, 50]])
    pattern = suppress_cells(cells, COUNTS)
    assert not pattern.suppressed.any()
    assert lowest_cost(cells, pattern) == 0


@pytest.mark.parametrize("seed", range(8))
def test_patterns_of_random_tables_stand_against_the_attacker(seed):
    chance = np.random.default_rng(seed)
    cells = table(chance.poisson(chance.lognormal(1.5, 1, (4, 4))))
    pattern = suppress_cells(cells, COUNTS)
    bounds = bounds_of(cells, pattern)
    for n in np.flatnonzero(pattern.primary).tolist():
        assert bounds[n].covers(0, 5)
    assert lowest_cost(cells, pattern) <= pattern.cost + 1e-6


def test_somebody_alone_in_a_cell_cannot_compute_another():
    """Two cells of one person each hide each other from everybody but from these two."""
    cells = table([[1, 1, 50, 50], [70, 80, 90, 60], [30, 40, 20, 10]])
    pattern = suppress_cells(cells, COUNTS)
    released = cells.released(cells.values, pattern.suppressed)
    audit = DisclosureAudit(released, WHOLE)
    one, other = (n for n in np.flatnonzero(cells.values == 1).tolist())
    assert audit.bounds([other], {one: 1}).covers(0, 5)
    assert audit.bounds([one], {other: 1}).covers(0, 5)


def test_p_percent_and_dominance():
    rules = SensitivityRules(threshold=1, is_count=False, p_percent=10)
    assert rules.margin(100, 3, [60, 30]) == (0, 0)
    assert rules.margin(93, 3, [60, 30]) == (3, 3)
    rules = SensitivityRules(threshold=1, is_count=False, dominance=(2, 80.0))
    assert rules.margin(100, 5, [50, 20]) == (0, 0)
    assert rules.margin(100, 5, [60, 30]) == (13, 13)
    rules = SensitivityRules(threshold=3, is_count=False)
    assert rules.margin(100, 2, [60, 40]) == (20, 20)


def test_a_union_of_one_person_is_sensitive_where_its_parts_are_not_told_apart():
    owners = {(0, 0): [(1, 90), (2, 5)], (0, 1): [(1, 80), (3, 5)]}
    cells = table([[95, 85, 0]], owners=owners)
    rules = SensitivityRules(threshold=1, is_count=False, p_percent=10)
    place = {key[2:]: n for n, key in enumerate(cells.keys)}
    below, above = union_margin(cells, [place[0, 0], place[0, 1]], rules)
    assert above == 12  # 10 % of 170, less the 5 of the third person.
    assert below == above


def test_a_sensitive_union_is_protected_too():
    """Two firms in each of two cells; together one firm dominates, and the row total would show it."""
    owners = {
        (0, 0): [(1, 100), (2, 4)],
        (0, 1): [(1, 100), (3, 4)],
        (0, 2): [(n, 40) for n in range(10, 15)],
        (1, 0): [(n, 90) for n in range(20, 25)],
        (1, 1): [(n, 90) for n in range(30, 35)],
        (1, 2): [(n, 90) for n in range(40, 45)],
    }
    rules = SensitivityRules(threshold=1, is_count=False, p_percent=10)
    cells = table([[104, 104, 200], [450, 450, 450]], owners=owners)
    pattern = suppress_cells(cells, rules)
    audit = DisclosureAudit(cells.released(cells.values, pattern.suppressed), WHOLE)
    place = {key[2:]: n for n, key in enumerate(cells.keys)}
    both = [place[0, 0], place[0, 1]]
    assert pattern.suppressed[both].all()
    hidden = [n for n in (*both, place[0, 2]) if pattern.suppressed[n]]
    total_is_shown = not pattern.suppressed[place[0, -1]]
    if total_is_shown:
        below, above = union_margin(cells, hidden, rules)
        assert (below, above) == (0, 0)
    value = int(cells.values[both].sum())
    below, above = union_margin(cells, both, rules)
    assert audit.bounds(both).covers(value - below, value + above)


def test_one_person_alone_in_nested_cells_is_one_person():
    cells = table([[1, 0], [20, 30]])
    alone = lone_people(cells)
    assert len(alone) == 2
    assert len(set(alone.values())) == 1


def test_linked_tables_share_their_margins():
    keys = cell_keys(WHOLE, (2, 2, 2), [(0, 1), (0, 2)])
    assert len(keys) == len(set(keys)) == 3 * 3 + 3 * 3 - 3
