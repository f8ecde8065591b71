"""Commands in processes that start at once: a server has imported Sfumato and forks for each.

A process that starts afresh imports for most of a second before it does anything. What is forked is
a real process all the same: its own arguments, folder, environment, files, exit code and end. Tests
of starting, importing, packages and process numbers start a Python of their own.

The server imports and opens nothing, so that no thread or connection is lost by forking."""

from __future__ import annotations

import atexit
import functools
import gc
import json
import os
import select
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import types
import warnings
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path

CLIENT = Path(__file__).with_name("command_client.py")
HEAVY = ("sfumato.releases.pipeline", "sfumato.scrubbing", "sfumato.engines.duckdb.engine")


class CommandServer:
    """The server, and what stands for `sfumato` and for `python` while it runs."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="sfumato-commands-"))
        place = self._folder / "socket"
        words = [sys.executable, "-W", "error", str(Path(__file__)), str(place)]
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n", "the server did not start"
        self.sfumato = self._script("sfumato", place)
        self.python = self._script("python", place)

    def _script(self, name: str, place: Path) -> str:
        path = self._folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        words = shlex.join([sys.executable, "-IS", str(CLIENT), str(place), name])
        path.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    def environment(self, variables: Mapping[str, str] = os.environ) -> dict[str, str]:
        """Variables with which a shell finds this `sfumato`, and this `python`, first."""
        places = [str(self._folder / "bin"), str(Path(sys.executable).parent), variables["PATH"]]
        return {**variables, "PATH": os.pathsep.join(places)}

    def stop(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


@functools.cache
def running() -> CommandServer:
    """One for all tests of a process."""
    server = CommandServer()
    atexit.register(server.stop)
    return server


# --------------------------------------------------------------------------------------------------
# the server itself


def serve(place: str) -> None:
    """Fork for every command that comes, until the tests have closed our standard input."""
    _import_everything()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen(64)
        print("ready", flush=True)  # noqa: T201
        while True:
            found, _, _ = select.select([listener, 0], [], [])
            if 0 in found:
                os._exit(0)
            connection, _ = listener.accept()
            _reap()
            if os.fork() == 0:
                listener.close()
                _keep(connection)
                return
            connection.close()


def _reap() -> None:
    """Take leave of the keepers that have ended, so that their CPU time counts as this process's."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def _import_everything() -> None:
    from sfumato.cli import COMMANDS, FILES

    for name in (*HEAVY, *(f"sfumato.cli.{FILES.get(name, name)}" for name in COMMANDS)):
        import_module(name)
    gc.freeze()


def _keep(connection: socket.socket) -> None:
    """Run the command in a child; tell its number, wait for it, and tell how it ended."""
    head, files, _, _ = socket.recv_fds(connection, 4, 3)
    (size,) = struct.unpack("!I", head)
    told = b""
    while len(told) < size:
        told += connection.recv(size - len(told))
    child = os.fork()
    if child == 0:
        connection.close()
        _become(json.loads(told), files)
        return
    for file in files:
        os.close(file)
    connection.sendall(struct.pack("!I", child))
    _, status = os.waitpid(child, 0)
    connection.sendall(struct.pack("!i", os.waitstatus_to_exitcode(status)))
    os._exit(0)


def _become(told: dict[str, object], files: list[int]) -> None:
    """This process is the command from now on, and ends as a Python ends."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(str(told["folder"]))
    os.environ.clear()
    os.environ.update(told["variables"])  # type: ignore[call-overload]
    tempfile.tempdir = None
    gc.unfreeze()  # What is frozen at the end of a Python counts as leaked.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    words = list(map(str, told["words"]))  # type: ignore[call-overload]
    warnings.resetwarnings()
    if words[1:3] == ["-W", "error"]:
        warnings.simplefilter("error")
        del words[1:3]
    else:
        _warn_as_usual()
    if words[0] == "python" and words[1:2] == ["-c"]:
        sys.path[0] = ""
        sys.argv = ["-c", *words[3:]]
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(words[2], "<string>", "exec"), main.__dict__)
        return
    if words[0] == "python" and words[1:3] == ["-m", "sfumato.cli"]:
        del words[1:3]
    elif words[0] == "python":
        raise ValueError("only `-c code` and `-m sfumato.cli` are run by a server of commands")
    from sfumato.cli import main as command

    sys.argv = ["sfumato", *words[1:]]
    sys.exit(command())


def _warn_as_usual() -> None:
    """The filters that a Python has that was started without any option."""
    warnings.filterwarnings("default", category=DeprecationWarning, module="__main__")
    for category in (
        DeprecationWarning,
        PendingDeprecationWarning,
        ImportWarning,
        ResourceWarning,
    ):
        warnings.simplefilter("ignore", category=category, append=True)


if __name__ == "__main__":
    serve(sys.argv[1])
