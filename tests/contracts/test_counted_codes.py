"""Private synthesis counts in the engine: codes, cells of grids and marginals are the same on every
engine, and of each person only so many rows are counted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import spark_local
from ways import WAYS, Rows

from sfumato.engines import NumberGrid
from sfumato.policy import read_synthesis
from sfumato.releases.synthetic.coded_stage import coded_stage
from sfumato.releases.synthetic.engine_table import EngineTable
from sfumato.synthesis import DomainField

FIELDS = ("who", "city", "age", "sex")
ROWS: Rows = (
    ("p1", "Rome", "33.4", "F"),
    ("p1", "Rome", "33.4", "F"),
    ("p1", "Rome", "33.4", "F"),
    ("p2", "Oslo", "-7", "M"),
    ("p3", "Oslo", None, "x"),
    ("p4", None, "250", None),
    ("p5", "Rome", "3,5", "M"),
    (None, "Nowhere", "1", "F"),
)
POLICY = {
    "synthesis": {
        "epsilon": 1.0,
        "entity": "who",
        "select": ["city"],
        "domains": {"age": {"least": 0, "most": 110}, "sex": ["F", "M"]},
    }
}
NAMES = ("city", "age", "sex")


@pytest.mark.parametrize("way", ["reference", "duckdb-csv", "postgres", "spark-parquet"])
def test_marginals_are_counted_in_the_engine(way: str, tmp_path: Path) -> None:
    with WAYS[way](FIELDS, ROWS, tmp_path) as engine:
        stage = coded_stage(engine, read_synthesis(POLICY), NAMES)
        # Nobody's row is in no stage, but its value was met: it has a code that no row has.
        counts = {
            name: dict(zip((None, *fine.values), stage.counts[name].tolist(), strict=True))
            for name, fine in zip(NAMES[:1], stage.fields, strict=False)
        }
        assert counts["city"] == {None: 1, "Nowhere": 0, "Oslo": 2, "Rome": 2}
        assert np.flatnonzero(stage.counts["age"]).tolist() == [33, 111, 112, 113, 114]
        assert stage.counts["sex"].tolist() == [1, 2, 1, 1]
        table = EngineTable(
            stage=stage,
            fields=tuple(DomainField(name=each.name, size=each.size) for each in stage.fields),
            codes=tuple(np.arange(each.size) for each in stage.fields),
        )
        adults = (np.arange(115) >= 18).astype(np.int64)
        adults[113] = 0  # below the range
        known = np.array([0, 0, 1, 1])
        bins = [np.minimum(np.arange(4), 1), adults, known]
        pair, triple = table.marginals([(1, 2), (0, 1, 2)], bins)
    assert pair.tolist() == [[1, 0], [2, 2]]
    assert triple.sum(axis=0).tolist() == pair.tolist()
    assert triple[0].tolist() == [[0, 0], [0, 1]]


@pytest.mark.parametrize("engine", ["duckdb", "spark"])
def test_grids_hold_the_cell_of_each_number(engine: str, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    from sfumato.engines import open_source

    numbers = [0.004, 3.5, -1.0, -0.004, 10.004, 1e9, float("nan"), float("inf"), None]
    table = pyarrow.table({"x": pyarrow.array(numbers, pyarrow.float64())})
    parquet.write_table(table, tmp_path / "x.parquet")
    grid = NumberGrid(least=0, step=0.01, steps=1_001, cells=100)
    options = {"spark": spark_local.running()} if engine == "spark" else {}
    with open_source(tmp_path / "x.parquet", engine=engine, **options) as opened:
        view = opened.with_grids({"x": grid})
        (found,) = view.counted_codes([("x",)], {"x": np.arange(grid.size)})
    known = np.array([np.nan if each is None else each for each in numbers])
    assert found.tolist() == np.bincount(grid.places(known), minlength=grid.size).tolist()
    ends = [0, 35, 99, grid.missing, grid.unreadable, grid.below, grid.above]
    assert found[ends].tolist() == [2, 1, 1, 3, 0, 1, 1]
