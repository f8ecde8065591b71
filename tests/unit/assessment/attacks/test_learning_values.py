"""Singling out, inference, homogeneity, intersection, differencing: what a copy tells and a
protected release not."""

from __future__ import annotations

import pytest
from village import (
    COARSE,
    KNOWN,
    PROBLEMS,
    copied,
    hierarchies,
    inside,
    outside,
    protected,
    raised,
    scene,
    table,
)

from sfumato.assessment.attacks import Second, set_scene
from sfumato.assessment.attacks.attack_run import BEATS, HOLDS, UNDECIDED
from sfumato.assessment.attacks.counts_differencing import (
    CountCells,
    cells_that_fit,
    counts_differencing,
)
from sfumato.assessment.attacks.differencing import differencing
from sfumato.assessment.attacks.homogeneity import homogeneity
from sfumato.assessment.attacks.inference import inference
from sfumato.assessment.attacks.intersection import intersection
from sfumato.assessment.attacks.singling_out import singling_out
from sfumato.errors import SourceError
from sfumato.measures.subject import Subject


@pytest.mark.parametrize("at_once", [1, 3])
def test_a_copy_singles_people_out(at_once):
    run = singling_out(scene(copied(inside())), at_once=at_once, wanted=300)
    assert run.outcome == BEATS
    assert run.rate.successes == run.claims > 100


@pytest.mark.parametrize("at_once", [1, 3])
def test_a_protected_release_singles_nobody_out(at_once):
    run = singling_out(scene(protected()), at_once=at_once, wanted=300)
    assert run.claims == 0
    assert run.outcome == HOLDS


def test_a_predicate_that_meets_two_people_of_the_source_is_wrong():
    """The release holds one of each pair: what singles out there does not here."""
    people = [{"a": str(n), "b": str(n % 7), "problem": "flu"} for n in range(60) for _ in range(2)]
    release = people[::2]
    here = set_scene(Subject(release=table(release), source=table(people), known=("a", "b")))
    run = singling_out(here, at_once=1, wanted=50)
    assert run.claims > 10
    assert run.rate.successes == 0


def test_coarse_labels_are_coarse_predicates():
    """A single released row says 20-29, and that is four people of the source."""
    people = [{"age": age} for age in ("21", "22", "23", "24", "50", "51")] * 1
    release = [{"age": "20-29"}, {"age": "*"}, {"age": "*"}]
    here = set_scene(Subject(release=table(release), source=table(people), known=("age",)))
    run = singling_out(here, at_once=1)
    assert (run.claims, run.rate.successes) == (1, 0)


def test_a_copy_tells_what_people_have():
    for attack in (inference, homogeneity):
        run = attack(scene(copied(inside()), control=True), "problem")
        assert run.outcome == BEATS
        assert run.rate.value > 0.9


def test_homogeneity_finds_nothing_where_bins_have_two_values():
    run = homogeneity(scene(protected(), control=True), "problem")
    assert (run.claims, run.outcome) == (0, HOLDS)


def test_homogeneity_finds_bins_that_agree_although_they_are_large():
    """k-anonymity does not help: everyone in a place has the same."""
    rows = [row | {"problem": PROBLEMS[int(row["zip"][2])]} for row in inside()]
    release = raised(rows, COARSE, l_values=1)
    here = set_scene(
        Subject(
            release=table(release),
            source=table(rows),
            known=KNOWN,
            sensitive=("problem",),
            hierarchies=hierarchies(),
        )
    )
    run = homogeneity(here, "problem")
    assert run.outcome == BEATS
    assert run.rate.value > 0.95


def test_a_value_that_nearly_everybody_has_is_no_disclosure():
    rows = [{"a": str(n % 10), "problem": "flu"} for n in range(500)]
    here = set_scene(
        Subject(release=table(rows), source=table(rows), known=("a",), sensitive=("problem",))
    )
    for attack in (homogeneity, inference):
        run = attack(here, "problem")
        assert run.rate.value == run.baseline.value == 1
        assert run.outcome == HOLDS
        assert run.risk is None


def test_inference_on_values_that_have_nothing_to_do_with_people_is_a_guess():
    """The problems of the release are drawn afresh: it says nothing of anybody."""
    rows = protected()
    for number, row in enumerate(rows):
        row["problem"] = PROBLEMS[number % len(PROBLEMS)]
    run = inference(scene(rows, control=True), "problem")
    assert run.outcome == HOLDS


def test_a_guess_of_a_coarse_label_is_right_as_often_as_the_label_has_values():
    people = [{"a": str(n), "pay": str(1_000 + n % 10)} for n in range(500)]
    release = [{"a": str(n), "pay": "1000-1009"} for n in range(500)]
    here = set_scene(
        Subject(release=table(release), source=table(people), known=("a",), sensitive=("pay",))
    )
    run = homogeneity(here, "pay")
    assert run.claims == 500
    assert run.rate.value == pytest.approx(0.1, abs=0.05)


def test_a_guessed_number_is_right_within_a_twentieth():
    people = [{"a": str(n), "pay": str(1_000 + n)} for n in range(500)]
    release = [{"a": str(n), "pay": str(1_020 + n)} for n in range(500)]
    here = set_scene(
        Subject(release=table(release), source=table(people), known=("a",), sensitive=("pay",))
    )
    assert inference(here, "pay").rate.value == 1
    far = [{"a": str(n), "pay": str(1_200 + n)} for n in range(500)]
    here = set_scene(
        Subject(release=table(far), source=table(people), known=("a",), sensitive=("pay",))
    )
    assert inference(here, "pay").rate.value < 0.2


def second(rows) -> Second:
    return Second(release=table(rows), hierarchies=hierarchies())


def test_two_releases_say_what_neither_says():
    """By place and by age, two problems each; only one is on both lists (Ganta et al. 2008)."""
    people = [
        {"zip": f"{place}", "age": f"{age}", "problem": f"{place}{age}"}
        for place in range(6)
        for age in range(6)
    ] * 4
    by_place = [{"zip": row["zip"], "age": "*", "problem": row["problem"]} for row in people]
    by_age = [{"zip": "*", "age": row["age"], "problem": row["problem"]} for row in people]
    here = set_scene(
        Subject(
            release=table(by_place),
            source=table(people),
            known=("zip", "age"),
            sensitive=("problem",),
        )
    )
    run = intersection(here, Second(release=table(by_age), hierarchies={}), "problem")
    assert run.outcome == BEATS
    assert (run.rate.value, run.baseline.value) == (1, 0)
    again = intersection(here, Second(release=table(by_place), hierarchies={}), "problem")
    assert (again.outcome, again.claims) == (HOLDS, 0)


def test_a_second_release_that_adds_nothing_does_not_beat_the_first():
    here = scene(copied(inside()))
    run = intersection(here, second(copied(inside())), "problem")
    assert run.rate.value > 0.9
    assert run.outcome == HOLDS


def test_two_coarse_releases_of_the_village_leave_many_values():
    run = intersection(scene(protected()), second(raised(inside(), COARSE | {"zip": 3})), "problem")
    assert run.outcome == HOLDS


def test_releases_that_share_nothing_are_refused():
    with pytest.raises(SourceError, match="cannot be compared with"):
        intersection(scene(protected()), second([{"shoe": "44"}]), "problem")


def newcomers(rows):
    return set_scene(
        Subject(
            release=table(copied(rows)), source=table(rows), known=KNOWN, sensitive=("problem",)
        )
    ).targets


def test_one_newcomer_in_a_bin_is_told_by_the_difference():
    joined = outside()[:30]
    levels = {"zip": 1, "birth": 1, "sex": 0}
    before = raised(inside(), levels, k=1, l_values=1)
    after = raised([*inside(), *joined], levels, k=1, l_values=1)
    run = differencing(scene(before), second(after), newcomers(joined), "problem")
    assert run.outcome == BEATS
    assert run.rate.value > 0.8


def test_many_newcomers_in_a_bin_hide_each_other():
    joined = outside()
    levels = {"zip": 3, "birth": 3, "sex": 0}
    before = raised(inside(), levels, k=1, l_values=1)
    after = raised([*inside(), *joined], levels, k=1, l_values=1)
    run = differencing(scene(before), second(after), newcomers(joined), "problem")
    assert (run.claims, run.outcome) == (0, HOLDS)


GRADES = [("below",), ("at",), ("above",)]
BEFORE = ["30-39", "50-59", "20-29"]


def test_the_school_of_the_paper():
    """003, section 4.3.6: the new pupil is above grade level."""
    run = counts_differencing(
        CountCells.of(GRADES, BEFORE), CountCells.of(GRADES, ["30-39", "50-59", "30-39"])
    )
    assert run.outcome == BEATS
    assert "only one of 3 cells" in run.reason
    assert not any(word in str(run.as_dict()) for word in ("above", "below"))


def test_ranges_that_do_not_move_hide_the_pupil():
    run = counts_differencing(CountCells.of(GRADES, BEFORE), CountCells.of(GRADES, BEFORE))
    assert run.outcome == HOLDS


@pytest.mark.parametrize(
    ("before", "after", "fits"),
    [
        (["3", "4", "5"], ["3", "5", "5"], [False, True, False]),
        (["3", "4", "5"], ["4", "5", "5"], [False, False, False]),
        (["<10", "4", "5"], ["<10", "4", "5"], [True, False, False]),
        (["*", None, "5"], ["*", None, "5"], [True, True, False]),
    ],
)
def test_cells_that_can_have_grown_by_one(before, after, fits):
    assert (
        cells_that_fit(CountCells.of(GRADES, before), CountCells.of(GRADES, after)).tolist() == fits
    )


def test_more_change_than_one_newcomer_is_not_explained():
    run = counts_differencing(
        CountCells.of(GRADES, ["3", "4", "5"]), CountCells.of(GRADES, ["9", "9", "9"])
    )
    assert run.outcome == UNDECIDED


def test_a_table_of_counts_is_read_from_a_file():
    rows = [
        {"grade": grade, "pupils": count} for (grade,), count in zip(GRADES, BEFORE, strict=True)
    ]
    cells = CountCells.read(table(rows), "pupils")
    assert sorted(cells.about) == sorted(GRADES)
    with pytest.raises(SourceError, match="no table of counts"):
        CountCells.read(table(rows), "teachers")
    with pytest.raises(SourceError, match="no table of counts"):
        CountCells.read(table([*rows, *rows]), "pupils")
