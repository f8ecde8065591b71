"""The greedy solver on small tables: what it shows, what it blanks, and where it stops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sfumato.bins import Bins, CountedPeople
from sfumato.bins.toy_bins import bins_of_rows
from sfumato.errors import HierarchyError, NoRecodingFound
from sfumato.hierarchies import Hierarchy
from sfumato.protection import (
    BoundedInference,
    BoundedKnowledge,
    DistinctLDiversity,
    KnownGroups,
    largest_shares,
    sizes_of_groups,
)
from sfumato.solvers import Greedy

FIELDS = ("sex", "job", "town")
KNOWN = {"register": ("sex",), "others": ("job", "town")}


def stars(bins):
    return {
        name: Hierarchy.from_rows([(value, "*") for value in labels])
        for name, labels in zip(bins.fields, bins.labels, strict=True)
    }


def shown(bins, solver, hierarchies=None):
    ladders = hierarchies or stars(bins)
    return solver.solve(bins, ladders).recoding.apply(bins, ladders).sizes()


def test_groups_that_no_bin_is_in_count_nobody():
    """The last ones among them; the solver once stopped there where people have several rows."""
    rows = [("f", "a", "x", "ann", "flu"), ("f", "b", "y", "ann", "flu")]
    bins = CountedPeople.of_rows(FIELDS, rows, sensitive=("illness",))
    everyone = np.arange(len(bins))
    found = KnownGroups((), everyone, np.zeros(len(bins), np.int64), 3, np.ones(len(bins), bool))
    assert sizes_of_groups(bins, found).tolist() == [1, 0, 0]
    shares = largest_shares(bins, found, "illness", limited=np.ones(1, bool))
    assert shares.tolist() == [1.0, 0.0, 0.0]


def test_a_table_that_holds_already_is_left_as_it_is():
    rows = {("f", "a", "x"): 3, ("f", "b", "y"): 3, ("m", "a", "x"): 4}
    bins = Bins.of(FIELDS, rows)
    assert shown(bins, Greedy(models=(BoundedKnowledge(k=3, m=2, **KNOWN),))) == rows


def test_a_rare_label_is_blank_and_shares_that_with_enough_others():
    """Two women are bakers: a third woman's job is blank too, and nothing else."""
    bins = Bins.of(("sex", "job"), {("f", "smith"): 6, ("f", "baker"): 2, ("f", "miller"): 3})
    model = BoundedKnowledge(k=3, m=1, register=("sex",), others=("job",))
    assert shown(bins, Greedy(models=(model,))) == {("f", "smith"): 6, ("f", "*"): 5}


def test_groups_of_the_register_are_blanked_by_themselves():
    """Men have few bakers, women many."""
    rows = {("f", "baker"): 5, ("f", "smith"): 5, ("m", "baker"): 1, ("m", "smith"): 6}
    bins = Bins.of(("sex", "job"), rows)
    model = BoundedKnowledge(k=3, m=1, register=("sex",), others=("job",))
    found = shown(bins, Greedy(models=(model,)))
    assert found == {("f", "baker"): 5, ("f", "smith"): 5, ("m", "*"): 7}


def test_no_value_is_inferred_beyond_the_confidence():
    rows = [("f", "a", "flu")] * 4 + [("f", "b", "flu"), ("f", "b", "cold")] * 2
    bins = bins_of_rows(("sex", "job"), rows, sensitive=("ill",))
    known = {"register": ("sex",), "others": ("job",)}
    models = (
        BoundedKnowledge(k=2, m=1, **known),
        BoundedInference(confidence=0.8, m=1, sensitive="ill", **known),
    )
    assert shown(bins, Greedy(models=models)) == {("f", "*"): 8}
    with pytest.raises(NoRecodingFound, match="bounded inference"):
        Greedy(models=(replace(models[1], confidence=0.5),)).solve(bins, stars(bins))


def test_another_model_limits_what_is_shown():
    rows = [("f", "a", "flu"), ("f", "a", "flu"), ("f", "b", "flu"), ("f", "b", "cold")]
    bins = bins_of_rows(("sex", "job"), rows, sensitive=("ill",))
    model = BoundedKnowledge(k=2, m=1, register=("sex",), others=("job",))
    diverse = DistinctLDiversity(l=2, fields=("sex", "job"), sensitive="ill")
    assert len(shown(bins, Greedy(models=(model,)))) == 2
    assert shown(bins, Greedy(models=(model, diverse))) == {("f", "*"): 4}


def test_the_register_is_made_coarser_where_the_others_show_more():
    rng = np.random.default_rng(3)
    ages = [str(20 + n % 40) for n in range(200)]
    rows = [(ages[n], *("ab"[v] for v in rng.integers(0, 2, 6))) for n in range(200)]
    names = ("age", *"qrstuv")
    bins = bins_of_rows(names, rows)
    decades = Hierarchy.from_rows([(age, f"{age[0]}x", "*") for age in bins.labels[0]])
    ladders = stars(bins) | {"age": decades}
    model = BoundedKnowledge(k=5, m=2, register=("age",), others=names[1:])
    solution = Greedy(models=(model,)).solve(bins, ladders)
    assert solution.steps[-1].levels["age"] == 1
    assert model.judge(solution.recoding.apply(bins, ladders)).outcome == "pass"
    assert "are blank" in solution.notes[0]


def test_a_search_that_ends_early_leaves_fields_blank_and_says_so():
    bins = Bins.of(FIELDS, {("f", "a", "x"): 3, ("f", "b", "y"): 3, ("m", "a", "x"): 1})
    model = BoundedKnowledge(k=2, m=2, **KNOWN)
    solution = Greedy(models=(model,), work=1).solve(bins, stars(bins))
    assert any("The limit of work ended the search" in note for note in solution.notes)
    assert model.judge(solution.recoding.apply(bins, stars(bins))).outcome == "pass"


def test_no_cell_is_finer_than_its_field_may_be():
    bins = Bins.of(("zip",), {("02138",): 5, ("02139",): 5})
    zips = Hierarchy.from_rows([(value, "0213*", "*") for (value,) in bins.tuples()])
    model = BoundedKnowledge(k=2, m=1, register=(), others=("zip",))
    assert shown(bins, Greedy(models=(model,)), {"zip": zips}) == {("02138",): 5, ("02139",): 5}
    coarse = {"zip": replace(zips, finest=1)}
    assert shown(bins, Greedy(models=(model,)), coarse) == {("0213*",): 10}


def test_a_hierarchy_without_a_blank_top_is_refused():
    bins = Bins.of(("zip",), {("02138",): 5, ("02139",): 5})
    zips = {"zip": Hierarchy.from_rows([(value, "0213*") for (value,) in bins.tuples()])}
    with pytest.raises(HierarchyError, match="must end in"):
        Greedy(models=()).solve(bins, zips)


def test_a_wide_register_leaves_effort_for_the_other_fields():
    """Fifteen register fields took all of the time, and every other field stayed blank."""
    rng = np.random.default_rng(5)
    names = (*(f"r{n}" for n in range(12)), "p", "q")
    rows = [
        tuple("abcd"[v] for v in rng.choice(4, 14, p=[0.7, 0.2, 0.07, 0.03])) for _ in range(300)
    ]
    bins = bins_of_rows(names, rows)
    model = BoundedKnowledge(k=5, m=2, register=names[:12], others=("p", "q"))
    solution = Greedy(models=(model,), work=60).solve(bins, stars(bins))
    found = solution.recoding.apply(bins, stars(bins))
    assert model.judge(found).outcome == "pass"
    assert {labels[-2:] for labels in found.tuples()} != {("*", "*")}


def test_a_code_is_shown_where_its_words_are_and_costs_no_attempt():
    rows = {("f", "baker", "x"): 6, ("f", "smith", "x"): 4, ("m", "baker", "y"): 2}
    rows |= {("m", "smith", "y"): 7, ("f", "miller", "y"): 1}
    plain = Bins.of(FIELDS, rows)
    codes = {"baker": "7", "smith": "2", "miller": "5"}
    coded = Bins.of(
        (*FIELDS, "code"), {(*key, codes[key[1]]): count for key, count in rows.items()}
    )
    known = {"register": ("sex",), "others": ("job", "town", "code")}
    model = BoundedKnowledge(k=3, m=2, **known)
    alone = BoundedKnowledge(k=3, m=2, **KNOWN)
    found = Greedy(models=(model,)).solve(coded, stars(coded))
    before = Greedy(models=(alone,)).solve(plain, stars(plain))
    released = found.recoding.apply(coded, stars(coded))
    assert model.judge(released).outcome == "pass"
    assert {(*key[:3], codes.get(key[1], "*")) for key in released.sizes()} == {*released.sizes()}
    assert found.steps[0].what.split("by")[1] == before.steps[0].what.split("by")[1]
