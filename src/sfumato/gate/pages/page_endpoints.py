"""The pages as endpoints: who may enter which room, the log-in, and the files that pages are made
of.

A page holds no data: its script asks the API for it, which checks again who asks. Somebody who
opens a page without being logged in is sent to the log-in, and does not get a refusal in JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from starlette.responses import HTMLResponse, RedirectResponse, Response

from sfumato.errors import NotAdmitted, TooMany
from sfumato.register import urgency_of

from ..administration import ONE_PERSON, is_of_one_person
from ..gate_opener import Gate
from ..web import login
from ..web.endpoints import ANYONE, Call, Endpoint
from ..web.schemas import NAME, PASSWORD, record
from .page_frame import log_in_page, not_here_page, room_page
from .page_list import HOME, ROOMS, Room

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src "
    "'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'"
)
"""The files that a page may load: its own. No script may write markup, so that no cell can become
any."""
Does = Callable[[Call], Awaitable[Response]]
TYPES: Final = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
SEEN: Final = {"Cache-Control": "no-cache"}
"""A browser may keep our files, and asks each time whether they have changed."""


def pages(gate: Gate) -> tuple[Endpoint, ...]:
    """All pages of a gate, and their files."""
    rooms = (_entrance(room) for room in ROOMS)
    return (*_doors(), *rooms, *_files())


def _doors() -> Iterable[Endpoint]:
    return (
        _endpoint("GET", "/", _home, "Redirect to the first page of the account"),
        _endpoint("GET", "/log-in", _log_in, "The log-in"),
        Endpoint(
            "POST", "/log-in", _logged_in, rights=ANYONE, summary="A session for a name and a password, from the page",
            uploads=record({"name": NAME, "password": PASSWORD}), answers="text/html", largest=1 << 14,
        ),
    )  # fmt: skip


def _entrance(room: Room) -> Endpoint:
    async def enter(call: Call) -> Response:
        if call.account is None or not call.session:
            return RedirectResponse("/log-in", 303)
        notice, register = await _notice(call), call.gate.register is not None
        if call.account.right not in room.rights:
            page = not_here_page(call.account, notice=notice, register=register)
            return _html(page, status=403)
        page = room_page(room, call.account, call.session, notice=notice, register=register)
        return _html(page)

    return _endpoint("GET", room.path, enter, room.lead)


async def _home(call: Call) -> Response:
    return RedirectResponse(HOME[call.account.right] if call.account else "/log-in", 303)


async def _log_in(call: Call) -> Response:
    return await _home(call) if call.account else _html(log_in_page(notice=await _notice(call)))


async def _notice(call: Call) -> str:
    """The notice on every page of this gate, and when somebody's access ends within 30 days."""
    said = [ONE_PERSON] if await call.workers.look(is_of_one_person, call.gate) else []
    if call.account is not None:
        accounts = call.gate.accounts
        last = await call.workers.look(accounts.last_day, call.account)
        if last and urgency_of(last, today=await call.workers.look(accounts.today)) != "later":
            said.append(f"Your access ends after {last}.")
    return " ".join(said)


async def _logged_in(call: Call) -> Response:
    """Log in as the API does, and go on to one's own room. A typed password is not shown again."""
    try:
        done = await login.log_in(call)
    except NotAdmitted as refused:
        said = " ".join(part for part in (refused.asked, refused.found) if part)
        page = log_in_page(refused=said, name=call.body["name"], notice=await _notice(call))
        return _html(page, status=429 if _too_many(refused) else 401)
    response = RedirectResponse("/", 303)
    response.raw_headers += [
        (name, value) for name, value in done.raw_headers if name == b"set-cookie"
    ]
    return response


def _too_many(refused: NotAdmitted) -> bool:
    return isinstance(refused, TooMany)


def _html(text: str, *, status: int = 200) -> Response:
    return HTMLResponse(text, status, {"Content-Security-Policy": POLICY})


def _files() -> Iterable[Endpoint]:
    for name, content in assets().items():
        yield _endpoint(
            "GET", f"/assets/{name}", _gives(name, content), f"A file of the pages: {name}"
        )


def _gives(name: str, content: bytes) -> Does:
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    kind = f"{TYPES[name.rpartition('.')[2]]}; charset=utf-8"

    async def give(call: Call) -> Response:
        headers = {**SEEN, "ETag": tag}
        if call.request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=kind, headers=headers)

    return give


@cache
def assets() -> Mapping[str, bytes]:
    """The files that pages are made of, by name."""
    found = (files(__package__) / "assets").iterdir()
    return {each.name: each.read_bytes() for each in sorted(found, key=lambda each: each.name)}


def _endpoint(method: str, path: str, does: Does, summary: str) -> Endpoint:
    return Endpoint(
        method, path, does, rights=ANYONE, summary=summary, answers="text/html", paced=False
    )
