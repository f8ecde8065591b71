"""Cells row by row and rows put together anew: what techniques that look at rows are promised by
every engine."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from sfumato.engines import FieldKind, Join, TableView, WritePlan, open_database, open_source
from sfumato.errors import SourceError

FIELDS = ("zip", 'it\'s a "row"', "row")
ROWS = (("02138", "ä", "1"), (None, "b c", "2"), ("02139", None, "3"), ("02138", "ä", "1"))


def whole(engine, fields):
    batches = list(engine.cells(fields))
    columns = {key: np.concatenate([batch[key] for batch in batches]) for key in batches[0]}
    return columns["row"], [columns[f"cell:{name}"] for name in fields]


def counted(engine, fields=FIELDS):
    return Counter(zip(*whole(engine, fields)[1], strict=True))


@pytest.mark.long(
    "Spark takes long; tests/unit/engines/test_spark_numbers.py stays",
    but=("reference", "duckdb*", "postgres"),
)
def test_every_row_has_a_number_that_stays_its_own(opened) -> None:
    engine = opened(FIELDS, ROWS)
    numbers, cells = whole(engine, FIELDS)
    assert len(set(numbers.tolist())) == len(ROWS)
    assert Counter(zip(*cells, strict=True)) == Counter(ROWS)
    again, (zips,) = whole(engine, ("zip",))
    assert dict(zip(again.tolist(), zips, strict=True)) == dict(
        zip(numbers.tolist(), cells[0], strict=True)
    )


@pytest.mark.long(
    "Spark takes long; other cells of Spark stay in this file",
    but=("reference*", "duckdb*", "postgres*"),
)
def test_rows_are_put_together_anew(opened) -> None:
    """One left out, one twice, one that no row stands behind, and a field with other cells."""
    engine = opened(FIELDS, ROWS)
    numbers, (zips, _, marks) = whole(engine, FIELDS)
    of = {mark: number for mark, number in zip(marks, numbers.tolist(), strict=True)}
    batch = {
        "row": np.array([of["2"], of["3"], of["3"], -7]),
        "cell:zip": np.array(["x", None, "y'\"", "z"], object),
    }
    stage = engine.gathered({"zip": FieldKind.TEXT}, iter([batch]))
    assert counted(stage) == Counter(
        [("x", "b c", "2"), (None, None, "3"), ("y'\"", None, "3"), ("z", None, None)]
    )
    assert [info.name for info in stage.fields()] == list(FIELDS)
    assert counted(engine) == Counter(ROWS)
    assert stage.frequencies(("row",)).counts.sum() == 4
    assert len(zips) == len(ROWS)


def test_a_field_that_is_not_there_is_told(opened) -> None:
    engine = opened(FIELDS, ROWS)
    with pytest.raises(SourceError, match="no field"):
        list(engine.cells(("nothing",)))
    with pytest.raises(SourceError, match="no field"):
        engine.gathered({"nothing": None}, iter([]))


@pytest.mark.long(
    "Spark takes long; its cells of some rows stay", but=("reference*", "duckdb*", "postgres*")
)
def test_no_rows_are_no_cells(opened) -> None:
    stage = opened(FIELDS, ROWS).gathered({"zip": None}, iter([]))
    assert stage.count_rows() == 0
    assert sum(len(batch["row"]) for batch in stage.cells(FIELDS)) == 0


@pytest.mark.parametrize(
    ("given", "after"),
    [
        (None, FieldKind.INTEGER),
        (FieldKind.INTEGER, FieldKind.INTEGER),
        (FieldKind.REAL, FieldKind.REAL),
        (FieldKind.TEXT, FieldKind.TEXT),
    ],
)
def test_types_stay_or_are_given(given: FieldKind | None, after: FieldKind, tmp_path: Path) -> None:
    import pyarrow

    with open_source(pyarrow.table({"age": [41, 7, None], "sex": ["f", "m", "f"]})) as engine:
        numbers, (ages,) = whole(engine, ("age",))
        batch = {
            "row": numbers,
            "cell:age": np.array([None if age is None else age + "0" for age in ages], object),
        }
        stage = engine.gathered({"age": given}, iter([batch]))
        assert stage.fields()[0].kind is after
        texts = {"410", "70"} if given is not FieldKind.REAL else {"410.0", "70.0"}
        assert {cell for (cell,) in counted(stage, ("age",))} == {*texts, None}
        stage.write(WritePlan(fields=("age", "sex")), tmp_path / "out.parquet")
        with open_source(tmp_path / "out.parquet") as written:
            assert written.fields()[0].kind is after


@pytest.mark.parametrize(("step", "count"), [(1, 30), (3, 10), (7, 4)])
def test_rows_are_read_that_are_spread_over_the_table(opened, step: int, count: int) -> None:
    """Every row, or every third one, each cell beside the others of its row."""
    rows = [(f"z{n}", str(n), str(n % 2)) for n in range(30)]
    engine = opened(FIELDS, rows)
    cells = [
        each
        for batch in engine.spread_rows(FIELDS, step=step)
        for each in zip(*(batch[f"cell:{name}"].tolist() for name in FIELDS), strict=True)
    ]
    assert len(cells) in (count, count + 1)
    assert len(set(cells)) == len(cells)
    assert set(cells) <= set(rows)


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_rows_of_joined_tables_are_spread_over_the_table_itself(tmp_path, engine: str) -> None:
    """A name in the table is that of the row's number, so that a choice does not hide one."""
    visits = "".join(f"{n},{n % 3}\n" for n in range(30))
    (tmp_path / "visits.csv").write_text(f"row,person\n{visits}", encoding="utf-8")
    (tmp_path / "people.csv").write_text("id,sex\n0,F\n1,M\n", encoding="utf-8")
    view = TableView(
        table="visits",
        joins=(Join(field="person", table="people", key="id", bring={"sex": "people.sex"}),),
    )
    names = ("row", "person", "people.sex")
    with open_database(tmp_path, engine=engine) as database:
        batches = [*database.view(view).spread_rows(names, step=7)]
    found = [
        cells
        for batch in batches
        for cells in zip(*(batch[f"cell:{name}"].tolist() for name in names), strict=True)
    ]
    sexes = {"0": "F", "1": "M", "2": None}
    assert len({row for row, _, _ in found}) == len(found) in (4, 5)
    assert all(int(row) % 3 == int(person) for row, person, _ in found)
    assert all(sexes[person] == sex for _, person, sex in found)
