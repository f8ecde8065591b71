"""The ADS0 check beyond the paper's examples: several external tables, labels of every kind, what
it refuses."""

from __future__ import annotations

import json

import pytest

from sfumato.bins import Bins
from sfumato.engines.reference.engine import ReferenceEngine
from sfumato.errors import Mistake
from sfumato.hierarchies import Hierarchy
from sfumato.measures import ads0_of, check_ads0
from sfumato.measures.subject import Subject

QI = ("age", "zip")
PEOPLE = {
    ("31", "02138"): 1,
    ("34", "02138"): 1,
    ("38", "02139"): 1,
    ("60", "02139"): 1,
    ("61", "02141"): 2,
}
POPULATION = Bins.of(QI, PEOPLE)
LEVELS = {
    "age": Hierarchy.from_rows(
        [(age, f"{age[0]}0s", "*") for age in ("31", "34", "38", "60", "61")]
    ),
    "zip": Hierarchy.from_rows(
        [(zip_, zip_[:4] + "*", "*") for zip_ in ("02138", "02139", "02141")]
    ),
}


def model(found, name: str):
    return next(each for each in found.maps if each.model == name)


def test_labels_of_several_levels_are_each_read_at_their_own():
    release = Bins.of(QI, {("30s", "02138"): 2, ("30s", "0213*"): 1, ("60", "*"): 1})
    found = check_ads0(release, POPULATION, QI, LEVELS, subjects=POPULATION)
    assert (found.k_map, found.pointing_to_one, found.offending) == (1, 1, 1)
    assert found.lookups[0].by_a == 3


@pytest.mark.parametrize(
    ("label", "fits"),
    [("30..39", 3), ("{31, 60}", 2), ("*", 6), ("{31, 38}", 2), ("61", 2), ("90..99", 0)],
)
def test_sets_and_ranges_of_a_local_recoding_are_read(label, fits):
    """None of these labels but `*` and the value is in a hierarchy."""
    release = Bins.of(QI, {(label, "*"): 1})
    assert check_ads0(release, POPULATION, QI, LEVELS).k_map == fits
    assert check_ads0(release, POPULATION, QI, {}).k_map == fits


def test_a_range_that_leaves_one_person_breaks_it():
    release = Bins.of(QI, {("31..38", "02139"): 1, ("31..38", "02138"): 2})
    found = check_ads0(release, POPULATION, QI, LEVELS, subjects=POPULATION)
    assert (found.holds, found.offending, found.k_map) == (False, 1, 1)


def test_tuples_that_only_overlap_are_not_credited_and_equal_ones_are():
    """Both 31..34 and 31..38 could be the person of 31, but who places all rows sees which is
    which."""
    overlap = Bins.of(QI, {("31", "02138"): 1, ("31..38", "02138"): 1})
    assert check_ads0(overlap, POPULATION, QI, LEVELS).offending == 1
    equal = Bins.of(QI, {("31", "02138"): 2})
    assert check_ads0(equal, POPULATION, QI, LEVELS).lookups[0].by_b == 2


def test_each_external_table_is_looked_up_over_its_own_fields():
    release = Bins.of(QI, {("31", "02138"): 1, ("30s", "0213*"): 2})
    voters = Bins.of(("zip",), {("02138",): 40, ("02139",): 30})
    club = Bins.of(("age",), {("31",): 1, ("34",): 5})
    found = check_ads0(release, POPULATION, QI, LEVELS, external={"voters": voters, "club": club})
    by_name = {each.name: each for each in found.lookups}
    assert [each.fields for each in found.lookups] == [("zip",), ("age",), QI]
    assert (by_name["voters"].offending, by_name["club"].offending) == (0, 1)
    assert by_name["voters"].k_map == 40
    assert by_name["the tables together"].offending == 1
    assert "1 of 3 released tuples point to exactly one entity of 'club' over (age)" in found.reason


def test_a_table_that_lists_nobody_alike_says_nothing_of_a_tuple():
    release = Bins.of(QI, {("30s", "*"): 1})
    strangers = Bins.of(("age",), {("90",): 7})
    found = check_ads0(
        release,
        POPULATION,
        QI,
        LEVELS,
        external={"voters": Bins.of(("zip",), {("02138",): 9}), "strangers": strangers},
    )
    assert found.lookups[1].pointing_to_nobody == 1
    assert (found.k_map, found.holds) == (3, True)
    alone = check_ads0(release, POPULATION, QI, LEVELS, external={"strangers": strangers})
    assert (alone.k_map, model(alone, "null-map").holds) == (0, True)


def test_a_tuple_that_fits_one_entity_and_no_subject_does_not_break_it():
    subjects = Bins.of(QI, {("61", "02141"): 2})
    release = Bins.of(QI, {("31", "02138"): 1, ("61", "02141"): 2})
    found = check_ads0(release, POPULATION, QI, LEVELS, subjects=subjects)
    assert (found.offending, found.pointing_to_one) == (0, 1)
    assert model(found, "null-map").offending == 2


def test_without_subjects_anyone_may_be_one_and_wrong_map_cannot_be_said():
    found = check_ads0(Bins.of(QI, {("31", "02138"): 1}), POPULATION, QI, LEVELS)
    assert found.offending == 1
    assert model(found, "null-map").reason.endswith(
        "can be mapped to an entity who may be a subject"
    )
    assert model(found, "wrong-map").reason.startswith("undecided")


def test_nothing_released_breaks_nothing():
    found = check_ads0(Bins.of(QI, {}), POPULATION, QI, LEVELS, subjects=POPULATION)
    assert (found.holds, found.tuples, found.k_map) == (True, 0, 0)
    assert found.reason == "an ADS0 over (age, zip): nothing is released"
    assert [each.holds for each in found.maps] == [True, True, False]


def test_no_field_known_cannot_be_said():
    found = check_ads0(POPULATION, POPULATION, (), {})
    assert (found.holds, found.maps) == (False, ())
    assert found.reason.startswith("undecided")


def test_fields_that_a_table_does_not_have_are_refused():
    with pytest.raises(Mistake, match="The population has no field zip"):
        check_ads0(POPULATION, Bins.of(("age",), {("31",): 1}), QI, LEVELS)
    with pytest.raises(Mistake, match="A comparison with the external table 'register' over"):
        check_ads0(
            POPULATION,
            POPULATION,
            QI,
            LEVELS,
            external={"register": Bins.of(("name",), {("A",): 1})},
        )


def test_the_finding_is_counts_and_holds_no_value():
    release = Bins.of(QI, {("31", "02138"): 1, ("{38, 60}", "02139"): 2})
    found = check_ads0(
        release, POPULATION, QI, LEVELS, subjects=POPULATION, external={"club": POPULATION}
    )
    said = json.dumps(found.as_dict()) + repr(found)
    assert not any(value in said for value in ("31", "38", "60", "02138", "02139"))


# ---------------------------------------------------------------------------------------- from an
# assessment's subject


def engine(fields, rows) -> ReferenceEngine:
    return ReferenceEngine([dict(zip(fields, row, strict=True)) for row in rows])


RELEASED = engine(QI, [("30s", "0213*"), ("61", "02141"), ("61", "02141")])
SOURCE = engine(QI, [("31", "02138"), ("61", "02141"), ("61", "02141")])


def subject(**given) -> Subject:
    return Subject(release=RELEASED, known=QI, hierarchies=LEVELS, **given)


def test_the_source_stands_in_for_a_population():
    found = ads0_of(subject(source=SOURCE))
    assert (found.offending, found.k_map) == (1, 1)
    assert [each.name for each in found.lookups] == ["population"]


def test_a_population_takes_its_place():
    people = engine(QI, [cells for cells, count in PEOPLE.items() for _ in range(count)])
    found = ads0_of(subject(source=SOURCE, population=people))
    assert (found.offending, found.k_map) == (0, 2)


def test_a_population_with_some_of_the_fields_is_one_more_table():
    found = ads0_of(
        subject(source=SOURCE, population=engine(("zip",), [("02138",), ("02138",), ("02141",)]))
    )
    assert [(each.name, each.fields) for each in found.lookups] == [("population", ("zip",))]
    assert found.k_map == 1


def test_an_external_table_is_compared_over_the_fields_that_it_has():
    club = engine(("name", "age"), [("A", "31"), ("B", "34"), ("C", "61")])
    found = ads0_of(subject(source=SOURCE), external={"club": club})
    assert [(each.name, each.fields, each.k_map) for each in found.lookups] == [
        ("club", ("age",), 1)
    ]
    assert found.lookups[0].by_b == 2
    with pytest.raises(Mistake, match="It has none of these fields"):
        ads0_of(subject(source=SOURCE), external={"club": engine(("name",), [("A",)])})


def test_with_neither_nothing_can_be_said():
    assert ads0_of(subject()).reason == "undecided: neither the source nor a population is at hand"
