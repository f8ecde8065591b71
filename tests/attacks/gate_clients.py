"""Real clients for attackers: psycopg at the door for PostgreSQL, httpx at the one for programs,
both over sockets.

A gate is opened as `sfumato serve` opens it. Beside its one table it may hold others, such as the
same people with another test, so that one gate and one login serve several attacks that must not
know of one another."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import psycopg
import uvicorn
from gate_world import TOWNS, Ask, Rows

from sfumato.errors import NotAdmitted
from sfumato.gate.accounts import Right
from sfumato.gate.answers import Answer
from sfumato.gate.decide.protected_table import ProtectedTable
from sfumato.gate.gate_opener import Gate, open_gate
from sfumato.gate.limits import Limits
from sfumato.gate.result_marks import NOTE
from sfumato.gate.settings import Asker, HeldTable, Mode, Settings, Terms
from sfumato.gate.web.application import application
from sfumato.gate.wire import wire_running
from sfumato.gate.worker_threads import Workers

PASSWORD = "a password of nobody"
POLICY = f"""
[fields]
age = {{ role = "quasi", hierarchy = {{ numbers = {{ widths = [5, 10, 30] }} }} }}
town = {{ role = "quasi", hierarchy = {{ tree = {{ north = {list(TOWNS[:2])}, south = {list(TOWNS[2:])} }} }} }}
sex = {{ role = "quasi" }}
arrived = {{ role = "quasi", hierarchy = {{ numbers = {{ widths = [5, 25] }} }} }}
test = {{ role = "sensitive" }}
cost = {{ role = "insensitive" }}

[require]
k = 5
confidence_gain = {{ gain = 0.1, facts = 2 }}
"""
"""The policy of gate_world, as a file has it."""
OFTEN = 10**9


@contextmanager
def a_gate(
    path: Path,
    folder: Path,
    *,
    terms: Terms | None = None,
    beside: Mapping[str, ProtectedTable] | None = None,
    accounts: Sequence[str] = ("eve",),
    policy: str = POLICY,
) -> Iterator[Gate]:
    """A gate over a table of people; without terms, with what a user gets who names none."""
    folder.mkdir()
    (folder / "policy.toml").write_text(policy)
    table = HeldTable(name="people", source=str(path), policy=folder / "policy.toml")
    settings = Settings(
        folder=folder / "state",
        tables={"people": table},
        terms={"public": terms} if terms else {},
        wire_port=0,
    )
    with open_gate(settings) as gate:
        for name in accounts:
            gate.accounts.add(name, PASSWORD, right=Right.RECIPIENT)
        gate.keeper.holdings.update(beside or {})
        yield gate


@contextmanager
def wire_of(gate: Gate) -> Iterator[str]:
    """Where psycopg finds a gate, less the name of who comes."""
    with wire_running(gate, limits=Limits(queries_per_minute=OFTEN)) as (host, port):
        yield f"host={host} port={port} password='{PASSWORD}' dbname=sfumato gssencmode=disable"


@contextmanager
def by_wire(where: str, *, name: str = "eve", table: str = "people") -> Iterator[Ask]:
    """Through psycopg; questions about people are asked of a table beside them."""
    with psycopg.connect(f"{where} user='{name}'", autocommit=True) as client:

        def ask(sql: str) -> Rows | None:
            try:
                found = client.execute(of_table(sql, table))  # type: ignore[arg-type]
                return unmarked(
                    [column.name for column in found.description or ()], found.fetchall()
                )
            except psycopg.Error:
                return None

        yield ask


def unmarked(columns: Sequence[str], rows: Rows) -> Rows:
    """Rows without what they say of themselves, so that an attacker can hold those of two answers
    together."""
    own = sum(not name.endswith("_within") and name != NOTE for name in columns)
    return [tuple(row[:own]) for row in rows]


def of_table(sql: str, table: str) -> str:
    return sql.replace("FROM people", f"FROM {table}")


@contextmanager
def web_of(gate: Gate) -> Iterator[str]:
    """The address of a gate's door for programs, on a socket."""
    with Workers() as workers:
        app = application(gate, workers, limits=Limits(queries_per_minute=OFTEN))
        server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical"))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
        thread.start()
        while not server.started:
            thread.join(0.01)
        try:
            yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@dataclass(frozen=True, eq=False)
class Looked:
    name: str
    rows: int
    withheld: int
    loss: float


@dataclass(frozen=True, eq=False)
class Offered:
    shapes: tuple[Looked, ...]
    epsilon: float | None
    left: int


@dataclass(frozen=True, eq=False)
class Web:
    """The keeper as a program sees it over HTTP: `look`, `ask` and `link`, as the attackers of
    gate_sets want it."""

    client: httpx.Client
    tokens: Mapping[str, str]
    holdings: Mapping[str, ProtectedTable]
    """What the attacker knows of the table anyway: its hierarchies."""
    table: str = "people"

    def look(self, asker: Asker, sql: str) -> Offered:
        return self._offered(self._sent(asker, "look", {"sql": of_table(sql, self.table)}))

    def ask(self, asker: Asker, sql: str, *, shape: str = "", mode: Mode | None = None) -> Answer:
        further = {**({"shape": shape} if shape else {}), **({"mode": mode.value} if mode else {})}
        return self._answer(self._sent(asker, "ask", {"sql": of_table(sql, self.table), **further}))

    def link(
        self,
        asker: Asker,
        table: str,
        records: Sequence[Mapping[str, Any]],
        *,
        on: Sequence[str],
        show: Sequence[str],
    ) -> Answer:
        brought = {
            "table": self.table,
            "records": list(records),
            "on": list(on),
            "show": list(show),
        }
        return self._answer(self._sent(asker, "link", brought))

    def look_at_link(
        self,
        asker: Asker,
        table: str,
        records: Sequence[Mapping[str, Any]],
        *,
        on: Sequence[str],
        show: Sequence[str],
    ) -> Offered:
        brought = {
            "table": self.table,
            "records": list(records),
            "on": list(on),
            "show": list(show),
            "preview": True,
        }
        return self._offered(self._sent(asker, "link", brought))

    def get(self, asker: Asker, what: str) -> Any:
        reply = self.client.get(f"/api/v1/{what}", headers=self._who(asker))
        return reply.raise_for_status().json()

    def _who(self, asker: Asker) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[asker.name]}"}

    def _sent(self, asker: Asker, what: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        reply = self.client.post(f"/api/v1/{what}", json=body, headers=self._who(asker))
        if reply.status_code != 200:
            raise NotAdmitted("refused", code=str(reply.json().get("code", "")))
        return dict(reply.json())

    def _offered(self, told: Mapping[str, Any]) -> Offered:
        shapes = tuple(
            Looked(each["shape"], each["rows"], each["withheld"], each["loss"])
            for each in told["shapes"]
        )
        return Offered(shapes, told["epsilon"], told["left"])

    def _answer(self, told: Mapping[str, Any]) -> Answer:
        plain = {
            key: told[key]
            for key in ("query", "levels", "withheld", "widened", "noise", "remembered")
        }
        rows = unmarked(told["columns"], told["rows"])
        columns = tuple(told["columns"][: len(rows[0])] if rows else told["columns"])
        return Answer(table=self.table, columns=columns, rows=rows, **plain)


@contextmanager
def by_web(
    gate: Gate, *, accounts: Sequence[str] = ("eve",), table: str = "people"
) -> Iterator[Web]:
    """Through httpx, with tokens."""
    with ExitStack() as opened:
        address = opened.enter_context(web_of(gate))
        client = opened.enter_context(httpx.Client(base_url=address, timeout=600))
        found = {name: gate.accounts.find(name) for name in accounts}
        tokens = {
            name: gate.accounts.new_token(each, days=1)
            for name, each in found.items()
            if each is not None
        }
        yield Web(client, tokens, {"people": gate.keeper.holdings[table]}, table)


def beside(holding: ProtectedTable, name: str, **fields: Any) -> ProtectedTable:
    """The same people as another table, with other codes of some fields."""
    changed = {each: replace(holding.fields[each], codes=codes) for each, codes in fields.items()}
    return replace(holding, name=name, fields={**holding.fields, **changed})
