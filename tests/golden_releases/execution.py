"""Runs a case through the command line in a folder of its own, and returns what is worth recording
of it."""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .case import KEY, Case
from .records import manifest_parts, records_of_files, without_volatile

Record = dict[str, Any]
OF_OTHERS = "A run that was killed left"
"""How a line begins that tells what another run, killed on this machine, left behind."""
INTERRUPTED = 128
"""Exit codes from here on are signals: such a run is never recorded nor compared."""


def run_case(case: Case, folder: Path) -> Record:
    """Run every command of the case; the record of exit codes, released tables, verdicts and
    manifest."""
    folder.mkdir(parents=True)
    with contextlib.chdir(folder), without_own_key():
        case.write(Path())
        write_key(Path("golden.key"))
        if case.policy:
            Path("policy.toml").write_text(case.policy, encoding="utf-8")
        record: Record = {"case": case.name}
        if case.run:
            return record | case.run(Path())
        for line in case.lines():
            record |= _ran(line)
            if record[line[0]]["exit"] not in (0, 3):
                break
        if Path("board.json").is_file():
            board = json.loads(Path("board.json").read_text(encoding="utf-8"))
            for volatile in ("method", "release"):  # Clocks, versions and digests.
                board.pop(volatile, None)
            record["assessment"] = without_volatile(board)
        if Path("out").is_dir():
            record |= manifest_parts(Path("out/manifest.json"), case)
            record["files"] = records_of_files(Path("out"), case)
    return record


def run_command(words: tuple[str, ...]) -> tuple[int, str, str]:
    """Exit code, output and errors of one command, run in this process as the console script
    would."""
    from sfumato.cli import main

    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            code = main(list(words))
        except SystemExit as end:
            code = int(end.code or 0)
    if code >= INTERRUPTED:
        raise KeyboardInterrupt(errors.getvalue())
    return code, out.getvalue(), errors.getvalue()


def _ran(line: tuple[str, ...]) -> Record:
    code, out, errors = run_command(line)
    facts: Record = {"exit": code}
    if code not in (0, 3):
        facts["errors"] = [each for each in errors.splitlines() if not each.startswith(OF_OTHERS)]
    if "--json" in line and out.lstrip().startswith(("[", "{")):
        facts["checks"] = [_check(one) for one in json.loads(out)]
    return {line[0]: facts}


def _check(one: dict[str, Any]) -> str:
    """A check of `verify` in one line; what was found is not repeated where it says nothing new."""
    found = "" if one["found"] == "as the manifest says" else f": {one['found']}"
    return f"{one['outcome']}: {one['claim']}{found}"


def write_key(path: Path) -> None:
    path.write_text(KEY + "\n", encoding="ascii")
    path.chmod(0o600)


@contextlib.contextmanager
def without_own_key() -> Iterator[None]:
    """No key of the caller's."""
    given = os.environ.pop("SFUMATO_KEY", None)
    try:
        yield
    finally:
        if given is not None:
            os.environ["SFUMATO_KEY"] = given
