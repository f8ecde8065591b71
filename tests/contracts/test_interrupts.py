"""An interrupt is an interrupt in every engine and in every phase, whatever error a driver makes of
it."""

from __future__ import annotations

import csv
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import duckdb
import postgres_server
import psycopg
import pytest
import spark_local
from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import AnalysisException, PySparkException

from sfumato.engines.duckdb import errors as duckdb_errors
from sfumato.engines.duckdb.session import DuckDBSession
from sfumato.engines.postgres import errors as postgres_errors
from sfumato.engines.postgres.transaction import SourceTransaction
from sfumato.engines.spark import errors as spark_errors
from sfumato.engines.spark.session import SparkEngineSession as SparkSession
from sfumato.errors import SfumatoError
from sfumato.policy import policy_from_table
from sfumato.releases import atomic_folder, release
from sfumato.runs import process_pool
from sfumato.runs.interrupts import STOPPING, acknowledge, deferred, interruptible, watch

SERVER = postgres_errors.Server(
    host="localhost", database="d", role="r", version=160000, encoding="UTF8", timeout="0"
)


def subclasses(kind: type[BaseException]) -> Iterator[type[BaseException]]:
    yield kind
    for each in kind.__subclasses__():
        yield from subclasses(each)


def of_driver(kind: type[BaseException], module: str) -> list[type[BaseException]]:
    return sorted(
        {each for each in subclasses(kind) if each.__module__.split(".")[0] in module}, key=str
    )


TRANSLATORS: dict[
    str, tuple[Callable[[], AbstractContextManager[None]], list[type[BaseException]]]
] = {
    "duckdb reading": (
        lambda: duckdb_errors.reading("t"),
        [*of_driver(duckdb.Error, "_duckdb duckdb"), RuntimeError],
    ),
    "duckdb writing": (
        lambda: duckdb_errors.writing("t", "x"),
        [*of_driver(duckdb.Error, "_duckdb duckdb")],
    ),
    "postgres connecting": (
        lambda: postgres_errors.connecting({}),
        of_driver(psycopg.Error, "psycopg"),
    ),
    "postgres reading": (
        lambda: postgres_errors.reading("t", SERVER),
        of_driver(psycopg.Error, "psycopg"),
    ),
    "postgres writing": (
        lambda: postgres_errors.writing("t", SERVER, "x"),
        [*of_driver(psycopg.Error, "psycopg"), OSError, BrokenPipeError],
    ),
    "spark reading": (
        lambda: spark_errors.reading("t"),
        [
            PySparkException,
            AnalysisException,
            Py4JError,
            Py4JNetworkError,
            ConnectionError,
            EOFError,
        ],
    ),
    "spark writing": (
        lambda: spark_errors.writing("t", "x"),
        [PySparkException, Py4JError, ConnectionError, EOFError, OSError],
    ),
}


def swallow(number: int = signal.SIGINT) -> None:
    """A signal comes while a driver works, and the driver keeps what it raised to itself."""
    try:
        signal.raise_signal(number)
    except KeyboardInterrupt:
        return


def interrupted_as(error: BaseException, number: int = signal.SIGINT) -> None:
    swallow(number)
    raise error


@pytest.mark.parametrize("name", TRANSLATORS)
def test_an_error_after_a_signal_is_an_interrupt(name: str) -> None:
    translate, kinds = TRANSLATORS[name]
    assert kinds
    for kind in kinds:
        with pytest.raises(KeyboardInterrupt), translate():
            interrupted_as(kind("the file ends too early"))


@pytest.mark.parametrize("name", TRANSLATORS)
def test_an_error_without_a_signal_is_told_as_what_it_is(name: str) -> None:
    translate, kinds = TRANSLATORS[name]
    with pytest.raises((SfumatoError, RuntimeError)), translate():
        raise kinds[0]("the file ends too early")


# --------------------------------------------------------------------------------------------------
# phases of a release

PHASES = (
    "reading the source",
    "surveying",
    "counting bins",
    "solving",
    "writing the table",
    "counting what",
)
POLICY = {
    "fields": {
        "zip": {"role": "quasi", "hierarchy": {"prefix": [4]}},
        "sex": "quasi",
        "ill": "sensitive",
    },
    "require": {"k": 2},
}
ROWS = [(f"0213{n % 2}", "fm"[n % 4 // 2], "abc"[n % 3]) for n in range(24)]
FIELDS = ("zip", "sex", "ill")

DRIVERS: dict[str, tuple[type[Any], str, Callable[[], BaseException]]] = {
    "duckdb": (DuckDBSession, "_asked", lambda: duckdb.IOException("the file ends too early")),
    "postgres": (
        SourceTransaction,
        "rows",
        lambda: psycopg.OperationalError("server closed the connection"),
    ),
    "spark": (SparkSession, "asked", lambda: Py4JError("an error occurred while calling")),
}


def write_source(folder: Path) -> Path:
    folder.mkdir()
    with (folder / "people.csv").open("w", newline="") as file:
        csv.writer(file).writerows([FIELDS, *ROWS])
    return folder / "people.csv"


class Injection:
    """Interrupts the first call of a driver after the release has come to a phase, as badly as a
    driver can."""

    def __init__(self, phase: str, monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
        self.phase, self.armed, self.done = phase, False, False
        owner, method, error = DRIVERS[engine]
        call = getattr(owner, method)

        def interrupted(session: Any, *given: Any, **options: Any) -> Any:
            if self.armed and not self.done:
                self.done = True
                swallow()
                raise error()
            return call(session, *given, **options)

        monkeypatch.setattr(owner, method, interrupted)

    def __call__(self, stage: str) -> None:
        self.armed = self.armed or stage.startswith(self.phase)


def source_of(engine: str, folder: Path) -> tuple[Any, dict[str, Any]]:
    if engine == "postgres":
        server = postgres_server.running()
        return server.uri(), {"table": server.table(FIELDS, ROWS)}
    if engine == "spark":
        return write_source(folder), {"spark": spark_local.running()}
    return write_source(folder), {}


@pytest.mark.long(
    "a release for each phase; every phase stays on DuckDB, and one on the others",
    but=("duckdb-*", "postgres-counting bins", "spark-counting bins"),
)
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("engine", DRIVERS)
def test_a_release_that_is_interrupted_in_its_driver_is_interrupted(
    engine: str, phase: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, options = source_of(engine, tmp_path / "source")
    target = tmp_path / "targets" / "release"
    policy = None if phase == "surveying" else policy_from_table(POLICY)
    monkeypatch.chdir(tmp_path)
    injection = Injection(phase, monkeypatch, engine)
    with pytest.raises(KeyboardInterrupt):
        release(source, policy, to=target, engine=engine, progress=injection, **options)
    assert injection.done
    assert not target.parent.exists()
    assert not list(tmp_path.glob("**/*.toml"))


@pytest.mark.parametrize(
    "phase", ["reading the source", "counting bins", "solving", "writing", "counting what"]
)
def test_the_reference_engine_is_interrupted_too(phase: str, tmp_path: Path) -> None:
    source = write_source(tmp_path / "source")

    def progress(stage: str) -> None:
        if stage.startswith(phase):
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        release(
            source,
            policy_from_table(POLICY),
            to=tmp_path / "release",
            engine="reference",
            progress=progress,
        )
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_an_interrupt_while_a_release_is_published_waits_until_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    move = atomic_folder.rename_new

    def interrupted(folder: Path, target: Path) -> None:
        signal.raise_signal(signal.SIGINT)
        move(folder, target)

    monkeypatch.setattr(atomic_folder, "rename_new", interrupted)
    with pytest.raises(KeyboardInterrupt, match="already published"):
        release(
            write_source(tmp_path / "source"), policy_from_table(POLICY), to=tmp_path / "release"
        )
    assert (tmp_path / "release" / "manifest.json").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["release", "source"]


# -------------------------------------------------------------------------------------------------------
# texts, signals


def _broken(ready: Any, piece: int) -> int:
    swallow()
    raise process_pool.BrokenProcessPool("a child process terminated abruptly")


def test_workers_that_end_with_an_interrupt_are_an_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt), interruptible():
        list(process_pool.worked(_broken, [1], ready=int, told=("1",), jobs=1))


@pytest.mark.parametrize("number", STOPPING)
def test_every_signal_that_raises_is_remembered(number: int) -> None:
    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(number, stop)
    try:
        with pytest.raises(KeyboardInterrupt), interruptible():
            interrupted_as(ValueError("the file ends too early"), number)
        assert signal.getsignal(number) is stop
    finally:
        signal.signal(number, before)


def test_handlers_are_put_back_in_whatever_order_watches_end() -> None:
    before = signal.getsignal(signal.SIGINT)
    first, second = watch(), watch()
    first.__enter__()
    second.__enter__()
    assert signal.getsignal(signal.SIGINT) is not before
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_that_was_obeyed_is_over() -> None:
    @interruptible()
    def obeyed() -> None:
        swallow()
        acknowledge()
        raise ValueError("something else, later")

    with pytest.raises(ValueError, match="later"):
        obeyed()


def test_a_deferred_interrupt_comes_when_the_block_is_done() -> None:
    done = []

    @deferred("it was whole")
    def work() -> None:
        signal.raise_signal(signal.SIGINT)
        done.append(1)

    with pytest.raises(KeyboardInterrupt, match="it was whole"):
        work()
    assert done == [1]
