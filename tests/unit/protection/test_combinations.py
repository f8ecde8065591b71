"""Combinations on small tables, in both readings."""

from __future__ import annotations

from sfumato.bins import Bins
from sfumato.hierarchies import Hierarchy
from sfumato.policy import CellReading
from sfumato.protection import Combinations

ABC = ("a", "b", "c")
# Every pair of values occurs twice, every triple once: what 2-combinations do not see (Sweeney
# 2000, Fig. 30).
PAIRS = Bins.of(ABC, {(a, b, c): 1 for a in "01" for b in "01" for c in "01"})


def test_pairs_pass_where_triples_are_unique() -> None:
    pairs = (("a", "b"), ("a", "c"), ("b", "c"))
    assert Combinations(k=2, combinations=pairs).judge(PAIRS).outcome == "pass"
    verdict = Combinations(k=2, combinations=(*pairs, ABC)).judge(PAIRS)
    assert (verdict.outcome, verdict.smallest, verdict.bins_below) == ("fail", 1, 8)
    assert verdict.fields == ABC


def test_a_suppressed_cell_is_not_looked_at_or_is_a_value() -> None:
    bins = Bins.of(("a", "b"), {("x", "y"): 2, ("*", "y"): 1})
    pairs = (("a", "b"), ("b",))
    assert Combinations(k=2, combinations=pairs).judge(bins).outcome == "pass"
    strict = Combinations(k=2, combinations=pairs, reading=CellReading.STRICT)
    assert strict.failing(bins).tolist() == [False, True]


def test_smallest_is_the_smallest_that_is_looked_at() -> None:
    bins = Bins.of(("a", "b"), {("x", "y"): 5, ("*", "y"): 1})
    assert Combinations(k=2, combinations=(("a", "b"),)).judge(bins).smallest == 5
    everything = Bins.of(("a",), {("*",): 3})
    assert Combinations(k=2, combinations=(("a",),)).judge(everything).outcome == "pass"


def test_null_is_a_value() -> None:
    bins = Bins.of(("a",), {(None,): 1, ("x",): 2})
    assert Combinations(k=2, combinations=(("a",),)).failing(bins).tolist() == [True, False]


def test_which_combination_is_to_blame() -> None:
    bins = Bins.of(("a", "b"), {("x", "y"): 2, ("x", "z"): 1})
    model = Combinations(k=2, combinations=(("a",), ("b",)))
    assert model.unsafe(bins, ("a",)).tolist() == [False, False]
    assert model.unsafe(bins, ("b",)).tolist() == [False, True]


def test_no_combination_asks_for_review() -> None:
    assert Combinations(k=2, combinations=()).judge(PAIRS).outcome == "review"


def test_not_monotone_where_a_star_may_get_a_label() -> None:
    bins = Bins.of(("a",), {("*",): 1, ("x",): 2})
    model = Combinations(k=2, combinations=(("a",),))
    labels = Hierarchy.from_rows([("*", "other"), ("x", "known")])
    assert not model.failing(bins).any()
    assert model.failing(bins.recode({"a": labels}, {"a": 1})).any()
    assert not model.monotone_generalisation
    assert Combinations(
        k=2, combinations=(("a",),), reading=CellReading.STRICT
    ).monotone_generalisation
