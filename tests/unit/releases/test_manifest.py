"""One manifest for every shape of release, and rows that are counted as people only where nobody
has two."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path

import sfumato

POLICY = """
entity = "who"

[fields]
who = { role = "direct", replace = "number" }
zip = "quasi"
sex = "quasi"

[require]
k = 2
max_suppression = 1.0
"""
ROWS = [("a", "02138", "F"), ("b", "02138", "F"), ("c", "02139", "M"), ("d", "02139", "M")]


def released(folder: Path, rows: list[tuple[str, str, str]]) -> sfumato.Release:
    source, policy = folder / "rows.csv", folder / "policy.toml"
    with source.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("who", "zip", "sex"), *rows])
    policy.write_text(POLICY, encoding="utf-8")
    return sfumato.release(source, policy, to=folder / "out")


def test_one_table_and_people_with_several_rows_have_the_same_keys(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "several").mkdir()
    one = released(tmp_path / "one", ROWS).manifest
    several = released(tmp_path / "several", [*ROWS, *ROWS]).manifest
    assert (one["shape"], several["shape"]) == (
        "one row per person",
        "people with several rows or tables",
    )
    assert set(one["tables"]) == set(several["tables"]) == {"release"}
    assert set(one["tables"]["release"]) <= set(several["tables"]["release"]) | {"left_out"}
    assert set(several) - set(one) == {"people"}
    assert one["format"] == several["format"] == 3


def test_a_person_with_two_rows_is_noticed_where_rows_count_as_people(tmp_path: Path) -> None:
    """Bins have two rows each, of one person: the counts of the manifest hold and its claim does
    not."""
    made = released(tmp_path, ROWS)
    table = made.folder / "release.csv"
    names, *rows = csv.reader(table.read_text(encoding="utf-8").splitlines())
    whose = {row[1]: row[0] for row in rows}
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [names, *([whose[row[1]], *row[1:]] for row in rows)]
        )
    text = table.read_bytes()
    told = {"sha256": hashlib.sha256(text).hexdigest(), "bytes": len(text)}
    facts = json.loads((made.folder / "manifest.json").read_text(encoding="utf-8"))
    facts["tables"]["release"] |= told
    facts["files"]["release.csv"] = told
    (made.folder / "manifest.json").write_text(json.dumps(facts), encoding="utf-8")
    broken = [check.claim for check in sfumato.verify(made.folder) if check.outcome == "fail"]
    assert "each person has one row" in broken
