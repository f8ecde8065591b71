"""k-Similar: every cluster holds k rows, every row is released, and small tables get the
optimum."""

from __future__ import annotations

import doctest
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.bins import Bins
from sfumato.engines.engine import Histogram
from sfumato.errors import Mistake, NoRecodingFound
from sfumato.hierarchies import Hierarchy, Label
from sfumato.protection import BinSizes, KAnonymity
from sfumato.solvers import k_similar, k_similar_large
from sfumato.solvers.k_similar import KSimilar
from sfumato.solvers.k_similar_improve import improve
from sfumato.solvers.k_similar_ladders import Ladders, lowest_levels
from sfumato.solvers.k_similar_large import cluster_large

PAGE = Path(__file__).parents[3] / "docs" / "solvers" / "k-similar.md"
Row = tuple[Label, Label]
TOWNS = {"Zürich": "CH", "Genève": "CH", "東京": "JP", None: None, "Lyon": "FR"}
TOWN = [(town, country, "*") for town, country in TOWNS.items()]
SEX = [("f", "*"), ("m", "*"), (None, "*")]
tuples = st.tuples(st.sampled_from(list(TOWNS)), st.sampled_from(["f", "m", None]))


def bins_of(rows: list[Row]) -> Bins:
    return Bins.of(("town", "sex"), Counter(rows))


def bound(bins: Bins) -> dict[str, Hierarchy]:
    """The hierarchies with the values that occur first, as engines bind them."""
    out = {}
    for column, (name, ladders) in enumerate({"town": TOWN, "sex": SEX}.items()):
        seen = bins.labels[column]
        rows = [next(row for row in ladders if row[0] == value) for value in seen]
        out[name] = Hierarchy.from_rows(rows + [row for row in ladders if row[0] not in seen])
    return out


def partitions(rows: list[int], k: int) -> Iterator[list[list[int]]]:
    """Every way to put rows into clusters of at least k."""
    if not rows:
        yield []
        return
    first, rest = rows[0], rows[1:]
    for mask in range(2 ** len(rest)):
        block = [first, *(row for bit, row in enumerate(rest) if mask >> bit & 1)]
        left = [row for bit, row in enumerate(rest) if not mask >> bit & 1]
        if len(block) >= k and (not left or len(left) >= k):
            for others in partitions(left, k):
                yield [block, *others]


def least_cost(rows: list[Row], hierarchies: dict[str, Hierarchy], k: int) -> float:
    """The least loss of precision, by looking at every partition."""

    def cost(block: list[int]) -> float:
        total = 0.0
        for column, hierarchy in enumerate(hierarchies.values()):
            codes = [hierarchy.labels[0].index(rows[row][column]) for row in block]
            level = next(
                n
                for n, up in enumerate(hierarchy.up)
                if len({int(up[code]) for code in codes}) == 1
            )
            total += (
                sum(int(lowest_levels(hierarchy)[level, code]) for code in codes) / hierarchy.height
            )
        return total

    return min(sum(map(cost, blocks)) for blocks in partitions(list(range(len(rows))), k))


def lost(bins: Bins, hierarchies: dict[str, Hierarchy], recoding) -> float:
    levels, rows = recoding.cell_levels(bins)
    return float(
        sum((levels[:, f] / hierarchies[name].height) @ rows for f, name in enumerate(bins.fields))
    )


def assert_keeps_its_promise(
    bins: Bins, hierarchies: dict[str, Hierarchy], recoding, k: int
) -> None:
    released = recoding.apply(bins, hierarchies)
    assert released.smallest >= k
    placed = np.bincount(recoding.bin_of, weights=recoding.rows, minlength=len(bins))
    assert placed.tolist() == bins.counts.tolist()
    assert not recoding.suppressed.any()
    labels, codes = recoding.cells(bins, hierarchies)
    for b, row in zip(recoding.bin_of.tolist(), codes.tolist(), strict=True):
        for f, name in enumerate(bins.fields):
            hierarchy, code = hierarchies[name], bins.codes[b, f]
            ladder = [
                hierarchy.labels[level][hierarchy.up[level][code]]
                for level in range(hierarchy.height + 1)
            ]
            assert labels[f][row[f]] in ladder


def test_bins_of_k_rows_stay_as_they_are_and_small_ones_meet():
    bins = bins_of([("Zürich", "f")] * 2 + [("Lyon", "f"), ("Lyon", "m")])
    released = KSimilar(k=2).solve(bins, bound(bins)).recoding.apply(bins, bound(bins))
    assert released.sizes() == {("Zürich", "f"): 2, ("Lyon", "*"): 2}


def test_a_large_bin_lends_rows_to_a_small_one():
    bins = bins_of([("Zürich", "f")] * 4 + [("Genève", "f")])
    recoding = KSimilar(k=2).solve(bins, bound(bins)).recoding
    assert recoding.apply(bins, bound(bins)).sizes() == {("Zürich", "f"): 3, ("CH", "f"): 2}
    assert recoding.bin_of.tolist() == [0, 0, 1]


@given(st.lists(tuples, min_size=1, max_size=6), st.integers(1, 3))
@settings(max_examples=example_count(60), deadline=None)
def test_a_small_table_gets_the_optimum_of_all_partitions(rows: list[Row], k: int):
    bins = bins_of(rows)
    if k > len(rows):
        with pytest.raises(NoRecodingFound):
            KSimilar(k=k).solve(bins, bound(bins))
        return
    solution = KSimilar(k=k).solve(bins, bound(bins))
    assert_keeps_its_promise(bins, bound(bins), solution.recoding, k)
    assert lost(bins, bound(bins), solution.recoding) == pytest.approx(
        least_cost(rows, bound(bins), k)
    )


@given(
    st.lists(tuples, min_size=4, max_size=40),
    st.integers(1, 4),
    st.sampled_from(["precision", "loss"]),
)
@settings(max_examples=example_count(60), deadline=None)
def test_the_search_for_large_tables_keeps_the_same_promise(
    rows: list[Row], k: int, objective: str
):
    bins = bins_of(rows)
    ladders = Ladders.of(bins, bound(bins), weights={}, objective=objective)
    cluster = cluster_large(ladders, bins.counts, k)
    for whole in (True, False):
        portions = improve(ladders, bins.counts, k, cluster=cluster, tries=50, whole=whole)
        assert_keeps_its_promise(
            bins, bound(bins), portions.recoding(bins, bound(bins), ladders), k
        )
        assert not whole or len(portions.bin_of) == len(bins)


@given(st.lists(tuples, min_size=4, max_size=40), st.integers(2, 4))
@settings(max_examples=example_count(30), deadline=None)
def test_growing_in_blocks_keeps_the_same_promise(rows: list[Row], k: int):
    bins = bins_of(rows)
    ladders = Ladders.of(bins, bound(bins), weights={}, objective="precision")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(k_similar_large, "MOST_NODES", 1)
        patch.setattr(k_similar_large, "BLOCK", 4)
        cluster = cluster_large(ladders, bins.counts, k)
    sizes = np.bincount(cluster, weights=bins.counts)
    assert cluster.min() >= 0
    assert sizes[sizes > 0].min() >= k


def random_rows(count: int) -> list[Row]:
    random = np.random.default_rng(7)
    towns, sexes = list(TOWNS), ["f", "m", None]
    return [(towns[random.integers(5)], sexes[random.integers(3)]) for _ in range(count)]


def test_the_search_is_near_the_optimum_and_never_below_it(monkeypatch: pytest.MonkeyPatch):
    bins = bins_of(random_rows(24))
    exact = lost(bins, bound(bins), KSimilar(k=4).solve(bins, bound(bins)).recoding)
    monkeypatch.setattr(k_similar, "MORE_ROWS", (0, 0, 0))
    solution = KSimilar(k=4).solve(bins, bound(bins))
    assert "not proven" in solution.notes[1]
    assert exact - 1e-9 <= lost(bins, bound(bins), solution.recoding) <= 1.2 * exact + 1e-9


def test_two_runs_give_one_answer(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(k_similar, "MORE_ROWS", (0, 0, 0))
    bins = bins_of(random_rows(60))
    first, second = (KSimilar(k=7).solve(bins, bound(bins)).recoding for _ in range(2))
    assert first.levels.tolist() == second.levels.tolist()
    assert first.rows.tolist() == second.rows.tolist()


@pytest.mark.parametrize(
    "rows", [[("東京", None)], [("Lyon", "f")] * 5, []], ids=["one row", "all equal", "no row"]
)
def test_nothing_is_raised_where_nothing_needs_to_be(rows: list[Row]):
    bins = bins_of(rows)
    solution = KSimilar(k=max(len(rows), 1)).solve(bins, bound(bins))
    assert solution.recoding.apply(bins, bound(bins)).sizes() == bins.sizes()


def test_fewer_rows_than_k_says_so_without_a_value():
    bins = bins_of([("Zürich", "f"), ("Lyon", "m")])
    with pytest.raises(NoRecodingFound, match=r"meets k = 3") as caught:
        KSimilar(k=3).solve(bins, bound(bins))
    assert caught.value.found == "The table has only 2 rows, and k-Similar leaves none out."
    assert "Lyon" not in str(caught.value)


def test_hierarchies_that_do_not_end_in_one_value_keep_their_parts_apart():
    bins = Bins.of(("town",), {("a1",): 1, ("a2",): 1, ("b1",): 2, ("b2",): 1})
    towns = Hierarchy.from_rows([("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b")])
    released = KSimilar(k=2).solve(bins, {"town": towns}).recoding.apply(bins, {"town": towns})
    assert released.sizes() == {("a",): 2, ("b",): 3}
    with pytest.raises(NoRecodingFound, match="2 of 5 rows are in 1 bin"):
        KSimilar(k=3).solve(bins, {"town": towns})


def test_weights_say_which_field_gives_way():
    bins = bins_of([("Zürich", "f"), ("Zürich", "m"), ("Lyon", "f"), ("Lyon", "m")])

    def sizes(**weights: float) -> dict[tuple[Label, ...], int]:
        return (
            KSimilar(k=2, weights=weights)
            .solve(bins, bound(bins))
            .recoding.apply(bins, bound(bins))
            .sizes()
        )

    assert sizes(town=3.0) == {("Zürich", "*"): 2, ("Lyon", "*"): 2}
    assert sizes(sex=3.0) == {("*", "f"): 2, ("*", "m"): 2}


def test_the_recipients_tolerance_decides_between_equals():
    bins = bins_of([("Zürich", "f"), ("Zürich", "m"), ("Lyon", "f"), ("Lyon", "m")])

    def sizes(**distortion: float) -> dict[tuple[Label, ...], int]:
        solver = KSimilar(k=2, distortion=distortion)
        return solver.solve(bins, bound(bins)).recoding.apply(bins, bound(bins)).sizes()

    assert sizes(sex=0.9, town=0.1) == {("Zürich", "*"): 2, ("Lyon", "*"): 2}
    assert sizes(sex=0.1, town=0.9) == {("*", "f"): 2, ("*", "m"): 2}


def test_a_null_that_its_hierarchy_does_not_name_costs_nothing_below_the_top():
    towns = Hierarchy.from_rows(TOWN)
    assert lowest_levels(towns)[:, 3].tolist() == [0, 0, 2]
    assert lowest_levels(towns)[:, 0].tolist() == [0, 1, 2]


def test_clusters_that_break_another_model_are_merged():
    bins = bins_of([("Zürich", "f")] * 2 + [("Genève", "f")] * 2 + [("Lyon", "m")] * 4)
    solver = KSimilar(
        k=2, models=(BinSizes(sizes={"town": 4}), KAnonymity(k=2, fields=("town", "sex")))
    )
    released = solver.solve(bins, bound(bins)).recoding.apply(bins, bound(bins))
    assert released.sizes() == {("CH", "f"): 4, ("Lyon", "m"): 4}


class TwoDiseases:
    """Each bin holds two different diseases; looks at the histogram, as rules about sensitive
    values do."""

    name = "two diseases"
    monotone_generalisation = True
    monotone_suppression = True

    def failing(self, bins: Bins) -> np.ndarray:
        found = bins.histograms["disease"]
        return np.bincount(found.bin_of[found.counts > 0], minlength=len(bins)) < 2

    def judge(self, bins: Bins):
        raise NotImplementedError


def with_diseases(rows: list[Row], diseases: list[int]) -> Bins:
    bins = bins_of(rows)
    histogram = Histogram(
        values=("flu", "gout"),
        bin_of=np.arange(len(bins)),
        value_of=np.array(diseases, np.int32),
        counts=bins.counts,
    )
    return Bins(bins.fields, bins.labels, bins.codes, bins.counts, {"disease": histogram})


def test_a_model_about_sensitive_values_sees_them_in_the_clusters():
    bins = with_diseases(
        [("Zürich", "f")] * 2 + [("Lyon", "f")] * 3 + [("Genève", "f")] * 2, [0, 0, 1]
    )
    released = (
        KSimilar(k=2, models=(TwoDiseases(),))
        .solve(bins, bound(bins))
        .recoding.apply(bins, bound(bins))
    )
    assert released.smallest >= 4


def test_a_model_that_no_merging_can_meet_is_told():
    bins = with_diseases([("Zürich", "f")] * 2 + [("Lyon", "f")] * 3, [0, 0])
    with pytest.raises(NoRecodingFound, match="two diseases") as caught:
        KSimilar(k=2, models=(TwoDiseases(),)).solve(bins, bound(bins))
    assert "5 of 5 rows" in caught.value.found


def test_an_unknown_objective_is_a_mistake():
    bins = bins_of([("Zürich", "f")])
    with pytest.raises(Mistake, match="no objective"):
        KSimilar(k=1, objective="entropy").solve(bins, bound(bins))


def test_the_example_on_the_page_runs():
    assert doctest.testfile(str(PAGE), module_relative=False).failed == 0


def test_the_numbers_on_the_page_are_those_of_the_code():
    text = PAGE.read_text(encoding="utf-8")
    closures, pairs, _ = k_similar.MORE_ROWS
    assert f"at most {closures} closures and {pairs:,} pairs" in text
    closures, pairs, _ = k_similar.FEW_ROWS
    assert f"over {closures:,}, or {pairs:,} pairs" in text
    assert f"`exact_rows` ({KSimilar(k=2).exact_rows})" in text


def test_a_program_that_was_stopped_proves_nothing(monkeypatch):
    rows = [("Zürich", "f"), ("Genève", "f"), ("Lyon", "m"), ("東京", "m"), ("Lyon", "f")]
    bins = bins_of(rows)
    assert "It is proven" in KSimilar(k=2).solve(bins, bound(bins)).notes[1]
    monkeypatch.setattr("sfumato.solvers.k_similar_exact._solved", lambda program, cost: None)
    stopped = KSimilar(k=2).solve(bins, bound(bins))
    assert "It is not proven" in stopped.notes[1]
    assert stopped.recoding.apply(bins, bound(bins)).smallest >= 2
