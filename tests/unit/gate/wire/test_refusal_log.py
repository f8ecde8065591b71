"""Refusals that never reach the keeper: they are in the audit, once, and nobody can fill it with
them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import psycopg
import pytest
from wires import PASSWORD, Wire, a_wire, everything, log_in, message

from sfumato.errors import NotAdmitted, TooMany
from sfumato.gate import refusal_log
from sfumato.gate.audit import entries, verify_chain
from sfumato.gate.keeper import GateKeeper
from sfumato.gate.refusal_log import Refusals
from sfumato.gate.worker_threads import Workers


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with a_wire(tmp_path_factory.mktemp("gate")) as found:
        yield found
        verify_chain(found.gate.audit.path)


@pytest.fixture
def lines(wire: Wire) -> Any:
    """The audit's lines since the test began, without the log-ins that were right."""
    before = len(list(entries(wire.gate.audit.path)))

    def found() -> list[dict[str, Any]]:
        told = list(entries(wire.gate.audit.path))[before:]
        return [entry for entry in told if entry["kind"] not in ("logged in", "state changed")]

    return found


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SET nobody = 1", "unknown-setting"),
        ("SELECT 1; SELECT age FROM people; SELECT sex FROM people", "several"),
        ("SELECT pg_read_file('x')", "unknown-function"),
        ("SAVEPOINT a", "syntax"),
        ("SELECT nobody FROM people", "unknown-field"),
        ("SELECT nobody FROM people WHERE 0 = 1", "unknown-field"),
        ("DROP TABLE people", "not-a-question"),
    ],
)
def test_a_statement_is_written_down_once_whoever_refuses_it(
    wire: Wire, lines: Any, sql: str, code: str
) -> None:
    with psycopg.connect(wire.uri(), autocommit=True) as connection, pytest.raises(psycopg.Error):
        connection.execute(sql)
    assert [(entry["kind"], entry["who"], entry["code"]) for entry in lines()] == [
        ("not admitted", "ann", code)
    ]


def test_the_parts_of_the_extended_protocol(wire: Wire, lines: Any) -> None:
    with psycopg.connect(wire.uri(), autocommit=True) as connection, pytest.raises(psycopg.Error):
        connection.execute("SELECT sex FROM people WHERE age = %s", ("not a number",))
    with psycopg.connect(wire.uri(), autocommit=True) as connection, pytest.raises(psycopg.Error):
        connection.execute("SET nobody = 1", prepare=True)
    assert [entry["code"] for entry in lines()][-1] == "unknown-setting"
    assert all("not a number" not in str(entry) for entry in lines() if entry.get("through"))


@pytest.mark.parametrize(
    ("user", "password", "database", "who", "code"),
    [
        ("ann", "another password", "sfumato", "ann", "not-you"),
        ("my password by mistake", PASSWORD, "sfumato", refusal_log.NOBODY, "not-you"),
        ("adam", PASSWORD, "sfumato", "adam", "not-allowed"),
        ("ann", PASSWORD, "elsewhere", "ann", "no-database"),
    ],
)
def test_a_log_in_that_is_turned_away(
    wire: Wire, lines: Any, user: str, password: str, database: str, who: str, code: str
) -> None:
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(wire.uri(user.replace(" ", "%20"), password=password, database=database))
    (entry,) = lines()
    assert (entry["kind"], entry["who"], entry["code"], entry["from"]) == (
        "log-in failed",
        who,
        code,
        "127.0.0.1",
    )
    assert "mistake" not in wire.gate.audit.path.read_text().replace("made a mistake", "")


def test_a_cancelled_query(wire: Wire, lines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ends = threading.Event(), threading.Event()

    def slow(*_: object, **__: object) -> None:
        begun.set()
        ends.wait(600)

    monkeypatch.setattr(GateKeeper, "ask", slow)
    with psycopg.connect(wire.uri(), autocommit=True) as connection:
        threading.Thread(target=lambda: (begun.wait(600), connection.cancel_safe())).start()
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute("SELECT sex FROM people")
        ends.set()
    assert [entry["code"] for entry in lines()] == ["cancelled"]


def test_what_is_no_message(wire: Wire, lines: Any) -> None:
    with wire.dial() as line:
        log_in(line)
        line.sendall(message(b"!", b""))
        everything(line)
    assert [entry["code"] for entry in lines()] == ["protocol"]


class Page:
    """An audit that keeps its lines here."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def append(self, kind: str, facts: dict[str, Any]) -> str:
        self.lines.append({"kind": kind, **facts})
        return ""


def test_nobody_fills_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusal_log, "LINES_A_MINUTE", 3)
    page = Page()

    async def refuse() -> None:
        with Workers() as workers:
            refusals = Refusals(audit=page, workers=workers)  # type: ignore[arg-type]
            for _ in range(50):
                await refusals.note(NotAdmitted("No.", code="syntax"), who="ann", address="here")
                await refusals.note(
                    TooMany("No.", seconds=1), who="ann", address="there", kind="log-in failed"
                )
            await refusals.note(
                NotAdmitted("No.", code="not-you"), who="ann", address="there", kind="log-in failed"
            )
            await refusals.note(NotAdmitted("No.", code="syntax"), who="bob", address="here")
            with suppress(NotAdmitted), refusals.written():
                raise (kept := NotAdmitted("No.", code="never-shown"))
            await refusals.note(kept, who="eve", address="here")
            refusals._often._now = lambda: 1e9  # type: ignore[attr-defined]
            await refusals.note(NotAdmitted("No.", code="syntax"), who="ann", address="here")

    asyncio.run(refuse())
    assert [(line["who"], line["code"]) for line in page.lines] == [
        *[("ann", "syntax"), ("ann", "too-many")] * 3,
        ("ann", "not-you"),
        ("bob", "syntax"),
        ("ann", "syntax"),
    ]
    assert page.lines[-1]["unwritten"] == 47
