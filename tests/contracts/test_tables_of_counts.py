"""Tables of counts are the same on every engine: classes, areas, people and sums."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from ways import WAYS, Rows

from sfumato.policy import read_tables_of_counts
from sfumato.releases.tabulated.suppress_method import suppress_method

FIELDS = ("who", "state", "county", "sex", "age", "cost")
CHANCE = random.Random(3)
AREAS = [CHANCE.choice(["a1", "a2", "b1", "b2"]) for _ in range(200)]
ROWS: Rows = tuple(
    (
        f"p{number // 2}",
        area[0],
        area,
        CHANCE.choice("FM"),
        str(CHANCE.randrange(90)),
        str(CHANCE.randrange(900)),
    )
    for number, area in enumerate(AREAS)
)
GEOGRAPHY = {"method": "suppress", "levels": ["state", "county"]}
POLICIES: dict[str, dict[str, Any]] = {
    "classes": GEOGRAPHY
    | {"fields": ["sex", "age"], "domains": {"age": {"cuts": [30, 60]}}, "threshold": 8},
    "sums of people": GEOGRAPHY
    | {"fields": ["sex"], "measure": "cost", "p_percent": 20, "entity": "who", "threshold": 3},
    "linked tables": {
        "method": "suppress",
        "tables": [["sex", "county"], ["state", "sex"]],
        "entity": "who",
        "rows_per_person": 2,
    },
}


@pytest.mark.parametrize(
    ("way", "name"),
    [*product(["duckdb-csv", "postgres"], POLICIES), ("spark-parquet", "classes")],
)
def test_tables_are_those_of_the_reference(way: str, name: str, tmp_path: Path) -> None:
    policy = read_tables_of_counts({"tables_of_counts": POLICIES[name]})
    found = []
    for each in ("reference", way):
        with WAYS[each](FIELDS, ROWS, tmp_path) as engine:
            table = suppress_method(engine, policy).table
            found.append(dict(zip(table.labels, table.values, strict=True)))
    assert found[0] == found[1]
