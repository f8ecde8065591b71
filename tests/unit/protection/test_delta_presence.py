"""Delta-presence: the share of those whom a tuple covers that is in the release."""

import pytest

from sfumato.bins import Bins
from sfumato.hierarchies import Hierarchy
from sfumato.protection import DeltaPresence

ZIP = ("zip",)
ZIPS = {
    "zip": Hierarchy.from_rows(
        [("02138", "0213*", "*"), ("02139", "0213*", "*"), ("02141", "0214*", "*")]
    ),
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
    assert (presence(0, 1).monotone_suppression, presence(0.1, 1).monotone_suppression) == (
        True,
        False,
    )


def test_a_tuple_that_covers_nobody_of_the_population_fails():
    release = Bins.of(ZIP, {("10001",): 1})
    assert presence(0, 1).failing(release).tolist() == [True]


def test_presence_over_some_of_the_fields():
    release = Bins.of(("sex", "zip"), {("f", "0213*"): 3, ("m", "0213*"): 1, ("m", "0214*"): 1})
    assert presence(0, 0.5).presence(release).tolist() == pytest.approx([2 / 3, 2 / 3, 0.25])
    assert presence(0.1, 1).uncovered(release) == 0
