"""Names in two fields of a table and in its text: one person has one surrogate."""

from __future__ import annotations

import csv
import re

import pytest

import sfumato
from sfumato.releases import Key
from sfumato.releases.identifiers.surrogate import KINDS
from sfumato.releases.texts.cues import _REPLACED
from sfumato.text.kinds import ReferenceKind

pytest.importorskip(
    "faker", reason="the extra 'surrogates' is not installed: no surrogate was made"
)
KEY = Key(bytes(range(32)))
POLICY = """
entity = "patient"
[fields]
patient = { role = "direct", replace = "made-up" }
first = { role = "direct", replace = { method = "surrogate", kind = "FIRST" } }
last = { role = "direct", replace = { method = "surrogate", kind = "LAST" } }
sex = "quasi"
note = "text"
[require]
k = 2
"""
ROWS = [
    ("MRN100001", "Virginia", "Townsend", "f"),
    ("MRN100002", "Ben", "Hall", "m"),
    ("MRN100003", "Jürgen", "Müller", "m"),
    ("MRN100004", "Ann", "O'Brien", "f"),
]
OTHERWISE = {"Müller": "Mueller", "O'Brien": "OBRIEN"}
NOTE = (
    "{first} {last} came. {last}, {first} was seen. Dr. {last} slept. {first} ate. Then "
    "{otherwise} left."
)


@pytest.fixture(params=[("name", "name"), ("first-name", "last-name")], ids=lambda kinds: kinds[0])
def released(tmp_path, request):
    """The rows of the release, with the originals."""
    first, last = request.param
    with (tmp_path / "people.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["patient", "first", "last", "sex", "note"])
        for patient, one, two, sex in ROWS:
            note = NOTE.format(first=one, last=two, otherwise=OTHERWISE.get(two, two.upper()))
            out.writerow([patient, one, two, sex, note])
    (tmp_path / "policy.toml").write_text(
        POLICY.replace("FIRST", first).replace("LAST", last), encoding="utf-8"
    )
    made = sfumato.release(
        tmp_path / "people.csv",
        tmp_path / "policy.toml",
        to=tmp_path / "release",
        key=KEY,
        file_format="csv",
    )
    with made.table.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_name_of_one_word_has_a_surrogate_of_one_word(released):
    assert all(
        re.fullmatch(r"[A-Za-z'-]+", row[name]) for row in released for name in ("first", "last")
    )


def test_text_and_table_give_a_person_the_same_surrogate(released):
    for row in released:
        first, last = row["first"], row["last"]
        wanted = (
            f"{first} {last} came. {last}, {first} was seen. Dr. {last} slept. {first} ate. Then "
        )
        assert row["note"].startswith(wanted)
        assert row["note"].removeprefix(wanted).lower() == f"{last} left.".lower()


def test_every_kind_of_surrogate_is_a_kind_of_reference():
    """What a policy says of a field is not guessed from its values."""
    assert _REPLACED.keys() == KINDS.keys()
    assert set(_REPLACED.values()) <= {str(kind) for kind in ReferenceKind}
