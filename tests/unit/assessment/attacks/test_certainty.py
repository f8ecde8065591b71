"""A claim that follows from a release with certainty is never green, however few such claims there
are."""

from __future__ import annotations

from collections import Counter

import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st
from village import table

from sfumato.assessment.attacks import Rate, Second, run_attacks, set_scene
from sfumato.assessment.attacks.attack_run import BEATS, HOLDS, UNDECIDED, Story, judged
from sfumato.assessment.attacks.attack_setup import drawn_from
from sfumato.assessment.attacks.count_changes import changes
from sfumato.assessment.attacks.differencing import differencing
from sfumato.assessment.attacks.homogeneity import homogeneity
from sfumato.assessment.attacks.intersection import intersection
from sfumato.assessment.attacks.linkage import linkage
from sfumato.assessment.attacks.pseudonym_linkage import (
    changed_pseudonyms,
    joined_values,
    newcomer_pseudonyms,
    pseudonym_linkage,
    shared_pseudonyms,
)
from sfumato.assessment.risk_verdicts import about_attacks
from sfumato.measures.subject import Subject

STORY = Story(attacker="", knows="", tries="", guess="")


def rows(*people):
    return [dict(zip(("zip", "ill", "id"), person, strict=False)) for person in people]


def scene_of(release, source, **more):
    return set_scene(
        Subject(
            release=table(release), source=table(source), known=("zip",), sensitive=("ill",), **more
        )
    )


def colour(*runs):
    from sfumato.assessment.attacks import Attacks

    (line,) = about_attacks(Attacks(runs=runs, targets=0, seed=0, seconds=0.0))
    return line.outcome


EVERYONE = rows(
    *[("a", ill) for ill in ("flu", "gout", "asthma") * 5],
    *[("b", ill) for ill in ("flu", "gout") * 6],
)


def test_one_newcomer_is_red():
    later = EVERYONE + rows(("a", "cancer"))
    scene = scene_of(EVERYONE, EVERYONE)
    second = Second(release=table(later), hierarchies={})
    newcomers = drawn_from(scene.subject, table(rows(("a", "cancer"))), "newcomers", 10)
    run = differencing(scene, second, newcomers, "ill")
    assert (run.outcome, run.claims, run.certain) == (BEATS, 1, 1)
    assert colour(run) == "fail"


def test_two_newcomers_of_one_place_are_told_apart_by_nobody():
    joined = rows(("a", "cancer"), ("a", "gout"))
    scene = scene_of(EVERYONE, EVERYONE)
    newcomers = drawn_from(scene.subject, table(joined), "newcomers", 10)
    run = differencing(
        scene, Second(release=table(EVERYONE + joined), hierarchies={}), newcomers, "ill"
    )
    assert (run.outcome, run.certain) == (HOLDS, 0)


def test_one_place_where_all_have_the_same_is_red_among_thousands():
    many = EVERYONE * 40 + rows(*[("c", "gout")] * 7)
    run = homogeneity(scene_of(many, many), "ill")
    assert (run.claims, run.certain, run.outcome) == (7, 7, BEATS)
    assert colour(run) == "fail"


def test_what_nearly_everybody_has_is_nothing_new():
    many = rows(*[("a", "none")] * 95, *[("b", "none")] * 4, ("b", "flu"))
    run = homogeneity(scene_of(many, many), "ill")
    assert (run.certain, run.outcome) == (0, HOLDS)


def test_one_person_who_is_alone_is_red():
    many = EVERYONE * 40 + rows(("c", "gout"))
    run = linkage(scene_of(many, many))
    assert (run.certain, run.outcome) == (1, BEATS)
    assert colour(run) == "fail"


def test_what_only_two_releases_together_say_is_red():
    """By one partition of places and by another: the one person of place c is in both small
    groups."""
    people = [
        ("a", "flu"),
        ("a", "gout"),
        ("b", "gout"),
        ("b", "flu"),
        ("c", "gout"),
        ("d", "flu"),
        ("d", "asthma"),
    ]
    coarse = {"a": "{a, c}", "b": "{b, d}", "c": "{a, c}", "d": "{b, d}"}
    other = {"a": "{a, b}", "b": "{a, b}", "c": "{c, d}", "d": "{c, d}"}
    source = rows(*people)
    first = rows(*[(coarse[zip_], ill) for zip_, ill in people])
    second = rows(*[(other[zip_], ill) for zip_, ill in people if (zip_, ill) != ("d", "flu")])
    run = intersection(
        scene_of(first, source), Second(release=table(second), hierarchies={}), "ill"
    )
    assert run.certain >= 1
    assert colour(run) == "fail"


@settings(max_examples=example_count(60), deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=2, max_size=9))
def test_whatever_follows_for_a_person_of_a_small_table_is_never_green(people):
    """Brute force: a value follows where all people of a place have it, and it is not nearly
    everybody's."""
    source = rows(*people)
    values = {place: {ill for zip_, ill in people if zip_ == place} for place, _ in people}
    shares = Counter(ill for _, ill in people)
    follows = [
        place
        for place, ills in values.items()
        if len(ills) == 1 and shares[min(ills)] < 0.9 * len(people)
    ]
    run = homogeneity(scene_of(source, source), "ill")
    assert (run.certain > 0) == bool(follows)
    if follows:
        assert colour(run) == "fail"


@settings(max_examples=example_count(60), deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), min_size=3, max_size=8),
    st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")),
)
def test_a_newcomer_to_a_small_table_is_never_green(people, newcomer):
    later = [*people, newcomer]
    scene = scene_of(rows(*people), rows(*people))
    joined = drawn_from(scene.subject, table(rows(newcomer)), "newcomers", 10)
    run = differencing(scene, Second(release=table(rows(*later)), hierarchies={}), joined, "ill")
    common = Counter(ill for _, ill in later)[newcomer[1]] >= 0.9 * len(later)
    assert run.outcome == (UNDECIDED if common else BEATS)
    assert colour(run) != "pass"


def with_ids(people, labels):
    return [{"zip": labels[zip_], "ill": ill, "id": f"p{number}"} for number, (zip_, ill) in people]


PEOPLE = list(
    enumerate(
        [("a", "flu"), ("b", "gout"), ("a", "gout"), ("c", "flu"), ("c", "gout"), ("d", "flu")]
    )
)
ONE = {"a": "{a, b}", "b": "{a, b}", "c": "{c, d}", "d": "{c, d}"}
TWO = {"a": "{a, d}", "b": "{b, c}", "c": "{b, c}", "d": "{a, d}"}


def test_a_pseudonym_that_stays_joins_two_releases_and_finds_people():
    source = rows(*[person for _, person in PEOPLE])
    first, second = table(with_ids(PEOPLE, ONE)), table(with_ids(PEOPLE, TWO))
    scene = set_scene(
        Subject(release=first, source=table(source), known=("zip",), sensitive=("ill",))
    )
    assert shared_pseudonyms(first, second, apart_from=("zip", "ill")) == ("id",)
    run = pseudonym_linkage(scene, Second(release=second, hierarchies={}), "id")
    assert run.certain == 2  # b and d: one person each; a and c have two.
    assert colour(run) == "fail"


def test_other_pseudonyms_join_nothing():
    first = table(with_ids(PEOPLE, ONE))
    second = table([row | {"id": f"other {row['id']}"} for row in with_ids(PEOPLE, TWO)])
    assert shared_pseudonyms(first, second, apart_from=("zip", "ill")) == ()


def test_a_new_pseudonym_is_the_newcomers():
    joined = [(9, ("a", "asthma"))]
    source = rows(*[person for _, person in PEOPLE])
    first, second = table(with_ids(PEOPLE, ONE)), table(with_ids([*PEOPLE, *joined], ONE))
    scene = set_scene(
        Subject(release=first, source=table(source), known=("zip",), sensitive=("ill",))
    )
    newcomers = drawn_from(scene.subject, table(rows(("a", "asthma"))), "newcomers", 10)
    run = newcomer_pseudonyms(scene, Second(release=second, hierarchies={}), newcomers, "id")
    assert (run.certain, run.outcome) == (1, BEATS)
    found = run_attacks(
        scene.subject,
        second=Second(release=second, hierarchies={}),
        newcomers=table(rows(("a", "x"))),
    )
    assert {"pseudonyms:id", "pseudonyms of newcomers:id"} <= {run.name for run in found}


@pytest.mark.parametrize(
    ("right", "claims", "guess", "outcome"),
    [
        (3, 3, 0.2, BEATS),
        (2, 3, 0.5, HOLDS),
        (30, 30, 0.5, BEATS),
        (30, 60, 0.5, HOLDS),
        (1, 1, 0.001, BEATS),
    ],
)
def test_few_claims_are_judged_by_how_many_are_right(right, claims, guess, outcome):
    rate, baseline = Rate(successes=right, attempts=10_000), Rate(successes=0, attempts=10_000)
    baseline = Rate(successes=right, attempts=10_000) if outcome == HOLDS else baseline
    assert (
        judged("a", "A", STORY, claims=claims, rate=rate, baseline=baseline, guess=guess).outcome
        == outcome
    )


def test_an_attack_that_could_not_be_run_is_no_pass():
    from sfumato.assessment.attacks.attack_run import unsaid

    fine = judged(
        "b",
        "B",
        STORY,
        claims=0,
        rate=Rate(successes=0, attempts=50),
        baseline=Rate(successes=0, attempts=50),
    )
    assert colour(fine) == "pass"
    assert colour(fine, unsaid("a", "A", STORY, reason="a library is missing")) == "review"


def test_who_joined_or_left_need_not_be_named_to_be_found():
    later, earlier = table(EVERYONE + rows(("a", "cancer"))), table(EVERYONE[1:])
    for second in (later, earlier):
        run = changes(scene_of(EVERYONE, EVERYONE), Second(release=second, hierarchies={}), "ill")
        assert (run.outcome, run.certain) == (BEATS, 1)
        assert colour(run) == "fail"
    same = changes(
        scene_of(EVERYONE, EVERYONE), Second(release=table(EVERYONE), hierarchies={}), "ill"
    )
    assert (same.outcome, same.certain) == (HOLDS, 0)


def test_several_who_joined_one_bin_with_different_values_are_told_apart_by_nobody():
    later = EVERYONE + rows(("a", "cancer"), ("a", "gout"))
    run = changes(scene_of(EVERYONE, EVERYONE), Second(release=table(later), hierarchies={}), "ill")
    assert (run.outcome, run.certain) == (HOLDS, 0)


def test_pseudonyms_that_came_or_went_are_found_without_a_list_of_newcomers():
    more = [*PEOPLE, (9, ("a", "asthma"))]
    first, second = table(with_ids(PEOPLE, ONE)), table(with_ids(more, ONE))
    scene = set_scene(Subject(release=first, known=("zip",), sensitive=("ill",)))
    run = changed_pseudonyms(scene, Second(release=second, hierarchies={}), "id")
    assert (run.certain, run.outcome) == (1, BEATS)


def test_releases_that_keep_different_fields_are_joined_by_their_pseudonym():
    """One has places, the other ages; together one person is alone, and one group has the same
    illness."""
    people = [
        ("a", "1", "flu"),
        ("a", "2", "gout"),
        ("b", "1", "gout"),
        ("b", "2", "flu"),
        ("b", "2", "flu"),
    ]
    people.append(("a", "1", "gout"))
    source = table([{"zip": z, "age": a, "ill": i} for z, a, i in people])
    first = table([{"zip": z, "ill": i, "id": f"p{n}"} for n, (z, _, i) in enumerate(people)])
    second = table([{"age": a, "id": f"p{n}"} for n, (_, a, _) in enumerate(people)])
    scene = set_scene(Subject(release=first, source=source, known=("zip",), sensitive=("ill",)))
    other = Second(release=second, hierarchies={}, known=("age",))
    found = pseudonym_linkage(scene, other, "id")
    assert found.certain == 2  # a2 and b1
    learned = joined_values(scene, other, "id", "ill")
    assert learned.certain == 4  # these two, and both of b2
    assert colour(learned) == "fail"


def test_a_certain_claim_about_one_of_thousands_is_not_missed_by_the_draw():
    many = EVERYONE * 400 + rows(*[("c", "gout")] * 2)
    assert homogeneity(scene_of(many, many), "ill").certain == 2
