"""The same attackers through real clients: psycopg at the door for PostgreSQL, httpx at the one for programs."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import httpx
import psycopg
import pytest
from gate_attackers import ATTACKS
from gate_world import TOWNS, improvement, pairs, people

from sfumato.gate.accounts import Right
from sfumato.gate.audit import entries, verify_chain
from sfumato.gate.limits import Limits
from sfumato.gate.opening import open_gate
from sfumato.gate.settings import HeldTable, Mode, Settings, Terms
from sfumato.gate.web.application import application
from sfumato.gate.wire import wire_running
from sfumato.gate.working import Workers

PASSWORD = "a password of nobody"
LIMIT = 0.1
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
HIDING = (
    "select sum(test) from people where {alone}",
    "WITH x AS (SELECT * FROM people WHERE {alone}) SELECT SUM(test) FROM x",
    "SELECT SUM(test) FROM people WHERE {alone}; SELECT 1",
    "SELECT MAX(1 / (CASE WHEN {alone} AND test = 1 THEN 0 ELSE 1 END)) - 1 FROM people",
)


@pytest.fixture(scope="module")
def towns(tmp_path_factory):
    return pairs(people(), 1, tmp_path_factory.mktemp("gate"))


@contextmanager
def a_gate(world, folder):
    folder.mkdir()
    (folder / "policy.toml").write_text(POLICY)
    table = HeldTable(name="people", source=str(world.path), policy=folder / "policy.toml")
    settings = Settings(folder=folder / "state", tables={"people": table}, terms={"public": Terms(mode=Mode.EXACT)})
    with open_gate(replace(settings, wire_port=0)) as gate:
        gate.accounts.add("eve", PASSWORD, right=Right.RECIPIENT)
        yield gate


@contextmanager
def by_wire(world, folder):
    """Through psycopg."""
    limits = Limits(queries_per_minute=100_000)
    with a_gate(world, folder) as gate, wire_running(gate, limits=limits) as (host, port), ExitStack() as opened:
        where = f"host={host} port={port} user=eve password='{PASSWORD}' dbname=sfumato gssencmode=disable"
        client = opened.enter_context(psycopg.connect(where, autocommit=True))

        def ask(sql):
            try:
                return client.execute(sql).fetchall()
            except psycopg.Error:
                return None

        yield ask


@contextmanager
def by_http(world, folder):
    """Through httpx, with a token."""
    with a_gate(world, folder) as gate, Workers() as workers:
        app = application(gate, workers, limits=Limits(queries_per_minute=100_000))
        token = gate.accounts.new_token(gate.accounts.find("eve"), days=1)

        async def sent(sql):
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://gate") as client:
                return await client.post("/api/v1/ask", json={"sql": sql}, headers={"Authorization": f"Bearer {token}"})

        def ask(sql):
            reply = asyncio.run(sent(sql))
            return [tuple(row) for row in reply.json()["rows"]] if reply.status_code == 200 else None

        yield ask


@pytest.mark.parametrize("door", [by_wire, by_http])
def test_attackers_with_real_clients_do_no_better(towns, tmp_path, door):
    told = {}

    def attacked(name):
        def attack(world, target):
            return told[world.path][name]

        return attack

    names = ("difference", "individual_tracker", "through_tied_fields", "not_listed")
    for number, world in enumerate(towns[0].worlds):
        with door(world, tmp_path / str(number)) as ask:
            target = towns[0].target
            told[world.path] = {name: ATTACKS[name](ask, target) for name in names}
            for sql in HIDING:
                found = ask(sql.replace("{alone}", target.alone))
                told[world.path][sql] = None if not found else int(float(found[0][0]) == 1.0)
        audit = tmp_path / str(number) / "state" / "audit.jsonl"
        verify_chain(audit)
        asked = [entry["kind"] for entry in entries(audit) if entry["kind"].startswith(("answered", "not "))]
        assert len(asked) >= len(names) + len(HIDING)
    assert {name: improvement(attacked(name), towns) for name in (*names, *HIDING)} == dict.fromkeys(
        (*names, *HIDING), 0.0
    )
