"""A Spark cluster of several processes on this machine: a master, two workers and what they start.

Standalone mode, from the classes that PySpark carries. The driver is another process: it is given
`address` and a folder that all of them see."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pyspark
from engine_names import require_named

from sfumato.engines.spark.cluster import java_home

HOST = "127.0.0.1"
# Executors of short tests compile little.
EXECUTOR = "-XX:TieredStopAtLevel=1"


@dataclass(kw_only=True)
class Cluster:
    """`folder` holds the logs and the working folders of all processes."""

    folder: Path
    address: str
    environment: dict[str, str]
    workers: list[psutil.Popen] = field(default_factory=list)

    def kill(self, worker: int) -> None:
        """A worker and its executors end at once, without a word."""
        for process in (*self.workers[worker].children(recursive=True), self.workers[worker]):
            process.kill()

    def workers_of_executors(self) -> set[str]:
        """The workers that have run an executor, by the folders that these leave."""
        return {log.parents[2].name for log in self.folder.glob("worker-*/app-*/*/stderr")}

    def logs(self) -> str:
        """What every process has written down, executors included."""
        files = [path for path in self.folder.rglob("*") if path.name in ("stderr", "stdout")]
        files += self.folder.glob("*.log")
        return "\n".join(path.read_text(errors="replace") for path in files)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """A master and two workers of one core each, until the block ends."""
    require_named("spark")
    folder.mkdir(parents=True, exist_ok=True)
    home = java_home(folder) or os.environ.get("JAVA_HOME", "")
    settings = folder / "settings"
    settings.mkdir()
    (settings / "spark-defaults.conf").write_text(
        f"spark.executor.memory 512m\nspark.executor.extraJavaOptions {EXECUTOR}\n"
        f"spark.driver.extraJavaOptions {EXECUTOR}\n"
        # Small tables are written in four parts too, so that both workers write.
        "spark.sql.shuffle.partitions 4\nspark.sql.adaptive.coalescePartitions.enabled false\n",
        encoding="utf-8",
    )
    variables = {
        **({"JAVA_HOME": home} if home else {}),
        "SPARK_LOCAL_IP": HOST,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": EXECUTOR,
        "SPARK_LOCAL_DIRS": str(folder / "spilled"),
        "SPARK_CONF_DIR": str(settings),
    }
    port = _free_port()
    made = Cluster(folder=folder, address=f"spark://{HOST}:{port}", environment=variables)
    started: list[psutil.Popen] = []
    try:
        started.append(_start(made, "master.Master", "--port", str(port), "--webui-port", "0"))
        _wait_for(folder / "master.log", "I have been elected leader")
        for number in range(2):
            options = ("--cores", "1", "--memory", "512m", "--webui-port", "0")
            place = ("--work-dir", str(folder / f"worker-{number}"))
            worker = _start(made, "worker.Worker", *options, *place, made.address, number=number)
            made.workers.append(worker)
            started.append(worker)
        for number in range(2):
            _wait_for(folder / f"worker{number}.log", "Successfully registered with master")
        yield made
    finally:
        for process in started:
            _end(process)


def _start(made: Cluster, name: str, *words: str, number: int | None = None) -> psutil.Popen:
    tool = Path(pyspark.__file__).parent / "bin" / "spark-class"
    command = [str(tool), f"org.apache.spark.deploy.{name}", "--host", HOST, *words]
    log = made.folder / f"{name.split('.')[0]}{'' if number is None else number}.log"
    with log.open("wb") as output:
        return psutil.Popen(
            command, env=os.environ | made.environment, stdout=output, stderr=output
        )


def _wait_for(log: Path, words: str, *, seconds: float = 180) -> None:
    until = time.monotonic() + seconds
    while words not in log.read_text(errors="replace"):
        if time.monotonic() > until:
            raise TimeoutError(f"{log.name} never said: {words}\n{log.read_text()[-2000:]}")
        time.sleep(0.1)


def _end(process: psutil.Popen) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        for child in process.children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                child.kill()
        process.kill()
    process.wait(timeout=30)
