"""Names of people in fields that are about something else: an open question, never in clear."""

from __future__ import annotations

import random

import pytest

from sfumato.engines import open_source
from sfumato.policy import Role
from sfumato.releases import release
from sfumato.surveys import proposed_toml, survey

DISEASES = [
    "Asthma",
    "Wilson disease",
    "Bell's palsy",
    "Graves disease",
    "Hypertension",
    "Frank black stool",
    "Amber white discharge",
    "Hodgkin lymphoma",
    "Diabetes mellitus",
]
DRUGS = ["Metformin 500 mg", "Omeprazole DR 20 mg", "MS Contin", "Ibuprofen", "St. John's wort"]
PEOPLE = ["Mary Johnson", "Robert Miller", "Jennifer Garcia", "Linda Davis", "Carlos Lopez"]


def _rows(field: str, values: list[str], *, once: str = "") -> list[dict[str, str]]:
    draw = random.Random(4)
    rows = [
        {"age": str(draw.randrange(20, 80)), "sex": draw.choice("fm"), field: draw.choice(values)}
        for _ in range(200)
    ]
    if once:
        rows[77][field] = once
    return rows


def _surveyed(rows):
    with open_source(rows, engine="reference") as source:
        return survey(source)


@pytest.mark.parametrize(
    ("field", "values", "once"),
    [
        ("diagnosis", DISEASES, "Asthma; mother Mary Johnson called"),
        ("diagnosis", DISEASES, "MILLER, ROBERT"),
        ("drug", DRUGS, "ibuprofen, as asked by Dr. Huber"),
        ("drug", PEOPLE, ""),
        ("diagnosis", [f"{name}: asthma" for name in PEOPLE], ""),
        ("medication", PEOPLE, ""),
    ],
)
def test_a_sensitive_field_with_names_is_open_and_left_out(field, values, once):
    """Fails where such a field is sensitive, and so released as it is."""
    found = _surveyed(_rows(field, values, once=once))
    proposal = found.field(field).proposal
    assert proposal.open
    assert proposal.role is not Role.SENSITIVE
    assert field in found.open_questions
    assert "Johnson" not in proposed_toml(found)


@pytest.mark.parametrize(("field", "values"), [("diagnosis", DISEASES), ("drug", DRUGS)])
def test_diseases_named_after_people_are_no_people(field, values):
    proposal = _surveyed(_rows(field, values)).field(field).proposal
    assert proposal.role is Role.SENSITIVE
    assert not proposal.open


def test_a_release_as_proposed_holds_no_name(tmp_path):
    source = tmp_path / "people.csv"
    rows = _rows("diagnosis", DISEASES, once="Asthma; mother Mary Johnson called")
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    source.write_text("\n".join(lines) + "\n")
    made = release(source, to=tmp_path / "out")
    assert made.outcome == "review"
    assert "Johnson" not in made.table.read_text()


def test_a_name_beyond_the_sample_is_found():
    """One of 3,000 different values is not among the 400 that are sampled, as a rule."""
    rows = [
        {"age": str(20 + n % 60), "diagnosis": f"asthma, seen on day {n}"} for n in range(3_000)
    ]
    rows[1234]["diagnosis"] = "asthma, neighbour Robert Miller called"
    proposal = _surveyed(rows).field("diagnosis").proposal
    assert proposal.role is Role.TEXT
