"""Rolling up in the engine: few enough bins, the same as rolling up by hand, levels told as the
policy counts them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
import spark_local

from sfumato.bins import Bins
from sfumato.engines import Engine, WritePlan, open_source
from sfumato.errors import NoRecodingFound
from sfumato.hierarchies import Hierarchy, Label, Prefix, Suppression, Tree
from sfumato.releases.roll_up import RolledUp, roll_up

FIELDS = ("zip", "sex")
ZIPS = [f"{2100 + n // 2:05d}" for n in range(60)]
TABLE = {
    "zip": [*ZIPS, None, "99999"],
    "sex": ["f", "m", "m"] * 20 + [None, "f"],
    "ill": ["flu", "gout"] * 31,
    "n": list(range(62)),
}
SPECS = {"zip": Prefix((4, 3)), "sex": Suppression()}


@pytest.fixture(params=["duckdb", "reference", "spark"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    table = pyarrow.table(TABLE)
    if request.param == "spark":
        spark_local.running()
        pyarrow.parquet.write_table(table, tmp_path / "source.parquet")
    source = table.to_pylist() if request.param == "reference" else table
    source = tmp_path / "source.parquet" if request.param == "spark" else source
    with open_source(source, engine=request.param) as opened:
        yield opened


def bind(values: Mapping[str, tuple[Label, ...]]) -> dict[str, Hierarchy]:
    return {name: SPECS[name].bind(labels) for name, labels in values.items()}


def by_hand(engine: Engine, levels: Mapping[str, int], sensitive: Sequence[str] = ()) -> Bins:
    finest = Bins.count(engine, FIELDS, sensitive=sensitive)
    return finest.recode(bind(dict(zip(FIELDS, finest.labels, strict=True))), levels)


def test_few_bins_stay_as_they_are(engine: Engine) -> None:
    found = roll_up(engine, FIELDS, bind, limit=1_000)
    assert not found.is_raised
    assert found.engine is engine
    assert found.bins.sizes() == by_hand(engine, {}).sizes()
    assert (found.start, found.finest) == ({"zip": 0, "sex": 0}, len(found.bins))
    assert found.told({"zip": 2, "sex": 0}) == {"zip": 2, "sex": 0}


def test_too_many_bins_are_rolled_up_where_the_rows_are(engine: Engine) -> None:
    found = roll_up(engine, FIELDS, bind, sensitive=("ill",), limit=15)
    assert found.finest > 15 >= len(found.bins)
    assert found.start == {"zip": 1, "sex": 0}
    measure = by_hand(engine, found.start, ["ill"])
    assert found.bins.sizes() == measure.sizes()
    assert found.bins.rows == 62
    assert sorted(found.bins.histograms["ill"].counts) == sorted(measure.histograms["ill"].counts)
    assert found.told({"zip": 1, "sex": 1}) == {"zip": 2, "sex": 1}


@pytest.mark.long("Spark takes long; bins rolled up there stay", but=("reference", "duckdb"))
def test_what_a_solver_does_next_is_what_it_would_have_done(engine: Engine) -> None:
    """Recoding from the start levels on gives the bins that recoding from the bottom gives."""
    found = roll_up(engine, FIELDS, bind, limit=15)
    for zips in range(found.hierarchies["zip"].height + 1):
        for sexes in range(2):
            levels = {"zip": zips, "sex": sexes}
            again = found.bins.recode(found.hierarchies, levels)
            assert again.sizes() == by_hand(engine, found.told(levels)).sizes()


@pytest.mark.long("Spark takes long; bins rolled up there stay", but=("reference", "duckdb"))
def test_the_stage_keeps_the_other_fields_and_can_be_written(
    engine: Engine, tmp_path: Path
) -> None:
    found = roll_up(engine, FIELDS, bind, limit=15)
    assert [info.name for info in found.engine.fields()] == ["zip", "sex", "ill", "n"]
    assert found.engine.write(WritePlan(fields=("zip", "n")), tmp_path / "out.csv") == 62
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert "0210*,0" in lines
    assert ",60" in lines


@pytest.mark.long("Spark takes long; bins rolled up there stay", but=("reference", "duckdb"))
def test_only_what_is_carried_is_kept(engine: Engine) -> None:
    found = roll_up(engine, FIELDS, bind, carry=("sex", "zip"), limit=15)
    assert [info.name for info in found.engine.fields()] == ["sex", "zip"]


@pytest.mark.long(
    "Spark takes long; other engines stay", but=("reference*", "duckdb*", "postgres*")
)
def test_levels_climb_until_there_are_few_enough(engine: Engine) -> None:
    """What is expected may be too hopeful: it is counted, and raised again."""
    limits = (1_000, 15, 9, 6, 4, 2, 1)
    found = [roll_up(engine, FIELDS, bind, limit=limit) for limit in limits]
    assert all(len(one.bins) <= limit for one, limit in zip(found, limits, strict=True))
    assert [one.start["zip"] for one in found] == sorted(one.start["zip"] for one in found)
    assert found[-1].start == {"zip": 3, "sex": 1}


@pytest.fixture
def duckdb_rows() -> Iterator[Callable[[dict[str, list[Label]]], Engine]]:
    engines: list[Engine] = []

    def opened(rows: dict[str, list[Label]]) -> Engine:
        engines.append(open_source(pyarrow.table(rows)))
        return engines[-1]

    yield opened
    for one in engines:
        one.close()


def rolled(engine: Engine, rows: Sequence[Sequence[Label]], limit: int) -> RolledUp:
    hierarchy = Hierarchy.from_rows(rows)
    return roll_up(engine, ("a",), lambda values: {"a": hierarchy}, limit=limit)


def test_a_hierarchy_that_does_not_end_in_one_value_may_leave_too_many(
    duckdb_rows: Callable[[dict[str, list[Label]]], Engine],
) -> None:
    engine = duckdb_rows({"a": ["1", "2", "3", "4"]})
    with pytest.raises(
        NoRecodingFound, match=r"at most 1\.\n  At the top of every hierarchy there are still 2"
    ):
        rolled(engine, [("1", "x"), ("2", "x"), ("3", "y"), ("4", "y")], 1)


def test_levels_that_change_no_number_are_passed_over(
    duckdb_rows: Callable[[dict[str, list[Label]]], Engine],
) -> None:
    engine = duckdb_rows({"a": ["1", "2", "3", None]})
    rows = [("1", "one", "odd"), ("2", "two", "even"), ("3", "three", "odd"), (None, None, None)]
    found = rolled(engine, rows, 3)
    assert found.start == {"a": 2}
    assert found.bins.sizes() == {("even",): 1, ("odd",): 2, (None,): 1}
    assert found.hierarchies["a"].labels[0] == found.bins.labels[0]


def test_labels_that_only_the_hierarchy_knows_follow_those_that_occur(
    duckdb_rows: Callable[[dict[str, list[Label]]], Engine],
) -> None:
    tree = Tree({"b": {"x": ["1", "2"], "y": ["3"]}, "a": {"z": ["4"]}})
    engine = duckdb_rows({"a": ["1", "2", "3"]})
    found = roll_up(engine, ("a",), lambda values: {"a": tree.bind(values["a"])}, limit=2)
    assert found.bins.labels == (("x", "y"),)
    assert found.hierarchies["a"].labels[0][:2] == ("x", "y")
    again = found.bins.recode(found.hierarchies, {"a": 1})
    assert again.sizes() == {("b",): 3}
