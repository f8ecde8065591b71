"""Logging in and out, the present account, and tokens for programs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from starlette.responses import Response

from sfumato.errors import NotAdmitted

from ..accounts import GateAccount, Token
from .authentication import for_changes, give_cookie, take_cookie
from .endpoints import ANYONE, API, LOGGED_IN, Call, Endpoint, told
from .schemas import NAME, PASSWORD, RIGHT, TEXT, record, several

ME: Final = record(
    {
        "name": TEXT,
        "right": RIGHT,
        "profile": TEXT,
        "groups": several(TEXT),
        "token_for_changes": TEXT,
        "ends": TEXT,
    },
)
TOKEN: Final = record({"id": TEXT, "name": TEXT, "ends": TEXT})
NEW_TOKEN: Final = record({"id": TEXT, "name": TEXT, "ends": TEXT, "token": TEXT})
MOST_TOKENS: Final = 50


async def log_in(call: Call) -> Response:
    """A session for a password. A name that nobody has is not written down: it may be a
    password."""
    name, accounts = call.body["name"], call.gate.accounts
    call.limits.logs_in(name, call.address)
    try:
        account = await call.workers.check(accounts.check, name, call.body["password"])
    except NotAdmitted:
        known = await call.workers.look(accounts.find, name)
        await _note(call, "log-in failed", known)
        raise
    call.limits.logged_in(name, call.address)
    session = await call.workers.look(accounts.open_session, account)
    await _note(call, "logged in", account)
    response = told(await _me(call, account, session))
    give_cookie(
        response,
        session,
        minutes=call.gate.settings.session_minutes,
        encrypted=call.request.url.scheme == "https",
    )
    return response


async def log_out(call: Call) -> Response:
    """The session ends, here and in the gate's memory."""
    if call.session:
        await call.workers.look(call.gate.accounts.end, call.session)
        await _note(call, "logged out", call.me)
    response = Response(status_code=204)
    take_cookie(response, encrypted=call.request.url.scheme == "https")
    return response


async def me(call: Call) -> Response:
    return told(await _me(call, call.me, call.session))


async def tokens(call: Call) -> Response:
    found = await call.workers.look(call.gate.accounts.tokens, call.me)
    return told({"tokens": [_token(token) for token in found]})


async def new_token(call: Call) -> Response:
    """A token is made with a password's session only: one that leaked must not make others."""
    if not call.session:
        raise NotAdmitted(
            "Tokens are made by people.", code="not-allowed", attempt="logging in with a password."
        )
    accounts, days = call.gate.accounts, call.body["days"]
    if len(await call.workers.look(accounts.tokens, call.me)) >= MOST_TOKENS:
        raise NotAdmitted(
            "You have many tokens already.", code="already-there", attempt="ending one of them."
        )
    made = await call.workers.look(accounts.new_token, call.me, days=days, name=call.body["name"])
    await _note(call, "token made", call.me)
    found = await call.workers.look(accounts.token_of, made)
    return told({**_token(found), "token": made}, status=201)


async def end_token(call: Call) -> Response:
    if not await call.workers.look(call.gate.accounts.end_token, call.me, call.path["id"]):
        raise NotAdmitted("You have no such token.", code="not-there")
    await _note(call, "token ended", call.me)
    return Response(status_code=204)


async def _note(call: Call, kind: str, account: GateAccount | None) -> None:
    who = account.name if account else "a name that nobody has"
    await call.workers.look(call.gate.audit.append, kind, {"who": who, "from": call.address})


async def _me(call: Call, account: GateAccount, session: str) -> dict[str, Any]:
    last = await call.workers.look(call.gate.accounts.last_day, account)
    return {
        "name": account.name,
        "right": account.right.value,
        "profile": account.profile,
        "groups": list(account.groups),
        "token_for_changes": for_changes(session) if session else "",
        "ends": last or "",
    }


def _token(token: Token) -> dict[str, str]:
    ends = datetime.fromtimestamp(token.ends, UTC).isoformat(timespec="seconds")
    return {"id": token.number, "name": token.name, "ends": ends}


_DAYS: Final = {"type": "integer", "minimum": 1, "maximum": 366}

ENDPOINTS: Final = (
    Endpoint(
        "POST", f"{API}/log-in", log_in, rights=ANYONE, summary="A session for a name and a password",
        takes=record({"name": NAME, "password": PASSWORD}), gives=ME,
    ),
    Endpoint("POST", f"{API}/log-out", log_out, rights=LOGGED_IN, summary="End the session", status=204),
    Endpoint("GET", f"{API}/me", me, rights=LOGGED_IN, summary="Your account", gives=ME),
    Endpoint(
        "GET", f"{API}/tokens", tokens, rights=LOGGED_IN, summary="Your programs' tokens",
        gives=record({"tokens": several(TOKEN)}),
    ),
    Endpoint(
        "POST", f"{API}/tokens", new_token, rights=LOGGED_IN, summary="A token for a program, shown once",
        takes=record({"name": NAME, "days": _DAYS}), gives=NEW_TOKEN, status=201, refuses=(409,),
    ),
    Endpoint("DELETE", f"{API}/tokens/{{id}}", end_token, rights=LOGGED_IN, summary="End a token", status=204),
)  # fmt: skip
