"""A command that is a process of its own ends with its exit code, and after all that tidies up."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import atexit, sys
from sfumato import cli
def run(arguments=None):
    atexit.register(print, "tidied")
    print("done")
    if sys.argv[1:] == ["raises"]:
        raise SystemExit(2)
    return 3
cli.main = run
sys.exit(cli.start())
"""


@pytest.mark.parametrize(("words", "status"), [([], 3), (["raises"], 2)])
def test_what_tidies_up_runs_before_the_process_ends(words, status):
    ended = subprocess.run(
        [sys.executable, "-c", CODE, *words], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (status, "done\ntidied\n", "")
