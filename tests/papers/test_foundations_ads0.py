"""Paper 000, section 5: which releases are an ADS0. Its examples, and the three systems of section 6 on Fig. 28.

Figure 19's values are not in the text. Its people are: the Population {Dan, Don, Dave, Ann, Abe, Al}, of whom
{Ann, Abe, Al} are the Subjects; their births and ZIPs here are made up so that each is alone with theirs, and
Al and Ann share month and ZIP area as in Figure 17.
"""

from __future__ import annotations

from collections import Counter

import pytest
import tables

from sfumato.assess import check_ads0
from sfumato.bins import Bins
from sfumato.protection import KMap, NullMap

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


def assessed(tuples):
    return check_ads0(released(tuples), ENTITIES, QI, LEVELS)


# ------------------------------------------------------------------------------------------- section 5, its examples


def test_an_identity_release_is_not_one():
    found = assessed(POPULATION[name] for name in DIAGNOSES)
    assert not found.holds
    assert (found.tuples, found.pointing_to_one, found.offending, found.k_map) == (3, 3, 3, 1)
    assert "3 of 3 released tuples point to exactly one entity over (birth, zip)" in found.reason


def test_de_identification_alone_is_not_one_either():
    """Figure 15: without names, every birth and ZIP still leads to one entry of the register."""
    register = {cells: name for name, cells in POPULATION.items()}
    linked = {register[POPULATION[name]]: diagnosis for name, diagnosis in DIAGNOSES.items()}
    assert linked == DIAGNOSES
    assert not assessed(POPULATION[name] for name in DIAGNOSES).holds


def test_complete_suppression_is_one():
    """Conditions (a) and (b) both hold: a blank tuple could be anyone's, and there are three of them."""
    found = assessed([("*", "*")] * len(DIAGNOSES))
    assert found.holds
    assert (found.offending, found.k_map) == (0, len(POPULATION))
    assert found.reason.startswith("an ADS0 over (birth, zip)")


def test_encryption_is_one_by_null_map():
    """Figure 16: tuples lead to pseudo-entities, and to no subject."""
    encrypted = [("Jcd", "x1"), ("Jwq", "x2"), ("Jxy", "x3")]
    found = assessed(encrypted)
    assert (found.holds, found.pointing_to_nobody, found.k_map) == (True, 3, 0)
    subjects = Bins.of(QI, Counter(POPULATION[name] for name in DIAGNOSES))
    assert NullMap(fields=QI, subjects=subjects).judge(released(encrypted)).outcome == "pass"


def test_generalisation_is_one_by_k_map_though_a_tuple_is_alone_in_the_release():
    """Figure 17: the tuple links to both Al and Ann; k does not rely on the number of tuples."""
    found = assessed([("1965-10", "331**")])
    assert (found.holds, found.k_map, found.pointing_to_one) == (True, 2, 0)
    model = KMap(k=2, fields=QI, population=ENTITIES, hierarchies=LEVELS)
    assert model.judge(released([("1965-10", "331**")])).outcome == "pass"


def test_one_tuple_that_is_too_specific_is_enough_to_break_it():
    found = assessed([("1965-10", "331**"), ("1965-07-11", "33175")])
    assert (found.holds, found.offending) == (False, 1)


# ---------------------------------------------------------------------------- section 6, the releases of Figures 29-33


def release_of(name: str):
    """A printed release held against a register of just the people of Fig. 28."""
    entities = tables.bins_of(tables.rows("foundations_fig28.csv"))
    return check_ads0(tables.bins_of(tables.rows(name)), entities, tables.QUASI, tables.hierarchies(entities))


@pytest.mark.parametrize("name", ["foundations_fig29_datafly.csv", "foundations_fig33_ksimilar.csv"])
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
        "alone in the release",
        "none of the conditions of property 9 holds",
    ):
        assert words in found.reason


def test_the_reason_names_no_value():
    rows = tables.rows("foundations_fig28.csv")
    values = {row[name] for row in rows for name in (*tables.QUASI, "problem") if len(row[name]) > 1}
    assert not any(value in release_of("foundations_fig30_muargus.csv").reason for value in values)
