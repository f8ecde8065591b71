"""Validation through every door: HTTP, PostgreSQL's protocol, the client and the command line."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from doors import a_door
from gates import a_gate, people
from wires import PASSWORD, a_wire

from sfumato.cli import main
from sfumato.errors import Mistake, NotAdmitted
from sfumato.gate.accounts import Right
from sfumato.gate.client import GateClient
from sfumato.gate.server import serve_gate
from sfumato.gate.settings import Budget, Terms, ValidationTerms
from sfumato.gate.validation.claims import ClaimAgreement

TERMS = Terms(
    budget=Budget(query=0.5, person=2.0, table=4.0, most=1.0),
    bounds={"cost": (0, 1000)},
    validation=ValidationTerms(allowed=True),
)
SQL = "SELECT AVG(cost) FROM people WHERE sex = 'F'"
MEAN = 500.0


def test_over_http(tmp_path):
    with a_door(tmp_path, terms=TERMS) as door:
        claim = {"sql": SQL, "value": MEAN, "margin": 400}
        forecast = door.posts("/validations/forecast", claim, who="ann").json()
        assert (forecast["epsilon"], forecast["left"]) == (0.5, 4)
        given = door.posts("/validations", claim, who="ann")
        assert given.status_code == 200
        found = given.json()
        assert found["agreement"] == "agrees"
        assert found["low"] < found["number"] < found["high"]
        assert found["words"].startswith("The real table agrees")
        assert (found["remembered"], found["left"]) == (False, 3)
        for wrong in ({"sql": SQL}, {**claim, "margin": 0}, {**claim, "value": "x"}):
            assert door.posts("/validations", wrong, who="ann").status_code == 422
        assert door.posts("/validations", claim, who="adam").status_code == 403
        assert door.posts("/validations", claim).status_code == 401
        grouped = {**claim, "sql": "SELECT sex, COUNT(*) FROM people GROUP BY sex"}
        refused = door.posts("/validations", grouped, who="ann")
        assert (refused.status_code, refused.json()["code"]) == (422, "claim")
        kinds = [each["kind"] for each in door.gets("/history", who="ann").json()["entries"]]
        assert "validated" in kinds


def test_in_psql_with_and_without_parameters(tmp_path):
    with (
        a_wire(tmp_path, rows=people(600), terms=TERMS) as wire,
        psycopg.connect(wire.uri(), autocommit=True) as line,
    ):
        quoted = SQL.replace("'", "''")
        expected = line.execute(f"EXPLAIN SELECT * FROM validate('{quoted}', 500, 400)").fetchone()
        assert expected[:2] == (0.5, 4)
        told: list[str] = []
        line.add_notice_handler(lambda notice: told.append(notice.message_primary))
        plain = line.execute(f"SELECT * FROM validate($${SQL}$$, 500, 400)")
        names = [column.name for column in plain.description]
        first = dict(zip(names, plain.fetchone(), strict=True))
        assert first["agreement"] == "agrees"
        assert any("The real table agrees" in words for words in told)
        bound = line.execute("SELECT * FROM validate(%s, %s, %s)", (SQL, 9_000.5, 2))
        again = dict(zip(names, bound.fetchone(), strict=True))
        assert (again["agreement"], again["number"]) == ("differs", first["number"])
        assert again["epsilon"] == 0
        for wrong in (
            "SELECT * FROM validate('SELECT 1', 2)",
            f"SELECT agreement FROM validate('{quoted}', 1, 1)",
            f"SELECT * FROM validate('{quoted}', 1, 1), people",
            f"SELECT * FROM validate('{quoted}', 1, 1) WHERE margin > 2",
            f"SELECT validate('{quoted}', 1, 1)",
            f"SELECT * FROM validate({SQL!r} || '', 1, 1)",
            f"SELECT * FROM validate('{quoted}', 'many', 1)",
        ):
            with pytest.raises(psycopg.Error):
                line.execute(wrong)


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[tuple[str, str]]:
    """The address of a gate, and a token."""
    with a_gate(tmp_path_factory.mktemp("gate"), people(600), terms=TERMS) as gate:
        gate = replace(gate, settings=replace(gate.settings, http_port=0, wire_port=0))
        account = gate.accounts.add("ann", PASSWORD, right=Right.RECIPIENT)
        token = gate.accounts.new_token(account, days=1)
        ready, end = threading.Event(), threading.Event()
        found: list[str] = []

        def told(addresses) -> None:
            found.append(addresses.http)
            ready.set()

        async def ends() -> None:
            await asyncio.to_thread(end.wait)

        running = threading.Thread(
            target=lambda: asyncio.run(serve_gate(gate, told=told, ends=ends))
        )
        running.start()
        try:
            assert ready.wait(30)
            yield found[0], token
        finally:
            end.set()
            running.join()


def test_from_python(served):
    url, token = served
    gate = GateClient(url=url, token=token)
    assert token not in repr(gate)
    assert gate.forecast(SQL, margin=400, value=MEAN).epsilon in (0.0, 0.5)
    found = gate.validate(SQL, margin=400, value=MEAN)
    assert found.agreement is ClaimAgreement.AGREES
    with pytest.raises(NotAdmitted) as refused:
        gate.validate("SELECT nothing FROM people", margin=1, value=1)
    assert refused.value.code == "unknown-field"
    with pytest.raises(NotAdmitted) as refused:
        GateClient(url=url, token="wrong").validate(SQL, margin=1, value=1)
    assert refused.value.code == "not-you"
    for address in ("http://gate.example.org", "ftp://localhost", "http://127.0.0.1:1"):
        with pytest.raises(Mistake):
            GateClient(url=address, token=token).validate(SQL, margin=1, value=1)


def test_on_the_command_line(served, tmp_path, capsys, monkeypatch):
    url, token = served
    file = tmp_path / "token"
    file.write_text(token + "\n")
    words = ["validate", SQL, "--gate", url, "--token-file", str(file), "--margin"]
    assert main([*words, "400", "--value", "500", "--forecast"]) == 0
    assert "such answers remain" in capsys.readouterr().out
    assert main([*words, "400", "--value", "500"]) == 0
    assert capsys.readouterr().out.startswith("The real table agrees")
    assert main([*words, "1", "--value", "9000", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["agreement"] == "differs"
    assert main([*words, "0.001", "--value", "500"]) in (1, 3)
    assert main([*words, "400"]) == 1  # There is no copy to compute the value from.
    assert "no synthetic copy" in capsys.readouterr().err
    monkeypatch.delenv("SFUMATO_TOKEN", raising=False)
    assert main(["validate", SQL, "--gate", url, "--margin", "1", "--value", "1"]) == 2
    monkeypatch.setenv("SFUMATO_TOKEN", token)
    assert main(["validate", SQL, "--gate", url, "--margin", "400", "--value", "500"]) == 0
