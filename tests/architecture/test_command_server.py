"""Commands by the server that forks: their words, folder, variables, files, exit code and end are
their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import command_server
import pytest


@pytest.fixture(scope="module")
def server() -> command_server.CommandServer:
    return command_server.running()


def python(server: command_server.CommandServer, code: str, *words: str, **options):
    given = [server.python, "-W", "error", "-c", code, *words]
    return subprocess.run(given, capture_output=True, text=True, timeout=600, **options)


def test_a_command_says_what_a_python_of_its_own_says(server):
    words = ["release", "nowhere.csv", "--to", "nowhere"]
    ours, theirs = (
        subprocess.run([*start, *words], capture_output=True, text=True, timeout=600)
        for start in ([server.sfumato], [sys.executable, "-m", "sfumato.cli"])
    )
    assert ours.stderr.startswith("SourceError")
    assert (ours.returncode, ours.stdout, ours.stderr) == (2, theirs.stdout, theirs.stderr)


def test_words_folder_variables_and_files_are_its_own(server, tmp_path):
    code = "import os, sys; print(sys.argv, os.getcwd(), os.environ['MINE'], sys.stdin.read())"
    done = python(
        server, code, "a b", cwd=tmp_path, env={**os.environ, "MINE": "7"}, input="what is said"
    )
    assert done.stdout == f"['-c', 'a b'] {tmp_path} 7 what is said\n", done.stderr
    assert "MINE" not in python(server, "import os; print(list(os.environ))").stdout


def test_two_commands_share_nothing_that_they_change(server):
    code = "import sfumato; print(hasattr(sfumato, 'mine')); sfumato.mine = 7"
    assert [python(server, code).stdout for _ in range(2)] == ["False\n", "False\n"]


def test_an_error_a_warning_and_an_exit_code_are_those_of_a_python(server):
    done = python(server, "import warnings; warnings.warn('mine')")
    assert (done.returncode, "UserWarning: mine" in done.stderr) == (1, True)
    assert python(server, "import sys; sys.exit(7)").returncode == 7
    assert python(server, "import atexit; atexit.register(print, 'end')").stdout == "end\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_reaches_the_command(server, number):
    code = """
import signal, sys
def end(number, frame):
    print("ended by", number, flush=True)
    sys.exit(9)
signal.signal(signal.SIGTERM, end)
signal.signal(signal.SIGINT, end)
print("ready", flush=True)
signal.pause()
"""
    words = [server.python, "-c", code]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.stdout.read() == f"ended by {int(number)}\n"
    assert process.returncode == 9


def test_a_command_that_is_killed_ends_its_stand_in_likewise(server):
    code = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    assert python(server, code).returncode == -signal.SIGKILL


def test_the_server_starts_no_thread_of_ours_and_opens_no_database(server):
    code = """
import os, sys, threading
print(threading.active_count(), [name for name in os.listdir("/proc/self/fd")])
"""
    if not Path("/proc/self/fd").exists():
        pytest.skip("this system does not list open files")
    done = python(server, code)
    threads, _, files = done.stdout.partition(" ")
    assert threads == "1"
    assert len(files.split(",")) <= 5, files
