"""The gate under load: many clients at once through both doors, and a kill in the middle.

Clients ask mixed questions for a while: rows, counts, noisy numbers, looks, what is refused and
what is not SQL. Then everything that they were told is held against the audit and against the
table: no answer without its line, whose digest fits; no wrong answer; the same question answered
alike, before and after the kill; budgets and exposure never go back; memory stays where it was.

`python -m benchmarks gate_load` takes a bounded minute with 100 clients; `python -m
benchmarks.gate_load --clients 20 --enough 20 --kill` is what a test runs: it waits for answers,
however busy the machine is."""

from __future__ import annotations

import argparse
import asyncio
import csv
import hashlib
import json
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import httpx
import numpy as np
import psutil
import psycopg
from rich.console import Console

from sfumato.gate.accounts import Right
from sfumato.gate.audit import entries, verify_chain
from sfumato.gate.decide.exposure import Exposure
from sfumato.gate.gate_opener import open_office
from sfumato.gate.settings_file import read_settings
from sfumato.gate.state import GateState
from sfumato.releases.identifiers import Key

TOWNS = ("Aberdeen", "Bergen", "Cadiz", "Delphi")
ACCOUNTS = 10
PASSWORD = "a password of nobody"
BY_WIRE = 5
"""One client in so many speaks the protocol of PostgreSQL."""
FEWEST_SAMPLES = 10
POLICY = """
[fields.age]
role = "quasi"
hierarchy = { numbers = { widths = [5, 10, 30] } }
[fields.town]
role = "quasi"
hierarchy = { tree = { north = ["Aberdeen", "Bergen"], south = ["Cadiz", "Delphi"] } }
[fields.sex]
role = "quasi"
[fields.test]
role = "sensitive"
[fields.cost]
role = "insensitive"

[require]
k = 5
confidence_gain = { gain = 0.1, facts = 2, fields = ["test"] }
"""
GATE = """
folder = "state"
http_port = 0
wire_port = 0
queries_per_minute = 1000000

[tables.people]
source = "people.csv"
policy = "policy.toml"

[terms.public]
budget = { query = 0.01, person = 0.5, table = 2.0 }
"""


@dataclass(frozen=True, slots=True)
class Told:
    """An answer that came back."""

    who: str
    sql: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    exact: bool = False
    """As it was asked, where the door says so."""
    by_wire: bool = False


@dataclass(slots=True)
class Seen:
    """Everything that clients saw."""

    answers: list[Told] = field(default_factory=list)
    refusals: int = 0
    broken: list[str] = field(default_factory=list)


def write_gate(folder: Path, *, people: int) -> Path:
    """Write a table, its policy and the gate's file, which it returns."""
    draw = random.Random(1)
    with (folder / "people.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["age", "town", "sex", "test", "cost"])
        for _ in range(people):
            out.writerow(
                [
                    draw.randrange(20, 80),
                    draw.choice(TOWNS),
                    draw.choice("FM"),
                    draw.randrange(2),
                    draw.randrange(1000),
                ]
            )
    (folder / "policy.toml").write_text(POLICY)
    (folder / "gate.toml").write_text(GATE)
    return folder / "gate.toml"


def prepared(folder: Path, *, people: int) -> tuple[Path, dict[str, str]]:
    """A gate's folder with some accounts: its file, and the token of each account."""
    file = write_gate(folder, people=people)
    tokens = {}
    with open_office(read_settings(file)) as office:
        for number in range(ACCOUNTS):
            account = office.accounts.add(
                f"a{number}", PASSWORD, right=Right.RECIPIENT, profile="public"
            )
            tokens[account.name] = office.accounts.new_token(account, days=1)
    return file, tokens


@contextmanager
def served(
    file: Path, *, environment: dict[str, str] | None = None
) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """A gate that is open, and the addresses of both its doors."""
    run = "import sys; from sfumato.cli import main; sys.exit(main(sys.argv[1:]))"
    words = [sys.executable, "-c", run, "serve", "--config", str(file)]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        http = wire = ""
        assert process.stdout is not None
        for line in process.stdout:
            http = http or next(iter(re.findall(r"(http://\S+:\d+)/", line)), "")
            found = re.search(r"(?:postgresql://|-h )([\d.]+)(?::| -p )(\d+)", line)
            wire = wire or (f"host={found[1]} port={found[2]}" if found else "")
            if http and wire:
                break
        else:
            raise SystemExit("the gate did not open")
        yield process, http, wire
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=600)


def question(draw: random.Random) -> dict[str, str]:
    """One of some hundred questions."""
    low, town = draw.randrange(20, 70, 10), draw.choice(TOWNS)
    return draw.choice(
        [
            {"sql": f"SELECT town, sex, test, cost FROM people WHERE age >= {low}"},
            {
                "sql": f"SELECT sex, COUNT(*) AS n FROM people WHERE town = '{town}' GROUP BY sex "
                "ORDER BY sex"
            },
            {
                "sql": f"SELECT town, COUNT(*) AS n FROM people WHERE age < {low + 30} GROUP BY "
                "town ORDER BY town"
            },
            {
                "sql": f"SELECT COUNT(*) AS n FROM people WHERE test = 1 AND age > {low}",
                "mode": "noisy",
            },
            {
                "sql": f"SELECT test, cost FROM people WHERE age = {low} AND town = '{town}' "
                "ORDER BY cost LIMIT 5"
            },
            {
                "sql": f"SELECT age, town, sex, test FROM people WHERE cost < {low}",
                "shape": "age=0,town=0,sex=0",
            },
            {"sql": "SELECT name FROM people"},
            {"sql": "DROP TABLE people"},
        ]
    )


async def by_http(
    address: str, who: str, token: str, seen: Seen, ends: Callable[[], bool], seed: int
) -> None:
    draw = random.Random(seed)
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(
        base_url=f"{address}/api/v1", headers=headers, timeout=600
    ) as client:
        while not ends():
            asked = question(draw)
            door = "/look" if draw.random() < 0.1 and "DROP" not in asked["sql"] else "/ask"
            body = {"sql": asked["sql"]} if door == "/look" else asked
            try:
                reply = await client.post(door, json=body)
            except httpx.HTTPError:
                return
            if reply.status_code in (400, 403, 422) or (
                door == "/look" and reply.status_code == 200
            ):
                seen.refusals += reply.status_code != 200
            elif reply.status_code == 200:
                told = reply.json()
                rows = tuple(tuple(row) for row in told["rows"])
                seen.answers.append(
                    Told(who, asked["sql"], tuple(told["columns"]), rows, told["as_asked"])
                )
            else:
                seen.broken.append(f"{reply.status_code} for {asked['sql']}")


async def by_wire(address: str, who: str, seen: Seen, ends: Callable[[], bool], seed: int) -> None:
    draw = random.Random(seed)
    with suppress(psycopg.OperationalError):
        where = f"{address} user={who} password='{PASSWORD}' dbname=sfumato gssencmode=disable"
        async with await psycopg.AsyncConnection.connect(where, autocommit=True) as client:
            while not ends():
                sql = question(draw)["sql"]
                try:
                    found = await client.execute(sql)
                    rows = tuple(await found.fetchall())
                except psycopg.OperationalError:
                    raise
                except psycopg.Error:
                    seen.refusals += 1
                    continue
                seen.answers.append(
                    Told(
                        who,
                        sql,
                        tuple(each.name for each in found.description or ()),
                        rows,
                        by_wire=True,
                    )
                )


async def loaded(
    http: str,
    wire: str,
    tokens: dict[str, str],
    *,
    clients: int,
    seen: Seen,
    ends: Callable[[], bool],
) -> None:
    """Ask from many clients until it ends; the seeds are the clients' numbers."""
    names = list(tokens)
    asking = []
    for number in range(clients):
        who = names[number % len(names)]
        if number % BY_WIRE == 0:
            asking.append(by_wire(wire, who, seen, ends, number))
        else:
            asking.append(by_http(http, who, tokens[who], seen, ends, number))
    await asyncio.gather(*asking)


async def watched(
    process: subprocess.Popen[str], pause: float, *, ends: Callable[[], bool], kill: bool
) -> list[int]:
    """The memory of the gate, sampled until it ends; then the gate is killed, where it shall be."""
    found = []
    while len(found) < FEWEST_SAMPLES or not ends():
        with suppress(psutil.NoSuchProcess):
            found.append(psutil.Process(process.pid).memory_info().rss)
        await asyncio.sleep(pause)
    if kill:
        process.kill()
    return found


def one_round(
    file: Path, tokens: dict[str, str], *, clients: int, seconds: float, enough: int, kill: bool
) -> tuple[Seen, list[int]]:
    """It ends after some seconds, or as soon as so many answers came through each door and as much
    was refused."""
    with served(file) as (process, http, wire):

        async def everything() -> tuple[Seen, list[int]]:
            seen, until = Seen(), time.monotonic() + seconds

            def ends() -> bool:
                by_wire = sum(each.by_wire for each in seen.answers)
                least = min(by_wire, len(seen.answers) - by_wire, seen.refusals)
                return 0 < enough <= least or time.monotonic() > until

            pause = min(seconds / 40, 0.1) if enough else seconds / 40
            memory = asyncio.create_task(watched(process, pause, ends=ends, kill=kill))
            # Clients of a gate that is killed go on until it is gone.
            still = (lambda: False) if kill else ends
            await loaded(http, wire, tokens, clients=clients, seen=seen, ends=still)
            return seen, await memory

        return asyncio.run(everything())


# ---------------------------------------------------------------- checking


def unwritten(folder: Path, answers: list[Told]) -> int:
    """How many answers have no line with their digest in the audit."""
    verify_chain(folder / "state" / "audit.jsonl")
    secret = Key.from_file(folder / "state" / "gate.key").digest(b"gate")
    written = {
        (line["who"], line["answer"])
        for line in entries(folder / "state" / "audit.jsonl")
        if line["kind"] == "answered"
    }
    out = 0
    for each in answers:
        told = json.dumps([each.columns, each.rows], default=str).encode()
        out += (
            each.who,
            hashlib.blake2b(told, key=secret[:32], digest_size=16).hexdigest(),
        ) not in written
    return out


def wrong(folder: Path, answers: list[Told]) -> int:
    """How many exact answers are not those of the table, and how many differ from the first to the
    same question."""
    out = 0
    first: dict[tuple[str, str], tuple[tuple[Any, ...], ...]] = {}
    with duckdb.connect() as rows:
        rows.execute(f"CREATE TABLE people AS FROM '{folder / 'people.csv'}'")
        truth: dict[str, list[tuple[Any, ...]]] = {}
        for each in answers:
            known = first.setdefault((each.who, each.sql), each.rows)
            out += known != each.rows
            if each.exact and "LIMIT" not in each.sql:
                if each.sql not in truth:
                    truth[each.sql] = rows.execute(each.sql).fetchall()
                out += sorted(map(str, truth[each.sql])) != sorted(map(str, each.rows))
    return out


def remembered(folder: Path) -> tuple[dict[str, float], dict[tuple[str, str], Exposure]]:
    """Budgets and exposures on disk."""
    state = GateState(folder / "state" / "state.db")
    try:
        spent = dict(state.all("SELECT scope, epsilon FROM spent"))
        shown = state.all("SELECT audience, holding, classes FROM exposures")
        return spent, {
            (audience, name): Exposure.unpacked(bytes(packed)) for audience, name, packed in shown
        }
    finally:
        state.close()


def went_back(before: tuple[Any, Any], after: tuple[Any, Any]) -> list[str]:
    """Budgets that shrank, and exposures that no longer tell apart what they told apart."""
    out = [scope for scope, spent in before[0].items() if after[0].get(scope, 0.0) < spent - 1e-9]
    for key, old in before[1].items():
        new = after[1].get(key)
        finer = new is not None and len(np.unique(new.anyone)) == len(
            np.unique(np.stack([new.anyone, old.anyone]), axis=1).T
        )
        if not finer:
            out.append(str(key))
    return out


def growth(memory: list[int]) -> float:
    """How much larger the gate was in the last fifth than in the second, as a share."""
    fifth = max(1, len(memory) // 5)
    return statistics.median(memory[-fifth:]) / statistics.median(memory[fifth : 2 * fifth]) - 1


def run(
    folder: Path, *, clients: int, seconds: float, people: int, kill: bool, enough: int = 0
) -> dict[str, Any]:
    """What there is to report."""
    file, tokens = prepared(folder, people=people)
    report: dict[str, Any] = {"clients": clients, "seconds": seconds}
    answers: list[Told] = []
    back: list[str] = []
    if kill:
        seen, _ = one_round(
            file, tokens, clients=clients, seconds=seconds / 2, enough=enough, kill=True
        )
        answers += seen.answers
        report["unwritten at the kill"] = unwritten(folder, answers)
        before = remembered(folder)
    share = seconds / (2 if kill else 1)
    seen, memory = one_round(
        file, tokens, clients=clients, seconds=share, enough=enough, kill=False
    )
    answers += seen.answers
    if kill:
        back = went_back(before, remembered(folder))
    report |= {
        "answers": len(answers), "by wire": sum(each.by_wire for each in answers),
        "refusals": seen.refusals, "broken": seen.broken[:3], "went back": back,
        "unwritten": unwritten(folder, answers), "wrong": wrong(folder, answers),
        "lines": verify_chain(folder / "state" / "audit.jsonl").lines,
        "memory growth": round(growth(memory), 3), "megabytes": round(max(memory) / 2**20),
    }  # fmt: skip
    return report


def main(words: list[str] | None = None) -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--clients", type=int, default=100)
    reader.add_argument("--seconds", type=float, default=60)
    reader.add_argument("--people", type=int, default=5_000)
    reader.add_argument(
        "--enough", type=int, default=0, help="end at so many answers by each door and refusals"
    )
    reader.add_argument("--kill", action="store_true")
    asked = reader.parse_args(words or [])
    with tempfile.TemporaryDirectory() as folder:
        report = run(Path(folder), **vars(asked))
    Console().print_json(json.dumps(report))
    bad = ("unwritten", "unwritten at the kill", "wrong", "broken", "went back")
    return int(any(report.get(each) for each in bad))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
