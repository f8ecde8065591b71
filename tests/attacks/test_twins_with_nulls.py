"""An attacker reads a removed field from a twin in clear, though nulls, few rows or texts hide it.

A null of the removed field is no exception to the rule that discloses the others; twelve wards are
enough to see that a code names their town; a removed text is disclosed by the code of it. Each
release is refused, and the control, in which the two fields have nothing to do with each other, is
made."""

from __future__ import annotations

import random

import numpy as np
import pytest

import sfumato
from sfumato.engines import open_database
from sfumato.errors import PolicyError, SourceError
from sfumato.policy import policy_from_table
from sfumato.surveys import linked_twins as search
from sfumato.surveys import survey_tables

PEOPLE = 300
TOWNS = ("Ahlen", "Beckum", "Coesfeld")
ADDRESSES = {"Mr": "m", "Mrs": "f", "Ms": "f"}


def _draw(seed=3):
    return random.Random(seed)


def _people(nulls, *, related=True):
    chance = _draw()
    rows = []
    for _ in range(PEOPLE):
        prefix = chance.choice([*ADDRESSES])
        sex = ADDRESSES[prefix] if related else chance.choice("fm")
        rows.append(
            {
                "prefix": prefix,
                "sex": None if chance.random() < nulls else sex,
                "age": str(chance.randrange(20, 30)),
                "diagnosis": chance.choice(("I10", "E11", "J45")),
            }
        )
    return rows


FIELDS = {
    "prefix": "insensitive",
    "sex": {"role": "direct", "replace": "remove"},
    "age": "quasi",
    "diagnosis": "sensitive",
}


def _release(rows, fields, to, **more):
    table = {"fields": fields, "require": {"k": 2, "max_suppression": 0.2}, **more}
    return sfumato.release(rows, policy_from_table(table), to=to, engine="reference")


def _refused(rows, fields, to, **more):
    with pytest.raises(PolicyError) as refused:
        _release(rows, fields, to, **more)
    return {each.where for each in refused.value.problems}


@pytest.mark.parametrize("nulls", [0.035, 0.3, 0.9])
def test_nulls_do_not_hide_what_the_other_rows_disclose(nulls, tmp_path):
    rows = _people(nulls)
    right = [ADDRESSES[row["prefix"]] == row["sex"] for row in rows if row["sex"]]
    assert all(right)  # The attack: everyone with a sex has it from the form of address.
    assert _refused(rows, FIELDS, tmp_path / "made") == {"fields.prefix"}


@pytest.mark.parametrize("nulls", [0.035, 0.9])
def test_nulls_make_no_twins_of_fields_without_relation(nulls, tmp_path):
    rows = _people(nulls, related=False)
    assert _release(rows, FIELDS, tmp_path / "made").folder.exists()


def test_a_copy_with_gaps_in_another_spelling_is_a_copy(tmp_path):
    """No value repeats, so that only the texts themselves can be compared."""
    chance = _draw()
    rows = [
        {
            "number": f"Ab-{10_000 + n}" if chance.random() < 0.9 else None,
            "ref": f"AB{10_000 + n}",
            "age": str(chance.randrange(20, 30)),
        }
        for n in range(PEOPLE)
    ]
    fields = {"number": "direct", "ref": "insensitive", "age": "quasi"}
    assert _refused(rows, fields, tmp_path / "made") == {"fields.ref"}


def test_a_flag_that_is_set_or_empty_is_disclosed_by_its_twin(tmp_path):
    chance = _draw()
    drawn = [chance.random() < 0.3 for _ in range(PEOPLE)]
    rows = [
        {"hiv": "yes" if each else None, "drug": chance.choice("AB") if each else "C", "age": "30"}
        for each in drawn
    ]
    fields = {"hiv": "direct", "drug": "insensitive", "age": "quasi"}
    assert _refused(rows, fields, tmp_path / "made") == {"fields.drug"}
    rows = [{"hiv": row["hiv"], "drug": "yn"[not row["hiv"]], "age": "30"} for row in rows]
    fields = {"hiv": "insensitive", "drug": "direct", "age": "quasi"}
    assert _refused(rows, fields, tmp_path / "other") == {"fields.hiv"}


@pytest.mark.parametrize("related", [True, False])
def test_a_removed_text_beside_its_code(related, tmp_path):
    chance = _draw()
    texts = {code: f"{code} was seen in the clinic for it" for code in ("I10", "E11", "J45")}
    codes = [chance.choice([*texts]) for _ in range(PEOPLE)]
    rows = [
        {"code": code, "note": texts[code if related else chance.choice(codes)], "age": "30"}
        for code in codes
    ]
    fields = {
        "code": "insensitive",
        "note": {"role": "text", "replace": "remove"},
        "age": "quasi",
    }
    if related:
        assert _refused(rows, fields, tmp_path / "made") == {"fields.code"}
    else:
        assert _release(rows, fields, tmp_path / "made").folder.exists()


NUMBERED = {"role": "direct", "replace": "number"}


def _clinics(patients, *, related=True, nulls=0.0, texts=False):
    """Patients with a town, and two tables of theirs that hold a code of it."""
    chance = _draw()
    people, visits, bills = [], [], []
    for n in range(patients):
        town = chance.randrange(3)
        shown = town if related else chance.randrange(3)
        hidden = chance.random() < nulls
        person = {
            "id": f"P{n}",
            "town": None if hidden else TOWNS[town],
            "sex": chance.choice("fm"),
        }
        people.append(person)
        visits += [{"visit": f"V{n}-{at}", "patient": f"P{n}", "area": f"c{shown}"} for at in "ab"]
        note = f"sent to {TOWNS[town]}" if texts else f"form {chance.randrange(3)}"
        bills += [{"bill": f"B{n}", "patient": f"P{n}", "note": note}]
    return {"patients": people, "visits": visits, "bills": bills}


def _linked_policy(town=None, area="insensitive", note="direct"):
    linked = {"patient": "patients.id"}
    tables = {
        "patients": {
            "key": "id",
            "fields": {"id": NUMBERED, "town": town or {"role": "direct"}, "sex": "quasi"},
        },
        "visits": {
            "key": "visit",
            "links": linked,
            "row_counts": {"linking": 0.0},
            "fields": {"visit": NUMBERED, "patient": NUMBERED, "area": area},
        },
        "bills": {
            "key": "bill",
            "links": linked,
            "row_counts": {"linking": 0.0},
            "fields": {"bill": NUMBERED, "patient": NUMBERED, "note": note},
        },
    }
    require = {"k": 2, "max_suppression": 0.5}
    return policy_from_table({"entity": "patients.id", "tables": tables, "require": require})


def _linked_release(tables, policy, to):
    return sfumato.release(tables, policy, to=to, engine="reference")


@pytest.mark.parametrize(("patients", "nulls"), [(200, 0.035), (200, 0.6), (12, 0.0), (18, 0.1)])
def test_over_links_neither_nulls_nor_few_people_hide_it(patients, nulls, tmp_path):
    tables = _clinics(patients, nulls=nulls)
    with pytest.raises(PolicyError) as refused:
        _linked_release(tables, _linked_policy(), tmp_path / "made")
    (problem,) = refused.value.problems
    assert problem.where == "tables.visits.fields.area"
    assert "patients.town is removed" in problem.found


@pytest.mark.parametrize("patients", [200, 18])
def test_over_links_fields_without_relation_are_released(patients, tmp_path):
    tables = _clinics(patients, related=False, nulls=0.1)
    assert _linked_release(tables, _linked_policy(), tmp_path / "made").folder.exists()


def test_over_links_a_removed_text_is_disclosed_by_its_code(tmp_path):
    policy = _linked_policy("quasi", "insensitive", {"role": "text", "replace": "remove"})
    with pytest.raises(PolicyError) as refused:
        _linked_release(_clinics(150, texts=True), policy, tmp_path / "made")
    found = [each.found for each in refused.value.problems]
    assert any("bills.note is removed" in each for each in found)


def test_a_search_that_cannot_read_rows_is_never_silent(tmp_path, monkeypatch):
    """The release is refused; the survey says that nobody judged it."""

    def unreadable(*_, **__):
        raise SourceError("The rows cannot be read.")

    tables = _clinics(60)
    monkeypatch.setattr(search, "coded_rows", unreadable)
    with pytest.raises(SourceError):
        _linked_release(tables, _linked_policy(), tmp_path / "made")
    assert not (tmp_path / "made").exists()
    with open_database(tables, engine="reference") as opened:
        found = survey_tables(opened)
    assert any("was not judged" in each for each in found.warnings)


def test_tables_whose_rows_have_too_few_keys_in_common_end_in_review(tmp_path, monkeypatch):
    """Of two huge tables, samples are compared; where they do not meet, nobody judged them."""
    tables = _clinics(150, related=False)
    policy = _linked_policy("quasi", "insensitive", "insensitive")
    assert _linked_release(tables, policy, tmp_path / "whole").outcome == "pass"
    real = search.coded_rows

    def some(view, names, *, rows, shorten):
        held = real(view, names, rows=rows, shorten=shorten)
        return {name: each.only(np.arange(10)) for name, each in held.items()}

    monkeypatch.setattr(search, "coded_rows", some)
    made = _linked_release(tables, policy, tmp_path / "some")
    assert made.outcome == "review"
    assert any("was not judged" in each for each in made.manifest["warnings"])
