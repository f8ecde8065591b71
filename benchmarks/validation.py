"""Planted effects, validated at a gate: how many claims are decided, and how many verdicts are right.

Each of 200 claims is about one number of a made-up hospital (20,000 patients, 60,000 visits), or of a
real table (`$SFUMATO_DATA/real/diabetic_data.csv`): a count, a share, a mean, a difference of two
groups or a slope, in groups that are drawn at random. DuckDB has the truth. In the hospital the margin
is that of its kind, fixed here before anything is asked. The real table is small (4,000 patients), so
its analyst takes the margin that the gate's forecast says the epsilon decides, from a synthetic copy.
The stated value is off by half a margin or less, which should *agree*, or by two to four margins, which
should *differ*. Each claim is made by a fresh account that spends its whole epsilon on it, at delta 1e-6.

`python -m benchmarks validation` prints, for each epsilon, how many claims are decided and right, how
many intervals hold the truth, and how many are as narrow as the forecast wants them."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
from rich.console import Console
from rich.table import Table

import sfumato
from sfumato.gate.gate_opener import Gate, open_gate
from sfumato.gate.settings import (
    Asker,
    Audience,
    Budget,
    HeldTable,
    LinkedCopy,
    Mode,
    Settings,
    Terms,
    ValidationTerms,
)
from sfumato.gate.validation.claims import ClaimAgreement, ValidationClaim

from .data import DATA
from .gate_questions import BOUNDS, make_hospital

CLAIMS = 200
EPSILONS = (0.25, 0.5, 1.0)
MARGINS = {"count": 0.01, "share": 0.05, "mean": 0.03, "effect": 0.05, "slope": 0.25}
"""Of a count, by the rows of its table; of a share; of a mean and a difference of means, by the bounds of
the field; of a slope, by the ratio of the two bounds."""
DIABETES_POLICY = """
entity = "patient_nbr"
other_fields = "remove"
membership = "protected"
[fields]
patient_nbr = "direct"
readmitted = { role = "sensitive", domain = ["NO", "<30", ">30"] }
time_in_hospital = { role = "insensitive", domain = { least = 1, most = 14 } }
num_medications = { role = "insensitive", domain = { least = 0, most = 60 } }
num_lab_procedures = { role = "insensitive", domain = { least = 0, most = 120 } }
number_diagnoses = { role = "insensitive", domain = { least = 1, most = 16 } }
[fields.gender]
role = "quasi"
domain = ["Female", "Male"]
[fields.race]
role = "quasi"
domain = ["AfricanAmerican", "Asian", "Caucasian", "Hispanic", "Other"]
[fields.insulin]
role = "quasi"
domain = ["No", "Up", "Down", "Steady"]
[fields.change]
role = "quasi"
domain = ["No", "Ch"]
[require]
k = 5
[recipient.research]
default_linking = 1.0
"""


@dataclass(frozen=True)
class Subject:
    """A table that claims are about: what they sum, the shares they ask, and the groups they compare."""

    table: str
    numbers: Mapping[str, tuple[float, float]]
    shares: tuple[str, ...]
    groups: tuple[tuple[str, str], ...]
    """Two conditions that are compared."""
    slopes: tuple[tuple[str, str], ...] = ()
    rows_per_person: int = 1


PATIENTS = Subject(
    table="patients",
    numbers={"age": (0, 100), "bmi": (15, 50), "income": (0, 100_000)},
    shares=("smoker = 'yes'", "age >= 65", "bmi > 30", "income > 40000"),
    groups=(
        ("sex = 'F'", "sex = 'M'"), ("age < 40", "age >= 40"), ("smoker = 'yes'", "smoker = 'no'"),
        ("district IN ('D1', 'D2', 'D3')", "district IN ('D4', 'D5', 'D6', 'D7')"), ("age < 60", "age >= 60"),
    ),
    slopes=(("bmi", "age"), ("income", "age")),
)  # fmt: skip
VISITS = Subject(
    table="visits",
    numbers={"nights": (0, 12), "charges": (0, 30_000)},
    shares=("emergency = 1", "diagnosis = 'I10'", "nights > 3"),
    groups=(
        ("emergency = 1", "emergency = 0"), ("ward IN ('medicine', 'surgery')", "ward NOT IN ('medicine', 'surgery')"),
        ("nights > 2", "nights <= 2"),
    ),
    slopes=(("charges", "nights"),),
    rows_per_person=8,
)  # fmt: skip
DIABETES = Subject(
    table="stays",
    numbers={
        "time_in_hospital": (1, 14), "num_medications": (0, 60), "num_lab_procedures": (0, 120),
        "number_diagnoses": (1, 16),
    },
    shares=("readmitted = '<30'", "readmitted = 'NO'", "num_medications > 20"),
    groups=(
        ("gender = 'Female'", "gender = 'Male'"), ("insulin = 'No'", "insulin <> 'No'"),
        ("change = 'Ch'", "change = 'No'"),
        ("race = 'AfricanAmerican'", "race = 'Caucasian'"), ("readmitted = '<30'", "readmitted = 'NO'"),
    ),
    slopes=(("num_medications", "time_in_hospital"), ("num_lab_procedures", "number_diagnoses")),
)  # fmt: skip


DOMAINS = {
    **{name: {"least": low, "most": high} for name, (low, high) in DIABETES.numbers.items()},
    "gender": ["Female", "Male"],
    "race": ["AfricanAmerican", "Asian", "Caucasian", "Hispanic", "Other"],
    "insulin": ["No", "Up", "Down", "Steady"],
    "change": ["No", "Ch"],
    "readmitted": ["NO", "<30", ">30"],
}


@dataclass(frozen=True)
class Planted:
    """A claim, and whether it is true."""

    kind: str
    claim: ValidationClaim
    truth: float
    holds: bool


def main(seed: int = 1) -> None:
    console = Console(width=160)
    with tempfile.TemporaryDirectory(prefix="validation-") as scratch:
        folder = Path(scratch)
        tables: list[tuple[str, duckdb.DuckDBPyConnection, tuple[Subject, ...]]] = [
            ("hospital", make_hospital(folder), (PATIENTS, VISITS))
        ]
        source = Path(DATA) / "real" / "diabetic_data.csv"
        if source.exists():
            tables.append(("diabetes", _diabetes(folder, source), (DIABETES,)))
        else:
            console.print(f"left out: {source.name} is not there (set SFUMATO_DATA)")
        for name, truth, subjects in tables:
            for epsilon in EPSILONS:
                with gate(folder, f"{name}-{epsilon}", subjects, epsilon) as opened:
                    forecast = _forecast(opened) if name == "diabetes" else None
                    planted = [*plant(truth, subjects, seed=seed, margin_of=forecast)]
                    _print(console, f"{name}, epsilon {epsilon:g}", opened, planted)


def _forecast(opened: Gate) -> Callable[[str], float | None]:
    """The least margin that the gate says it would decide."""
    who = Asker(name="planner", profile="research")

    def margin_of(sql: str) -> float | None:
        return opened.validator.forecast(who, ValidationClaim(sql=sql, margin=1.0)).margin_decided

    return margin_of


def _diabetes(folder: Path, source: Path) -> duckdb.DuckDBPyConnection:
    """The rows whose race and gender are known, one of each patient, and a synthetic copy of them."""
    rows = duckdb.connect(config={"threads": 1})
    rows.execute(
        f"CREATE TABLE stays AS SELECT * FROM read_csv('{source}', nullstr='?') "
        "WHERE race IS NOT NULL AND gender IN ('Female', 'Male') AND num_medications <= 60 "
        "QUALIFY row_number() OVER (PARTITION BY patient_nbr ORDER BY encounter_id) = 1"
    )
    rows.execute(f"COPY stays TO '{folder / 'stays'}.parquet' (FORMAT parquet)")
    (folder / "stays.toml").write_text(DIABETES_POLICY)
    named = (*DIABETES.numbers, "gender", "race", "insulin", "change", "readmitted")
    sfumato.synthesize(
        rows.execute(f"SELECT {', '.join(named)} FROM stays").df(), epsilon=1, domains=DOMAINS, to=folder / "copy"
    )  # fmt: skip
    return rows


def _copy(folder: Path, table: str) -> LinkedCopy | None:
    place = folder / "copy"
    if table != DIABETES.table:
        return None
    digest = hashlib.sha256((place / "manifest.json").read_bytes()).hexdigest()
    return LinkedCopy(release=place, digest=digest)


@contextmanager
def gate(folder: Path, state: str, subjects: tuple[Subject, ...], epsilon: float) -> Iterator[Gate]:
    """Each recipient has `epsilon`, and puts all of it into one question."""
    tables = {
        each.table: HeldTable(
            name=each.table,
            source=str(folder / f"{each.table}.parquet"),
            policy=folder / f"{each.table}.toml",
            rows_per_person=each.rows_per_person,
            synthetic=_copy(folder, each.table),
        )
        for each in subjects
    }
    bounds = {**BOUNDS, **{n: b for each in subjects for n, b in each.numbers.items()}}
    terms = Terms(
        mode=Mode.NOISY,
        audience=Audience.PERSON,
        budget=Budget(query=epsilon, person=epsilon, table=10_000.0),
        rows_per_person=8,
        bounds=bounds,
        steps={"bmi": 0.1},
        validation=ValidationTerms(allowed=True),
    )
    settings = Settings(folder=folder / state, tables=tables, terms={"research": terms})
    with open_gate(settings) as opened:
        yield opened


def plant(
    truth: duckdb.DuckDBPyConnection,
    subjects: tuple[Subject, ...],
    *,
    seed: int,
    margin_of: Callable[[str], float | None] | None,
) -> Iterator[Planted]:
    """Claims with values that are off by at most half a margin, or by two to four."""
    draw = np.random.default_rng(seed)
    made = 0
    while made < CLAIMS:
        subject = subjects[int(draw.integers(len(subjects)))]
        kind, sql, usual = _question(draw, subject, truth)
        margin = usual if margin_of is None else margin_of(sql)
        (number,) = truth.execute(_cut(sql, subject)).fetchone() or (None,)
        if number is None or margin is None:
            continue
        made += 1
        holds = bool(made % 2)
        off = draw.uniform(0, 0.5) if holds else draw.uniform(2, 4)
        value = float(number) + float(draw.choice([-1, 1])) * off * margin
        claim = ValidationClaim(sql=sql, value=value, margin=margin)
        yield Planted(kind=kind, claim=claim, truth=float(number), holds=holds)


def _cut(sql: str, subject: Subject) -> str:
    """The truth is that of values within their bounds, and of at most so many rows of each person."""
    fields = ", ".join(
        f"greatest({low}, least({high}, {name})) AS {name}"
        for name, (low, high) in subject.numbers.items()
    )
    rows = f"SELECT * REPLACE ({fields}) FROM {subject.table}"
    if subject.rows_per_person > 1:
        some = f"PARTITION BY patient_id ORDER BY hash({subject.table})"
        rows += f" QUALIFY row_number() OVER ({some}) <= {subject.rows_per_person}"
    return sql.replace(f"FROM {subject.table}", f"FROM ({rows})")


def _question(
    draw: np.random.Generator, subject: Subject, truth: duckdb.DuckDBPyConnection
) -> tuple[str, str, float]:
    kind = str(draw.choice(["count", "share", "mean", "effect", "effect", "slope"]))
    field = str(draw.choice([*subject.numbers]))
    one, other = subject.groups[int(draw.integers(len(subject.groups)))]
    where = one if draw.random() < 0.5 else other
    width = subject.numbers[field][1] - subject.numbers[field][0]
    share = str(draw.choice(subject.shares))
    table, margin = subject.table, MARGINS[kind]
    if kind == "count":
        (rows,) = truth.execute(f"SELECT COUNT(*) FROM {table}").fetchone() or (0,)
        return kind, f"SELECT COUNT(*) FROM {table} WHERE {where} AND {share}", margin * rows
    if kind == "share":
        shares = f"AVG(CASE WHEN {share} THEN 1.0 ELSE 0.0 END)"
        return kind, f"SELECT {shares} FROM {table} WHERE {where}", margin
    if kind == "mean":
        return kind, f"SELECT AVG({field}) FROM {table} WHERE {where}", margin * width
    if kind == "effect":
        means = [f"AVG({field}) FILTER (WHERE {each})" for each in (one, other)]
        return kind, f"SELECT {means[0]} - {means[1]} FROM {table}", margin * width
    y, x = subject.slopes[int(draw.integers(len(subject.slopes)))]
    ratio = (subject.numbers[y][1] - subject.numbers[y][0]) / (
        subject.numbers[x][1] - subject.numbers[x][0]
    )
    return kind, f"SELECT COVAR_POP({y}, {x}) / VAR_POP({x}) FROM {table}", margin * ratio


def _print(console: Console, title: str, opened: Gate, planted: list[Planted]) -> None:
    kinds = {"all": planted, **{k: [p for p in planted if p.kind == k] for k in MARGINS}}
    found: dict[int, tuple[bool, bool, bool, bool]] = {}
    for number, each in enumerate(planted):
        who = Asker(name=f"analyst {number}", profile="research")
        given = opened.validator.validate(who, each.claim)
        decided = given.agreement is not ClaimAgreement.CANNOT_SAY
        right = given.agreement is (ClaimAgreement.AGREES if each.holds else ClaimAgreement.DIFFERS)
        narrow = (given.high - given.low) / 2 <= 0.35 * each.claim.margin
        found[id(each)] = decided, right, given.low <= each.truth <= given.high, narrow
    table = Table(title, "claims", "decided", "right of these", "interval holds", "narrow enough")
    for kind, claims in kinds.items():
        results = [found[id(each)] for each in claims]
        if not results:
            continue
        verdicts = [each for each in results if each[0]]
        correct = sum(each[1] for each in verdicts) / max(1, len(verdicts))
        table.add_row(
            kind, str(len(results)), f"{len(verdicts) / len(results):.1%}", f"{correct:.1%}",
            f"{np.mean([each[2] for each in results]):.1%}", f"{np.mean([each[3] for each in results]):.1%}",
        )  # fmt: skip
    console.print(table)
