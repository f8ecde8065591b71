"""The same attackers through real clients: psycopg at the door for PostgreSQL, httpx at the one for
programs."""

from __future__ import annotations

from contextlib import contextmanager

import gate_clients
import pytest
from gate_attackers import ATTACKS
from gate_world import asking, improvement, pairs, people

from sfumato.gate.audit import entries, verify_chain
from sfumato.gate.settings import Mode, Terms

LIMIT = 0.1
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
def by_wire(gate):
    with gate_clients.wire_of(gate) as where, gate_clients.by_wire(where) as ask:
        yield ask


@contextmanager
def by_http(gate):
    with gate_clients.by_web(gate) as web:
        yield asking(web)


@pytest.mark.long("every attacker at each door; one door stays", but=("by_http",))
@pytest.mark.parametrize("door", [by_wire, by_http])
def test_attackers_with_real_clients_do_no_better(towns, tmp_path, door):
    told = {}

    def attacked(name):
        def attack(world, target):
            return told[world.path][name]

        return attack

    names = ("difference", "individual_tracker", "through_tied_fields", "not_listed")
    for number, world in enumerate(towns[0].worlds):
        gate = gate_clients.a_gate(world.path, tmp_path / str(number), terms=Terms(mode=Mode.EXACT))
        with gate as opened, door(opened) as ask:
            target = towns[0].target
            told[world.path] = {name: ATTACKS[name](ask, target) for name in names}
            for sql in HIDING:
                found = ask(sql.replace("{alone}", target.alone))
                told[world.path][sql] = None if not found else int(float(found[0][0]) == 1.0)
        audit = tmp_path / str(number) / "state" / "audit.jsonl"
        verify_chain(audit)
        asked = [
            entry["kind"]
            for entry in entries(audit)
            if entry["kind"].startswith(("answered", "not "))
        ]
        assert len(asked) >= len(names) + len(HIDING)
    assert {
        name: improvement(attacked(name), towns) for name in (*names, *HIDING)
    } == dict.fromkeys((*names, *HIDING), 0.0)
