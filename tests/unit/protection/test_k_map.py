"""k-map: sizes are the population's, whatever the order or the level in which it was counted."""

from __future__ import annotations

from sfumato.bins import Bins
from sfumato.hierarchies import Hierarchy
from sfumato.protection import KMap

ZIPS = Hierarchy.from_rows(
    [("02138", "0213*", "*"), ("02139", "0213*", "*"), ("02141", "0214*", "*")]
)
PEOPLE = Bins.of(
    ("zip", "sex"), {("02141", "f"): 5, ("02139", "f"): 2, ("02138", "f"): 1, ("02138", "m"): 4}
)


def test_a_row_that_is_alone_in_the_release_passes() -> None:
    release = Bins.of(("zip", "sex"), {("0213*", "f"): 1, ("02141", "f"): 1})
    model = KMap(k=3, fields=("zip", "sex"), population=PEOPLE, hierarchies={"zip": ZIPS})
    assert model.sizes(release).tolist() == [3, 5]
    verdict = model.judge(release)
    assert (verdict.outcome, verdict.smallest, verdict.requirement) == (
        "pass",
        3,
        "k = 3 in a population of 12",
    )


def test_an_estimated_population_is_called_one() -> None:
    release = Bins.of(("zip",), {("02141",): 1})
    verdict = KMap(k=3, fields=("zip",), population=PEOPLE, estimated=True).judge(release)
    assert verdict.requirement == "k = 3 in a population of 12, estimated from survey weights"


def test_what_nobody_in_the_population_has_fails() -> None:
    release = Bins.of(("zip", "sex"), {("0214*", "m"): 9, ("*", "m"): 9})
    model = KMap(k=1, fields=("zip", "sex"), population=PEOPLE, hierarchies={"zip": ZIPS})
    verdict = model.judge(release)
    assert model.sizes(release).tolist() == [0, 4]
    assert (verdict.outcome, verdict.bins_below, verdict.rows_below) == ("fail", 1, 9)


def test_cells_of_one_field_at_several_levels() -> None:
    release = Bins.of(("zip",), {("02138",): 1, ("0213*",): 1, ("*",): 1})
    model = KMap(k=1, fields=("zip",), population=PEOPLE, hierarchies={"zip": ZIPS})
    assert model.sizes(release).tolist() == [5, 7, 12]


def test_null_is_a_value_of_the_population_too() -> None:
    people = Bins.of(("zip",), {(None,): 2, ("02138",): 1})
    release = Bins.of(("zip",), {(None,): 1, ("02138",): 1})
    assert KMap(k=2, fields=("zip",), population=people).failing(release).tolist() == [False, True]


def test_a_value_that_no_hierarchy_knows_helps_no_coarser_label() -> None:
    people = Bins.of(("zip",), {("94301",): 50, ("02138",): 1})
    release = Bins.of(("zip",), {("*",): 1})
    assert KMap(k=2, fields=("zip",), population=people, hierarchies={"zip": ZIPS}).sizes(
        release
    ).tolist() == [1]


def test_monotone_where_each_label_means_one_thing() -> None:
    """`Washington` the city counts its own few people, also where it was meant as the state."""
    places = Hierarchy.from_rows([("Spokane", "Washington"), ("Washington", "DC")])
    people = Bins.of(("place",), {("Spokane",): 9, ("Washington",): 1})
    clear = KMap(k=2, fields=("zip",), population=PEOPLE, hierarchies={"zip": ZIPS})
    unclear = KMap(k=2, fields=("place",), population=people, hierarchies={"place": places})
    fine = Bins.of(("place",), {("Spokane",): 1})
    assert not unclear.failing(fine).any()
    assert unclear.failing(fine.recode({"place": places}, {"place": 1})).all()
    assert (clear.monotone_generalisation, unclear.monotone_generalisation) == (True, False)


def test_it_is_silent_about_the_population() -> None:
    assert "02138" not in repr(
        KMap(k=2, fields=("zip",), population=PEOPLE, hierarchies={"zip": ZIPS})
    )
