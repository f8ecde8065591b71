"""Iterated local search: it leaves a valley that single steps do not leave, is never worse than
where it starts, ends, and draws the same each time."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.solvers.lattice.iterated_local_search import IteratedLocalSearch
from sfumato.solvers.lattice.node_check import NOTHING, NodeCheck
from sfumato.solvers.lattice.nodes import Lattice

LATTICE = Lattice([f"f{i}" for i in range(6)], (4,) * 6)
HOLE = (0, 3, 0, 3, 0, 3)


def loss_of(node: tuple[int, ...]) -> float:
    """Two valleys: a wide one at the bottom that costs 1, and a steep one that costs nothing."""
    return min(1 + sum(node), 1.2 * sum(abs(a - b) for a, b in zip(node, HOLE, strict=True)))


def search(judged: list[tuple[int, ...]], *, most: int = 100_000) -> IteratedLocalSearch:
    def check(node: tuple[int, ...]) -> NodeCheck:
        judged.append(node)
        feasible = node != (1,) * 6
        loss = loss_of(node) if feasible else float("inf")
        return NodeCheck(node, 0 if feasible else 9, feasible, loss, 0.0, NOTHING)

    return IteratedLocalSearch(
        LATTICE,
        check=check,
        floor=lambda nodes: np.zeros(len(nodes)),
        enough=lambda: len(judged) >= most,
    )


def checked(node: tuple[int, ...]) -> NodeCheck:
    return NodeCheck(node, 0, True, loss_of(node), 0.0, NOTHING)


def test_it_leaves_a_valley_that_single_steps_do_not_leave() -> None:
    assert search([]).run(checked((0,) * 6)).levels == HOLE


def test_it_is_never_worse_than_its_start_and_draws_the_same_each_time() -> None:
    first: list[tuple[int, ...]] = []
    second: list[tuple[int, ...]] = []
    found = [search(judged, most=50).run(checked((0,) * 6)) for judged in (first, second)]
    assert first == second
    assert len(first) <= 51
    assert found[0].levels == found[1].levels
    assert found[0].loss <= 1


def test_it_ends_where_nothing_is_better_and_stays_in_the_lattice() -> None:
    judged: list[tuple[int, ...]] = []
    assert search(judged).run(checked(HOLE)).levels == HOLE
    assert all(0 <= level <= 3 for node in judged for level in node)


def test_it_goes_on_from_the_top_while_there_is_effort_left() -> None:
    judged: list[tuple[int, ...]] = []
    search(judged, most=10_000).run(checked(HOLE))
    assert len(judged) >= 10_000
    assert judged.count(LATTICE.top) > 1


@pytest.mark.parametrize("finest", [(2,) * 6, (3, 2, 1, 0, 1, 2)])
def test_it_goes_no_finer_than_is_allowed(finest: tuple[int, ...]) -> None:
    judged: list[tuple[int, ...]] = []
    bounded = search(judged)
    bounded.lattice = Lattice(LATTICE.fields, (4,) * 6, finest=finest)
    bounded.run(checked((3,) * 6))
    assert all(a >= b for node in judged for a, b in zip(node, finest, strict=True))
