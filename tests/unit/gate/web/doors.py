"""A gate behind its application, and people who use it without a network."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from gates import POLICY, a_gate, people
from starlette.applications import Starlette

from sfumato.gate.accounts import GateAccount, GateAccounts, Right
from sfumato.gate.gate_opener import Gate
from sfumato.gate.limits import Limits
from sfumato.gate.settings import Mode, Terms
from sfumato.gate.state import GateState
from sfumato.gate.web.application import application
from sfumato.gate.worker_threads import Workers

PASSWORD = "correct horse battery"
EXACT = Terms(mode=Mode.EXACT)
PEOPLE = {"ann": Right.RECIPIENT, "stella": Right.STEWARD, "adam": Right.ADMINISTRATOR}


@cache
def _hashed() -> tuple[str, str]:
    """Hashing a password is slow on purpose, so it is done once for all tests."""
    with TemporaryDirectory() as folder:
        state = GateState(Path(folder) / "state.db")
        made = GateAccounts(state).add("somebody", PASSWORD, right=Right.RECIPIENT)
        state.close()
    return made.argon, made.scram


def _account(name: str, right: Right) -> GateAccount:
    argon, scram = _hashed()
    return GateAccount(name=name, right=right, argon=argon, scram=scram)


class Door:
    """An application, and one client for each account; the clock of its limits stands still."""

    def __init__(self, gate: Gate, app: Starlette) -> None:
        self.gate, self.app = gate, app

    def sends(self, method: str, path: str, *, who: str = "", **given: Any) -> httpx.Response:
        """One request of an account, with a token of its own."""
        headers = dict(given.pop("headers", {}))
        if who:
            headers |= {"Authorization": f"Bearer {self.token(who)}"}
        return asyncio.run(self._sent(method, path, headers=headers, **given))

    async def _sent(self, method: str, path: str, **given: Any) -> httpx.Response:
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://gate") as client:
            return await client.request(method, f"/api/v1{path}", **given)

    def add(self, name: str, right: Right) -> None:
        self.gate.accounts.change(_account(name, right))

    def token(self, name: str) -> str:
        account = self.gate.accounts.find(name)
        assert account is not None
        return self.gate.accounts.new_token(account, days=1)

    def gets(self, path: str, *, who: str = "", **given: Any) -> httpx.Response:
        return self.sends("GET", path, who=who, **given)

    def posts(self, path: str, body: Any, *, who: str = "", **given: Any) -> httpx.Response:
        return self.sends("POST", path, who=who, json=body, **given)


@contextmanager
def a_door(
    folder: Path,
    *,
    terms: Terms = EXACT,
    policy: str = POLICY,
    queries: int = 1000,
    register: Path | None = None,
) -> Iterator[Door]:
    """A door for ann, a recipient; stella, a steward; adam, an administrator."""
    rows = people(600)
    with (
        a_gate(folder, rows, terms=terms, policy=policy, register=register) as gate,
        Workers() as workers,
    ):
        for name, right in PEOPLE.items():
            gate.accounts.change(_account(name, right))
        yield Door(
            gate,
            application(gate, workers, limits=Limits(queries_per_minute=queries, now=lambda: 0.0)),
        )
