"""What goes wrong between a release and a server: each time a clear error, no word of the driver's,
nothing left."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import postgres_server
import psycopg
import pytest
from postgres_server import PostgresServer

from sfumato.engines import Lookup, WritePlan, open_source
from sfumato.engines.postgres.errors import Server, reading
from sfumato.errors import Bug, SfumatoError, SourceError, TargetError

SECRET = "Alice-4711"
SLOW = (
    f"SELECT '{SECRET}' || a AS a FROM generate_series(1, 1000000) a, generate_series(1, "
    "1000000) b "
    "WHERE a * 7 % 11 + b < 0"
)


@pytest.fixture(scope="module")
def server() -> PostgresServer:
    found = postgres_server.running()
    found.run(
        "CREATE OR REPLACE VIEW slow AS " + SLOW,
        "DROP ROLE IF EXISTS nurse",
        f"CREATE ROLE nurse LOGIN PASSWORD '{SECRET}'",
        "GRANT SELECT ON slow TO nurse",
    )
    return found


@pytest.fixture(scope="module")
def own() -> Iterator[PostgresServer]:
    """A server to be killed."""
    found = PostgresServer(postgres_server.found_binaries()[0])
    yield found
    found.stop()


@pytest.fixture(autouse=True)
def nothing_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Logs are read by others."""
    yield
    assert not [record for record in caplog.records if SECRET in record.getMessage()]


def quiet(raised: pytest.ExceptionInfo[SfumatoError]) -> str:
    """What was said, after checking that nothing of the driver's hangs on to it."""
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__
    assert SECRET not in str(raised.value)
    return str(raised.value)


# -------------------------------------------------------------------------------------------------------
# connecting


def test_a_wrong_password(server: PostgresServer) -> None:
    with pytest.raises(SourceError, match="refused the password, or none was given") as raised:
        open_source(server.tcp(user="nurse", password="guess-99"), table="slow")
    assert "guess-99" not in quiet(raised)
    assert "PGPASSWORD, ~/.pgpass or a service file" in str(raised.value)


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("postgresql://nobody.invalid/db", "No host has that name"),
        ("postgresql://me:p@ss@nobody.invalid/db", "No host has that name"),
        ("postgresql://127.0.0.1:1/db", "Nothing answers there"),
        ("postgresql:///db?host=/nowhere", "Nothing answers there"),
        ("postgresql://me:pa/ss@host/db", "cannot be"),
        ("postgresql://me:77/ss@host/db", "cannot be"),
        (
            "postgresql://me:p%ss@host/db",
            "writing @ : / and % in a password as %40 %3A %2F and %25",
        ),
        ("postgresql://?service=nobody", "No service of that name"),
    ],
)
def test_an_address_that_leads_nowhere(uri: str, said: str) -> None:
    with pytest.raises(SourceError, match=said) as raised:
        open_source(uri, table="t")
    assert "ss@" not in quiet(raised)
    assert "77" not in str(raised.value)


def test_an_unknown_database_or_role(server: PostgresServer) -> None:
    with pytest.raises(SourceError, match="no database of that name") as raised:
        open_source(server.uri("nowhere"), table="t")
    quiet(raised)
    with pytest.raises(SourceError, match="knows no such role") as raised:
        open_source(server.uri(user="stranger"), table="t")
    quiet(raised)


@pytest.mark.long("it waits for a limit; other faults stay in this file")
def test_a_server_that_does_not_answer() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        port = deaf.getsockname()[1]
        with pytest.raises(SourceError, match="did not answer in time") as raised:
            open_source(f"postgresql://127.0.0.1:{port}/db?connect_timeout=1", table="t")
    quiet(raised)


def test_too_many_connections() -> None:
    server = PostgresServer(
        postgres_server.found_binaries()[0], max_connections="2", superuser_reserved_connections="0"
    )
    try:
        held = [_connected(server) for _ in range(2)]
        with pytest.raises(SourceError, match="All its connections are taken"):
            open_source(server.uri(), table="t")
        for connection in held:
            connection.close()
    finally:
        server.stop()


def _connected(server: PostgresServer) -> psycopg.Connection[Any]:
    """A connection that waits until the server has ended the one that looked whether it was up."""
    end = time.monotonic() + 600
    while True:
        try:
            return psycopg.connect(server.uri())
        except psycopg.OperationalError as fault:
            if "too many clients" not in str(fault) or time.monotonic() > end:
                raise
            time.sleep(0.01)


def test_a_standby() -> None:
    """It lets nobody make temporary tables."""
    server = PostgresServer(postgres_server.found_binaries()[0], standby=True)
    try:
        with pytest.raises(SourceError, match=r"is a standby.*\n  Try its primary"):
            open_source(server.uri(), table="t")
    finally:
        server.stop()


def test_tls_that_the_server_does_not_offer(server: PostgresServer) -> None:
    with pytest.raises(
        SourceError, match="TLS was asked for, and the server does not offer it"
    ) as raised:
        open_source(
            server.tcp(user="nurse", password=SECRET, more="?sslmode=require"), table="slow"
        )
    quiet(raised)


def test_tls(server: PostgresServer, tmp_path: Path) -> None:
    """As libpq does it: encrypted where asked for, and verified against the authority that is
    named."""
    if shutil.which("openssl") is None or b"--with-openssl" not in _configured(
        server
    ) + _configured(server, "--libs"):
        pytest.skip(
            "these binaries come without TLS, or there is no openssl to make a certificate with"
        )
    key, certificate, other = (tmp_path / name for name in ("key", "crt", "other"))
    for target in (other, certificate):
        words = [
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
        ]
        words += [
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-keyout",
            str(key),
            "-out",
            str(target),
        ]
        subprocess.run(["openssl", *words], check=True, capture_output=True)
    private = PostgresServer(server.binaries)
    try:
        private.run(
            f"ALTER ROLE postgres PASSWORD '{SECRET}'",
            "CREATE TABLE t AS SELECT 'x' AS a",
            "CHECKPOINT",
        )
        private.quit()
        private.own_key(key, certificate)
        private.start()
        trusted = f"?sslmode=verify-full&sslrootcert={certificate}"
        for more in ("?sslmode=require", trusted):
            with open_source(private.tcp(password=SECRET, more=more), table="t") as engine:
                assert engine._session.asked(
                    "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
                ) == [(True,)]  # type: ignore[attr-defined]
        with pytest.raises(SourceError, match="certificate could not be trusted") as raised:
            open_source(
                private.tcp(password=SECRET, more=f"?sslmode=verify-full&sslrootcert={other}"),
                table="t",
            )
        quiet(raised)
    finally:
        private.stop()


def _configured(server: PostgresServer, what: str = "--configure") -> bytes:
    return subprocess.run(
        [server.binaries / "pg_config", what], capture_output=True, check=True
    ).stdout


# -----------------------------------------------------------------------------------------------
# lost in the middle

Question = Callable[[Any, Path], object]
QUESTIONS: dict[str, Question] = {
    "counting": lambda engine, target: engine.frequencies(("a",)),
    "streaming": lambda engine, target: list(engine.distinct(("a",))),
    "writing CSV": lambda engine, target: engine.write(
        WritePlan(fields=("a",)), target.with_suffix(".csv")
    ),
    "writing Parquet": lambda engine, target: engine.write(
        WritePlan(fields=("a",)), target.with_suffix(".parquet")
    ),
}
each_question = pytest.mark.parametrize("question", QUESTIONS)


def soon(server: PostgresServer, act: Callable[[], object], *, role: str) -> threading.Thread:
    """Do something as soon as that role's question is running."""

    def wait_and_act() -> None:
        asked = (
            f"SELECT 1 FROM pg_stat_activity WHERE usename = '{role}' AND state = 'active' AND "
            "query ~ 'slow|FETCH'"
        )
        until = time.monotonic() + 600
        while not server.run(asked) and time.monotonic() < until:
            time.sleep(0.01)
        act()

    thread = threading.Thread(target=wait_and_act)
    thread.start()
    return thread


@each_question
def test_someone_ends_the_connection(server: PostgresServer, tmp_path: Path, question: str) -> None:
    with open_source(server.uri(user="nurse"), table="slow") as engine:
        stop = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'nurse'"
        thread = soon(server, lambda: server.run(stop), role="nurse")
        with pytest.raises(SourceError, match="connection to the server was lost") as raised:
            QUESTIONS[question](engine, tmp_path / "out")
        thread.join()
        assert "nothing was released" in quiet(raised)
        with pytest.raises(SourceError, match="connection to the server was lost"):
            engine.count_rows()
    assert list(tmp_path.iterdir()) == []


def test_someone_cancels_the_question(server: PostgresServer) -> None:
    with open_source(server.uri(user="nurse"), table="slow") as engine:
        stop = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'nurse'"
        thread = soon(server, lambda: server.run(stop), role="nurse")
        with pytest.raises(SourceError, match="took too long, or someone cancelled it"):
            engine.count_rows()
        thread.join()
        assert [info.name for info in engine.fields()] == ["a"]
        assert engine._session.asked("SELECT 1") == [(1,)]  # type: ignore[attr-defined]


@pytest.mark.parametrize("question", ["counting", "writing CSV"])
def test_the_server_is_killed(own: PostgresServer, tmp_path: Path, question: str) -> None:
    own.run("CREATE OR REPLACE VIEW slow AS " + SLOW, "CHECKPOINT")
    with open_source(own.uri(), table="slow") as engine:
        thread = soon(own, own.quit, role="postgres")
        with pytest.raises(SourceError, match="connection to the server was lost") as raised:
            QUESTIONS[question](engine, tmp_path / "out")
        thread.join()
        quiet(raised)
    own.start()
    assert list(tmp_path.iterdir()) == []
    with open_source(own.uri(), table="slow") as engine:
        assert len(engine.fields()) == 1


class Proxy:
    """A wire to the server that can be cut."""

    def __init__(self, port: int) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._server_port = port
        self._ends: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        near, _ = self._listener.accept()
        far = socket.create_connection(("127.0.0.1", self._server_port))
        self._ends += [near, far]
        self._threads += [
            threading.Thread(target=_pump, args=pair) for pair in ((near, far), (far, near))
        ]
        for thread in self._threads[-2:]:
            thread.start()

    def cut(self) -> None:
        for end in self._ends:
            end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        for thread in self._threads:
            thread.join(timeout=600)
        for end in (self._listener, *self._ends):
            end.close()


def _pump(here: socket.socket, there: socket.socket) -> None:
    try:
        while data := here.recv(1 << 16):
            there.sendall(data)
    except OSError:
        pass


@pytest.mark.parametrize("question", ["counting", "writing CSV"])
def test_the_network_is_cut(server: PostgresServer, tmp_path: Path, question: str) -> None:
    proxy = Proxy(server.port)
    uri = f"postgresql://nurse:{SECRET}@127.0.0.1:{proxy.port}/postgres"
    with open_source(uri, table="slow") as engine:
        thread = soon(server, proxy.cut, role="nurse")
        with pytest.raises(SourceError, match="connection to the server was lost") as raised:
            QUESTIONS[question](engine, tmp_path / "out")
        thread.join()
        quiet(raised)
    proxy.close()
    assert list(tmp_path.iterdir()) == []
    server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'nurse'")


# -----------------------------------------------------------------------------------------------------------
# limits


def test_a_statement_that_takes_too_long(server: PostgresServer) -> None:
    with open_source(
        server.uri(user="nurse", more="&options=-c%20statement_timeout%3D200ms"), table="slow"
    ) as engine:
        with pytest.raises(SourceError, match="statement_timeout is 200ms") as raised:
            engine.count_rows()
        quiet(raised)


def test_no_space_for_temporary_files(server: PostgresServer, tmp_path: Path) -> None:
    server.run(
        "CREATE TABLE IF NOT EXISTS wide AS SELECT repeat(md5(i::text), 9) AS a FROM "
        "generate_series(1, 90000) i"
    )
    uri = server.uri(more="&options=-c%20temp_file_limit%3D1MB")
    with open_source(uri, table="wide", memory="1MB") as engine:
        with pytest.raises(SourceError, match="no more space for temporary files") as raised:
            engine.write(WritePlan(fields=("a",)), tmp_path / "out.csv")
        quiet(raised)
    assert list(tmp_path.iterdir()) == []


def test_the_targets_disk_is_full(server: PostgresServer, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    table = server.table(("a",), [("x" * 1000,)] * 3000)
    (tmp_path / "out.csv").symlink_to("/dev/full")
    with open_source(server.uri(), table=table) as engine:
        with pytest.raises(
            TargetError, match=r"cannot be written to .*out\.csv.\n  No space left on device"
        ) as raised:
            engine.write(WritePlan(fields=("a",)), tmp_path / "out.csv")
        quiet(raised)
        assert list(tmp_path.iterdir()) == []
        assert engine.write(WritePlan(fields=("a",)), tmp_path / "again.csv") == 3000


FULL = """
import resource, sys
from pathlib import Path
from sfumato.engines import WritePlan, open_source
with open_source(sys.argv[1], table=sys.argv[2]) as engine:
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
    engine.write(WritePlan(fields=("a",)), Path(sys.argv[3]))
"""


@pytest.mark.long("a full disk for each format; one stays", but=("out.parquet",))
@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_a_file_that_may_not_grow(server: PostgresServer, tmp_path: Path, name: str) -> None:
    table = server.table(("a",), [(f"{i:09d}" * 10,) for i in range(5000)])
    words = [sys.executable, "-c", FULL, server.uri(), table, str(tmp_path / name)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    assert "sfumato.errors.TargetError: The release cannot be written" in done.stderr
    assert list(tmp_path.iterdir()) == []


# ----------------------------------------------------------------------------------------------------
# values untold


def test_a_view_that_fails_on_a_value(server: PostgresServer, tmp_path: Path) -> None:
    name = server.new_name()
    server.run(f"CREATE VIEW {name} AS SELECT v::int AS a FROM (VALUES ('1'), ('{SECRET}')) t(v)")
    for question in QUESTIONS.values():
        with open_source(server.uri(), table=name) as engine:
            with pytest.raises(SourceError, match="22P02; its message is held back") as raised:
                question(engine, tmp_path / "out")
            quiet(raised)
    assert list(tmp_path.iterdir()) == []


def test_a_moved_date_that_is_none(server: PostgresServer, tmp_path: Path) -> None:
    from sfumato.engines.engine import ShiftedDates

    entries = {"key:who": np.array(["x"], object), "new:days": np.array([1], np.int64)}
    days = Lookup(keys=("who",), fields=(), batches=lambda: iter([entries]))
    plan = WritePlan(fields=("day",), moved=(ShiftedDates(fields=("day",), lookup=days),))
    with open_source(server.uri(), table=server.table(("who", "day"), [("x", SECRET)])) as engine:
        with pytest.raises(SourceError, match="whether every date in it is one") as raised:
            engine.write(plan, tmp_path / "out.csv")
        quiet(raised)
    assert list(tmp_path.iterdir()) == []


def test_what_the_server_does_not_understand_is_our_mistake() -> None:
    server = Server(host="h", database="d", role="r", version=150_000, encoding="UTF8", timeout="0")
    with pytest.raises(Bug, match="refused a query over x with 42601"), reading("x", server):
        raise psycopg.errors.SyntaxError(f"near {SECRET}")
    with (
        pytest.raises(SourceError, match="an earlier question was stopped half-way"),
        reading("x", server),
    ):
        raise psycopg.errors.InFailedSqlTransaction
    with pytest.raises(SourceError, match="locked by someone else"), reading("x", server):
        raise psycopg.errors.LockNotAvailable
