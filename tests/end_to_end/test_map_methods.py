"""Wrong-map and null-map as methods: steps that make what the requirement then judges."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import sfumato
from sfumato.errors import NoRecodingFound
from sfumato.policy import policy_from_table

FIELDS = {"age": "quasi", "height": "quasi", "illness": "sensitive"}
STEP = {"technique": "wrong_map", "fields": ["age", "height"], "outside": ["illness"]}


def table(folder, *counts):
    """People who are alone with their age and height, so many with each illness."""
    illnesses = [f"i{number}" for number, count in enumerate(counts) for _ in range(count)]
    mixed = np.random.default_rng(3).permutation(len(illnesses))
    path = folder / "people.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        writer.writerows((n % 60, n // 2, illnesses[at]) for n, at in enumerate(mixed))
    return path


def released(source, step, **require):
    decided = policy_from_table({"fields": FIELDS, "steps": [step], "require": require})
    return sfumato.release(source, decided, to=source.parent / "release")


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_an_assignment_loses_no_row_where_swapped_units_lose_two_in_five(tmp_path):
    source = table(tmp_path, 989, 601, 410)
    asked = {"wrong_map": {"outside": ["illness"]}}
    swap = {"technique": "swap", "method": "unit", "fields": ["age", "height"]}
    with pytest.raises(NoRecodingFound):
        released(source, swap, **asked, max_suppression=0.3)
    made = released(source, STEP, **asked)
    assert (made.outcome, made.rows) == ("pass", 2_000)
    own = {(row["age"], row["height"]): row["illness"] for row in rows_of(source)}
    assert all(own[row["age"], row["height"]] != row["illness"] for row in rows_of(made.table))
    (verdict,) = [verdict for verdict in made.verdicts if verdict.model == "wrong-map"]
    assert "gains 0.9638 in confidence" in verdict.reason


def test_what_wrong_values_tell_is_judged_after_the_step(tmp_path):
    source = table(tmp_path, 60, 30, 30)
    asked = {"outside": ["illness"]}
    with pytest.raises(NoRecodingFound):  # half of all: everybody else's is that one
        released(source, STEP, wrong_map=asked)
    with pytest.raises(NoRecodingFound, match=r"too many for gain = 0\.4"):
        released(source, STEP | {"gain": 0.9, "leave_out": 0.02}, wrong_map=asked | {"gain": 0.4})
    made = released(source, STEP | {"gain": 0.5, "leave_out": 0.5}, wrong_map=asked | {"gain": 0.5})
    assert made.outcome == "pass"
    assert 60 < made.rows < 120
    (step,) = made.manifest["steps"]
    assert step["found"]["rows_left_out"]["gain"] > 0


@pytest.mark.parametrize("technique", ["null_map", "null_map_noise"])
def test_dealt_out_and_moved_values_make_a_null_map(tmp_path, technique):
    source = table(tmp_path, 100, 100, 100)
    had = {(row["age"], row["height"]) for row in rows_of(source)}
    made = released(
        source,
        {"technique": technique, "fields": ["age", "height"]},
        null_map=True,
    )
    assert made.outcome == "pass"
    assert not had & {(row["age"], row["height"]) for row in rows_of(made.table)}
