"""What every engine promises about stages that are shuffled and numbered, and about what is taken
from their fields."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from ways import Open, Rows

from sfumato.bins import Bins
from sfumato.engines import Engine, Lookup, Quota, ShiftedDates, WritePlan, open_source

FIELDS = ("key", "who", "day", "ward")
ROWS: Rows = tuple((f"k{n}", f"p{n % 4}", f"2020-01-{n + 1:02}", "ab"[n % 2]) for n in range(20))


def written(engine: Engine, plan: WritePlan, folder: Path) -> list[tuple[str | None, ...]]:
    """The released rows in the order in which they were written, read with the reference engine
    where it can."""
    target = folder / "out.csv"
    engine.write(plan, target)
    if target.is_dir():
        with open_source(target, engine="spark") as found:
            return [
                row
                for batch in found.cells(plan.fields)
                for row in zip(*list(batch.values())[1:], strict=True)
            ]
    with target.open(newline="") as file:
        return [tuple(cell or None for cell in row) for row in list(csv.reader(file))[1:]]


def test_rows_of_a_numbered_stage_are_numbered_at_random_and_without_gaps(
    opened: Open, tmp_path: Path
) -> None:
    stage = opened(FIELDS, ROWS).staged(
        WritePlan(fields=FIELDS, shuffled=True, numbered={"n": 100})
    )
    rows = written(stage, WritePlan(fields=("key", "n")), tmp_path)
    assert sorted(int(n or 0) for _, n in rows) == list(range(101, 121))
    assert {key for key, _ in rows} == {row[0] for row in ROWS}
    assert [key for key, _ in sorted(rows, key=lambda row: int(row[1] or 0))] != [
        row[0] for row in ROWS
    ]


@pytest.mark.long(
    "Spark takes long; numbers of a stage, taken by a field there, stay",
    but=("reference*", "duckdb*", "postgres*"),
)
def test_a_field_is_taken_from_another_under_its_own_name(opened: Open, tmp_path: Path) -> None:
    stage = opened(FIELDS, ROWS).staged(
        WritePlan(fields=("who", "day"), shuffled=True, numbered={"n": 0})
    )
    rows = written(stage, WritePlan(fields=("who", "day"), taken={"who": "n"}), tmp_path)
    assert {who for who, _ in rows} == {str(n) for n in range(1, 21)}
    assert {day for _, day in rows} == {row[2] for row in ROWS}


def test_numbers_of_a_stage_stand_for_its_keys_elsewhere(opened: Open, tmp_path: Path) -> None:
    stage = opened(FIELDS, ROWS).staged(WritePlan(fields=FIELDS, shuffled=True, numbered={"n": 0}))
    numbers = stage.numbers_in("n", of="key")
    plan = WritePlan(
        fields=("key", "again"), lookups=(numbers.lookup("key", into="again"),), taken={"key": "n"}
    )
    rows = written(stage, plan, tmp_path)
    assert len(rows) == 20
    assert all(own == again for own, again in rows)


def test_dates_move_by_days_that_a_stage_has(opened: Open, tmp_path: Path) -> None:
    entries = {
        "key:who": np.array([f"p{n}" for n in range(4)], object),
        "new:by": np.array([1, 2, 3, -1], np.int64),
    }
    days = Lookup(keys=("who",), fields=("by",), batches=lambda: iter([entries]), whole=True)
    stage = opened(FIELDS, ROWS).staged(
        WritePlan(fields=("who", "day", "by"), lookups=(days,), shuffled=True)
    )
    rows = written(
        stage,
        WritePlan(fields=("who", "day"), moved=(ShiftedDates(fields=("day",), by="by"),)),
        tmp_path,
    )
    moved = {"p0": 1, "p1": 2, "p2": 3, "p3": -1}
    expected = Counter(
        (who, str(np.datetime64(day) + moved[who or ""]))
        for _, who, day, _ in ROWS
        if day is not None
    )
    assert Counter(rows) == expected


def test_equal_rows_of_a_distinct_stage_stand_once(opened: Open) -> None:
    stage = opened(FIELDS, ROWS).staged(WritePlan(fields=("who", "ward"), distinct=True))
    assert stage.count_rows() == 4
    found = stage.itemsets("who", "ward", m=1)
    assert sorted(found.people.tolist()) == [2, 2]


@pytest.mark.long(
    "Spark takes long; people-spark in tests/contracts/test_releases.py stays",
    but=("reference*", "duckdb*", "postgres*"),
)
def test_a_quota_by_key_leaves_as_many_rows_and_numbers_them(opened: Open) -> None:
    quota = Quota(
        person="who",
        fields=(),
        batches=lambda: iter([{"rows": np.array([5], np.int64), "keep": np.array([3], np.int64)}]),
        key="key",
    )
    stage = opened(FIELDS, ROWS).staged(
        WritePlan(fields=FIELDS, quota=quota, shuffled=True, numbered={"n": 10})
    )
    assert Bins.from_frequencies(stage.frequencies(("who",))).sizes() == {
        (f"p{n}",): 3 for n in range(4)
    }
    assert stage.lengths("n") == (2, 2)
    assert stage.profile("n").distinct == 12


@pytest.mark.long(
    "Spark takes long; people-spark in tests/contracts/test_releases.py stays",
    but=("reference*", "duckdb*", "postgres*"),
)
def test_rows_without_a_key_go_like_others(opened: Open) -> None:
    rows = [(None, "p0", "2020-01-01", "a")] * 5 + [("k", "p1", "2020-01-01", "a")]
    quota = Quota(
        person="who",
        fields=(),
        batches=lambda: iter([{"rows": np.array([5], np.int64), "keep": np.array([2], np.int64)}]),
        key="key",
    )
    stage = opened(FIELDS, rows).staged(WritePlan(fields=FIELDS, quota=quota, shuffled=True))
    assert Bins.from_frequencies(stage.frequencies(("who",))).sizes() == {("p0",): 2, ("p1",): 1}


@pytest.mark.long(
    "Spark takes long; its other shuffled stages stay", but=("reference*", "duckdb*", "postgres*")
)
def test_texts_of_a_shuffled_stage_are_counted_like_any(opened: Open) -> None:
    stage = opened(FIELDS, ROWS).staged(WritePlan(fields=FIELDS, shuffled=True))
    assert Bins.from_frequencies(stage.frequencies(("ward",))).sizes() == {("a",): 10, ("b",): 10}
    assert [batch["ward"].tolist() for batch in stage.distinct(("ward",))] == [["a", "b"]]
    assert stage.profile("ward").distinct == 2
