"""The apriori-based algorithm: the paper's example, what cannot be had, and odd hierarchies."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sfumato.errors import Bug, HierarchyError, Mistake, NoRecodingFound
from sfumato.hierarchies import Hierarchy, Tree
from sfumato.solvers.apriori import Apriori

sys.path.insert(0, str(Path(__file__).parents[2] / "properties"))
from item_tables import Counting, holds

PAPER = Hierarchy.from_rows(
    [("a1", "A", "*"), ("a2", "A", "*"), ("b1", "B", "*"), ("b2", "B", "*")]
)


def people(*sets: str, group: int = 0) -> list[tuple[int, frozenset[str | None]]]:
    """People with their items, written apart by spaces; `-` is a null."""
    return [
        (group, frozenset(None if item == "-" else item for item in items.split()))
        for items in sets
    ]


def test_the_example_of_the_paper():
    """The running example of VLDB 2008, as retold: for k = m = 2, a1 and a2 become A, and b1 and b2
    stay."""
    shoppers = people("a1 b1 b2", "a2 b1", "a2 b1 b2", "a1 a2 b2")
    count = Counting(shoppers)
    found = Apriori(k=2, m=2).solve(PAPER, count)
    assert found.labels == {"a1": "A", "a2": "A", "b1": "b1", "b2": "b2"}
    assert found.counts == len(count.asked) == 3
    assert found.loss == pytest.approx(5 / 11 / 3)
    assert found.notes == (
        "2 of 4 values that occur are released as a coarser label; loss 0.152, after 3 counts.",
    )


def test_single_items_are_counted_before_pairs_and_pairs_before_triples():
    count = Counting(people("a1 b1 b2", "a1 b1 b2"))
    Apriori(k=2, m=3).solve(PAPER, count)
    assert [size for _, size in count.asked] == [1, 2, 3]
    assert count.asked[0][0] == {label: label for label in ("a1", "a2", "b1", "b2")}


def test_nothing_rare_stays_as_it_is():
    found = Apriori(k=2, m=2).solve(PAPER, Counting(people("a1 b1", "a1 b1")))
    assert set(found.labels.items()) == {(label, label) for label in ("a1", "a2", "b1", "b2")}
    assert (found.loss, found.counts) == (0, 2)


def test_nulls_are_no_items():
    values = Hierarchy.from_rows([("a1", "A", "*"), (None, None, "*"), ("a2", "A", "*")])
    found = Apriori(k=2, m=2).solve(values, Counting(people("a1 -", "-", "a2", "")))
    assert found.labels == {"a1": "A", "a2": "A"}


def test_everything_may_end_at_the_top():
    found = Apriori(k=2, m=1).solve(PAPER, Counting(people("a1", "b1")))
    assert set(found.labels.values()) == {"*"}
    assert found.loss == 1


def test_nobody_holds_anything():
    found = Apriori(k=5, m=2).solve(PAPER, Counting(people("", "")))
    assert (found.loss, found.counts, len(found.labels)) == (0, 2, 4)
    only_null = Hierarchy.from_rows([(None, "*")])
    assert Apriori(k=5, m=2).solve(only_null, Counting(people("-"))).labels == {}


def test_within_each_bin():
    """Over all people nothing is rare; in the first bin b1 is one person's."""
    everyone = people("a1 b1", "a1 b2", "a1 b2", group=0) + people(
        "a1 b1", "a1 b1", "a1 b2", "a1 b2", group=1
    )
    together = [(0, items) for _, items in everyone]
    assert Apriori(k=2, m=2).solve(PAPER, Counting(together)).loss == 0
    found = Apriori(k=2, m=2).solve(PAPER, Counting(everyone)).labels
    assert found == {"a1": "a1", "a2": "a2", "b1": "B", "b2": "B"}
    assert holds(everyone, found, k=2, m=2)


def test_what_was_generalised_needlessly_is_taken_back():
    """Once a, d and e are Y, b and f need not be X: both stand in enough sets together with Y."""
    rows = [
        ("a", "Y", "*"),
        ("b", "X", "*"),
        ("c", "Z", "*"),
        ("d", "Y", "*"),
        ("e", "Y", "*"),
        ("f", "X", "*"),
    ]
    sets = people("b d f", "a b f", "a d", "b")
    coarse = Apriori(k=2, m=2, undo=0).solve(Hierarchy.from_rows(rows), Counting(sets))
    fine = Apriori(k=2, m=2, undo=1).solve(Hierarchy.from_rows(rows), Counting(sets))
    assert {coarse.labels[item] for item in "bf"} == {"X"}
    assert fine.labels == coarse.labels | {"b": "b", "f": "f"}
    assert fine.counts == coarse.counts + 1
    assert "gave detail back" in fine.notes[1]
    assert len(coarse.notes) == 1


def test_too_few_people_hold_anything():
    with pytest.raises(
        NoRecodingFound, match=r"1 combination of labels is held by fewer than 3 people\."
    ) as told:
        Apriori(k=3, m=2, field="diagnosis").solve(PAPER, Counting(people("a1 b1", "a2", "")))
    assert "diagnosis" in told.value.asked
    assert "a1" not in str(told.value)


def test_a_bin_with_too_few_people_is_told_of():
    everyone = people("a1", "a1", "a1", group=0) + people("a1", group=1)
    with pytest.raises(NoRecodingFound, match="in 1 bin"):
        Apriori(k=2, m=1).solve(PAPER, Counting(everyone))


def test_a_hierarchy_that_ends_in_several_labels_may_not_reach():
    open_ended = Hierarchy.from_rows([("a1", "A"), ("a2", "A"), ("b1", "B")])
    sets = people("a1 b1", "a2", "b1")
    assert Apriori(k=2, m=1).solve(open_ended, Counting(sets)).labels == {
        "a1": "A",
        "a2": "A",
        "b1": "b1",
    }
    with pytest.raises(NoRecodingFound, match="ends in one label"):
        Apriori(k=2, m=2).solve(open_ended, Counting(sets))


def test_a_tree_of_uneven_depth():
    """Nepal and Bhutan stand right under Asia, which the levels repeat: Asia means all of it or is
    not shown."""
    tree = Tree(
        {"Asia": {"East": ["Japan", "Korea"], "Nepal": [], "Bhutan": []}, "Europe": ["France"]}
    )
    world = tree.bind(["Japan", "Korea", "Nepal", "Bhutan", "France"])
    sets = people("Nepal", "Bhutan", "Japan", "Japan", "Korea", "Korea", "France", "France")
    found = Apriori(k=2, m=1).solve(world, Counting(sets)).labels
    assert {found[place] for place in ("Japan", "Korea", "Nepal", "Bhutan")} == {"Asia"}
    assert found["France"] == "France"


def test_a_value_may_be_called_as_its_group():
    """A code of three characters is a diagnosis and the name of the finer ones."""
    codes = Hierarchy.from_rows([("250", "250", "*"), ("250.1", "250", "*"), ("401", "401", "*")])
    found = Apriori(k=2, m=1).solve(codes, Counting(people("250", "250", "250.1", "401", "401")))
    assert found.labels == {"250": "250", "250.1": "250", "401": "401"}


@pytest.mark.parametrize(
    "rows",
    [
        [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("x", "y", "*")],
        [("a", "x", "p", "*"), ("b", "x", "p", "*"), ("c", "c", "x", "*"), ("d", "d", "x", "*")],
    ],
    ids=["a value of another group", "two groups"],
)
def test_a_label_with_two_meanings_is_refused(rows):
    with pytest.raises(HierarchyError, match="1 label covers several"):
        Apriori(k=2, m=1).solve(Hierarchy.from_rows(rows), Counting([]))


def test_a_null_above_values_is_refused():
    values = Hierarchy.from_rows([("a", None, "*"), ("b", None, "*"), ("c", "C", "*")])
    with pytest.raises(HierarchyError, match="gives null"):
        Apriori(k=2, m=1).solve(values, Counting([]))


@pytest.mark.parametrize(("k", "m"), [(0, 1), (2, 0)])
def test_numbers_that_ask_for_nothing_are_refused(k, m):
    with pytest.raises(Mistake, match="at least 1"):
        Apriori(k=k, m=m).solve(PAPER, Counting([]))


def test_a_count_of_something_else_is_our_mistake():
    def wrong(labels, size):
        counted = Counting(people("a1"))(labels, size)
        return replace(counted, values=("secret",))

    with pytest.raises(Bug) as told:
        Apriori(k=1, m=1).solve(PAPER, wrong)
    assert "secret" not in str(told.value)


def test_a_count_may_hold_larger_itemsets_than_asked_for():
    sets = people("a1 b1 b2", "a2 b1", "a2 b1 b2", "a1 a2 b2")
    counting = Counting(sets)
    found = Apriori(k=2, m=2).solve(PAPER, lambda labels, size: counting(labels, 2))
    assert found.labels == Apriori(k=2, m=2).solve(PAPER, Counting(sets)).labels
    assert found.loss == pytest.approx(5 / 11 / 3)


def test_a_thousand_values_need_few_counts():
    """Popular and rare values of ten chapters, two per person: few passes, though thousands of
    pairs are rare."""
    random = np.random.default_rng(0)
    rows = [(f"v{i}", f"c{i // 10}", f"d{i // 100}", "*") for i in range(1_000)]
    often = 1 / (1 + random.permutation(1_000))
    drawn = random.choice(1_000, (3_000, 2), p=often / often.sum())
    sets = [(0, frozenset(f"v{i}" for i in pair)) for pair in drawn.tolist()]
    found = Apriori(k=3, m=2).solve(Hierarchy.from_rows(rows), Counting(sets))
    assert holds(sets, found.labels, k=3, m=2)
    assert found.counts <= 8
    assert found.loss < 0.2
