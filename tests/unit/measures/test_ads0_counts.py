"""How many people lie under a released tuple, against asking of every pair; and memory in parts."""

from __future__ import annotations

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.bins import Bins, population_counts
from sfumato.hierarchies import Hierarchy
from sfumato.measures.ads0_counts import people_under
from sfumato.policy import NullRule

FIELDS = ("age", "town")
AGES = ("21", "25", "34", "38", "61")
TOWNS = ("a", "b", "c, d", None)
AGE = Hierarchy.from_rows([(age, f"{age[0]}0s", "*") for age in AGES])
READ = {
    "age": {
        "21..34": {"21", "25", "34"},
        "{25, 61}": {"25", "61"},
        "30s": {"34", "38"},
        "38": {"38"},
        "*": set(AGES),
    },
    "town": {
        "{a, b}": {"a", "b"},
        '{"c, d", null}': {"c, d", None},
        "b": {"b"},
        "*": set(TOWNS),
        "zzz": set(),
    },
}


def labels(name: str):
    return st.sampled_from(list(READ[name]))


people = st.dictionaries(
    st.tuples(st.sampled_from(AGES), st.sampled_from(TOWNS)), st.integers(1, 5), max_size=12
)
released = st.dictionaries(
    st.tuples(labels("age"), labels("town")), st.integers(1, 3), min_size=1, max_size=12
)


@settings(max_examples=example_count(150), deadline=None)
@given(released, people, st.sampled_from([2**25, 1, 12]))
def test_it_is_who_lies_under_all_labels(rows, population, cells):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.measures.ads0_counts._CELLS", cells)
        found = people_under(
            Bins.of(FIELDS, rows), Bins.of(FIELDS, population), FIELDS, {"age": AGE}
        )
    expected = [
        sum(
            n
            for (age, town), n in population.items()
            if age in READ["age"][a] and town in READ["town"][t]
        )
        for a, t in rows
    ]
    assert found.tolist() == expected


def test_over_fewer_fields_each_bin_still_has_its_number():
    release = Bins.of(FIELDS, {("21..34", "b"): 1, ("21..34", "a"): 1, ("38", "a"): 2})
    population = Bins.of(("age",), {("21",): 3, ("38",): 4})
    assert people_under(release, population, ("age",), {"age": AGE}).tolist() == [3, 3, 4]


def test_labels_of_hierarchies_alone_are_counted_as_everywhere_else():
    release = Bins.of(FIELDS, {("30s", "b"): 1, ("*", "a"): 1})
    population = Bins.of(FIELDS, {("34", "b"): 3, ("38", "b"): 1, ("21", "a"): 2})
    mine = people_under(release, population, FIELDS, {"age": AGE})
    assert (
        mine.tolist()
        == population_counts(release, population, FIELDS, {"age": AGE}).tolist()
        == [4, 2]
    )


def test_a_null_matches_anything_where_the_rule_says_so():
    release = Bins.of(FIELDS, {(None, "a"): 1, ("21", "b"): 1})
    population = Bins.of(FIELDS, {("34", "a"): 3, (None, "b"): 2, ("61", "b"): 7})
    assert people_under(release, population, FIELDS, {}).tolist() == [0, 0]
    wild = people_under(release, population, FIELDS, {}, nulls=NullRule.MATCHES_ANYTHING)
    assert wild.tolist() == [3, 2]


def test_nobody_and_nothing():
    none = Bins.of(FIELDS, {})
    assert people_under(none, none, FIELDS, {}).tolist() == []
    assert people_under(Bins.of(FIELDS, {("21..34", "*"): 1}), none, FIELDS, {}).tolist() == [0]


def test_a_local_recoding_of_thousands_of_bins_is_counted_by_its_narrowest_field():
    """Ten thousand people in ranges of ages and sets of towns; the sum over a partition is
    everyone."""
    generator = np.random.default_rng(3)
    ages, towns = [str(age) for age in range(100)], [f"t{number:03d}" for number in range(400)]
    codes = np.stack(
        [generator.integers(0, 100, 10_000), generator.integers(0, 400, 10_000)], axis=1
    ).astype(np.int32)
    tuples = [(ages[a], towns[t]) for a, t in np.unique(codes, axis=0).tolist()]
    population = Bins.of(FIELDS, dict.fromkeys(tuples, 1))
    labels = {
        (f"{low}..{low + 4}", "{" + ", ".join(towns[t : t + 4]) + "}"): 1
        for low in range(0, 100, 5)
        for t in range(0, 400, 4)
    }
    assert people_under(Bins.of(FIELDS, labels), population, FIELDS, {}).sum() == len(tuples)
