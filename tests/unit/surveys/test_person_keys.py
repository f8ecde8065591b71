"""Keys of people are looked for among many fields: most pairs are ruled out at a glance."""

from __future__ import annotations

import random

import numpy as np

from sfumato.surveys import person_keys
from sfumato.surveys.coded_rows import CodedField


def _coded(name: str, codes: list[int]) -> CodedField:
    return CodedField(name, np.array(codes), tuple(map(str, range(max(codes) + 1))))


def test_unrelated_fields_are_not_counted_in_full(monkeypatch):
    draw = random.Random(2)
    key = [n // 10 for n in range(10_000)]
    birth = _coded("birth", [10 * one % 997 for one in key])
    other = _coded("other", [draw.randrange(50) for _ in key])
    counted = []
    real = person_keys.count_pair
    monkeypatch.setattr(
        person_keys, "count_pair", lambda *pair: counted.append(pair[1].name) or real(*pair)
    )
    assert person_keys._determines(_coded("person", key), birth)
    assert not person_keys._determines(_coded("person", key), other)
    assert counted == ["birth"]


def _senate() -> dict[str, list[str]]:
    """People with names of their own; a term says who appointed them, and several share one."""
    draw = random.Random(3)
    first, last = ("John", "Mary", "Anna", "Robert"), ("Smith", "Miller", "Brown", "Jones")
    leaders = [f"{family}, {given}" for family in last for given in first]
    terms = [f"{1867 + n // 4}.05.12 - {1880 + n // 4}.01.01 (end)" for n in range(240)]
    return {
        "Name": [f"{draw.choice(last)}, {draw.choice(first)} {n}" for n in range(240)],
        "Appointed by": [leaders[(n // 4) % 16] for n in range(240)],
        "Term": terms,
    }


def test_a_field_that_determines_the_name_of_somebody_else_is_no_key_of_people(survey_of):
    found = survey_of(_senate(), max_combination=1)
    assert found.field("Appointed by").looks_like.value == "name"
    assert found.entity is None
    assert found.field("Term").proposal.role.value != "direct"


def test_a_field_that_determines_the_names_of_the_people_is_a_key(survey_of):
    columns = _senate()
    columns["Term"] = [f"t{n % 120} x" for n in range(240)]
    columns["Name"] = columns["Name"][:60] * 4
    assert survey_of(columns, max_combination=1).entity == "Term"


def test_an_unknown_number_that_follows_a_removed_key_is_removed_with_it(survey_of):
    draw = random.Random(8)
    rising = sorted(draw.sample(range(10_000, 10**7), 300))
    columns = {
        "row": [str(n + 1) for n in range(300)],
        "code": [str(number) for number in rising],
        "sex": [draw.choice("fm") for _ in range(300)],
    }
    found = survey_of(columns, max_combination=1)
    assert found.field("row").proposal.role.value == "direct"
    assert found.field("code").proposal.role.value == "direct"


def _contacts(step: int) -> dict[str, list[str | None]]:
    draw = random.Random(5)
    keys = [str(1000 + step * n) for n in range(120)]
    return {
        "patient": keys,
        "infected_by": [draw.choice(keys[:40]) if n % 2 else None for n in range(120)],
        "source_id": [f"{draw.choice(keys[:40])}.0" if n % 2 else None for n in range(120)],
        "visits": [str(draw.randrange(1000, 1120)) for _ in range(120)],
    }


def test_keys_of_other_rows_are_removed_whatever_the_field_is_called(survey_of):
    found = survey_of(_contacts(step=7919), max_combination=1)
    roles = {item.name: item.proposal.role.value for item in found.fields}
    assert roles == dict.fromkeys(("patient", "infected_by", "source_id"), "direct") | {
        "visits": "quasi"
    }
    assert found.entity is None  # A row is a person: who infected several is no key of rows.


def test_a_key_that_most_rows_lack_is_not_that_of_the_rows(survey_of):
    """A release refuses rows of nobody, so it would refuse what was proposed."""
    draw = random.Random(4)
    columns: dict[str, list[str | None]] = {
        "person_id": [f"P{n - n % 10 // 9}" for n in range(300)],
        "guardian_id": [f"P{n // 2}" if n % 8 == 0 else None for n in range(300)],
        "sex": [draw.choice("fm") for _ in range(300)],
    }
    assert survey_of(columns, max_combination=1).entity == "person_id"
    del columns["person_id"]
    assert survey_of(columns, max_combination=1).entity is None


def test_keys_of_people_that_repeat_are_keys_of_other_rows_too(survey_of):
    """A census of two years: each person has two rows, and a child's guardian is one of them. Python
    would read a key such as 0_17 as a number."""
    draw = random.Random(8)
    people = [f"0_{n}" for n in range(60) for _ in "ab"]
    columns = {
        "person_id": people,
        "guardian": [f"0_{draw.randrange(40)}" if n % 3 else None for n in range(120)],
        "sex": [draw.choice("fm") for _ in range(120)],
    }
    found = survey_of(columns, max_combination=1)
    assert found.entity == "person_id"
    assert found.field("guardian").proposal.role.value == "direct"


def test_of_keys_that_count_on_only_a_field_named_as_one_is_a_reference(survey_of):
    found = survey_of(_contacts(step=1), max_combination=1)
    roles = {item.name: item.proposal.role.value for item in found.fields}
    assert roles["source_id"] == "direct"
    assert roles["infected_by"] == roles["visits"] == "quasi"


def test_a_field_that_names_the_first_row_of_a_person_joins_rows(survey_of):
    visits = [str(100_000 + 7919 * n) for n in range(120)]
    columns = {
        "visit_id": visits,
        "first_visit": [visits[n - n % 4] for n in range(120)],
        "sex": ["fm"[n // 4 % 2] for n in range(120)],
        "birth_date": [f"19{30 + n // 4 % 10}-01-31" for n in range(120)],
    }
    assert survey_of(columns, max_combination=1).entity == "first_visit"


def test_where_every_row_has_its_own_person_key_a_nearly_unique_number_is_none(survey_of):
    columns = {
        "patient_id": [str(100_000 + 7919 * n) for n in range(120)],
        "global_num": [str(n or 1) if n % 3 else None for n in range(120)],
        "sex": ["fm"[n % 2] for n in range(120)],
    }
    columns["global_num"][4] = "1"
    assert survey_of(columns, max_combination=1).entity is None
    del columns["patient_id"]
    assert survey_of(columns, max_combination=1).entity == "global_num"
