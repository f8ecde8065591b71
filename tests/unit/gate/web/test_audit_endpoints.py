"""The steward's audit centre: search, export, explain, verify."""

from __future__ import annotations

import csv
import io

import pytest
from doors import a_door

from sfumato.gate.audit import entries, verify_chain

FINE = {"sql": "SELECT age, town, sex, test FROM people", "shape": "age=0,town=0,sex=0"}


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with a_door(tmp_path_factory.mktemp("door")) as door:
        door.refused = door.posts("/ask", FINE, who="ann").json()["query"]
        door.posts("/ask", {"sql": "SELECT age, test FROM people"}, who="ann")
        door.posts("/ask", {"sql": "SELECT nothing FROM people"}, who="ann")
        yield door


def test_a_search_finds_by_who_kind_number_text_and_time(door):
    def numbers(**asked):
        return [
            line["number"]
            for line in door.gets("/audit", who="stella", params=asked).json()["entries"]
        ]

    everything = numbers()
    assert everything == sorted(everything, reverse=True)
    assert numbers(kind="not answered", who="ann") == numbers(query=door.refused)
    assert len(numbers(kind="not answered")) == 1
    assert numbers(text="NOTHING", kind="not admitted")
    assert numbers(since="2000-01-01", until="2001-01-01T00:00Z") == []
    assert numbers(since="2000-01-01") == numbers()
    assert numbers(limit=2) == numbers()[:2]
    assert door.gets("/audit", who="stella", params={"since": "soon"}).status_code == 422
    assert door.gets("/audit", who="stella", params={"whom": "ann"}).status_code == 422


def test_a_refusal_is_explained_to_the_steward_in_words_and_numbers(door):
    told = door.gets(f"/explain/{door.refused}", who="stella").json()
    assert told["who"] == ["ann"]
    assert told["because"][0].startswith("It was not answered")
    assert any("k-anonymity" in line and "classes would break" in line for line in told["because"])
    assert door.gets("/explain/q-00000000", who="stella").status_code == 404
    kinds = [
        entry["kind"] for entry in entries(door.gate.audit.path) if entry["kind"] != "state changed"
    ]
    assert kinds[-1] == "explained"


def test_an_export_of_everything_is_the_file_and_can_be_verified(door, tmp_path):
    told = door.gets("/audit/export", who="stella")
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(told.content)
    assert told.content == door.gate.audit.path.read_bytes()
    bearer = {"Authorization": f"Bearer {door.token('stella')}"}
    now = verify_chain(door.gate.audit.path)
    assert door.gets("/audit/verify", headers=bearer).json() == {
        "lines": now.lines,
        "digest": now.digest,
    }
    assert verify_chain(copy).lines < now.lines


def test_an_export_for_a_spreadsheet_has_a_row_for_each_line(door):
    told = door.gets("/audit/export", who="stella", params={"format": "csv", "who": "ann"})
    rows = list(csv.DictReader(io.StringIO(told.text)))
    assert {row["who"] for row in rows} == {"ann"}
    assert [row["kind"] for row in rows] == ["not answered", "answered", "not admitted"]


def test_a_chain_that_was_changed_is_told(tmp_path):
    with a_door(tmp_path) as door:
        path = door.gate.audit.path
        path.write_text(path.read_text().replace("opened", "opaned"))
        told = door.gets("/audit/verify", who="stella")
    assert (told.status_code, told.json()["code"]) == (409, "broken")
