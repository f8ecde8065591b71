"""A person whose cell changes the type of a column must not change how the cells of others are read:
a null makes whole numbers of pandas real ones, a time makes days moments, a word makes all of them
text."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pandas
import pytest

from sfumato.engines import open_source
from sfumato.policy import read_synthesis, read_tables_of_counts
from sfumato.releases.synthetic.coded_stage import coded_stage
from sfumato.releases.tabulated.counted_source import count_cells
from sfumato.releases.tabulated.private_counts import _leaf_counts, policy_areas

DAYS = [date(2020, 1, 1), date(2020, 2, 1)]
MOMENT = pandas.Timestamp("2020-01-01 03:00")
COLUMNS: list[tuple[list[Any], list[Any], list[Any]]] = [
    ([1, 2, 2, 3], [None, 1.5, "x", True, float("inf"), -0.0], [1, 2, 3]),
    ([1.0, 2.0, 2.5], [None, "x", 7], [1, 2, 2.5]),
    ([True, False, True], [None, "x", 1], [True, False]),
    (list(DAYS), [None, "x", MOMENT], ["2020-01-01", "2020-02-01"]),
    ([pandas.Timestamp(day) for day in DAYS], ["x", DAYS[0]], ["2020-01-01", "2020-02-01"]),
    ([2**60, 2**60 + 1], [None, 1.5], [2**60]),
    (["a", "b"], [None, 1, 1.5], ["a", "b"]),
]
PAIRS = [(base, more, domain) for base, several, domain in COLUMNS for more in several]


def frame(cells: list[Any]) -> pandas.DataFrame:
    return pandas.DataFrame({"x": cells, "y": ["a"] * len(cells)})


def counts(
    source: list[Any] | Path, section: dict[str, Any], leave_out: Sequence[str] = ("y",)
) -> Counter[Any]:
    """The exact counts of the field, by its finest codes, or by its values where they are
    selected."""
    policy = read_synthesis({"synthesis": {"epsilon": 1, "leave_out": [*leave_out], **section}})
    with open_source(source if isinstance(source, Path) else frame(source)) as engine:
        stage = coded_stage(engine, policy, ["x"])
        (field,) = stage.fields
        labels = (None, *field.values) if field.domain is None else range(field.size)
        found = stage.counts["x"].tolist()
        return Counter({label: n for label, n in zip(labels, found, strict=True) if n})


def shift(one: Counter[Any], other: Counter[Any]) -> int:
    return sum(abs(one[label] - other[label]) for label in {*one, *other})


@pytest.mark.parametrize(("base", "more", "domain"), PAIRS, ids=str)
def test_the_type_of_a_column_changes_nobody_elses_code(
    base: list[Any], more: Any, domain: list[Any]
) -> None:
    for section in ({"domains": {"x": domain}}, {"select": ["x"]}):
        assert shift(counts(base, section), counts([*base, more], section)) <= 1, section


def in_json(cells: list[Any], place: Path) -> Path:
    held = [each if isinstance(each, Spelled) else json.dumps(each) for each in cells]
    place.write_text("\n".join(f'{{"x": {each}}}' for each in held))
    return place


class Spelled(str):
    """A number of JSON as it is written."""


def in_sqlite(cells: list[Any], place: Path) -> Path:
    with closing(sqlite3.connect(place)) as database, database:
        database.execute("CREATE TABLE people (x REAL)")
        database.executemany("INSERT INTO people VALUES (?)", [(each,) for each in cells])
    return place


@pytest.mark.parametrize(
    ("written", "name", "more"),
    [
        (in_json, "people.jsonl", ["n/a", True, None, 1e20, {"a": 1}, "2.0"]),
        (in_json, "digits.jsonl", [*map(Spelled, ["0.12345678901234567891", "-0", "9" * 30])]),
        (in_sqlite, "people.db", ["n/a", None, 1e20]),
    ],
    ids=["json", "json-digits", "sqlite"],
)
def test_a_word_among_numbers_of_a_file_changes_no_other_cell(
    written: Any, name: str, more: list[Any], tmp_path: Path
) -> None:
    rows = [1.5, 2.0, 2.0, 3, 250.0, 1e-7]
    for section in ({"domains": {"x": ["1.5", 2, 3, 250]}}, {"select": ["x"]}):
        found = []
        for cells in (rows, [*rows, *more]):
            file = written(cells, tmp_path / name)
            found.append(counts(file, section, leave_out=[]))
            file.unlink()
        assert shift(*found) == len(more), section


def test_listed_values_are_found_in_real_numbers() -> None:
    found = counts([1.0, 2.0, None], {"domains": {"x": ["1.0", 2]}})
    assert found == {0: 1, 1: 1, 3: 1}


def test_the_type_of_a_column_changes_no_other_cell_of_a_table(tmp_path: Any) -> None:
    (tmp_path / "areas.csv").write_text("state,x\nA,1\nA,2\nB,3\n")
    given = {"levels": ["state", "x"], "areas": "areas.csv", "domains": {"z": [1, 2]}}
    private = read_tables_of_counts(
        {"tables_of_counts": {"method": "private", "epsilon": 1, **given}}, folder=tmp_path
    )
    classical = read_tables_of_counts(
        {"tables_of_counts": {"method": "round", **given}}, folder=tmp_path
    )
    rows = {"x": [1, 2, 2, 3], "z": [1, 1, 2, 2]}
    wider = {"x": [*rows["x"], None], "z": [*rows["z"], None]}
    domains = {"z": private.domains["z"]}
    for columns in (rows, wider):
        with open_source(pandas.DataFrame(columns)) as engine:
            leaves, _ = _leaf_counts(engine, private, policy_areas(private), domains, 2)
            assert leaves.tolist() == [[1, 0], [1, 1], [0, 1]]
            assert count_cells(engine, classical, largest=0).cells.values.max() == 4
