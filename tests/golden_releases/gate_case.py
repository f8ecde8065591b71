"""The gate's case: a gate that is served as a process, questions of two people, and the record of
its answers."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from .case import policy_text
from .execution import run_command
from .one_table_cases import FIELDS
from .people import people, visits_with_people, write_table
from .records import record_of_rows
from .several_rows_cases import COARSE, ROWS

GATE = """\
folder = "state"
http_port = 0
wire_port = 0

[tables.people]
source = "people.csv"
policy = "people.toml"

[tables.visits]
source = "visits.csv"
policy = "visits.toml"
people = "visitors"

[terms.research]
mode = "either"
audience = "everyone"
budget = { query = 0.5, person = 5.0, table = 50.0 }
bounds = { income = [0, 60000] }

[terms.counts]
mode = "noisy"
budget = { query = 0.5, person = 5.0, table = 50.0 }
bounds = { income = [0, 60000] }
"""
PROFILES = (
    "[recipient.research]\ndefault_linking = 1.0\n[recipient.counts]\ndefault_linking = 1.0\n"
)
PEOPLE_POLICY = policy_text(
    FIELDS
    | {
        "id": '"direct"',
        "birth": f'{{ role = "quasi", hierarchy = {COARSE} }}',
        "sex": '{ role = "quasi", domain = ["f", "m"] }',
        "zip": '{ role = "quasi", hierarchy = { prefix = [4, 3] } }',
        "seen": '"direct"',
    },
    "k = 5\nmax_suppression = 0.05\nconfidence_gain = { gain = 0.5 }",
    top='release_to = "research"',
    after=PROFILES,
)
VISITS_POLICY = policy_text(
    ROWS | {"id": '"direct"', "seen": '"direct"', "cost": '"direct"', "doctor": '"direct"'},
    "k = 4\nmax_suppression = 0.05",
    top='entity = "id"\nrelease_to = "research"',
    after=PROFILES,
)
QUESTIONS: tuple[tuple[str, dict[str, str]], ...] = (
    ("ann", {"sql": "SELECT count(*) AS n FROM people"}),
    ("ann", {"sql": "SELECT zip, sex, ill FROM people"}),
    ("ann", {"sql": "SELECT sex, count(*) AS n FROM people GROUP BY sex"}),
    ("ann", {"sql": "SELECT zip, count(*) AS n, avg(income) AS mean FROM people GROUP BY zip"}),
    ("ann", {"sql": "SELECT count(*) AS n FROM people WHERE zip = '02138'"}),
    ("ann", {"sql": "SELECT count(*) AS n FROM people WHERE birth = '1950-01-01'"}),
    ("ann", {"sql": "SELECT birth, zip, ill FROM people", "shape": "birth=0,zip=0"}),
    ("ann", {"sql": "SELECT zip, sex, ill FROM people"}),
    ("ann", {"sql": "SELECT sex, count(*) AS n FROM people GROUP BY sex", "mode": "noisy"}),
    ("ann", {"sql": "SELECT ward, count(*) AS n FROM visits GROUP BY ward"}),
    ("ann", {"sql": "SELECT sex, ward, code FROM visits"}),
    ("ann", {"sql": "SELECT name FROM people"}),
    ("ann", {"sql": "SELECT name FROM nobody"}),
    ("ann", {"sql": "SELEC zip FROM people"}),
    ("ann", {"sql": "SELECT version()"}),
    ("ann", {"sql": "DELETE FROM people"}),
    ("noa", {"sql": "SELECT count(*) AS n FROM people"}),
    ("noa", {"sql": "SELECT sex, count(*) AS n, sum(income) AS total FROM people GROUP BY sex"}),
    ("noa", {"sql": "SELECT zip, sex, ill FROM people"}),
)
BY_CHANCE = ("below zero", "average outside its bounds", "order uncertain")
"""Marks of a noisy number that its noise decides."""
FACTS = (
    "as_asked",
    "levels",
    "withheld",
    "widened",
    "one_each",
    "remembered",
    "cuts",
    "delta",
    "threshold",
)


def run_gate(folder: Path) -> dict[str, Any]:
    """The answers of a gate over two made-up tables."""
    write_table(people(300, seed=1), folder / "people.csv")
    write_table(visits_with_people(people(160, seed=5), seed=6), folder / "visits.csv")
    for name, text in (
        ("gate.toml", GATE),
        ("people.toml", PEOPLE_POLICY),
        ("visits.toml", VISITS_POLICY),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    file = folder / "gate.toml"
    names = {"ann": "research", "noa": "counts"}
    passwords = {name: _added(file, name, profile) for name, profile in names.items()}
    with _served(file) as address:
        clients = {
            name: _logged_in(address, name, password) for name, password in passwords.items()
        }
        answers = [_answered(clients[name], name, asked) for name, asked in QUESTIONS]
        for client in clients.values():
            client.close()
    return {"answers": answers}


def _added(file: Path, name: str, profile: str) -> str:
    words = (
        "accounts",
        "--config",
        str(file),
        "add",
        name,
        "--right",
        "recipient",
        "--profile",
        profile,
    )
    code, out, errors = run_command(words)
    found = re.search(rf"^{name}: (\S+)$", out, re.MULTILINE)
    if code or not found:
        raise RuntimeError(f"No account was made: {errors}")
    return found[1]


@contextmanager
def _served(file: Path) -> Iterator[str]:
    words = [
        sys.executable,
        "-c",
        "import sys; from sfumato.cli import main; sys.exit(main(sys.argv[1:]))",
    ]
    line = [*words, "serve", "--config", str(file)]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    limit = threading.Timer(600, process.kill)
    limit.start()
    try:
        said = list[str]()
        for each in process.stdout or ():
            said.append(each)
            if found := re.search(r"(https?://\S+:\d+)/$", each.strip()):
                yield found[1]
                break
        else:
            raise RuntimeError(f"The gate did not open: {''.join(said)}")
    finally:
        limit.cancel()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=600)


def _logged_in(address: str, name: str, password: str) -> httpx.Client:
    client = httpx.Client(base_url=f"{address}/api/v1", timeout=600)
    me = client.post("/log-in", json={"name": name, "password": password}).raise_for_status().json()
    client.headers["X-Sfumato-Changes"] = me["token_for_changes"]
    return client


def _answered(client: httpx.Client, name: str, asked: dict[str, str]) -> dict[str, Any]:
    """What was answered: exact rows as a multiset, of noisy ones the columns, of a refusal its
    code."""
    reply = client.post("/ask", json=asked)
    said, record = reply.json(), {"who": name, **asked, "status": reply.status_code}
    if "columns" not in said:
        return record | {"code": said.get("code")}
    columns, rows = said["columns"], said["rows"]
    record |= {"columns": columns, **{fact: said[fact] for fact in FACTS if fact in said}}
    marks = (
        sorted({row[columns.index("answered_as")] for row in rows})
        if "answered_as" in columns
        else []
    )
    if said.get("noise"):
        kept = {
            "; ".join(each for each in mark.split("; ") if each not in BY_CHANCE) for mark in marks
        }
        return record | {"noisy": True, "answered_as": sorted(kept)}
    if said.get("one_each"):  # Which row of a person is shown is drawn with the gate's secret.
        return record | {"answered_as": marks, "count": len(rows)}
    cells = [[None if cell is None else str(cell) for cell in row] for row in rows]
    return record | {"answered_as": marks, **record_of_rows(columns, cells)}
