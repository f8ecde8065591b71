"""Accounts, for administrators."""

from __future__ import annotations

from typing import Any, Final

from starlette.responses import Response

from ..accounts import GateAccount, Right
from ..administration import account_named, add_account, change_account
from .endpoints import API, Call, Endpoint, Who, told
from .schemas import ACCOUNT, DAY, FLAG, NAME, NAMES, NEW_PASSWORD, RIGHT, record, several

ADMINISTRATORS: Final[Who] = frozenset((Right.ADMINISTRATOR,))


async def accounts(call: Call) -> Response:
    names = await call.workers.look(call.gate.accounts.names)
    found = [await call.workers.look(call.gate.accounts.find, name) for name in names]
    return told({"accounts": [await _told(call, account) for account in found if account]})


async def add(call: Call) -> Response:
    made = await call.workers.check(add_account, call.gate, call.me.name, call.body)
    return told(await _told(call, made), status=201)


async def account(call: Call) -> Response:
    found = await call.workers.look(account_named, call.gate, call.path["name"])
    return told(await _told(call, found))


async def change(call: Call) -> Response:
    changed = await call.workers.check(
        change_account, call.gate, call.me.name, call.path["name"], call.body
    )
    return told(await _told(call, changed))


async def _told(call: Call, of: GateAccount) -> dict[str, Any]:
    """An account; `ends` is its last day, also by the agreements of its groups."""
    last = await call.workers.look(call.gate.accounts.last_day, of)
    return {
        "name": of.name, "right": of.right.value, "profile": of.profile, "groups": list(of.groups),
        "disabled": of.disabled, "until": of.until, "ends": "no agreement" if last == "" else last or "",
    }  # fmt: skip


ENDPOINTS: Final = (
    Endpoint(
        "GET", f"{API}/accounts", accounts, rights=ADMINISTRATORS, summary="All accounts",
        gives=record({"accounts": several(ACCOUNT)}),
    ),
    Endpoint(
        "POST", f"{API}/accounts", add, rights=ADMINISTRATORS, summary="A new account",
        takes=record({"name": NAME, "password": NEW_PASSWORD, "right": RIGHT}, profile=NAME, groups=NAMES, until=DAY),
        gives=ACCOUNT, status=201, refuses=(409,),
    ),
    Endpoint(
        "GET", f"{API}/accounts/{{name}}", account, rights=ADMINISTRATORS, summary="One account", gives=ACCOUNT,
    ),
    Endpoint(
        "PATCH", f"{API}/accounts/{{name}}", change, rights=ADMINISTRATORS,
        summary="Another right, profile, groups, last day or password, or none of them any more; its sessions end",
        takes=record({}, right=RIGHT, profile=NAME, groups=NAMES, disabled=FLAG, password=NEW_PASSWORD, until=DAY),
        gives=ACCOUNT, refuses=(409,),
    ),
)  # fmt: skip
