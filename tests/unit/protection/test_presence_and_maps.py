"""Models that hold a release against people: delta-presence, null-map and wrong-map."""

import pytest

from sfumato.bins import Bins
from sfumato.policy.hierarchies import Hierarchy
from sfumato.protection import DeltaPresence, NullMap, WrongMap

ZIP = ("zip",)
ZIPS = {
    "zip": Hierarchy.from_rows([("02138", "0213*", "*"), ("02139", "0213*", "*"), ("02141", "0214*", "*")]),
}
PEOPLE = Bins.of(ZIP, {("02138",): 4, ("02139",): 2, ("02141",): 4})


def presence(least, most):
    return DeltaPresence(min=least, max=most, fields=ZIP, population=PEOPLE, hierarchies=ZIPS)


def test_presence_is_the_share_of_those_covered_who_are_in_the_release():
    release = Bins.of(ZIP, {("0213*",): 3, ("02141",): 3})
    assert presence(0, 0.5).presence(release).tolist() == [0.5, 0.75]
    assert presence(0, 0.5).failing(release).tolist() == [False, True]
    assert presence(0.6, 1).failing(release).tolist() == [True, False]
    assert presence(0.5, 0.75).judge(release).reason == (
        "all 2 bins over (zip) keep it; shares run from 0.5 to 0.75; 0 people are surely not in it"
    )


def test_people_whom_no_tuple_covers_are_surely_not_in_the_release():
    release = Bins.of(ZIP, {("0213*",): 3})
    assert presence(0, 0.5).failing(release).tolist() == [False]
    assert presence(0.1, 0.5).uncovered(release) == 4
    assert presence(0.1, 0.5).failing(release).tolist() == [True]
    assert (presence(0, 1).monotone_suppression, presence(0.1, 1).monotone_suppression) == (True, False)


def test_a_tuple_that_covers_nobody_of_the_population_fails():
    release = Bins.of(ZIP, {("10001",): 1})
    assert presence(0, 1).failing(release).tolist() == [True]


def test_presence_over_some_of_the_fields():
    release = Bins.of(("sex", "zip"), {("f", "0213*"): 3, ("m", "0213*"): 1, ("m", "0214*"): 1})
    assert presence(0, 0.5).presence(release).tolist() == pytest.approx([2 / 3, 2 / 3, 0.25])
    assert presence(0.1, 1).uncovered(release) == 0


# Paper 000, Figure 16's idea: values that were encrypted or moved about lead to nobody.
SUBJECTS = Bins.of(("birth", "zip"), {("1965", "02138"): 1, ("1964", "02139"): 1, ("1963", "02141"): 2})


def test_null_map_covers_no_subject():
    moved = Bins.of(("birth", "zip"), {("1965", "02139"): 1, ("1964", "02141"): 2})
    model = NullMap(fields=("birth", "zip"), subjects=SUBJECTS)
    assert model.judge(moved).outcome == "pass"
    assert model.failing(SUBJECTS).tolist() == [True, True, True]
    assert model.matches(SUBJECTS).tolist() == [1, 1, 2]


def test_generalising_breaks_a_null_map():
    moved = Bins.of(("birth", "zip"), {("1965", "02139"): 1})
    bounds = {"zip": ZIPS["zip"], "birth": Hierarchy.from_rows([("1963", "*"), ("1964", "*"), ("1965", "*")])}
    model = NullMap(fields=("birth", "zip"), subjects=SUBJECTS, hierarchies=bounds)
    assert not model.failing(moved).any()
    assert model.failing(Bins.of(("birth", "zip"), {("1965", "0213*"): 1})).all()


THREE = Bins.of(ZIP, {("02138",): 1, ("02139",): 1, ("02141",): 1})
NOBODY = Bins.of(ZIP, {})


def wrong(*, own=NOBODY, subjects=THREE):
    return WrongMap(fields=ZIP, subjects=subjects, own=own, hierarchies=ZIPS)


def test_wrong_map_leads_everyone_to_someone_else():
    assert wrong().judge(THREE).outcome == "pass"


def test_a_row_that_leads_home_breaks_a_wrong_map():
    model = wrong(own=Bins.of(ZIP, {("02139",): 1}))
    assert model.failing(THREE).tolist() == [False, True, False]
    assert model.judge(THREE).reason.endswith("1 rows lead to their own subject")


def test_a_tuple_that_leads_to_two_or_to_none_breaks_a_wrong_map():
    release = Bins.of(ZIP, {("0213*",): 1, ("02141",): 1, ("10001",): 1})
    assert wrong().failing(release).tolist() == [True, False, True]


def test_a_wrong_map_of_two_is_compromised():
    two = Bins.of(ZIP, {("02138",): 1, ("02139",): 1})
    assert wrong(subjects=two).failing(two).tolist() == [True, True]
