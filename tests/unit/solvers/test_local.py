"""Local recoding: whatever is asked for holds when recounted, no row is lost, every label holds
what it stands for."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.bins import Bins, LabelledRecoding, LocalRecoding
from sfumato.bins.toy_bins import bins_of_rows
from sfumato.engines import WritePlan, open_source
from sfumato.errors import Mistake, NoRecodingFound
from sfumato.hierarchies import Hierarchy
from sfumato.measures import utility
from sfumato.protection import (
    BinSizes,
    DistinctLDiversity,
    KAnonymity,
    TCloseness,
    needs_of,
    reads_labels,
    reference_of,
)
from sfumato.releases.lookups import recoding_lookups
from sfumato.solvers.local import Local
from sfumato.solvers.solver import DOWNCODING

sys.path.insert(0, str(Path(__file__).parents[2] / "contracts"))
sys.path.insert(0, str(Path(__file__).parents[2] / "properties"))
from models_about_values import ABOUT_VALUES
from random_tables import FIELDS, tables

AGES = Hierarchy.from_rows([(str(age), f"{age // 10}*", "*") for age in (17, 19, 23, 31, 38, 64)])
TOWNS = Hierarchy.from_rows(
    [("Zürich", "CH", "*"), ("Genève", "CH", "*"), ("東京", "JP", "*"), (None, None, "*")]
)


def people(*rows: tuple[str, str | None]) -> tuple[Bins, dict[str, Hierarchy]]:
    """Bins of ages and towns with hierarchies whose first values are those that occur."""
    bins = Bins.of(("age", "town"), Counter(rows))
    out = {}
    for column, (name, hierarchy) in enumerate((("age", AGES), ("town", TOWNS))):
        ladders = {
            value: tuple(
                names[up[code]] for names, up in zip(hierarchy.labels, hierarchy.up, strict=True)
            )
            for code, value in enumerate(hierarchy.labels[0])
        }
        first = {value: ladders[value] for value in bins.labels[column]}
        out[name] = Hierarchy.from_rows(
            [*first.values(), *(row for v, row in ladders.items() if v not in first)]
        )
    return bins, out


def released(solver: Local, *rows: tuple[str, str | None]) -> dict[tuple[str | None, ...], int]:
    bins, bounds = people(*rows)
    return solver.solve(bins, bounds).recoding.apply(bins, bounds).sizes()


def test_close_rows_meet_and_bins_of_k_rows_stay_as_they_are():
    rows = [("17", "Zürich"), ("19", "Zürich"), ("64", "東京"), ("64", "東京")]
    assert released(Local(k=2), *rows) == {("1*", "Zürich"): 2, ("64", "東京"): 2}


def test_ranges_and_sets_say_no_more_than_the_values_that_are_there():
    rows = [("17", "Zürich"), ("23", "Zürich"), ("64", "東京"), ("64", None)]
    solver = Local(k=2, labels="ranges", numeric=("age",))
    assert released(solver, *rows) == {("17..23", "Zürich"): 2, ("64", "{東京, null}"): 2}


def test_a_large_bin_lends_rows_that_it_can_spare():
    rows = [("17", "Zürich")] * 7 + [("17", "Genève")]
    assert released(Local(k=2, rounds=5), *rows) == {("17", "Zürich"): 6, ("17", "CH"): 2}


def test_a_model_about_values_keeps_bins_whole():
    rows = [
        ("17", "flu"),
        ("17", "flu"),
        ("19", "gout"),
        ("19", "flu"),
        ("64", "gout"),
        ("64", "flu"),
    ]
    bins = bins_of_rows(("age",), rows, sensitive=("problem",))
    ages = {"age": Hierarchy.from_rows([("17", "1*", "*"), ("19", "1*", "*"), ("64", "6*", "*")])}
    model = DistinctLDiversity(l=2, fields=("age",), sensitive="problem")
    recoding = Local(k=2, models=(model,)).solve(bins, ages).recoding
    assert recoding.apply(bins, ages).sizes() == {("64",): 2, ("1*",): 4}
    assert sorted(recoding.bin_of.tolist()) == [0, 1, 2]


def test_what_holds_only_at_the_top_is_found_from_the_top():
    rows = [(str(age), problem) for age in (17, 19, 23) for problem in ("flu", "gout")]
    bins = bins_of_rows(("age",), [*rows, ("31", "flu"), ("38", "gout")], sensitive=("problem",))
    ages = {
        "age": Hierarchy.from_rows(
            [(str(age), f"{age // 10}*", "*") for age in (17, 19, 23, 31, 38)]
        )
    }
    model = TCloseness(
        t=0.1, fields=("age",), sensitive="problem", reference=reference_of(bins, "problem")
    )
    found = Local(k=2, models=(model,)).solve(bins, ages).recoding.apply(bins, ages)
    assert found.sizes() == {("17",): 2, ("19",): 2, ("23",): 2, ("3*",): 2}


def test_a_rule_about_one_field_is_kept_too():
    rows = [("17", "Zürich")] * 2 + [("17", "Genève")] * 2 + [("64", "東京")] * 4
    solver = Local(k=2, models=(BinSizes(sizes={"town": 4}),))
    assert released(solver, *rows) == {("17", "CH"): 4, ("64", "東京"): 4}


def test_fewer_rows_than_k_are_told_without_a_value():
    bins, bounds = people(("17", "Zürich"), ("64", "東京"))
    for solver in (Local(k=3), Local(k=1, models=(KAnonymity(k=3, fields=("age", "town")),))):
        with pytest.raises(NoRecodingFound, match="k = 3") as caught:
            solver.solve(bins, bounds)
        assert "Zürich" not in str(caught.value)


def test_values_without_a_common_ancestor_stay_apart():
    bins = Bins.of(("town",), {("a1",): 1, ("a2",): 1, ("b1",): 2, ("b2",): 1})
    towns = {"town": Hierarchy.from_rows([("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b")])}
    assert Local(k=2).solve(bins, towns).recoding.apply(bins, towns).sizes() == {
        ("a",): 2,
        ("b",): 3,
    }
    with pytest.raises(NoRecodingFound, match="2 of 5 rows"):
        Local(k=3).solve(bins, towns)
    free = Local(k=3, labels="ranges").solve(bins, towns).recoding
    assert free.apply(bins, towns).smallest >= 3


def test_what_no_cluster_can_meet_is_told():
    bins = bins_of_rows(("age",), [("17", "flu"), ("19", "flu")], sensitive=("problem",))
    ages = {"age": Hierarchy.from_rows([("17", "*"), ("19", "*")])}
    model = DistinctLDiversity(l=2, fields=("age",), sensitive="problem")
    with pytest.raises(NoRecodingFound, match="distinct l-diversity"):
        Local(k=1, models=(model,)).solve(bins, ages)


@pytest.mark.parametrize("labels", ["tree", "ranges"])
@pytest.mark.parametrize(
    "rows", [[("17", None)], [("64", "東京")] * 5, []], ids=["one row", "all equal", "no row"]
)
def test_nothing_is_raised_where_nothing_needs_to_be(rows, labels):
    assert released(Local(k=max(len(rows), 1), labels=labels), *rows) == Counter(rows)


def test_two_runs_with_one_seed_give_one_answer():
    random = np.random.default_rng(3)
    rows = [
        (str(random.choice([17, 19, 23, 31])), ["Zürich", "東京", None][random.integers(3)])
        for _ in range(60)
    ]
    bins, bounds = people(*rows)
    first, second = (Local(k=7, seed=4).solve(bins, bounds).recoding for _ in range(2))
    assert isinstance(first, LocalRecoding)
    assert isinstance(second, LocalRecoding)
    assert first.levels.tolist() == second.levels.tolist()
    assert first.rows.tolist() == second.rows.tolist()


def test_weights_say_which_field_gives_way():
    rows = [("17", "Zürich"), ("17", "東京"), ("64", "Zürich"), ("64", "東京")]
    assert released(Local(k=2, weights={"age": 3.0}), *rows) == {("17", "*"): 2, ("64", "*"): 2}
    assert released(Local(k=2, weights={"town": 3.0}), *rows) == {
        ("*", "Zürich"): 2,
        ("*", "東京"): 2,
    }


def test_the_solution_warns_of_downcoding():
    bins, bounds = people(("17", "Zürich"), ("19", "Zürich"))
    assert DOWNCODING in Local(k=2).solve(bins, bounds).notes


def test_unknown_labels_and_penalties_are_mistakes():
    bins, bounds = people(("17", "Zürich"))
    for solver in (Local(k=1, labels="words"), Local(k=1, penalty="entropy")):
        with pytest.raises(Mistake, match="one of"):
            solver.solve(bins, bounds)


def test_utility_of_ranges_is_what_their_widths_say():
    bins, bounds = people(("17", "Zürich"), ("64", "Zürich"))
    recoding = Local(k=2, labels="ranges", numeric=("age",)).solve(bins, bounds).recoding
    found = utility(bins, bounds, recoding)
    assert found.loss == pytest.approx(0.5)
    assert found.per_field == {"age": pytest.approx(0.0), "town": pytest.approx(1.0)}


@settings(max_examples=example_count(120), deadline=None)
@given(tables(), st.integers(1, 4), st.sampled_from(["tree", "ranges"]), st.booleans(), st.data())
def test_whatever_is_asked_for_holds_when_recounted(table, k, labels, gcp, data):
    bins, bounds = table
    names = data.draw(st.lists(st.sampled_from(sorted(ABOUT_VALUES)), max_size=2, unique=True))
    models = tuple(ABOUT_VALUES[name](bins, bounds) for name in names)
    solver = Local(k=k, models=models, labels=labels, rounds=6, penalty="gcp" if gcp else "ncp")
    if labels == "ranges" and any(reads_labels(model) for model in models):
        with pytest.raises(Mistake, match="cannot be judged"):
            solver.solve(bins, bounds)
        return
    try:
        recoding = solver.solve(bins, bounds).recoding
    except NoRecodingFound:
        assert bins.rows < k or models
        return
    placed = np.bincount(recoding.bin_of, weights=recoding.rows, minlength=len(bins))
    assert placed.tolist() == bins.counts.tolist()
    after = recoding.apply(bins, bounds)
    assert after.smallest >= k
    check_labels(bins, bounds, recoding)
    if needs_of(models):
        assert len(recoding.bin_of) == len(bins)  # whole bins: their sensitive values are known
    names_of, codes = recoding.cells(bins, bounds)
    order = np.argsort(recoding.bin_of, kind="stable")
    whole = bool(needs_of(models))
    inside = bins.histograms if whole else {}
    again = Bins(FIELDS, names_of, codes[order], recoding.rows[order], inside).project(FIELDS)
    for model in models:
        assert not model.failing(again).any()


def check_labels(bins, bounds, recoding) -> None:
    """Every tree label is an ancestor of the value, every set holds it."""
    labels, codes = recoding.cells(bins, bounds)
    for p, b in enumerate(recoding.bin_of.tolist()):
        for f, name in enumerate(bins.fields):
            value, label = bins.labels[f][bins.codes[b, f]], labels[f][codes[p, f]]
            if isinstance(recoding, LabelledRecoding):
                members = (
                    label.strip("{}").split(", ") if label and label.startswith("{") else [label]
                )
                assert (
                    label == "*"
                    or ("null" if value is None and label is not None else value) in members
                )
            else:
                hierarchy, code = bounds[name], bins.codes[b, f]
                assert label in {
                    names[up[code]]
                    for names, up in zip(hierarchy.labels, hierarchy.up, strict=True)
                }


@settings(max_examples=example_count(40), deadline=None)
@given(
    st.lists(
        st.sampled_from(["7", "-3", "12.5", "1e3", None, "n/a", "2020-01-31"]),
        min_size=3,
        max_size=30,
    )
)
def test_every_range_holds_the_number(values):
    bins = Bins.of(("x",), Counter((value,) for value in values))
    bounds = {"x": Hierarchy.from_rows([(value, "*") for value in bins.labels[0]])}
    recoding = Local(k=3, labels="ranges", numeric=("x",), rounds=4).solve(bins, bounds).recoding
    labels, codes = recoding.cells(bins, bounds)
    assert recoding.apply(bins, bounds).smallest >= 3
    place = {"7": 7, "-3": -3, "12.5": 12.5, "1e3": 1000, "2020-01-31": 737455}
    for p, b in enumerate(recoding.bin_of.tolist()):
        value, label = bins.labels[0][bins.codes[b, 0]], labels[0][codes[p, 0]]
        if label != value and label != "*":
            low, high = (place[part] for part in label.split(".."))
            assert low <= place[value] <= high


@pytest.mark.parametrize("labels", ["tree", "ranges"])
def test_an_engine_writes_what_was_planned(labels, tmp_path):
    rows = [
        ("17", "Zürich"),
        ("19", "Genève"),
        ("19", None),
        ("64", "東京"),
        ("64", "東京"),
        ("31", "東京"),
    ]
    source = tmp_path / "people.csv"
    source.write_text(
        "age,town\n" + "".join(f"{age},{town or ''}\n" for age, town in rows), encoding="utf-8"
    )
    target = tmp_path / "release.csv"
    with open_source(source) as engine:
        bins = Bins.count(engine, ("age", "town"))
        bounds = {
            n: Hierarchy.from_rows([(v, "*") for v in bins.labels[f]])
            for f, n in enumerate(bins.fields)
        }
        recoding = Local(k=3, labels=labels, numeric=("age",)).solve(bins, bounds).recoding
        lookups, drop = recoding_lookups(bins, bounds, recoding)
        engine.write(WritePlan(fields=("age", "town"), lookups=lookups, drop=drop), target)
    with open_source(target) as engine:
        assert Bins.count(engine, ("age", "town")).sizes() == recoding.apply(bins, bounds).sizes()


def test_seconds_end_the_rounds_and_the_notes_say_so():
    bins, hierarchies = people(
        ("17", "Zürich"), ("19", "Genève"), ("23", "東京"), ("31", "Zürich"), ("38", None)
    )
    stopped = Local(k=2, seconds=0.0).solve(bins, hierarchies)
    assert "The limit of seconds ended the search after 0 of 80 rounds." in stopped.notes
    assert stopped.recoding.apply(bins, hierarchies).smallest >= 2
    whole = Local(k=2, rounds=3).solve(bins, hierarchies)
    assert not any("ended the search" in note for note in whole.notes)
    assert any("not proven to be the optimum" in note for note in (*stopped.notes, *whole.notes))


def test_rounds_under_a_model_end_when_they_win_little():
    random = np.random.default_rng(0)
    rows = random.integers(0, 40, (9_000, 3))
    bins = bins_of_rows(
        ("a", "b", "c"),
        [(*map(str, row), str(sum(row) % 7)) for row in rows.tolist()],
        sensitive=("value",),
    )
    bounds = {
        name: Hierarchy.from_rows([(v, f"{int(v) // 5}x", "*") for v in bins.labels[f]])
        for f, name in enumerate(bins.fields)
    }
    model = DistinctLDiversity(l=2, fields=bins.fields, sensitive="value")
    solution = Local(k=3, models=(model,)).solve(bins, bounds)
    assert " 80 rounds" not in solution.steps[-1].what
    assert solution.recoding.apply(bins, bounds).smallest >= 3
