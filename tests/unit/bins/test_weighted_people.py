"""People who stand for several each, and registers, where a person may have several rows; counted
by hand."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.bins import Bins, CountedPeople, WeightedPeople, population_counts
from sfumato.engines import open_source
from sfumato.errors import SourceError
from sfumato.hierarchies import Hierarchy
from sfumato.protection import DeltaPresence, KMap

ZIPS = Hierarchy.from_rows([("021", "02", "*"), ("022", "02", "*"), ("941", "94", "*")])
rows_of_people = st.lists(
    st.tuples(st.sampled_from(["021", "022", "941"]), st.sampled_from("abcde"), st.integers(0, 9)),
    min_size=1,
)


def weighed(rows: list[tuple[str, str, int]]) -> WeightedPeople:
    tuples = dict.fromkeys(((zip_, person, str(weight)) for zip_, person, weight in rows), 1)
    return WeightedPeople.weighed(Bins.of(("zip", "person", "weight"), tuples))


@given(rows=rows_of_people)
def test_each_person_counts_once_with_their_least_weight(rows: list[tuple[str, str, int]]) -> None:
    least: dict[str, int] = {}
    inside: dict[str, set[str]] = defaultdict(set)
    for zip_, person, weight in rows:
        least[person] = min(weight, least.get(person, weight))
        inside[zip_].add(person)
    people = weighed(rows)
    assert people.sizes() == {
        (zip_,): sum(least[one] for one in who) for zip_, who in inside.items()
    }
    assert people.people == sum(least.values())
    release = Bins.of(("zip",), {("02",): 1, ("*",): 1})
    under = inside["021"] | inside["022"]
    expected = [sum(least[one] for one in under), sum(least.values())]
    assert population_counts(release, people, ("zip",), {"zip": ZIPS}).tolist() == expected


def test_a_row_without_a_weight_is_refused_and_its_value_not_told() -> None:
    rows = [
        {"zip": "021", "who": "ann", "weight": "much"},
        {"zip": "021", "who": "bob", "weight": "2"},
    ]
    with open_source(rows, engine="reference") as engine, pytest.raises(SourceError) as caught:
        WeightedPeople.counted_by_weight(engine, ("zip",), person="who", weight="weight")
    assert "1 row holds no such number" in str(caught.value)
    assert "much" not in str(caught.value)


REGISTER = [("021", "ann"), ("021", "ann"), ("022", "ann"), ("022", "bob"), ("941", "cyd")]
RELEASE = [("02", "ann"), ("02", "ann"), ("02", "bob"), ("94", "cyd")]


def test_a_register_counts_each_of_its_people_once() -> None:
    register = CountedPeople.of_rows(("zip",), REGISTER)
    model = KMap(k=2, fields=("zip",), population=register, hierarchies={"zip": ZIPS})
    found = CountedPeople.of_rows(("zip",), RELEASE)
    assert model.sizes(found).tolist() == [2, 1]
    assert model.judge(found).requirement == "k = 2 in a population of 3"


def test_presence_is_a_share_of_people() -> None:
    plain = Bins.of(("zip",), {("021",): 2, ("022",): 2, ("941",): 4})
    model = DeltaPresence(
        min=0, max=0.5, fields=("zip",), population=plain, hierarchies={"zip": ZIPS}
    )
    found = CountedPeople.of_rows(("zip",), RELEASE)
    np.testing.assert_allclose(model.presence(found), [0.5, 0.25])
    assert model.judge(found).outcome == "pass"


def test_who_is_surely_absent_is_not_known_of_a_register_with_several_rows() -> None:
    """Then nobody is said to be covered, and a least share fails."""
    register = CountedPeople.of_rows(("zip",), REGISTER)
    model = DeltaPresence(
        min=0.1, max=1, fields=("zip",), population=register, hierarchies={"zip": ZIPS}
    )
    assert model.judge(CountedPeople.of_rows(("zip",), RELEASE)).outcome == "fail"
