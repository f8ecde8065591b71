"""The DuckDB engine's own manners: its folder, being interrupted, and leaving nothing in its
memory."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow
import pytest

from sfumato.engines import Lookup, WritePlan, open_source
from sfumato.engines.duckdb.engine import DuckDBEngine
from sfumato.engines.duckdb.errors import reading, writing
from sfumato.engines.duckdb.memory_limit import GrowingLimit
from sfumato.engines.duckdb.session import DuckDBSession
from sfumato.errors import SourceError

ROWS = pyarrow.table({"a": ["x", "y", None], "b": ["1", "2", "3"]})


@pytest.fixture
def spill(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    folder = tmp_path / "spill"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_its_folder_is_its_own_and_goes_with_it(spill: Path) -> None:
    with open_source(ROWS) as engine:
        (own,) = spill.iterdir()
        assert own.stat().st_mode & 0o777 == 0o700
        engine.count_rows()
    assert list(spill.iterdir()) == []


def test_an_exception_takes_the_folder_along(spill: Path) -> None:
    with pytest.raises(RuntimeError, match="elsewhere"), open_source(ROWS):
        raise RuntimeError("elsewhere")
    assert list(spill.iterdir()) == []


def test_an_engine_that_nobody_closes(spill: Path) -> None:
    engine = open_source(ROWS)
    del engine
    gc.collect()
    assert list(spill.iterdir()) == []


def test_closing_twice(spill: Path) -> None:
    engine = open_source(ROWS)
    engine.close()
    engine.close()
    assert list(spill.iterdir()) == []


def test_a_transcoded_copy_lies_in_its_folder(spill: Path, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes("a\nZoë\n".encode("latin-1"))
    with open_source(tmp_path / "x.csv", encoding="latin-1"):
        assert len(list(spill.rglob("*.csv"))) == 1
    assert list(spill.iterdir()) == []


SLOW = (
    "SELECT a.range AS a FROM range(1000000) a, range(1000000) b WHERE hash(a.range * b.range) "
    "% 7 = 3"
)
SCRIPT = """
import sys
from sfumato.engines import open_source, WritePlan
from pathlib import Path
engine = open_source(sys.argv[1])
engine._session.run("CREATE OR REPLACE VIEW source AS {slow}")
print("ready", flush=True)
{question}
"""


@pytest.mark.long("an endless query for each method; each second stays", every=2)
@pytest.mark.parametrize(
    "question",
    [
        "engine.count_rows()",
        "engine.frequencies(('a',))",
        "with engine: list(engine.distinct(('a',)))",
        "with engine: engine.write(WritePlan(fields=('a',)), "
        "Path(sys.argv[1]).with_name('out.csv'))",
    ],
)
def test_ctrl_c(tmp_path: Path, question: str) -> None:
    """A real signal: a KeyboardInterrupt and nothing of the driver's, no folder and no file left
    behind."""
    spill = tmp_path / "spill"
    spill.mkdir()
    with duckdb.connect(str(tmp_path / "few.duckdb")) as database:
        database.execute("CREATE TABLE few AS SELECT 1::BIGINT AS a")
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            SCRIPT.format(question=question, slow=SLOW),
            str(tmp_path / "few.duckdb"),
        ],
        env=os.environ | {"TMPDIR": str(spill)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    try:
        process.communicate(timeout=0.3)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    try:
        _, said = process.communicate(timeout=600)
    finally:
        process.kill()
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert "RuntimeError" not in said
    assert list(spill.iterdir()) == []
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("context", [lambda: reading("x"), lambda: writing("x", "out.csv")])
@pytest.mark.parametrize(
    "error", [duckdb.InterruptException("INTERRUPT Error"), RuntimeError("Query interrupted")]
)
def test_both_ways_in_which_duckdb_says_that_it_was_interrupted(
    context: Any, error: Exception
) -> None:
    with pytest.raises(KeyboardInterrupt) as raised, context():
        raise error
    assert raised.value.__suppress_context__


def test_other_errors_pass_as_they_are() -> None:
    with pytest.raises(RuntimeError, match="mine"), reading("x"):
        raise RuntimeError("mine")


def test_the_engine_can_be_used_after_an_interrupt(tmp_path: Path) -> None:
    with open_source(ROWS) as engine:
        assert isinstance(engine, DuckDBEngine)

        def batches() -> Iterator[dict[str, np.ndarray[Any, Any]]]:
            raise KeyboardInterrupt
            yield {}

        plan = WritePlan(
            fields=("a",), lookups=(Lookup(keys=("a",), fields=("a",), batches=batches),)
        )
        with pytest.raises(KeyboardInterrupt):
            engine.write(plan, tmp_path / "out.csv")
        assert engine.count_rows() == 3
        assert _tables(engine) == []


def test_nothing_is_kept_in_its_memory(tmp_path: Path) -> None:
    with open_source(ROWS) as engine:
        assert isinstance(engine, DuckDBEngine)
        engine.frequencies(("a",), sensitive=("b",))
        next(engine.distinct(("a",)))
        entries = {"key:a": np.array(["x", 5], object), "new:a": np.array(["x", "y"], object)}
        plan = WritePlan(
            fields=("a",),
            lookups=(Lookup(keys=("a",), fields=("a",), batches=lambda: iter([entries])),),
        )
        engine.write(plan, tmp_path / "out.csv")
        assert _tables(engine) == []


def _tables(engine: DuckDBEngine) -> list[Any]:
    return engine._session.rows("SELECT table_name FROM duckdb_tables()")


def test_a_name_in_a_query_is_never_a_variable(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "x.duckdb")) as database:
        database.execute("CREATE TABLE sneaky AS SELECT 'Alice' AS a")
        database.execute("CREATE VIEW people AS SELECT a FROM sneaky")
        database.execute("DROP TABLE sneaky")
    sneaky = ROWS
    with pytest.raises(SourceError, match="It uses the table sneaky: not rows of that file"):
        open_source(tmp_path / "x.duckdb", table="people")
    assert sneaky.num_rows == 3


def test_a_lookup_in_several_batches_of_the_engines_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More distinct values than one batch holds, asked of the engine while it writes."""
    monkeypatch.setattr("sfumato.engines.sql.engine.BATCH", 7)
    values = [f"{n:03d}" for n in range(50)] + [None]
    with open_source(pyarrow.table({"a": values[::-1]})) as engine:
        assert [value for batch in engine.distinct(("a",)) for value in batch["a"]] == values

        def batches() -> Iterator[dict[str, np.ndarray[Any, Any]]]:
            for batch in engine.distinct(("a",)):
                yield {"key:a": batch["a"], "new:a": batch["a"]}

        plan = WritePlan(
            fields=("a",), lookups=(Lookup(keys=("a",), fields=("a",), batches=batches),)
        )
        assert engine.write(plan, tmp_path / "out.csv") == 51


def test_the_line_number_is_only_ever_duckdbs_own() -> None:
    with pytest.raises(SourceError) as raised, reading("x.csv"):
        raise duckdb.ConversionException(
            "Conversion Error: Could not convert string 'on line: 5551234' to INT32"
        )
    assert not re.search("5551234", str(raised.value))


LARGE = "SELECT len(list(range)) FROM range(2_000_000)"
"""A query that needs some 40 MB, and cannot spill them."""


def test_a_limit_that_nobody_asked_for_grows_once_for_a_query_that_needs_more(tmp_path):
    session = DuckDBSession(str(tmp_path), GrowingLimit(8, most=400))
    assert session.rows(LARGE) == [(2_000_000,)]
    assert session.rows("SELECT current_setting('memory_limit')") == [("400.0 MiB",)]
    session.close()


@pytest.mark.parametrize("memory", ["8MiB", GrowingLimit(4, most=8)], ids=["asked", "usual"])
def test_a_query_that_needs_more_than_the_most_ends_with_an_error(tmp_path, memory):
    session = DuckDBSession(str(tmp_path), memory)
    with pytest.raises(duckdb.OutOfMemoryException):
        session.rows(LARGE)
    session.close()


def test_two_sessions_share_the_usual_limit_and_what_it_may_grow_to(tmp_path):
    session = DuckDBSession(str(tmp_path), GrowingLimit(200, most=500))
    half = session.shared_options()["memory"]
    assert isinstance(half, GrowingLimit)
    assert (half, half.most) == ("100MiB", 250)
    assert session.rows("SELECT current_setting('memory_limit')") == [("100.0 MiB",)]
    session.close()
