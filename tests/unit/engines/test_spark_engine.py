"""The Spark engine beyond what every engine promises: files, the catalog, its scratch folder,
Ctrl-C, errors."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
import spark_local
from pyspark.sql import SparkSession
from sqlglot import exp

from sfumato.engines import Lookup, ShiftedDates, TableView, WritePlan, open_database, open_source
from sfumato.engines.spark import session as spark_session
from sfumato.engines.spark import snapshot as spark_snapshot
from sfumato.engines.spark.engine import SparkEngine
from sfumato.errors import Bug, MissingExtra, SourceError, TargetError
from sfumato.policy.records import Order

pytestmark = pytest.mark.long("Spark takes long; tests/contracts/test_engines.py stays on Spark")

ROWS = {"zip": ["02138", "02139", None, "02138"], "a.b`c": ["x", "y", "x", None], "n": [1, 2, 3, 4]}


@pytest.fixture
def spark() -> SparkSession:
    return spark_local.running()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    pyarrow.parquet.write_table(pyarrow.table(ROWS), tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


def opened(source: Any, **options: Any) -> SparkEngine:
    spark_local.running()
    engine = open_source(source, engine="spark", **options)
    assert isinstance(engine, SparkEngine)
    return engine


# ----------------------------------------------------------------------------------------------------------
# reading


def test_names_with_dots_and_backticks(source: Path, tmp_path: Path) -> None:
    with opened(source) as engine:
        assert engine.frequencies(("a.b`c",), sensitive=("n",)).values == (("x", "y", None),)
        entry = {
            "key:a.b`c": np.array(["x", "y", None], object),
            "new:a.b`c": np.array(["X", "Y", "-"], object),
        }
        lookup = Lookup(keys=("a.b`c",), fields=("a.b`c",), batches=lambda: iter([entry]))
        plan = WritePlan(fields=("a.b`c", "n"), lookups=(lookup,), order=Order.SORTED)
        assert engine.write(plan, tmp_path / "out.csv") == 4
    assert (tmp_path / "out.csv").read_text() == "a.b`c,n\n-,4\nX,1\nX,3\nY,2\n"


def test_a_folder_is_read_with_all_fields_of_all_files(tmp_path: Path) -> None:
    """A field that only some files have is a field: it must not leave the survey's sight."""
    (tmp_path / "all" / "below").mkdir(parents=True)
    pyarrow.parquet.write_table(pyarrow.table({"a": ["x"]}), tmp_path / "all" / "1.parquet")
    pyarrow.parquet.write_table(
        pyarrow.table({"a": ["y"], "b": ["z"]}), tmp_path / "all" / "2.parquet"
    )
    with opened(tmp_path / "all") as engine:
        assert [info.name for info in engine.fields()] == ["a", "b"]
        assert engine.frequencies(("a", "b")).values == (("x", "y"), ("z", None))
        assert engine.title == "all"
        assert engine.snapshot().facts["files"] == 2


def test_folders_of_values_keep_their_text(tmp_path: Path) -> None:
    for month in ("05", "11"):
        (tmp_path / "all" / f"month={month}").mkdir(parents=True)
        pyarrow.parquet.write_table(
            pyarrow.table({"a": ["x"]}), tmp_path / "all" / f"month={month}" / "1.parquet"
        )
    with opened(tmp_path / "all") as engine:
        assert engine.frequencies(("month",)).values == (("05", "11"),)


def test_files_of_different_types_are_refused(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.table({"a": ["x"]}), tmp_path / "1.parquet")
    pyarrow.parquet.write_table(pyarrow.table({"a": [1.5]}), tmp_path / "2.parquet")
    with pytest.raises(SourceError, match="do not all have the same fields with the same types"):
        opened(tmp_path)


@pytest.mark.parametrize("name", ["it's [1] *?.parquet", "ü {} %41 #.parquet"])
def test_a_path_is_meant_as_it_is_written(source: Path, name: str) -> None:
    with opened(source.rename(source.with_name(name))) as engine:
        assert engine.count_rows() == 4


def test_csv_keeps_blank_lines_line_ends_and_noughts(tmp_path: Path) -> None:
    """Spark's own reader would drop the blank line, which is a row without a value."""
    (tmp_path / "a.csv").write_bytes(b'zip\n007\n\n"two\r\nlines"\n""\n')
    with opened(tmp_path / "a.csv") as engine:
        assert engine.count_rows() == 4
        assert engine.frequencies(("zip",)).values == (("007", "two\r\nlines", None),)
        assert engine.snapshot().kind == "files"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("gone.parquet", None, "does not exist"),
        ("a.parquet", b"PAR1 is not enough PAR1", "damaged"),
        ("a.csv", b"a,b\n1\n", "Line 2 has 1"),
        ("a.xlsx", b"x", "not read by Spark"),
    ],
)
def test_what_cannot_be_read_is_refused(
    tmp_path: Path, name: str, content: bytes | None, said: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=said):
        opened(tmp_path / name)


def test_a_folder_without_parquet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="holds no Parquet file"):
        opened(tmp_path)


def test_a_file_that_is_damaged_in_the_middle(source: Path, tmp_path: Path) -> None:
    table = pyarrow.table({"a": [f"SECRET{i}" * 50 for i in range(5_000)]})
    pyarrow.parquet.write_table(table, source, use_dictionary=False, compression="snappy")
    whole = source.read_bytes()
    with opened(source) as engine:
        half = len(whole) // 2
        source.write_bytes(whole[: half - 5_000] + b"\0" * 10_000 + whole[half + 5_000 :])
        with pytest.raises(SourceError, match="cannot be read") as caught:
            engine.frequencies(("a",))
        assert "SECRET" not in str(caught.value)
        with pytest.raises(SourceError, match="The source changed while it was read"):
            engine.snapshot()


# ----------------------------------------------------------------------------------------------------------
# catalog


@pytest.fixture
def clinic(spark: SparkSession) -> Iterator[str]:
    """A database of the catalog whose table pads text, compares it without case and spells a name
    oddly."""
    spark.sql("CREATE DATABASE clinic")
    fields = "`code no` CHAR(5), note VARCHAR(9), word STRING COLLATE UTF8_LCASE, n INT"
    spark.sql(f"CREATE TABLE clinic.people ({fields}) USING parquet")
    spark.sql(
        "INSERT INTO clinic.people VALUES ('ab', ' c ', 'W', 1), ('ab', '', 'w', 2), "
        "(NULL, NULL, '', 3)"
    )
    spark.sql("CREATE TABLE clinic.visits (who INT) USING parquet")
    spark.sql("INSERT INTO clinic.visits VALUES (1), (1), (7)")
    yield "clinic"
    spark.sql("DROP DATABASE clinic CASCADE")


def test_a_table_of_the_catalog(clinic: str, spark: SparkSession) -> None:
    with open_source(f"spark:{clinic}.people", spark=spark) as engine:
        assert engine.title == "clinic.people"
        found = engine.frequencies(("code no", "note", "word"))
        assert found.values == (("ab", None), (" c ", None), ("W", "w", None))
        assert engine.snapshot().kind == "spark"
        spark.sql("INSERT INTO clinic.people VALUES ('x', 'y', 'z', 4)")
        assert engine.count_rows() == 3
    with opened(None, table="clinic.people") as engine:
        assert engine.count_rows() == 4


def test_a_table_that_was_written_anew_is_noticed(clinic: str, spark: SparkSession) -> None:
    with open_source(f"spark:{clinic}.visits", spark=spark) as engine:
        spark.sql("INSERT OVERWRITE clinic.visits VALUES (9)")
        with pytest.raises(SourceError, match="The source changed while it was read"):
            engine.snapshot()


def test_a_database_of_the_catalog(clinic: str, spark: SparkSession) -> None:
    with open_database(f"spark:{clinic}", spark=spark) as database:
        assert (database.tables(), database.title) == (("people", "visits"), "clinic")
        assert database.loose("visits", "who", to="people", key="n") == 1
        assert database.repeated("visits", "who") == 1
        assert database.view(TableView(table="people")).count_rows() == 3


def test_a_folder_as_a_database(source: Path, tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text("a\n1\n", encoding="utf-8")
    spark_local.running()
    with open_database(tmp_path, engine="spark", tables=["people"]) as database:
        assert database.tables() == ("people",)
    with open_database({"here": pyarrow.table(ROWS)}, engine="spark") as database:
        assert database.view(TableView(table="here")).count_rows() == 4


@pytest.mark.parametrize("name", ["nobody.knows", "nobody", "spark_catalog.no.such"])
def test_a_table_that_nobody_knows(name: str) -> None:
    with pytest.raises(SourceError, match="not a table that Spark knows"):
        opened(None, table=name)


@pytest.mark.parametrize("name", ["a.", "a..b", "a`b"])
def test_what_is_no_name_of_a_table(name: str) -> None:
    with pytest.raises(SourceError, match="not the name of a table"):
        opened(None, table=name)


# ----------------------------------------------------------------------------------------------------------
# writing


def test_parquet_is_a_folder_of_parquet_files_and_nothing_else(
    source: Path, tmp_path: Path
) -> None:
    with opened(source) as engine:
        assert engine.write(WritePlan(fields=("zip", "n")), tmp_path / "out.parquet") == 4
    names = [path.name for path in (tmp_path / "out.parquet").iterdir()]
    assert names
    assert all(name.startswith("part-") and name.endswith(".parquet") for name in names)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.parquet", "people.parquet"]
    with open_source(
        tmp_path / "out.parquet"
    ) as again:  # DuckDB, as every release is counted again.
        assert again.count_rows() == 4
        assert again.frequencies(("zip",)).counts.tolist() == [2, 1, 1]


def test_a_folder_that_is_there_is_left_alone(source: Path, tmp_path: Path) -> None:
    (tmp_path / "out.parquet").mkdir()
    (tmp_path / "out.parquet" / "mine").touch()
    with opened(source) as engine, pytest.raises(TargetError, match="is there already"):
        engine.write(WritePlan(fields=("zip",)), tmp_path / "out.parquet")
    assert [path.name for path in (tmp_path / "out.parquet").iterdir()] == ["mine"]


def test_scrambled_rows_are_spread_evenly(tmp_path: Path) -> None:
    """Over many rows each part of the release holds as many early rows of the source as late
    ones."""
    count = 20_000
    pyarrow.parquet.write_table(pyarrow.table({"n": range(count)}), tmp_path / "people.parquet")
    with opened(tmp_path / "people.parquet") as engine:
        engine.write(WritePlan(fields=("n",)), tmp_path / "out.csv")
    found = np.loadtxt(tmp_path / "out.csv", dtype=np.int64, skiprows=1)
    assert sorted(found) == list(range(count))
    quarters = [int((part < count // 2).sum()) for part in np.split(found, 4)]
    assert all(
        abs(early - count // 8) < 200 for early in quarters
    )  # Five and a half standard deviations.
    steps = np.diff(found)
    assert (steps == 1).sum() < 20


@pytest.mark.parametrize("entries", [3, 0])
def test_lookups_large_and_small_give_the_same(
    source: Path, tmp_path: Path, entries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sent to all workers, or sorted and merged."""
    monkeypatch.setattr(spark_session, "BROADCAST_ENTRIES", entries)
    entry = {
        "key:zip": np.array(["02138", "02139", None], object),
        "new:zip": np.array(["a", "b", None], object),
    }
    lookup = Lookup(keys=("zip",), fields=("zip",), batches=lambda: iter([entry]))
    with opened(source) as engine:
        engine.write(
            WritePlan(fields=("zip",), lookups=(lookup,), order=Order.KEEP), tmp_path / "out.csv"
        )
    assert (tmp_path / "out.csv").read_text().split("\n") == ["zip", "a", "b", "", "a", ""]


@pytest.mark.parametrize(
    "kind", [pyarrow.int8(), pyarrow.int32(), pyarrow.int64(), pyarrow.date32(), pyarrow.uint64()]
)
def test_lookups_by_numbers_and_dates_see_canonical_text(
    tmp_path: Path, kind: pyarrow.DataType
) -> None:
    """However they are compared: what is not the text of a value has no row, and null is only
    null."""
    values = (
        [date(2020, 2, 29), None, date(1970, 1, 1)] if kind == pyarrow.date32() else [7, None, 0]
    )
    pyarrow.parquet.write_table(
        pyarrow.table({"a": pyarrow.array(values, kind)}), tmp_path / "people.parquet"
    )
    texts = ["2020-02-29", "1970-01-01"] if kind == pyarrow.date32() else ["7", "0"]
    odd = [
        "007",
        "+7",
        " 7",
        "7.0",
        "2020-2-29",
        "2020-02-30",
        "x",
        str(2**62),
        "99999999999999999999",
    ]
    cells = [*odd, *texts, None]
    entry = {
        "key:a": np.array(cells, object),
        "new:a": np.array([f"new {cell}" for cell in cells], object),
    }
    lookup = Lookup(keys=("a",), fields=("a",), batches=lambda: iter([entry]))
    drop = Lookup(
        keys=("a",),
        fields=(),
        batches=lambda: iter([{"key:a": np.array([*odd, texts[0]], object)}]),
    )
    with opened(tmp_path / "people.parquet") as engine:
        engine.write(
            WritePlan(fields=("a",), lookups=(lookup,), order=Order.KEEP), tmp_path / "out.csv"
        )
        assert engine.write(WritePlan(fields=("a",), drop=drop), tmp_path / "rest.csv") == 2
    assert (tmp_path / "out.csv").read_text().split("\n") == [
        "a",
        f"new {texts[0]}",
        "new None",
        f"new {texts[1]}",
        "",
    ]


def test_what_is_streamed_comes_in_order_file_by_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_snapshot, "SMALL", 0)  # What comes from a small file comes at once.
    monkeypatch.setattr(spark_session, "ROWS_IN_A_FILE", 40)
    pyarrow.parquet.write_table(
        pyarrow.table({"a": [f"{n:03d}" for n in range(300)]}), tmp_path / "people.parquet"
    )
    with opened(tmp_path / "people.parquet") as engine:
        batches = [batch["a"].tolist() for batch in engine.distinct(("a",))]
    assert len(batches) > 4
    assert [cell for batch in batches for cell in batch] == [f"{n:03d}" for n in range(300)]


def test_a_shared_scratch_folder(source: Path, tmp_path: Path) -> None:
    """As on a cluster, where everything kept or looked up goes through a place that all workers
    see."""
    (tmp_path / "shared disk").mkdir()
    with opened(source, scratch=str(tmp_path / "shared disk")) as engine:
        (own,) = (tmp_path / "shared disk").iterdir()
        assert own.stat().st_mode & 0o077 == 0
        numbers = engine.numbers("zip", start=10)
        assert any(own.iterdir())
        plan = WritePlan(fields=("zip",), lookups=(numbers.lookup("zip"),))
        with engine.staged(plan) as stage:
            assert Counter(stage.frequencies(("zip",)).counts.tolist()) == {2: 1, 1: 2}
        assert [cell for batch in engine.distinct(("n",)) for cell in batch["n"]] == [
            "1",
            "2",
            "3",
            "4",
        ]
    assert list((tmp_path / "shared disk").iterdir()) == []
    with opened(tmp_path / "people.parquet", scratch=str(tmp_path / "shared disk")) as engine:
        entry = {"key:n": np.array(["2"], object)}
        drop = Lookup(keys=("n",), fields=(), batches=lambda: iter([entry]))
        assert engine.write(WritePlan(fields=("n",), drop=drop), tmp_path / "out.parquet") == 3


def test_draws_do_not_change_as_they_are_looked_at(source: Path) -> None:
    """Spark would draw again for each question about a result that was not stored."""
    with opened(source) as engine:
        numbers = engine.numbers("n", start=0)
        seen = [
            [
                (old, new)
                for batch in numbers.batches()
                for old, new in zip(*batch.values(), strict=True)
            ]
            for _ in range(3)
        ]
    assert seen[0] == seen[1] == seen[2]
    assert sorted(new or "" for _, new in seen[0]) == ["", "1", "2", "3", "4"]


# -------------------------------------------------------------------------------------------------
# Ctrl-C and errors


def test_ctrl_c_stops_the_job_and_leaves_nothing(
    source: Path, tmp_path: Path, spark: SparkSession
) -> None:
    with opened(source) as engine:
        session = engine._session
        session.spark.range(10**12).selectExpr("cast(id AS STRING) AS a").createOrReplaceTempView(
            "endless"
        )
        endless = SparkEngine.over(
            session, exp.alias_(exp.to_table("endless"), "source", table=True), title="x"
        )
        jobs = spark.sparkContext.statusTracker().getActiveJobsIds

        def interrupt() -> None:
            while not jobs():
                time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Thread(target=interrupt)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            endless.write(WritePlan(fields=("a",)), tmp_path / "out.parquet")
        timer.join()
        assert list(spark.sparkContext.statusTracker().getActiveJobsIds()) == []
        assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]
        assert engine.count_rows() == 4


def test_values_are_in_no_error_and_in_no_log(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Spark says 'The value SECRET of the type STRING cannot be cast to DATE'."""
    table = pyarrow.table({"who": ["p1", "p2"], "day": ["2020-01-01", "SECRET DAY"]})
    pyarrow.parquet.write_table(table, tmp_path / "people.parquet")
    entry = {"key:who": np.array(["p1", "p2"], object), "new:days": np.array([3, 4], np.int64)}
    moved = ShiftedDates(
        fields=("day",),
        lookup=Lookup(keys=("who",), fields=("days",), batches=lambda: iter([entry])),
    )
    with opened(tmp_path / "people.parquet") as engine:
        with pytest.raises(SourceError, match="message is held back") as caught:
            engine.write(WritePlan(fields=("day",), moved=(moved,)), tmp_path / "out.parquet")
        assert "SECRET" not in str(caught.value)
        assert caught.value.__suppress_context__
    assert "SECRET" not in "".join(capfd.readouterr())
    assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]


def test_a_question_that_spark_does_not_understand_is_our_mistake(source: Path) -> None:
    with (
        opened(source) as engine,
        pytest.raises(Bug, match=r"UNRESOLVED_COLUMN|PARSE"),
        engine._session.reading("x"),
    ):
        engine._session.asked(lambda: engine._session.spark.sql("SELECT nothing FROM source"))


def test_another_master_or_memory_needs_another_spark(source: Path) -> None:
    with pytest.raises(SourceError, match=r"Spark runs already .*\n.* master is local\[2\]"):
        opened(source, master="local[7]")
    with pytest.raises(SourceError, match="memory 1g"):
        opened(source, memory="2GB")
    with opened(source, master="local[2]", memory="1 GB") as engine:
        assert engine.count_rows() == 4
    with pytest.raises(SourceError, match="'much' is not an amount"):
        opened(source, memory="much")


def test_something_that_is_no_session_is_refused(source: Path) -> None:
    with pytest.raises(SourceError, match=r"It is a builtins\.str"):
        opened(source, spark="local")


def test_settings_and_views_of_the_session_stay_as_they_were(
    source: Path, spark: SparkSession
) -> None:
    before = spark.conf.get("spark.sql.session.timeZone"), spark.conf.get("spark.sql.caseSensitive")
    level = (
        spark.sparkContext._jvm.org.apache.logging.log4j.LogManager.getRootLogger()
        .getLevel()
        .name()
    )
    with opened(source) as first, opened(source) as second:
        assert (first.count_rows(), second.count_rows()) == (4, 4)
        assert [view.name for view in spark.catalog.listTables() if view.isTemporary] == []
    assert (
        spark.conf.get("spark.sql.session.timeZone"),
        spark.conf.get("spark.sql.caseSensitive"),
    ) == before
    assert (
        spark.sparkContext._jvm.org.apache.logging.log4j.LogManager.getRootLogger()
        .getLevel()
        .name()
        == level
    )


def test_without_pyspark_the_extra_is_named(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("engine", "errors"):
        monkeypatch.delitem(sys.modules, f"sfumato.engines.spark.{name}")
    monkeypatch.setitem(sys.modules, "pyspark.errors", None)
    with pytest.raises(MissingExtra, match=r"pip install 'sfumato\[spark\]'"):
        open_source(source, engine="spark")
