"""The solver that counts people, on tables written out; the search against brute force is in
tests/properties."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from sfumato.bins import CountedPeople, PeopleBins
from sfumato.errors import HierarchyError, Mistake, NoRecodingFound
from sfumato.hierarchies import Hierarchy
from sfumato.protection import KAnonymity
from sfumato.releases.lookups import recoding_lookups
from sfumato.solvers import Optimal
from sfumato.solvers.people import CountingPeople, TableBins, people_rollup

ZIPS = Hierarchy.from_rows([(z, z[:4] + "*", "*") for z in ("02138", "02139", "02141", "02142")])
MONTHS = Hierarchy.from_rows(
    [("Jan", "winter", "*"), ("Feb", "winter", "*"), ("Jun", "summer", "*")]
)


def table(whose, *, name="visits", fields=("zip",), hierarchies=None, k=2, **rest):
    bins = PeopleBins.of(fields, whose, k=k)
    return TableBins(
        name=name, bins=bins, hierarchies=hierarchies or {"zip": bound(ZIPS, bins, 0)}, **rest
    )


def bound(hierarchy, bins, column):
    """The hierarchy with the values of the bins first, in their order."""
    ladders = {
        v: tuple(n[u[c]] for n, u in zip(hierarchy.labels, hierarchy.up, strict=True))
        for c, v in enumerate(hierarchy.labels[0])
    }
    first = {value: ladders[value] for value in bins.labels[column]}
    return Hierarchy.from_rows(
        [*first.values(), *(row for value, row in ladders.items() if value not in first)]
    )


VISITS = {
    ("02138",): ["ann"] * 3,
    ("02139",): ["bob", "cyd", "cyd", "cyd"],
    ("02141",): ["bob", "dee", "dee", "dee"],
}


def test_counting_rows_would_pass_and_counting_people_does_not():
    """Ann's three visits fill a bin of three rows alone."""
    visits = table(VISITS)
    by_rows = Optimal(models=(KAnonymity(k=2, fields=("zip",)),)).solve(
        visits.bins.by_rows(), visits.hierarchies
    )
    found = CountingPeople(k=2).solve([visits])
    assert by_rows.recoding.levels == {"zip": 0}
    assert found.levels == {"zip": 1}
    assert not found.suppressed["visits"].any()


def test_the_recount_of_what_stays_has_k_people():
    visits = table(VISITS)
    found = CountingPeople(k=2, max_suppression=0.4).solve([visits])
    assert found.levels == {"zip": 0}
    assert found.suppressed["visits"].tolist() == [True, False, False]
    assert [(step.bins, step.rows_failing) for step in found.steps] == [(3, 3)]
    assert visits.bins.people[~found.suppressed["visits"]].min() >= 2


def test_its_recoding_is_one_that_a_release_applies():
    visits = table(VISITS)
    found = CountingPeople(k=2, max_suppression=0.4).solve([visits]).recodings["visits"]
    lookups, dropped = recoding_lookups(visits.bins.by_rows(), visits.hierarchies, found)
    assert lookups == ()
    assert [batch["key:zip"].tolist() for batch in dropped.batches()] == [["02138"]]


def two_tables(people, visits, *, k=2, **rest):
    above = table(people, name="people", k=k, names={"zip": "people.zip"})
    bins = PeopleBins.of(("people.zip", "month"), visits, k=k)
    hierarchies = {"people.zip": bound(ZIPS, bins, 0), "month": bound(MONTHS, bins, 1)}
    return [TableBins(name="visits", bins=bins, hierarchies=hierarchies, above="people"), above]


def test_one_level_for_all_tables_that_have_a_field():
    """The people's table could keep its postcodes; the visits could not."""
    people = {("02138",): ["ann", "bob"], ("02139",): ["cyd", "dee"]}
    visits = {("02139", "Jun"): ["cyd", "cyd"], ("02138", "Jun"): ["ann", "bob"]}
    found = CountingPeople(k=2, weights={"month": 100}).solve(two_tables(people, visits))
    assert CountingPeople(k=2).solve([table(people)]).levels == {"zip": 0}
    assert found.levels == {"people.zip": 1, "month": 0}
    assert found.recodings["people"].levels == {"zip": 1}
    assert found.recodings["visits"].levels == {"people.zip": 1, "month": 0}
    assert [step.what for step in found.steps] == [
        "table people: zip 1",
        "table visits: people.zip 1, month 0",
    ]


def test_weights_say_which_field_climbs():
    people = {("02138",): ["ann", "bob"], ("02139",): ["cyd", "dee"]}
    visits = {
        ("02139", "Jun"): ["cyd"],
        ("02139", "Jan"): ["dee"],
        ("02138", "Jun"): ["ann"],
        ("02138", "Jan"): ["bob"],
    }
    tables = two_tables(people, visits)
    assert CountingPeople(k=2, objective="precision").solve(tables).levels == {
        "people.zip": 1,
        "month": 0,
    }
    assert (
        CountingPeople(k=2, objective="precision", max_suppression=0.5)
        .solve(tables)
        .levels["people.zip"]
        == 1
    )
    alone = CountingPeople(k=2, objective="precision", weights={"zip": 9.0, "month": 0.1})
    both = TableBins(
        name="",
        bins=PeopleBins.of(("zip", "month"), visits, k=2),
        hierarchies={
            "zip": tables[0].hierarchies["people.zip"],
            "month": tables[0].hierarchies["month"],
        },
    )
    assert alone.solve([both]).levels == {"zip": 0, "month": 2}


def test_rows_go_with_the_rows_that_they_hang_on():
    """Two people have visits from 02138, and one of them is not among the people: the bin above is
    left out, so are the visits under it, though they have two people."""
    people = {("02138",): ["ann"], ("02141",): ["bob", "cyd", "dee"]}
    visits = {
        ("02138", "Jun"): ["ann", "eve"],
        ("02141", "Jun"): ["bob", "cyd"],
        ("02141", "Jan"): ["bob", "dee"],
    }
    tables = two_tables(people, visits)
    found = CountingPeople(k=2, max_suppression=0.4).solve(tables)
    assert found.levels == {"people.zip": 0, "month": 0}
    assert found.suppressed["people"].tolist() == [True, False]
    assert found.suppressed["visits"].tolist() == [True, False, False]
    assert CountingPeople(k=2, max_suppression=0.3).solve(tables).levels["people.zip"] == 2


def test_a_table_of_which_nothing_is_known_is_asked_for_nothing():
    alone = TableBins(name="notes", bins=PeopleBins.of((), {(): ["ann"]}, k=2), hierarchies={})
    found = CountingPeople(k=2).solve([alone, table(VISITS)])
    assert (found.levels, found.suppressed["notes"].tolist()) == ({"zip": 1}, [False])


def test_a_table_without_fields_of_its_own():
    people = table({("02138",): ["ann", "bob"], ("02139",): ["cyd", "dee"]}, name="people")
    below = table(
        {("02138",): ["ann"], ("02139",): ["cyd", "dee", "dee"]}, name="stays", above="people"
    )
    found = CountingPeople(k=2, max_suppression=0.5).solve([people, below])
    assert (found.levels, found.loss) == ({"zip": 0}, pytest.approx(0.125))
    assert found.suppressed["stays"].tolist() == [True, False]
    assert CountingPeople(k=2).solve([people, below]).levels == {"zip": 1}


MANY_ROWS_OF_FEW = {
    ("02138",): ["ann"] * 2,
    ("02139",): ["ann", "bob", "cyd", "cyd", "cyd"],
    ("02141",): ["bob", "cyd", "dee", "dee", "dee"],
}
FEW_ROWS_OF_MANY = {
    ("02138",): ["ann"] * 20 + ["bob"] * 20,
    ("02139",): ["cyd"],
    ("02141",): ["dee"],
}


@pytest.mark.parametrize(
    ("whose", "limit", "by_rows", "by_people"),
    [(MANY_ROWS_OF_FEW, 0.1, 1, 0), (FEW_ROWS_OF_MANY, 0.3, 0, 1)],
)
def test_where_everybody_is_known_the_limit_binds_people(whose, limit, by_rows, by_people):
    """Of the first, a sixth of the rows go and nobody loses all; of the second, few rows are those
    of half of the people."""
    rows = [(*zip_code, person) for zip_code, people in whose.items() for person in people]
    everybody = CountedPeople.of_rows(("zip",), rows)
    solver = CountingPeople(k=2, max_suppression=limit)
    assert solver.solve([table(whose)]).levels == {"zip": by_rows}
    found = solver.solve([table(whose, counted=everybody)])
    assert found.levels == {"zip": by_people}
    assert "proven optimal" in found.notes[0]


def test_with_no_limit_no_row_goes_also_of_people_who_keep_others():
    rows = [(*code, person) for code, people in MANY_ROWS_OF_FEW.items() for person in people]
    known = table(MANY_ROWS_OF_FEW, counted=CountedPeople.of_rows(("zip",), rows))
    assert not CountingPeople(k=2).solve([known]).suppressed["visits"].any()


def test_no_recoding_is_said_in_numbers_without_values():
    coarse = {
        "zip": Hierarchy.from_rows([("02138", "0213*"), ("02139", "0213*"), ("02141", "0214*")])
    }
    whose = {("02138",): ["ann", "bob"], ("02139",): ["cyd"], ("02141",): ["eve", "eve"]}
    with pytest.raises(NoRecodingFound) as caught:
        CountingPeople(k=2, max_suppression=0.1).solve([table(whose, hierarchies=coarse)])
    assert str(caught.value) == (
        "No recoding of (zip) gives each bin 2 people with at most 10.0% of a table's rows "
        "left out.\n"
        "  At the coarsest levels, 1 of 2 bins of table visits have fewer than 2 people: 2 "
        "of 5 rows (40.0%), those of "
        "1 person.\n"
        "  Try max_suppression = 0.4, a coarser top level for zip, a smaller k, or a "
        "profile in which fewer fields are "
        "known."
    )


def test_stopped_at_once_it_has_the_coarsest_and_says_so():
    found = CountingPeople(k=2, seconds=0).solve([table(VISITS)])
    assert found.levels == {"zip": 2}
    assert found.nodes == 1
    assert "judged 1 of 3 nodes" in found.notes[0]
    assert "above the optimum (bound 0.00000); stopped by seconds" in found.notes[0]
    assert found.bound < found.loss
    assert "proven optimal" in CountingPeople(k=2).solve([table(VISITS)]).notes[0]


def test_everything_that_does_not_fit_is_said_at_once():
    few = table(VISITS, name="few", k=2)
    lost = table(VISITS, name="lost", k=5, above="nowhere")
    narrow = table(
        {("Jan",): ["ann"]},
        name="narrow",
        fields=("month",),
        hierarchies={"month": MONTHS},
        k=5,
        above="few",
    )
    with pytest.raises(Mistake) as caught:
        CountingPeople(k=5).solve([few, lost, narrow])
    for said in ("knows up to 2 people", "links to table nowhere", "lacks zip of table few"):
        assert said in str(caught.value)


def test_tables_that_hang_on_each_other():
    with pytest.raises(Mistake, match="link to each other in a circle"):
        CountingPeople(k=2).solve(
            [table(VISITS, name="a", above="b"), table(VISITS, name="b", above="a")]
        )


def test_no_table_and_no_such_objective():
    with pytest.raises(Mistake, match="There is none"):
        CountingPeople(k=2).solve([])
    with pytest.raises(Mistake, match="does not price cells"):
        CountingPeople(k=2, objective="discernibility").solve([table(VISITS)])


def test_a_field_has_one_hierarchy_in_all_tables():
    """As quantiles of each table would not be."""
    other = {
        "zip": Hierarchy.from_rows(
            [("02138", "021*", "*"), ("02139", "0213*", "*"), ("02141", "0213*", "*")]
        )
    }
    with pytest.raises(HierarchyError, match="different labels") as caught:
        CountingPeople(k=2).solve(
            [table(VISITS, name="a"), table(VISITS, name="b", hierarchies=other)]
        )
    assert "021" not in str(caught.value)


def test_the_order_of_a_tables_values_does_not_matter():
    """Each table has the codes of its own values; the search has one hierarchy for all."""
    turned = dict(reversed(VISITS.items()))
    found = CountingPeople(k=2, max_suppression=0.4).solve(
        [table(VISITS, name="a"), table(turned, name="b")]
    )
    assert (
        found.suppressed["a"].tolist()
        == found.suppressed["b"][::-1].tolist()
        == [True, False, False]
    )


def test_more_people_may_be_known_than_are_asked_for():
    assert CountingPeople(k=2).solve([table(VISITS, k=7)]).levels == {"zip": 1}
    assert np.array_equal(
        CountingPeople(k=2, max_suppression=0.4).solve([table(VISITS, k=7)]).suppressed["visits"],
        [True, False, False],
    )


def test_nodes_rolled_up_from_others_are_as_if_counted_afresh(monkeypatch):
    """In any order, from whatever is kept, through nodes on the way."""
    monkeypatch.setattr(people_rollup, "LARGE", 0)
    monkeypatch.setattr(people_rollup, "SMALLER", 1)
    draw = random.Random(4)
    ladder = Hierarchy.from_rows(
        [("a", "ab", "a-d", "*"), ("b", "ab", "a-d", "*"), ("c", "cd", "a-d", "*")]
    )
    fields = ("x", "y", "z")
    cells = itertools.product("abc", repeat=3)
    whose = {cell: [str(draw.randrange(20)) for _ in range(draw.randrange(1, 5))] for cell in cells}
    bins = PeopleBins.of(fields, whose, k=6)
    nodes = list(itertools.product(range(4), repeat=3))
    for _ in range(20):
        draw.shuffle(nodes)
        rolls = people_rollup.PeopleRollUp(bins, (ladder,) * 3)
        for node in nodes[:10]:
            found = rolls.at(node)
            fresh = bins.recode(dict.fromkeys(fields, ladder), dict(zip(fields, node, strict=True)))
            assert list(found.by_rows().tuples()) == list(fresh.by_rows().tuples())
            assert (found.rows.tolist(), found.people.tolist()) == (
                fresh.rows.tolist(),
                fresh.people.tolist(),
            )
