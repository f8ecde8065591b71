"""Sources of candidates: only the table that a candidate was made from is taken for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("cryptography")

import sfumato
from sfumato.errors import Mistake
from sfumato.keys import Key
from sfumato.register.source_checks import check_source
from sfumato.releases import PeopleRecord

POLICY = """
entity = "id"
release_to = "lab"

[fields.id]
role = "direct"

[fields.age]
role = "quasi"
hierarchy = { prefix = [1] }

[fields.job]
role = "insensitive"

[fields.ill]
role = "sensitive"

[require]
k = 2

[recipient.lab]
description = "a lab"
"""
KEY = Key(bytes(range(32)))
ROWS = ["01,21,cook,flu", "02,25,nurse,cold", "03,33,cook,flu", "04,34,baker,cold"]


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    (folder / "policy.toml").write_text(POLICY)
    sfumato.release(
        write(folder, ROWS), folder / "policy.toml", to=folder / "one",
        key=KEY, keep_people=folder / "one.people",
    )  # fmt: skip
    return folder / "one"


def write(folder: Path, rows: list[str]) -> Path:
    (folder / "people.csv").write_text("\n".join(["id,age,job,ill", *rows]) + "\n")
    return folder / "people.csv"


def check(made: Path, source: Path, key: Key | None = KEY) -> None:
    manifest = json.loads((made / "manifest.json").read_text())
    record = PeopleRecord.read(made.with_name("one.people"))
    check_source(made, source, manifest=manifest, record=record, key=key)


def test_the_source_of_a_candidate_is_taken_in_any_order_of_rows(made, tmp_path):
    check(made, write(tmp_path, ROWS[::-1]))


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (ROWS[:3], "3 rows, and had 4"),
        ([row.replace("0", "7", 1) for row in ROWS], "4 of the candidate's 4 people are not in it"),
        ([*ROWS[:3], "9" + ROWS[3][1:]], "1 of the candidate's 4 people"),
        ([row.replace("cook", "cantor") for row in ROWS], "2 released rows have cells of"),
        (
            [ROWS[0].replace("flu", "cold"), ROWS[1].replace("cold", "flu"), *ROWS[2:]],
            "2 people have another value of ill",
        ),
    ],
)
def test_another_table_with_the_same_fields_is_refused(made, tmp_path, rows, words):
    with pytest.raises(Mistake, match="make the candidate again") as refused:
        check(made, write(tmp_path, rows))
    assert words in str(refused.value)
    assert "cantor" not in str(refused.value)


def test_people_are_not_compared_without_the_key(made, tmp_path):
    with pytest.raises(Mistake, match="compared by keyed numbers"):
        check(made, write(tmp_path, ROWS), key=None)
