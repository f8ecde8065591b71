"""Sweeney 2000, section 5: which releases are an ADS0. Its examples, and the three systems of
section 6 on Fig. 28.

Figure 19's values are not in the text. Its people are: the Population {Dan, Don, Dave, Ann, Abe,
Al}, of whom {Ann, Abe, Al} are the Subjects; their births and ZIPs here are made up so that each is
alone with theirs, and Al and Ann share month and ZIP area as in Figure 17."""

from __future__ import annotations

from collections import Counter

import pytest
import tables

from sfumato.bins import Bins, Pairing
from sfumato.measures import check_ads0
from sfumato.policy import NullRule
from sfumato.protection import KMap, NullMap, WrongMap

QI = ("birth", "zip")
POPULATION = {
    "Dan": ("1964-03-02", "33172"),
    "Don": ("1964-03-19", "33172"),
    "Dave": ("1965-07-30", "33175"),
    "Ann": ("1965-10-24", "33171"),
    "Abe": ("1965-07-11", "33175"),
    "Al": ("1965-10-09", "33179"),
}
DIAGNOSES = {"Ann": "cancer", "Abe": "asthma", "Al": "flu"}
ENTITIES = Bins.of(QI, Counter(POPULATION.values()))
LEVELS = tables.hierarchies(ENTITIES)


def released(tuples) -> Bins:
    """A release to those who hold a register of the population; RT is a multiset."""
    return Bins.of(QI, Counter(tuples))


SUBJECTS = Bins.of(QI, Counter(POPULATION[name] for name in DIAGNOSES))
NOBODY = Bins.of(QI, {})


def assessed(tuples, **given):
    return check_ads0(released(tuples), ENTITIES, QI, LEVELS, subjects=SUBJECTS, **given)


def holding(found) -> dict[str, bool]:
    return {each.model: each.holds for each in found.maps}


def reason_of(found, model: str) -> str:
    return next(each.reason for each in found.maps if each.model == model)


# -------------------------------------------------------------------------------------------
# section 5, its examples


def test_an_identity_release_is_not_one():
    found = assessed(POPULATION[name] for name in DIAGNOSES)
    assert not found.holds
    assert (found.tuples, found.pointing_to_one, found.offending, found.k_map) == (3, 3, 3, 1)
    assert "3 of 3 released tuples point to exactly one entity over (birth, zip)" in found.reason
    assert holding(found) == {"null-map": False, "k-map": False, "wrong-map": False}
    assert reason_of(found, "null-map") == "3 of 3 released tuples can be mapped to a subject"
    assert reason_of(found, "k-map") == "3 of 3 released tuples refer to one entity"
    assert (
        reason_of(found, "wrong-map")
        == "3 of 3 released tuples map to the subject that they are about"
    )


def test_de_identification_alone_is_not_one_either():
    """Figure 15: without names, every birth and ZIP still leads to one entry of the register."""
    register = {cells: name for name, cells in POPULATION.items()}
    linked = {register[POPULATION[name]]: diagnosis for name, diagnosis in DIAGNOSES.items()}
    assert linked == DIAGNOSES
    assert not assessed(POPULATION[name] for name in DIAGNOSES).holds


def test_complete_suppression_is_one():
    """Conditions (a) and (b) both hold: a blank tuple could be anyone's, and there are three of
    them."""
    found = assessed([("*", "*")] * len(DIAGNOSES))
    assert found.holds
    assert (found.offending, found.k_map) == (0, len(POPULATION))
    assert found.reason.startswith("an ADS0 over (birth, zip)")
    assert found.lookups[0].by_a == len(DIAGNOSES)
    assert holding(found) == {"null-map": False, "k-map": True, "wrong-map": False}
    assert reason_of(found, "k-map") == "every released tuple refers to at least 6 entities alike"


def test_complete_suppression_as_the_paper_writes_it_with_nulls():
    """Step 2 of its f adds a tuple of nulls for each tuple of PT; who reads null as anything sees
    what a star says."""
    blank = [(None, None)] * len(DIAGNOSES)
    found = assessed(blank, nulls=NullRule.MATCHES_ANYTHING)
    assert (found.holds, found.k_map, found.offending) == (True, len(POPULATION), 0)
    read_as_a_value = assessed(blank)
    assert (read_as_a_value.holds, holding(read_as_a_value)["null-map"]) == (True, True)


def test_encryption_is_one_by_null_map():
    """Figure 16: tuples lead to pseudo-entities, and to no subject."""
    encrypted = [("Jcd", "x1"), ("Jwq", "x2"), ("Jxy", "x3")]
    found = assessed(encrypted)
    assert (found.holds, found.pointing_to_nobody, found.k_map) == (True, 3, 0)
    assert NullMap(fields=QI, subjects=SUBJECTS).judge(released(encrypted)).outcome == "pass"
    assert holding(found) == {"null-map": True, "k-map": False, "wrong-map": False}
    assert reason_of(found, "k-map") == "3 of 3 released tuples refer to none"
    assert reason_of(found, "wrong-map") == "3 of 3 released tuples map to no subject"


def test_a_tuple_may_map_to_somebody_who_is_no_subject_and_null_map_still_holds():
    """It "may or may not map to an actual entity in the population", and Dan, Don and Dave are not
    subjects."""
    found = assessed([POPULATION["Dan"], POPULATION["Don"], POPULATION["Dave"]])
    assert (found.holds, found.pointing_to_one, found.offending) == (True, 3, 0)
    assert holding(found) == {"null-map": True, "k-map": False, "wrong-map": False}


def test_generalisation_is_one_by_k_map_though_a_tuple_is_alone_in_the_release():
    """Figure 17: the tuple links to both Al and Ann; k does not rely on the number of tuples."""
    found = assessed([("1965-10", "331**")])
    assert (found.holds, found.k_map, found.pointing_to_one) == (True, 2, 0)
    model = KMap(k=2, fields=QI, population=ENTITIES, hierarchies=LEVELS)
    assert model.judge(released([("1965-10", "331**")])).outcome == "pass"


def test_k_does_not_rely_on_the_number_of_subjects_or_of_tuples():
    """Of three subjects, one is released, and still it could be any of six."""
    found = assessed([("*", "*")])
    assert found.k_map > len(DIAGNOSES) > found.tuples
    assert holding(found)["k-map"]


def test_swapping_the_quasi_identifiers_as_a_unit_is_one_by_wrong_map():
    """The diagnosis of Ann goes with birth and ZIP of Abe, his with those of Al, and the one of Al
    with hers."""
    swapped = [POPULATION[name] for name in ("Abe", "Al", "Ann")]
    found = assessed(swapped, own=NOBODY)
    assert (found.holds, found.pointing_to_one, found.offending) == (True, 3, 0)
    assert holding(found) == {"null-map": False, "k-map": False, "wrong-map": True}
    people, said = [POPULATION[name] for name in DIAGNOSES], list(DIAGNOSES.values())
    pairing = Pairing.of(
        QI, subjects=people, released=swapped, own=(0, 1, 2), collected=said, said=said
    )
    assert WrongMap(fields=QI, pairing=pairing).judge(released(swapped)).outcome == "pass"


def test_one_who_keeps_their_own_values_breaks_wrong_map_and_the_property():
    found = assessed(
        [POPULATION[name] for name in ("Abe", "Ann", "Al")], own=released([POPULATION["Al"]])
    )
    assert (found.holds, found.offending, holding(found)["wrong-map"]) == (False, 1, False)
    assert (
        reason_of(found, "wrong-map")
        == "1 of 3 released tuples map to the subject that they are about"
    )


@pytest.mark.parametrize("names", [("Ann",), ("Ann", "Abe")])
def test_with_one_or_two_subjects_wrong_map_cannot_be_done(names):
    subjects = Bins.of(QI, Counter(POPULATION[name] for name in names))
    swapped = released(POPULATION[name] for name in reversed(names))
    found = check_ads0(swapped, ENTITIES, QI, LEVELS, subjects=subjects, own=NOBODY)
    assert not holding(found)["wrong-map"]
    assert reason_of(found, "wrong-map").startswith(
        f"{len(names)} rows about {len(names)} subjects"
    )


def test_what_is_not_true_is_kept_by_condition_c():
    """Every tuple still leads to its subject, and what it says of them is not what was
    collected."""
    found = assessed([POPULATION[name] for name in DIAGNOSES], truthful=False)
    assert (found.holds, found.offending, found.lookups[0].by_c) == (True, 0, 3)
    assert found.reason.endswith("or is not true")


def test_one_tuple_that_is_too_specific_is_enough_to_break_it():
    found = assessed([("1965-10", "331**"), ("1965-07-11", "33175")])
    assert (found.holds, found.offending) == (False, 1)


# ---------------------------------------------------------------------------- section 6, the
# releases of Figures 29-33


def release_of(name: str):
    """A printed release held against a register of just the people of Fig. 28."""
    entities = tables.bins_of(tables.rows("foundations_fig28.csv"))
    return check_ads0(
        tables.bins_of(tables.rows(name)), entities, tables.QUASI, tables.hierarchies(entities)
    )


@pytest.mark.parametrize(
    "name", ["foundations_fig29_datafly.csv", "foundations_fig33_ksimilar.csv"]
)
def test_the_releases_of_datafly_and_k_similar_are(name):
    found = release_of(name)
    assert found.holds
    assert (found.offending, found.pointing_to_one) == (0, 0)
    assert found.k_map >= 2


def test_the_release_of_mu_argus_is_not_and_it_is_said_why():
    """The Caucasian man of 1964 in 02138 is one person of the table and one row of the release.

    So is the woman of 02139: her ethnicity and birth are blank, and no other woman lives there.
    """
    found = release_of("foundations_fig30_muargus.csv")
    assert not found.holds
    assert (found.tuples, found.pointing_to_one, found.offending, found.k_map) == (12, 2, 2, 1)
    for words in (
        "not an ADS0: 2 of 12 released tuples",
        "exactly one entity over (ethnicity, birth, sex, zip)",
        "unique in the release",
        "none of the conditions of property 9 holds",
    ):
        assert words in found.reason


def test_the_reason_names_no_value():
    rows = tables.rows("foundations_fig28.csv")
    values = {
        row[name] for row in rows for name in (*tables.QUASI, "problem") if len(row[name]) > 1
    }
    assert not any(value in release_of("foundations_fig30_muargus.csv").reason for value in values)
