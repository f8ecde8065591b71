"""Two versions of Sfumato on the same work, in turns: CPU seconds of each command, and their ratio.

`python -m benchmarks before-after --before REF` checks REF out into a temporary worktree. Every
case runs with it and with `--after` (this tree unless told), one after the other, in as many rounds
as asked. Each run is a fresh process, driven by the command line or by HTTP alone, so that the
versions need share no module. A figure is the median of the rounds, in user and system time with
child processes. The earlier version writes the data. Each version assesses, attacks and verifies
its own release. Both run with the packages that are installed now."""

from __future__ import annotations

import argparse
import csv
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import httpx
import psutil
from rich import box
from rich.console import Console
from rich.table import Table

from .gate_load import question, served, write_gate
from .measuring import command
from .text_documents import letters

ROOT = Path(__file__).parents[1]
START = "import sys; from sfumato.cli import main; sys.exit(main(sys.argv[1:]))"
JUDGED = (0, 1, 3)
"""Exit statuses of a run that came to its end: pass, fail, review."""
ROUNDS = 5
ROWS = 200_000
VISITS = 10_000
LETTERS = 150
REGISTER = 2_000
PEOPLE = 50_000
QUESTIONS = 100


@dataclass(frozen=True, slots=True)
class Version:
    """One side of the comparison: its source tree, and a folder for what it writes."""

    tree: Path
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """That of this process, with the tree first and bytecode kept, as it is for a user."""
        kept = {
            name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
        }
        return kept | {"PYTHONPATH": str(self.tree / "src")}

    def run(self, *words: str | Path) -> float:
        """Run one command; its CPU seconds."""
        told = [sys.executable, "-c", START, *map(str, words)]
        return command(told, environment=self.environment, passes=JUDGED).cpu

    def fresh(self, name: str) -> Path:
        """A path in this version's folder at which nothing lies any more."""
        path = self.folder / name
        shutil.rmtree(path, ignore_errors=True)
        path.unlink(missing_ok=True)
        return path


@dataclass(frozen=True, slots=True)
class Data:
    """Where the sources of all cases lie."""

    folder: Path

    @property
    def patients(self) -> Path:
        return self.folder / "table" / "patients.csv"

    @property
    def hospital(self) -> Path:
        return self.folder / "database" / "hospital"

    @property
    def letters(self) -> Path:
        return self.folder / "letters"

    @property
    def register(self) -> Path:
        return self.folder / "register.csv"

    @property
    def gate(self) -> Path:
        return self.folder / "gate"


def write_table(data: Data, before: Version) -> None:
    """A table with its policy and key, and a register of its first people."""
    before.run("demo", "--rows", str(ROWS), "--to", data.patients.parent)
    with (
        data.patients.open(encoding="utf-8", newline="") as source,
        data.register.open("w", newline="") as target,
    ):
        register = csv.DictWriter(target, ["name", "birth", "sex", "zip"], extrasaction="ignore")
        register.writeheader()
        register.writerows(islice(csv.DictReader(source), REGISTER))


def write_database(data: Data, before: Version) -> None:
    before.run("demo", "--database", "--visits", str(VISITS), "--to", data.hospital.parent)


def write_letters(data: Data, before: Version) -> None:
    data.letters.mkdir()
    before.run("key", data.folder / "letters.key")
    for number, letter in enumerate(letters(LETTERS)):
        (data.letters / f"{number}.txt").write_text(letter, encoding="utf-8")


def write_gate_folder(data: Data, before: Version) -> None:
    data.gate.mkdir()
    write_gate(data.gate, people=PEOPLE)


# ---------------------------------------------------------------- cases


def release_table(version: Version, data: Data) -> float:
    return version.run(
        "release",
        data.patients,
        "--key",
        data.patients.with_name("pseudonyms.key"),
        "--to",
        version.fresh("release"),
    )


def release_tables(version: Version, data: Data) -> float:
    return version.run(
        "release",
        data.hospital,
        "--key",
        data.hospital.with_name("pseudonyms.key"),
        "--to",
        version.fresh("tables"),
    )


def survey_table(version: Version, data: Data) -> float:
    return version.run("survey", data.patients, "--to", version.fresh("proposed.toml"))


def scrub_letters(version: Version, data: Data) -> float:
    return version.run(
        "scrub",
        data.letters,
        "--key",
        data.folder / "letters.key",
        "--to",
        version.fresh("scrubbed"),
        "--jobs",
        "1",
    )


def assess_release(version: Version, data: Data) -> float:
    page = version.fresh("assessment.html")
    return version.run(
        "assess", version.folder / "release", "--source", data.patients, "--to", page
    )


def intrude_release(version: Version, data: Data) -> float:
    release = version.folder / "release"
    return version.run(
        "intrude", release, "--register", data.register, "--source", data.patients, "--json"
    )


def verify_release(version: Version, data: Data) -> float:
    return version.run("verify", version.folder / "release")


def verify_tables(version: Version, data: Data) -> float:
    return version.run("verify", version.folder / "tables")


def open_gate(version: Version, data: Data) -> float:
    """CPU seconds until a gate has read its table and a recipient has logged in."""
    with _logged_in(version, data) as (process, _):
        return _spent(process)


def ask_gate(version: Version, data: Data) -> float:
    """CPU seconds of the gate over a hundred questions: rows, counts, noise, looks, refusals."""
    draw = random.Random(1)
    with _logged_in(version, data) as (process, client):
        opened = _spent(process)
        for number in range(QUESTIONS):
            asked = question(draw)
            door = "look" if number % 10 == 0 else "ask"
            reply = client.post(f"/{door}", json={"sql": asked["sql"]} if door == "look" else asked)
            if reply.status_code not in (200, 400, 403, 422):
                raise RuntimeError(f"The gate replied with status {reply.status_code}.")
        return _spent(process) - opened


CASES: dict[str, tuple[str, Callable[[Version, Data], float]]] = {
    "release": (f"release one table, {ROWS:,} rows", release_table),
    "tables": (f"release six tables, {VISITS:,} visits", release_tables),
    "survey": (f"survey {ROWS:,} rows", survey_table),
    "scrub": (f"scrub {LETTERS} letters", scrub_letters),
    "assess": ("assess the release of one table", assess_release),
    "intrude": (f"intrude, register of {REGISTER:,} people", intrude_release),
    "verify": ("verify the release of one table", verify_release),
    "verify-tables": ("verify the release of six tables", verify_tables),
    "gate-open": (f"open a gate, {PEOPLE:,} rows", open_gate),
    "gate": (f"{QUESTIONS} questions to that gate by HTTP", ask_gate),
}
"""What is measured, in an order in which a release exists before it is read."""
NEEDED = {"assess": "release", "intrude": "release", "verify": "release", "verify-tables": "tables"}
SOURCES: tuple[tuple[Callable[[Data, Version], None], set[str]], ...] = (
    (write_table, {"release", "survey"}),
    (write_database, {"tables"}),
    (write_letters, {"scrub"}),
    (write_gate_folder, {"gate-open", "gate"}),
)
"""What the earlier version writes once, and the cases that read it; a later version reads it
too."""


@contextmanager
def _logged_in(version: Version, data: Data) -> Iterator[tuple[psutil.Process, httpx.Client]]:
    """A new gate in a process of its own, and a client that has logged in as a recipient."""
    folder = version.fresh("gate")
    shutil.copytree(data.gate, folder)
    file = folder / "gate.toml"
    words = [sys.executable, "-c", START, "accounts", "--config", str(file), "add", "ann"]
    printed = subprocess.run(
        words, env=version.environment, check=True, capture_output=True, text=True
    ).stdout
    password = re.findall(r"ann: (\S+)", printed)[0]
    with (
        served(file, environment=version.environment) as (process, http, _),
        httpx.Client(base_url=f"{http}/api/v1", timeout=600) as client,
    ):
        me = (
            client.post("/log-in", json={"name": "ann", "password": password})
            .raise_for_status()
            .json()
        )
        client.headers["X-Sfumato-Changes"] = me["token_for_changes"]
        yield psutil.Process(process.pid), client


def _spent(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system + times.children_user + times.children_system


# ---------------------------------------------------------------- the comparison


def measure_in_turns(
    sides: dict[str, Version], data: Data, *, rounds: int, names: list[str]
) -> dict[tuple[str, str], list[float]]:
    """CPU seconds by case and side. The side that starts alternates: the second finds the files in
    memory."""
    spent: dict[tuple[str, str], list[float]] = {}
    for number in range(rounds):
        for name in names:
            for side in sorted(sides, reverse=number % 2 == 0):
                seconds = CASES[name][1](sides[side], data)
                spent.setdefault((name, side), []).append(seconds)
                print(
                    f"round {number + 1}: {name} {side} {seconds:.2f}", file=sys.stderr, flush=True
                )
    return spent


def as_table(spent: dict[tuple[str, str], list[float]], names: list[str]) -> Table:
    table = Table(title="CPU seconds before and after, medians", box=box.MARKDOWN)
    for heading in ("what", "before", "after", "ratio", "range of ratios"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for name in names:
        before, after = spent[name, "before"], spent[name, "after"]
        middle = statistics.median(before), statistics.median(after)
        ratios = [new / old for old, new in zip(before, after, strict=True)]
        table.add_row(
            CASES[name][0], *(f"{seconds:.2f}" for seconds in middle), f"{middle[1] / middle[0]:.2f}",
            f"{min(ratios):.2f} to {max(ratios):.2f}",
        )  # fmt: skip
    return table


@contextmanager
def checked_out(ref: str | None, folder: Path) -> Iterator[Path]:
    """The tree of a git ref, in a temporary worktree; this tree where no ref is given."""
    if ref is None:
        yield ROOT
        return
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(folder), ref], check=True)
    try:
        yield folder
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=True)


def with_needed(names: list[str]) -> list[str]:
    """The cases asked for, and the releases that they read, in the order of `CASES`."""
    wanted = {*names, *(NEEDED[name] for name in names if name in NEEDED)}
    return [name for name in CASES if name in wanted]


def main(words: list[str] | None = None) -> int:
    reader = argparse.ArgumentParser(prog="python -m benchmarks before-after", description=__doc__)
    reader.add_argument("--before", metavar="REF", required=True, help="a commit, tag or branch")
    reader.add_argument(
        "--after", metavar="REF", help="default: this tree, uncommitted changes included"
    )
    reader.add_argument("--rounds", type=int, default=ROUNDS)
    reader.add_argument(
        "--only", nargs="+", choices=CASES, default=list(CASES), help="and the releases these read"
    )
    asked = reader.parse_args(words)
    names = with_needed(asked.only)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # So that the worktrees are removed.
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="before-after-")))
        sides = {}
        for side, ref in (("before", asked.before), ("after", asked.after)):
            tree = stack.enter_context(checked_out(ref, folder / f"{side}-tree"))
            (folder / side).mkdir()
            sides[side] = Version(tree, folder / side)
        data = Data(folder)
        for write, readers in SOURCES:
            if readers & {*names}:
                write(data, sides["before"])
        spent = measure_in_turns(sides, data, rounds=asked.rounds, names=names)
    Console().print(as_table(spent, names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
