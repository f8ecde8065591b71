"""Linkage: the attacker holds a register with names against the release, and reads off whose row is
whose.

Latanya Sweeney bought the voter list of Cambridge for twenty dollars and found the governor's
medical record by his birth, sex and ZIP (Sweeney 2000, section 3). Here the list has everyone of
the made-up hospital's town, and the release has no names. Each test is one rule about counts and
the attacker it is meant for: who knows all the fields, two, or one; who knows that a person is in
the release (the "prosecutor" of Garfinkel 2016, section 3.2.1), or only that they could be (the
"journalist").

The baseline is a row picked blindly. The control is the same attack on the table as it was, which
finds everyone."""

from __future__ import annotations

from collections import Counter

import pytest
from register import KNOWN, Linking, hierarchy, mean, people, released, write

from sfumato.bins import Bins, Pairing
from sfumato.measures import check_ads0
from sfumato.protection import Combinations, NullMap, WrongMap

MANY = 400


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("linkage")


@pytest.fixture(scope="module")
def town(folder):
    """Everyone in the register."""
    return people(folder, 5 * MANY)


@pytest.fixture(scope="module")
def patients(town):
    """One in five was a patient."""
    return town[::5]


def test_control_without_names_is_not_without_people(patients):
    """The raw table, its names left out: birth, sex and ZIP lead to one row for nearly all."""
    chances = Linking(patients, patients).chances()
    assert len(chances) == MANY
    assert mean(chances) > 0.95


@pytest.mark.long("a release for each solver; two stay", but=("anytime-5", "datafly2-2"))
@pytest.mark.parametrize(("solver", "k"), [("anytime", 5), ("datafly2", 2), ("k_similar", 2)])
def test_k_anonymity_against_who_knows_that_you_are_in_it(patients, folder, solver, k):
    """Nobody is singled out, and no guess is right more often than once in k."""
    rows = released(patients, folder, {"k": k}, solve={"solver": solver})
    chances = Linking(rows, patients).chances()
    assert len(chances) == len(rows)
    assert max(chances) <= 1 / k
    assert mean(chances) > 1 / MANY  # the baseline: linking still helps, by as much as was allowed


def test_known_limit_k_anonymity_over_the_wrong_fields(patients, folder):
    """Not protected, and documented: who knows one field more than the policy thought."""
    profile = {"few": {"linking": {"zip": 0.0}}}
    rows = released(patients, folder, {"k": 2}, recipient=profile, release_to="few")
    assert max(Linking(rows, patients, ("birth", "sex")).chances()) <= 1 / 2
    assert max(Linking(rows, patients).chances()) == 1


def test_k_map_against_who_only_has_the_register(town, patients, folder):
    """Every released row could be five people of the town. The control is the raw rows: most fit
    one person."""
    write(town, folder / "town.csv", KNOWN)
    rows = released(patients, folder, {"k_map": {"k": 5, "population": "town.csv"}})
    assert mean(Linking(patients, town).people_of()) > 0.9
    assert max(Linking(rows, town).people_of()) <= 1 / 5


def test_known_limit_k_map_against_who_knows_that_you_are_in_it(town, patients, folder):
    """Not protected, and documented: some row is alone in the release, and a neighbour knows who
    went to hospital."""
    write(town, folder / "town.csv", KNOWN)
    rows = released(patients, folder, {"k_map": {"k": 5, "population": "town.csv"}})
    assert max(Linking(rows, patients).chances()) == 1


def test_combinations_against_who_knows_two_fields(patients, folder):
    """Any two fields together fit three rows or more; so does any one of them."""
    rows = released(patients, folder, {"combinations": {"k": 3, "sizes": [2]}})
    for fields in (("birth", "sex"), ("birth", "zip"), ("sex", "zip"), ("birth",), ("zip",)):
        assert max(Linking(rows, patients, fields).chances()) <= 1 / 3
        assert max(Linking(patients, patients, fields).chances()) > 1 / 3  # the control


def test_combinations_hold_where_a_whole_field_is_suppressed(patients, folder):
    """A pair with a suppressed field is the other field alone, which must not single anyone out
    either."""
    levels = {"birth": 3, "sex": 1, "zip": 0}
    rows = released(
        patients,
        folder,
        {"combinations": {"k": 3, "sizes": [2]}, "max_suppression": 1.0},
        solve=given(levels),
    )
    assert rows
    assert max(Linking(rows, patients, ("sex", "zip")).chances()) <= 1 / 3


def given(levels):
    return {"solver": "given", "levels": levels}


def test_known_limit_combinations_against_who_knows_three_fields(patients, folder):
    """Not protected, and documented: pairs are safe and someone is alone over all three (Sweeney
    2000, Fig. 30)."""
    rows = released(patients, folder, {"combinations": {"k": 3, "sizes": [2]}})
    assert max(Linking(rows, patients).chances()) == 1


def test_known_limit_a_blank_tells_who_was_rare():
    """Not protected by mu-Argus's own reading: the one blank is where the one rare value was, for
    who knows it."""
    release = Bins.of(("zip", "sex"), {("*", "f"): 1, ("02138", "f"): 2})
    assert (
        Combinations(k=2, combinations=(("sex",), ("zip", "sex"))).judge(release).outcome == "pass"
    )
    of_the_woman_in_02139 = [
        labels for labels in release.tuples() if labels[0] in ("02139", "021**", "*")
    ]
    assert of_the_woman_in_02139 == [("*", "f")]


def test_bin_sizes_against_who_knows_one_field(patients, folder):
    """Whatever one thing is known of someone, ten rows fit; two things together may fit one."""
    rows = released(patients, folder, {"bin_sizes": {"birth": 10, "zip": 10, "sex": 10}})
    for name in KNOWN:
        assert max(Linking(rows, patients, (name,)).chances()) <= 1 / 10
    assert max(Linking(patients, patients, ("birth",)).chances()) == 1
    assert max(Linking(rows, patients).chances()) > 1 / 10  # the known limit


def test_maximum_risk_bounds_the_prosecutor_and_so_the_journalist(town, patients, folder):
    rows = released(patients, folder, {"maximum_risk": 0.2})
    prosecutor, journalist = Linking(rows, patients).chances(), Linking(rows, town).people_of()
    assert max(prosecutor) <= 0.2
    assert max(journalist) <= max(prosecutor)
    assert (
        mean(journalist) < mean(prosecutor) / 2
    )  # one in five of the town is in it, and nobody knows who


def test_average_risk_bounds_the_average_only(patients, folder):
    """Nobody can say of the release as a whole that more than one guess in five is right; of
    someone, they can."""
    rows = released(patients, folder, {"average_risk": 0.2})
    chances = Linking(rows, patients).chances()
    assert mean(chances) <= 0.2
    assert max(chances) > 0.2  # the known limit: see maximum risk


def test_population_uniqueness_against_who_looks_for_the_only_one(town, patients, folder):
    """Who is alone in the release may yet be one of many in town. The estimate is held against the
    truth."""
    asked = {"threshold": 0.05, "population_size": len(town)}
    rows = released(patients, folder, {"population_uniqueness": asked})
    linking = Linking(rows, town)
    alone = sum(chance == 1 for chance in linking.people_of())
    assert alone / len(rows) <= 2 * 0.05  # an estimate: twice is allowed before it counts as wrong
    assert sum(chance == 1 for chance in Linking(patients, town).people_of()) / len(patients) > 0.9


def test_safe_harbor_against_who_knows_the_birthday(patients, folder):
    """Days and small areas are gone, so that a birthday says no more than its year."""
    rows = released(
        patients,
        folder,
        {
            "safe_harbor": {"zips": ["zip"], "births": ["birth"], "as_of": 2025},
            "max_suppression": 0.2,
        },
    )
    born_together = Counter(person["birth"][:4] for person in patients)
    assert {len(row["birth"]) for row in rows} & {7, 10} == set()
    assert mean(Linking(rows, patients, ("birth",)).chances()) <= len(born_together) / len(rows)
    assert mean(Linking(patients, patients, ("birth",)).chances()) > 0.9


# ------------------------------------------------------- swapped releases, which no solver makes:
# see test_wrong_map.py


def bins_of(cells):
    return Bins.of(KNOWN, Counter(cells))


def cells(person):
    return tuple(person[name] for name in KNOWN)


def test_null_map_leads_to_no_patient(town, patients):
    """Each patient's row carries the birth, sex and ZIP of someone of the town who was no
    patient."""
    strangers = [person for n, person in enumerate(town) if n % 5 == 1]
    subjects = set(map(cells, patients))
    model = NullMap(fields=KNOWN, subjects=bins_of(map(cells, patients)))
    assert model.judge(bins_of(map(cells, strangers))).outcome == "pass"
    assert not subjects & set(map(cells, strangers))
    assert model.judge(bins_of(map(cells, patients))).outcome == "fail"  # the control


def test_wrong_map_leads_everyone_to_someone_else(patients):
    """Swapped as a unit: the register names one patient for each row, and always the wrong one."""
    times = Counter(map(cells, patients))
    alone = [person for person in patients if times[cells(person)] == 1]
    turned = [*alone[1:], alone[0]]
    everyone, tuples = bins_of(map(cells, alone)), [cells(person) for person in alone]
    places = list(range(len(alone)))
    swapped = Pairing.of(KNOWN, subjects=tuples, released=tuples, own=[places[-1], *places[:-1]])
    as_it_was = Pairing.of(KNOWN, subjects=tuples, released=tuples, own=places)
    assert WrongMap(fields=KNOWN, pairing=swapped).judge(everyone).outcome == "pass"
    assert (
        WrongMap(fields=KNOWN, pairing=as_it_was).judge(everyone).outcome == "fail"
    )  # the control
    said = {cells(other): person["diagnosis"] for person, other in zip(alone, turned, strict=True)}
    right = sum(said[cells(person)] == person["diagnosis"] for person in alone)
    commonest = Counter(person["diagnosis"] for person in alone).most_common(1)[0][1]
    assert right <= commonest  # who reads it off is right no more often than who guesses


def test_the_assessment_agrees_with_the_attack(patients, folder):
    """The property of Sweeney 2000, section 5, over the same fields: broken by the raw table, kept
    by the release."""
    source = bins_of(map(cells, patients))
    levels = {
        name: hierarchy(name, labels) for name, labels in zip(KNOWN, source.labels, strict=True)
    }
    assert check_ads0(source, source, KNOWN, levels).offending > 0.9 * MANY
    found = check_ads0(
        bins_of(map(cells, released(patients, folder, {"k": 2}))), source, KNOWN, levels
    )
    assert (found.holds, found.k_map >= 2) == (True, True)
