"""Questions of people who work with hospital data, asked at a gate: which are answered usefully.

A made-up hospital of 20,000 patients and 60,000 visits, k = 5, a confidence gain of 0.1, and a
lifetime epsilon of 1 per person at delta 1e-6 (0.5 and 2 beside it). Each question is asked once on
a gate that nobody has asked before, and once in one sitting with all the others. DuckDB has the
truth. An answer is useful where it is

- exact as asked; or
- coarser, in a shape that the gate offers, with no asked field wholly generalised; or
- noisy, said so, and within 10 % of the truth or twice the noise's sigma of it, whichever is larger,
  in 9 of 10 numbers, with 8 of 10 groups that are there.

An answer that is none of these is *wrong*: a number of another question. There must be none.
`python -m benchmarks gate_questions` takes a few minutes. With `SFUMATO_GATE_SOURCE=postgres` the tables
are in a PostgreSQL server of its own, and `SFUMATO_GATE_EPSILONS=1` asks with that epsilon alone."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
from rich.console import Console
from rich.table import Table

from sfumato.errors import Mistake, Refused
from sfumato.gate.answers import Answer
from sfumato.gate.gate_opener import open_gate
from sfumato.gate.keeper import GateKeeper
from sfumato.gate.settings import Asker, Budget, HeldTable, Lifetime, Mode, Settings, Terms
from sfumato.gate.sql import admit

from .gate_questions_asked import HELD_OUT, HELD_OUT_LATER, HELD_OUT_LATEST, QUESTIONS

PATIENTS, VISITS = 20_000, 60_000
EPSILONS = tuple(map(float, os.environ.get("SFUMATO_GATE_EPSILONS", "0.5 1 2").split()))
SOURCE = os.environ.get("SFUMATO_GATE_SOURCE", "parquet")
TYPES = {
    "patients": "patient_id text, age int, sex text, district text, smoker text, "
    "bmi double precision, income double precision",
    "visits": "patient_id text, admitted date, ward text, diagnosis text, nights int, "
    "charges double precision, emergency int",
}
ANSWERS = 40
"""So many noisy answers one sitting has."""
EVE = Asker(name="eve", profile="research")
Row = tuple[Any, ...]

MAKE = f"""
SELECT setseed(0.42);
CREATE TABLE patients AS SELECT
    'p' || i AS patient_id,
    least(99, greatest(0, 45 + round(20 * sqrt(-2 * ln(random() + 1e-9)) * cos(6.2832 * random()))))::INT AS age,
    CASE WHEN random() < 0.52 THEN 'F' ELSE 'M' END AS sex,
    'D' || (1 + floor(12 * random() * random()))::INT AS district,
    CASE WHEN random() < 0.22 THEN 'yes' ELSE 'no' END AS smoker,
    round(18 + 20 * random() * random() + 5 * random(), 1) AS bmi,
    round(20000 + 60000 * random() * random(), 2) AS income
FROM range({PATIENTS}) AS made(i);
CREATE TABLE visits AS SELECT
    'p' || floor({PATIENTS} * power(random(), 1.2))::INT AS patient_id,
    (DATE '2020-01-01' + floor(1826 * random())::INT) AS admitted,
    ['medicine','surgery','cardiology','oncology','obstetrics','paediatrics','psychiatry','neurology']
        [1 + floor(8 * random() * random())::INT] AS ward,
    ['I10','E11','J45','M54','F32','K21','N39','I25','C50','G40','E78','J18']
        [1 + floor(12 * random() * random())::INT] AS diagnosis,
    floor(12 * random() * random())::INT AS nights,
    round(800 + 30000 * random() * random() * random(), 0) AS charges,
    (random() < 0.3)::INT AS emergency
FROM range({VISITS}) AS made(i);
"""
WIDTH_BUCKET = """
CREATE MACRO width_bucket(x, low, high, n) AS
    CASE WHEN x < low THEN 0 WHEN x >= high THEN n + 1 ELSE floor((x - low) * n / (high - low)) + 1 END
"""
PATIENT_POLICY = """
entity = "patient_id"
[fields]
patient_id = "direct"
smoker = "sensitive"
bmi = "insensitive"
income = "insensitive"
[fields.age]
role = "quasi"
hierarchy = { numbers = { widths = [5, 10, 20] } }
domain = { least = 0, most = 99 }
constant_per_person = true
[fields.sex]
role = "quasi"
domain = ["F", "M"]
constant_per_person = true
[fields.district]
role = "quasi"
domain = ["D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9", "D10", "D11", "D12"]
constant_per_person = true
[fields.district.hierarchy.tree]
north = ["D1", "D2", "D3", "D4"]
west = ["D5", "D6", "D7", "D8"]
south = ["D9", "D10", "D11", "D12"]
[require]
k = 5
max_suppression = 0.02
confidence_gain = { gain = 0.1, facts = 2, fields = ["smoker"] }
[recipient.research]
default_linking = 1.0
"""
VISIT_POLICY = """
entity = "patient_id"
[fields]
patient_id = "direct"
diagnosis = "sensitive"
nights = "insensitive"
charges = "insensitive"
emergency = "insensitive"
[fields.admitted]
role = "quasi"
hierarchy = { dates = ["month", "year"] }
[fields.ward]
role = "quasi"
domain = ["medicine", "surgery", "cardiology", "oncology", "obstetrics", "paediatrics", "psychiatry", "neurology"]
[require]
k = 5
max_suppression = 0.02
confidence_gain = { gain = 0.1, facts = 2, fields = ["diagnosis"] }
[recipient.research]
default_linking = 1.0
"""
BOUNDS = {
    "charges": (0.0, 30_000.0),
    "nights": (0.0, 12.0),
    "bmi": (15.0, 50.0),
    "age": (0.0, 100.0),
    "income": (0.0, 100_000.0),
}


def main() -> None:
    console = Console(width=200)
    with (
        tempfile.TemporaryDirectory(prefix="gate-questions-") as scratch,
        _hospital(Path(scratch)) as truth,
    ):
        folder = Path(scratch)
        scores = Table("epsilon", "asked", "fresh", "one sitting", "wrong", "held out, fresh")
        for epsilon in EPSILONS:
            alone = [*asked_afresh(folder, truth, epsilon)]
            apart = [
                *asked_afresh(
                    folder,
                    truth,
                    epsilon,
                    {"held out": (*HELD_OUT, *HELD_OUT_LATER, *HELD_OUT_LATEST)},
                )
            ]
            sitting = [*asked_together(folder, truth, epsilon)]
            if epsilon == 1.0:
                _print(console, alone, sitting)
            wrong = sum(each == "wrong" for _, _, each in (*alone, *sitting, *apart))
            found = (str(len(alone)), _share(alone), _share(sitting), str(wrong), _share(apart))
            scores.add_row(f"{epsilon:g}", *found)
        console.print(scores)


Outcome = tuple[str, str, str]
"""Who asked, what, and what became of it."""


def _share(outcomes: list[Outcome]) -> str:
    useful = sum(each in ("exact", "coarser", "noisy") for _, _, each in outcomes)
    return f"{useful} ({useful / len(outcomes):.0%})"


def _print(console: Console, alone: list[Outcome], sitting: list[Outcome]) -> None:
    table = Table("who", "question", "fresh", "one sitting")
    for (who, sql, first), (_, _, second) in zip(alone, sitting, strict=True):
        table.add_row(who[:3], sql, first, second)
    console.print(table)
    for name, outcomes in (("fresh", alone), ("one sitting", sitting)):
        counts = Counter(each for _, _, each in outcomes)
        console.print(f"{name}: " + ", ".join(f"{n} {each}" for each, n in counts.most_common()))


@contextmanager
def _hospital(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The tables where gates read them, and with the truth."""
    truth = make_hospital(folder)
    if SOURCE != "postgres":
        yield truth
        return
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "services"))
    import psycopg
    from postgres_server import PostgresServer, found_binaries

    server = PostgresServer(found_binaries()[0])
    server.start()
    try:
        with psycopg.connect(server.uri(), autocommit=True) as connection:
            for name, types in TYPES.items():
                connection.execute(f"CREATE TABLE {name} ({types})".encode())
                with connection.cursor().copy(f"COPY {name} FROM STDIN".encode()) as copy:
                    for row in truth.execute(f"SELECT * FROM {name}").fetchall():
                        copy.write_row(row)
        (folder / "address").write_text(server.uri())
        yield truth
    finally:
        server.stop()


def make_hospital(folder: Path) -> duckdb.DuckDBPyConnection:
    """Write the tables and policies; the same tables to have the truth from."""
    rows = duckdb.connect(config={"threads": 1})
    rows.execute(MAKE)
    rows.execute(WIDTH_BUCKET)
    for name, policy in (("patients", PATIENT_POLICY), ("visits", VISIT_POLICY)):
        rows.execute(f"COPY {name} TO '{folder / name}.parquet' (FORMAT parquet)")
        (folder / f"{name}.toml").write_text(policy)
    return rows


@contextmanager
def gate(folder: Path, state: str, epsilon: float) -> Iterator[GateKeeper]:
    address = folder / "address"
    tables = {
        name: HeldTable(
            name=name,
            source=address.read_text() if address.exists() else str(folder / f"{name}.parquet"),
            table=name if address.exists() else "",
            policy=folder / f"{name}.toml",
            rows_per_person=rows,
        )
        for name, rows in (("patients", 1), ("visits", 8))
    }
    budget = Budget(query=epsilon / ANSWERS, person=epsilon, table=epsilon)
    terms = Terms(
        mode=Mode.EITHER, budget=budget, rows_per_person=8, bounds=BOUNDS, steps={"bmi": 0.1}
    )
    settings = Settings(
        folder=folder / state,
        tables=tables,
        terms={"research": terms},
        lifetime=Lifetime(epsilon=epsilon),
    )
    with open_gate(settings) as opened:
        yield opened.keeper


def asked_together(
    folder: Path, truth: duckdb.DuckDBPyConnection, epsilon: float
) -> Iterator[Outcome]:
    with gate(folder, f"sitting-{epsilon}", epsilon) as keeper:
        for who, asked in QUESTIONS.items():
            for sql in asked:
                yield who, sql, outcome(keeper, truth, sql)


def asked_afresh(
    folder: Path,
    truth: duckdb.DuckDBPyConnection,
    epsilon: float,
    questions: Mapping[str, tuple[str, ...]] = QUESTIONS,
) -> Iterator[Outcome]:
    """Opened once: its memory is emptied between questions, as only a benchmark may."""
    with gate(folder, f"fresh-{epsilon}-{len(questions)}", epsilon) as keeper:
        for who, asked in questions.items():
            for sql in asked:
                for table in ("exposures", "charged", "records"):
                    keeper.state.all(f"DELETE FROM {table}")
                keeper.exact.__dict__.pop("standings", None)
                yield who, sql, outcome(keeper, truth, sql)


def outcome(keeper: GateKeeper, truth: duckdb.DuckDBPyConnection, sql: str) -> str:
    """What became of a question: exact, coarser, noisy, off, wrong, or why it was refused."""
    try:
        answer = keeper.ask(EVE, sql)
    except (Refused, Mistake) as refused:
        return _coarser(keeper, sql) or f"refused: {getattr(refused, 'code', 'not-answered')}"
    whole = sql.partition(" LIMIT ")[0]
    key = "v.patient_id" if " JOIN " in sql else "patient_id"
    true = truth.execute(whole.replace("DISTINCT person", f"DISTINCT {key}")).fetchall()
    return judged(answer, true, cut=whole != sql)


def _coarser(keeper: GateKeeper, sql: str) -> str:
    """What somebody gets who follows the offer: a shape in which no field is wholly generalised."""
    try:
        offer = keeper.look(EVE, sql)
        tops = keeper.table_of(admit(sql, keeper.catalogue(EVE)))
        for shape in offer.shapes:
            if all(level < tops.hierarchies[name].height for name, level in shape.levels.items()):
                keeper.ask(EVE, sql, shape=shape.name)
                return "coarser"
    except (Refused, Mistake):
        pass
    return ""


def judged(answer: Answer, true: list[Row], *, cut: bool) -> str:
    """`true` has all groups, also where the question wants the first few (`cut`)."""
    if not answer.noise:
        exact = _same(answer.rows, true, cut=cut)
        return "coarser" if not answer.as_asked else "exact" if exact else "wrong"
    texts, columns = _split(answer)
    truths = {_label(row, texts): row for row in true}
    within = {at: _within(answer, at) for at in columns}
    there = cells = good = 0
    for place, row in enumerate(answer.rows):
        known = truths.get(_label(row, texts))
        if known is None:
            continue
        there += 1
        for at in columns:
            cells += 1
            room = max(0.1 * abs(float(known[at] or 0)), within[at][place] / 1.96 * 2)
            good += abs(float(row[at] or 0) - float(known[at] or 0)) <= room
    enough = there >= 0.8 * (len(answer.rows) if cut else len(truths))
    return "noisy" if enough and cells and good >= 0.9 * cells else "off"


def _label(row: Row, texts: list[int]) -> tuple[str, ...]:
    """The labels of a group as texts; the gate writes false where DuckDB's driver has False."""
    return tuple(str(row[at]).lower() for at in texts)


def _split(answer: Answer) -> tuple[list[int], list[int]]:
    columns, _ = answer.marked()
    noisy = [at for at, name in enumerate(answer.columns) if f"{name}_within" in columns]
    return [at for at in range(len(answer.columns)) if at not in noisy], noisy


def _within(answer: Answer, at: int) -> list[float]:
    columns, rows = answer.marked()
    place = columns.index(f"{answer.columns[at]}_within")
    return [float(row[place] or 0.0) for row in rows]


def _same(found: list[Row], true: list[Row], *, cut: bool) -> bool:
    def plain(row: Row) -> tuple[str, ...]:
        return tuple(
            f"{float(cell):.6g}" if isinstance(cell, int | float | Decimal) else str(cell)
            for cell in row
        )

    left = Counter(map(plain, found)) - Counter(map(plain, true))
    return not left and (cut or len(found) == len(true))
