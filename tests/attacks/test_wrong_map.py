"""Wrong-map and null-map: the attacker looks everyone up, and believes what is found.

The register has the birth, sex and ZIP of every patient (Sweeney 2000, section 5: the subjects). In
a release whose quasi-identifiers were swapped as a unit each row names one patient, and always
another than the one it is about; in one that encrypted them it names nobody. Released rows carry a
number that only the judge of the attack reads.

The control is the same attack on the table as it was, which is right about nearly everyone. The
baseline for a diagnosis is the commonest one."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from register import KNOWN, people, released

from sfumato.errors import NoRecodingFound
from sfumato.protection.wrong_value_gain import belief_weights
from sfumato.releases import Key

MANY = 400
SWAP = {"technique": "swap", "method": "unit", "fields": list(KNOWN)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("maps")


@pytest.fixture(scope="module")
def patients(folder):
    """Those who are alone with their birth, sex and ZIP: the others fit two, and would be left
    out."""
    found = people(folder, MANY)
    times = Counter(map(looked_up, found))
    return [person for person in found if times[looked_up(person)] == 1]


def looked_up(person):
    return tuple(person[name] for name in KNOWN)


def matches(rows, register):
    """Each released row with the one person of the register whom it names; rows that name nobody
    are left out."""
    by_tuple = defaultdict(list)
    for person in register:
        by_tuple[looked_up(person)].append(person)
    return [
        (row, by_tuple[looked_up(row)][0]) for row in rows if len(by_tuple[looked_up(row)]) == 1
    ]


def right_people(found):
    return sum(row["number"] == person["number"] for row, person in found)


def right_diagnoses(found):
    return sum(row["diagnosis"] == person["diagnosis"] for row, person in found)


def test_control_the_table_as_it_was_names_everyone(patients):
    assert right_people(matches(patients, patients)) == len(patients)


def test_a_wrong_map_names_one_person_for_each_row_and_never_the_right_one(patients, folder):
    rows = released(patients, folder, {"wrong_map": True}, steps=[SWAP])
    found = matches(rows, patients)
    assert len(found) == len(rows) == len(patients)
    assert right_people(found) == 0
    commonest = Counter(person["diagnosis"] for person in patients).most_common(1)[0][1]
    assert right_diagnoses(found) <= commonest  # the baseline


def test_where_the_diagnosis_must_differ_it_is_never_right(patients, folder):
    """Rows that would say what their match has are left out, within the limit."""
    require = {"wrong_map": {"outside": ["diagnosis"]}, "max_suppression": 0.2}
    rows = released(patients, folder, require, steps=[SWAP])
    found = matches(rows, patients)
    assert (right_people(found), right_diagnoses(found)) == (0, 0)
    assert len(patients) * 0.8 <= len(rows) < len(patients)


def test_known_limit_what_is_never_said_is_excluded(patients, folder):
    """Not protected, and documented: a diagnosis that must be wrong leaves one fewer to guess."""
    require = {"wrong_map": {"outside": ["diagnosis"]}, "max_suppression": 0.2}
    found = matches(released(patients, folder, require, steps=[SWAP]), patients)
    values = sorted({person["diagnosis"] for person in patients})
    guesses = [[value for value in values if value != row["diagnosis"]] for row, _ in found]
    assert all(
        person["diagnosis"] in left for left, (_, person) in zip(guesses, found, strict=True)
    )


def test_of_two_values_the_wrong_one_tells_the_right_one_so_it_is_refused(patients, folder):
    two = [person | {"diagnosis": "yes" if n % 2 else "no"} for n, person in enumerate(patients)]
    with pytest.raises(NoRecodingFound):
        released(
            two,
            folder,
            {"wrong_map": {"outside": ["diagnosis"]}, "max_suppression": 0.9},
            steps=[SWAP],
        )


def test_a_swap_that_leaves_rows_at_home_is_not_released(patients, folder):
    with pytest.raises(NoRecodingFound):
        released(patients, folder, {"wrong_map": True}, steps=[SWAP | {"share": 0.5}])


def test_a_null_map_names_nobody(patients, folder):
    """Encrypted under a key that the attacker does not have; the register has no cipher in it."""
    pytest.importorskip("cryptography")
    step = {"technique": "encrypt", "fields": list(KNOWN)}
    bare = {name: {"role": "quasi"} for name in KNOWN}
    rows = released(
        patients,
        folder,
        {"null_map": True},
        steps=[step],
        fields_more=bare,
        key=Key(bytes(range(32))),
    )
    assert matches(rows, patients) == []
    seen = {row[name] for row in rows for name in KNOWN}
    assert not seen & {person[name] for person in patients for name in KNOWN}


def test_an_assignment_names_nobody_rightly_and_loses_no_patient(patients, folder):
    """The step looks at diagnoses too, so that none is right and every patient stays."""
    step = {"technique": "wrong_map", "fields": list(KNOWN), "outside": ["diagnosis"]}
    asked = {"wrong_map": {"outside": ["diagnosis"]}, "max_suppression": 0.0}
    rows = released(patients, folder, asked, steps=[step])
    found = matches(rows, patients)
    assert len(found) == len(rows) == len(patients)
    assert (right_people(found), right_diagnoses(found)) == (0, 0)


def test_the_best_guess_from_wrong_diagnoses_is_right_as_often_as_the_gain_says(patients, folder):
    """The attacker knows the method: of each wrong diagnosis they guess the one that most probably
    is behind it, by quasi-independence."""
    three = [person | {"diagnosis": "abc"[n % 20 // 9]} for n, person in enumerate(patients)]
    step = {"technique": "wrong_map", "fields": list(KNOWN), "outside": ["diagnosis"]}
    rows = released(three, folder, {"wrong_map": {"outside": ["diagnosis"]}}, steps=[step])
    counts = Counter(person["diagnosis"] for person in three)
    sizes = np.array([counts[value] for value in "abc"])
    weights = belief_weights(sizes)
    guess = {
        shown: max((a for a in range(3) if a != s), key=lambda a: weights[a])
        for s, shown in enumerate("abc")
    }
    found = matches(rows, three)
    right = np.mean(
        [person["diagnosis"] == "abc"[guess[row["diagnosis"]]] for row, person in found]
    )
    expected = sum(
        sizes[s] * weights[guess[shown]] / (weights.sum() - weights[s])
        for s, shown in enumerate("abc")
    ) / len(three)
    assert right == pytest.approx(expected, abs=4 * np.sqrt(0.25 / len(three)))
    assert max(counts.values()) / len(three) < right  # what being wrong tells, beyond the baseline
