"""The gate: Chiang et al. 2001's Table 3 again, questions with many rows, and noisy numbers beside
the raw query.

Link mode: 10 and 100 records against 20,000, 200,000 and 2,000,000 rows, sent to a gate that
serves. The answer is everything that the gate does from the first byte of the request to the last
of its reply, with its line in the audit on disk; *test* is working out what would be told and
whether that is safe, over the lattice: what the paper calls test and generalise. Ten rounds of
other records in CPU time, each after the other: the median, and the round whose test took longest,
which is one that shows a node for the first time. Making the lattice comes before them. Records are
sent as JSON, and once more as a CSV file, as the paper's were: it is read in a process of its own,
which takes far longer.

Link mode once more with a fifth field, a doctor, that makes over half a million bins and 160 nodes,
beside a raw upload of the same records and a join in DuckDB.

`python -m benchmarks gate` takes a minute or two; `SFUMATO_GATE_PART=wide` runs that last part alone.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import resource
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import duckdb
from rich.console import Console
from rich.table import Table

from sfumato.gate import keeper as keeper_module
from sfumato.gate.accounts import Right
from sfumato.gate.exact_answers import ExactAnswers
from sfumato.gate.gate_opener import Gate, open_gate
from sfumato.gate.server import DoorAddresses, serve_gate
from sfumato.gate.settings import Asker, Budget, HeldTable, Mode, Settings, Terms

from .data import CACHE

Records = list[dict[str, str]]

SIZES = (20_000, 200_000, 2_000_000)
RECORDS = (10, 100)
ROUNDS = 10
LINKED = (
    "rows",
    "records",
    "rows shown",
    "answer ms",
    "test ms",
    "share",
    "longest test",
    "as a file",
    "share",
)
ON = ("age", "sex", "zip", "ethnicity")
EVE = Asker(name="eve", profile="public")
POLICY = """
{entity}
[fields.age]
role = "quasi"
hierarchy = {{ numbers = {{ widths = [5, 10, 20] }} }}
[fields.sex]
role = "quasi"
[fields.zip]
role = "quasi"
hierarchy = {{ prefix = [4, 3] }}
[fields.ethnicity]
role = "quasi"
[fields.person]
role = "direct"
[fields.test]
role = "sensitive"
[fields.cost]
role = "insensitive"
[require]
k = 5
non_uniqueness = true
"""
MAKE = """COPY (SELECT setseed(0.5) AS s, range AS row, (range / {each})::BIGINT AS person,
    (18 + 70 * power(random(), 1.3))::INTEGER AS age, CASE WHEN random() < 0.5 THEN 'f' ELSE 'm' END AS sex,
    (2100 + 60 * power(random(), 2))::INTEGER::VARCHAR AS zip, 'e' || (5 * power(random(), 3))::INTEGER AS ethnicity,
    (random() < 0.3)::INTEGER AS test, (1000 * power(random(), 3))::INTEGER AS cost
    FROM range({rows})) TO '{target}' (FORMAT parquet)"""
TERMS = {
    "public": Terms(
        mode=Mode.EITHER,
        budget=Budget(query=0.001, person=1.0, table=1.0),
        bounds={"cost": (0, 1000)},
        rows_per_person=5,
    )
}


DOCTORS = (16, 60)
"""With so many doctors, two million rows have some 570,000 and 1,100,000 bins."""
DOCTOR = """
[fields.doctor]
role = "quasi"
"""
WITH_DOCTOR = """COPY (SELECT *, 'd' || (hash(row_number() OVER ()) % {doctors})::VARCHAR AS doctor FROM '{source}')
    TO '{target}' (FORMAT parquet)"""


def main() -> None:
    console = Console(width=120)
    if os.environ.get("SFUMATO_GATE_PART") == "wide":
        console.print(_wide_links())
        return
    console.print(_links())
    console.print(_wide_links())
    console.print(_questions())
    console.print(_noisy())
    console.print(_opening())


@contextmanager
def _gate(
    rows: int, *, each: int = 1, doctors: int = 0, folder: Path
) -> Iterator[tuple[Gate, Path]]:
    """A gate over made-up people with `each` rows a person, of whom each has one of some doctors."""
    source = CACHE / f"gate-{rows}-{each}.parquet"
    CACHE.mkdir(parents=True, exist_ok=True)
    if not source.exists():
        duckdb.execute(
            MAKE.format(rows=rows, each=each, target=source).replace(
                "setseed(0.5) AS s, range AS row, ", ""
            )
        )
    here = folder / f"{rows}-{each}-{time.monotonic_ns()}"
    here.mkdir()
    policy = POLICY.format(entity='entity = "person"' if each > 1 else "")
    if doctors:
        plain, source = source, here / "people.parquet"
        duckdb.execute(WITH_DOCTOR.format(doctors=doctors, source=plain, target=source))
        policy = policy.replace("[require]", f"{DOCTOR}[require]")
    (here / "policy.toml").write_text(policy)
    held = HeldTable(name="people", source=str(source), policy=here / "policy.toml")
    settings = Settings(
        folder=here / "state", tables={"people": held}, terms=TERMS, http_port=0, wire_port=0
    )
    with open_gate(settings) as gate:
        yield gate, source


@contextmanager
def _timed_test() -> Iterator[list[float]]:
    """CPU seconds spent in deciding, added up in the one entry of the list."""
    spent = [0.0]

    def timed(inner: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **named: Any) -> Any:
            started = time.thread_time()
            try:
                return inner(*given, **named)
            finally:
                spent[0] += time.thread_time() - started

        return run

    ground, best = ExactAnswers.ground, keeper_module.best_shape
    ExactAnswers.ground = timed(ground)  # type: ignore[method-assign]
    keeper_module.best_shape = timed(best)
    try:
        yield spent
    finally:
        ExactAnswers.ground = ground  # type: ignore[method-assign]
        keeper_module.best_shape = best


def _links() -> Table:
    table = Table(
        title="link mode: CPU milliseconds of an answer, and of testing and generalising it"
    )
    for heading in (
        "rows",
        "records",
        "rows shown",
        "answer ms",
        "test ms",
        "share",
        "longest test",
        "as a file",
        "share",
    ):
        table.add_column(heading, justify="right")
    draw = Random(1)
    with tempfile.TemporaryDirectory() as folder:
        for rows in SIZES:
            for count in RECORDS:
                with (
                    _gate(rows, folder=Path(folder)) as (gate, _),
                    _served(gate) as sent,
                    _timed_test() as spent,
                ):
                    answers, tests, told = [], [], 0
                    for turn in range(ROUNDS + 1):
                        spent[0] = 0.0
                        cost, told = sent(_records(draw, count))
                        if turn:  # The first makes the lattice.
                            answers.append(cost)
                            tests.append(spent[0])
                    spent[0] = 0.0
                    file, _ = sent(_records(draw, count), as_file=True)
                    beside = spent[0] / file
                whole, test = statistics.median(answers), statistics.median(tests)
                table.add_row(
                    f"{rows:,}",
                    str(count),
                    f"{told:,}",
                    f"{whole * 1e3:.1f}",
                    f"{test * 1e3:.2f}",
                    f"{test / whole:.1%}",
                    f"{max(tests) * 1e3:.1f}",
                    f"{file * 1e3:.0f}",
                    f"{beside:.2%}",
                )
    return table


def _wide_links() -> Table:
    table = Table(title="link mode with many bins, 100 records: CPU milliseconds")
    for heading in (
        "rows",
        "bins",
        "nodes",
        "first",
        "answer",
        "rows shown",
        "rows joined",
        "raw",
        "ratio",
        "MB",
    ):
        table.add_column(heading, justify="right")
    draw = Random(2)
    for doctors in DOCTORS:
        with (
            tempfile.TemporaryDirectory() as folder,
            _gate(SIZES[-1], doctors=doctors, folder=Path(folder)) as (gate, source),
            _served(gate) as sent,
            duckdb.connect(config={"threads": 1}) as rows,
        ):
            rows.execute(f"CREATE TABLE people AS FROM '{source}'")
            brought = [
                [{**each, "doctor": f"d{draw.randrange(doctors)}"} for each in _records(draw, 100)]
                for _ in range(ROUNDS + 1)
            ]
            gates, raw = [], []
            for each in brought:
                gates.append(sent(each, on=(*ON, "doctor")))
                (record,) = gate.state.all(
                    "SELECT content FROM records WHERE rowid = (SELECT MAX(rowid) FROM records)"
                )
                levels = json.loads(record[0])["levels"]
                raw.append(_joined(rows, each, levels, Path(folder) / "brought.json"))
            holding = gate.keeper.holdings["people"]
            nodes = 1
            for name in holding.known:
                nodes *= holding.hierarchies[name].height + 1
            answer = statistics.median(cost for cost, _ in gates[1:])
            beside = statistics.median(cost for cost, _ in raw[1:])
        table.add_row(
            f"{SIZES[-1]:,}",
            f"{len(holding.bins):,}",
            str(nodes),
            f"{gates[0][0] * 1e3:,.0f}",
            f"{answer * 1e3:.0f}",
            f"{statistics.median(shown for _, shown in gates[1:]):,.0f}",
            f"{statistics.median(shown for _, shown in raw[1:]):,.0f}",
            f"{beside * 1e3:.0f}",
            f"{answer / beside:.2f}",
            f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024:,}",
        )
    return table


def _joined(
    rows: duckdb.DuckDBPyConnection, records: Records, levels: dict[str, int], file: Path
) -> tuple[float, int]:
    """CPU seconds of uploading records to DuckDB, joining them with the table at the levels of the
    gate's answer, and writing the same rows as JSON; and how many these are."""
    started = time.process_time()
    file.write_text(json.dumps(records))
    rows.execute(f"CREATE OR REPLACE TEMP TABLE brought AS FROM read_json('{file}')")
    keys = [key for name, level in levels.items() for key in _keys(name, level)]
    on = " AND ".join(f"{key.format('p')} = {key.format('b')}" for key in keys) or "true"
    shown = ", ".join((*ON, "doctor", "test", "cost"))
    found = rows.execute(f"SELECT {shown} FROM people p SEMI JOIN brought b ON {on}").fetchall()
    json.dumps(found)
    return time.process_time() - started, len(found)


def _keys(name: str, level: int) -> list[str]:
    """What a field is compared by at a level of `POLICY`; nothing at its top."""
    if name == "age":
        widths = (1, 5, 10, 20)
        return [f"{{}}.age::INTEGER // {widths[level]}"] if level < len(widths) else []
    if name == "zip":
        lengths = (5, 4, 3)
        return [f"left({{}}.zip::VARCHAR, {lengths[level]})"] if level < len(lengths) else []
    return [] if level else [f"{{}}.{name}"]


@contextmanager
def _served(gate: Gate) -> Iterator[Callable[..., tuple[float, int]]]:
    """The gate at its door in another thread; what records cost it in CPU seconds, and how many
    rows it told."""
    gate.accounts.add("eve", "a password for eve", right=Right.RECIPIENT)
    eve = gate.accounts.find("eve")
    assert eve is not None
    token, opened, over = gate.accounts.new_token(eve, days=1), threading.Event(), threading.Event()
    where: list[str] = []

    async def ends() -> None:
        while not over.is_set():
            await asyncio.sleep(0.05)

    def told(addresses: DoorAddresses) -> None:
        where.append(addresses.http.removeprefix("http://"))
        opened.set()

    door = threading.Thread(target=lambda: asyncio.run(serve_gate(gate, told=told, ends=ends)))
    door.start()
    opened.wait()
    line = http.client.HTTPConnection(where[0])

    def sent(
        records: Records, *, as_file: bool = False, on: tuple[str, ...] = ON
    ) -> tuple[float, int]:
        asked = {"table": "people", "on": on, "show": ["test", "cost"], "records": records}
        body, kind = _form(records) if as_file else (json.dumps(asked).encode(), "application/json")
        headers = {"Authorization": f"Bearer {token}", "Content-Type": kind}
        everything, here = _spent(), time.thread_time()
        line.request("POST", "/api/v1/link", body, headers)
        reply = line.getresponse()
        content = reply.read()
        mine = time.thread_time() - here
        cost = _spent() - everything - mine
        if reply.status != 200:
            raise SystemExit(content.decode())
        return cost, len(json.loads(content)["rows"])

    try:
        yield sent
    finally:
        line.close()
        over.set()
        door.join()


def _spent() -> float:
    """CPU seconds of this process and of those it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _form(records: Records) -> tuple[bytes, str]:
    """A form with a file, as a browser sends it."""
    edge = "-----edge"
    text = "\n".join([",".join(ON), *(",".join(record[name] for name in ON) for record in records)])
    parts = [
        ("table", "people"),
        *(("on", name) for name in ON),
        ("show", "test"),
        ("show", "cost"),
    ]
    lines = [
        f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}'
        for name, value in parts
    ]
    head = (
        'Content-Disposition: form-data; name="file"; filename="records.csv"\r\nContent-Type: '
        "text/csv"
    )
    lines.append(f"--{edge}\r\n{head}\r\n\r\n{text}\r\n--{edge}--\r\n")
    return "\r\n".join(lines).encode(), f"multipart/form-data; boundary={edge}"


def _records(draw: Random, count: int) -> Records:
    return [_record(draw) for _ in range(count)]


def _record(draw: Random) -> dict[str, str]:
    zip_code = 2100 + int(60 * draw.random() ** 2)
    ethnicity = f"e{int(5 * draw.random() ** 3)}"
    return {
        "age": str(draw.randint(18, 80)),
        "sex": draw.choice("fm"),
        "zip": str(zip_code),
        "ethnicity": ethnicity,
    }


def _questions() -> Table:
    table = Table(
        title="query mode over 2,000,000 rows: CPU milliseconds beside DuckDB's own query, one "
        "thread"
    )
    for heading in ("question", "rows shown", "DuckDB ms", "gate ms", "of which test ms"):
        table.add_column(heading, justify="left" if heading == "question" else "right")
    asked = (
        "SELECT age, sex, test FROM people WHERE age BETWEEN 30 AND 34",
        "SELECT zip, test, cost FROM people WHERE zip LIKE '211%'",
        "SELECT sex, COUNT(*) AS n FROM people WHERE test = 1 GROUP BY sex",
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        _gate(2_000_000, folder=Path(folder)) as (gate, source),
    ):
        for sql in asked:
            raw = _raw(source, sql)
            with _timed_test() as spent:
                started = time.process_time()
                answer = gate.keeper.ask(EVE, sql, mode=Mode.EXACT)
                whole = time.process_time() - started
            table.add_row(
                sql,
                f"{len(answer.rows):,}",
                f"{raw * 1e3:.0f}",
                f"{whole * 1e3:.0f}",
                f"{spent[0] * 1e3:.0f}",
            )
    return table


def _noisy() -> Table:
    table = Table(
        title="noisy numbers over 2,000,000 rows: CPU milliseconds beside the raw query, one thread"
    )
    for heading in ("question", "rows a person", "raw ms", "noisy ms", "ratio", "the first"):
        table.add_column(heading, justify="left" if heading == "question" else "right")
    asked = (
        "SELECT COUNT(*) AS n FROM people WHERE test = 1 AND age > {}",
        "SELECT zip, COUNT(*) AS n FROM people WHERE test = 1 AND age > {} GROUP BY zip",
        "SELECT sex, SUM(cost) AS s, COUNT(*) AS n FROM people WHERE age > {} GROUP BY sex",
        "SELECT zip, COUNT(DISTINCT person) AS n FROM people WHERE test = 1 AND age > {} GROUP BY zip",
    )
    for each in (1, 4):
        with (
            tempfile.TemporaryDirectory() as folder,
            _gate(2_000_000, each=each, folder=Path(folder)) as (gate, source),
        ):
            for sql in asked:
                raw = _raw(source, sql.format(20))
                found = []
                for age in range(18, 18 + ROUNDS):
                    started = time.process_time()
                    gate.keeper.ask(EVE, sql.format(age), mode=Mode.NOISY)
                    found.append(time.process_time() - started)
                noisy = statistics.median(found[1:])  # The first counts the entries of its fields.
                table.add_row(
                    sql,
                    str(each),
                    f"{raw * 1e3:.1f}",
                    f"{noisy * 1e3:.1f}",
                    f"{noisy / raw:.2f}",
                    f"{found[0] * 1e3:.0f}",
                )
    return table


def _opening() -> str:
    """CPU seconds and memory of opening ten million rows, in a process that has done the rest."""
    with tempfile.TemporaryDirectory() as folder:
        with _gate(1_000, folder=Path(folder)):  # Imports come first.
            pass
        started = time.process_time()
        with _gate(10_000_000, folder=Path(folder)):
            spent = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return f"opening 10,000,000 rows: {spent:.1f} CPU s, {peak:,} MB at most"


def _raw(source: Path, sql: str) -> float:
    """CPU seconds of DuckDB's own query over the table in memory, with its rows fetched; the best
    of five."""
    with duckdb.connect(config={"threads": 1}) as rows:
        rows.execute(f"CREATE TABLE people AS FROM '{source}'")
        found = []
        for _ in range(5):
            started = time.process_time()
            rows.execute(sql).fetchall()
            found.append(time.process_time() - started)
    return min(found)
