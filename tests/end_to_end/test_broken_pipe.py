"""`sfumato ... | head`: the reader leaves, and the work is done all the same."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import command_server
import pytest

import sfumato


def piped(*words: object, into: str = "true", errors: bool = False) -> tuple[int, str]:
    """How a command ends whose reader leaves before it has written a word, and what it says on
    stderr."""
    command = shlex.join([command_server.running().sfumato, *map(str, words)])
    line = f"set -o pipefail; {{ sleep 0.2; {command}; }} {'2>&1' if errors else ''} | {into}"
    done = subprocess.run(
        ["bash", "-c", line], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    return done.returncode, done.stderr


@pytest.fixture(scope="module")
def work(hospital, hospital_policy, tmp_path_factory) -> dict[str, tuple[list[object], Path]]:
    """Every command that prints and writes: its words, and what it writes."""
    folder = tmp_path_factory.mktemp("work")
    made = sfumato.release(hospital, hospital_policy, to=folder / "made")
    (folder / "letters").mkdir()
    (folder / "letters" / "a.txt").write_text("Dear Ada Lovelace, we saw you on 3 May 2020.")
    given = [hospital, "--policy", hospital_policy]
    return {
        "survey": (["survey", hospital, "--to", folder / "new.toml"], folder / "new.toml"),
        "survey --json": (
            ["survey", hospital, "--json", "--to", folder / "j.toml"],
            folder / "j.toml",
        ),
        "release": (
            ["release", *given, "--to", folder / "release"],
            folder / "release" / "manifest.json",
        ),
        "assess": (
            ["assess", made.folder, "--no-attacks", "--to", folder / "a.html"],
            folder / "a.html",
        ),
        "sweep": (
            ["sweep", *given, "--over", "k=2,3", "--to", folder / "sweep"],
            folder / "sweep" / "sweep.json",
        ),
        "scrub": (
            ["scrub", folder / "letters", "--to", folder / "clean"],
            folder / "clean" / "manifest.json",
        ),
        "key": (["key", folder / "key"], folder / "key"),
        "hierarchy": (
            ["hierarchy", *given, "zip", "--html", folder / "zip.html"],
            folder / "zip.html",
        ),
    }


COMMANDS = ("survey", "survey --json", "release", "assess", "sweep", "scrub", "key", "hierarchy")


@pytest.mark.long("every command without a reader; one stays", but=("release",))
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_without_a_reader_still_writes(work, name):
    assert sorted(work) == sorted(COMMANDS)
    words, written = work[name]
    code, said = piped(*words)
    assert written.exists(), said
    assert said.partition(":")[0] in ("", "Proposed policy")
    assert code in (0, 3)  # what the command itself found: pass, or review


def test_a_command_whose_errors_lose_their_reader_too_ends_with_its_own_code(hospital):
    code, said = piped("release", hospital, "--policy", "nowhere.toml", errors=True)
    assert (code, said) == (2, "")


def test_what_was_read_before_the_reader_left_is_whole(hospital, tmp_path):
    command = shlex.join(
        [command_server.running().sfumato, "survey", str(hospital), "--json", "--no-policy"]
    )
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | head -c 1"], capture_output=True, text=True
    )
    assert (done.stdout, done.stderr, done.returncode) == ("{", "", 0)
