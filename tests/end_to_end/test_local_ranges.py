"""A release with ranges and sets: what is written covers what was there, and is counted like any
other."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import sfumato
from sfumato.policy import policy_from_table


def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    rows = [(i, 20 + i * 7 % 40, "abcd"[i % 4]) for i in range(40)]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("number", "age", "blood"))
        writer.writerows(rows)
    return path


def test_every_cell_covers_its_value_and_every_bin_has_k_rows(tmp_path):
    policy = policy_from_table(
        {
            "fields": {
                "number": {"role": "insensitive"},
                "age": {"role": "quasi", "hierarchy": {"numbers": {"widths": [10, 20]}}},
                "blood": {"role": "quasi"},
            },
            "require": {"k": 3},
            "solve": {"solver": "local", "labels": "ranges"},
        },
        folder=Path(),
        name="toy",
    )
    source = table(tmp_path)
    made = sfumato.release(source, policy, to=tmp_path / "r")
    with source.open(encoding="utf-8", newline="") as file:
        before = {row["number"]: row for row in csv.DictReader(file)}
    with made.table.open(encoding="utf-8", newline="") as file:
        after = list(csv.DictReader(file))
    assert made.outcome == "pass"
    assert made.manifest["recoding"] == {"kind": "labelled"}
    assert len(after) == len(before)
    assert min(Counter((row["age"], row["blood"]) for row in after).values()) >= 3
    for row in after:
        low, _, high = row["age"].partition("..")
        assert int(low) <= int(before[row["number"]]["age"]) <= int(high or low)
        assert before[row["number"]]["blood"] in row["blood"].strip("{}").split(", ")
    assert any(".." in row["age"] for row in after)
    assert all(check.outcome != "fail" for check in sfumato.verify(made.folder))


def test_microaggregation_releases_means_of_at_least_k(tmp_path):
    policy = policy_from_table(
        {
            "fields": {
                "number": {"role": "insensitive"},
                "age": {"role": "quasi"},
                "blood": {"role": "insensitive"},
            },
            "require": {"k": 4},
            "solve": {"solver": "microaggregation"},
        },
        folder=Path(),
        name="toy",
    )
    source = table(tmp_path)
    made = sfumato.release(source, policy, to=tmp_path / "r")
    with source.open(encoding="utf-8", newline="") as file:
        before = [float(row["age"]) for row in csv.DictReader(file)]
    with made.table.open(encoding="utf-8", newline="") as file:
        after = [float(row["age"]) for row in csv.DictReader(file)]
    assert made.outcome == "pass"
    assert min(Counter(after).values()) >= 4
    assert abs(sum(before) / len(before) - sum(after) / len(after)) < 0.05
