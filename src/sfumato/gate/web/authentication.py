"""The asker: a program with its token, a browser with its session's cookie, or nobody in
particular.

A browser sends a cookie with whatever page asks it to. A request that could change something and
has a cookie must therefore also carry a token that only our own pages can read. It must not name
another site as its origin."""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from sfumato.errors import NotAdmitted

from ..accounts import GateAccount, GateAccounts
from ..worker_threads import Workers
from .endpoints import ANYONE, Endpoint, Who

COOKIE: Final = "sfumato_session"
CHANGES: Final = "X-Sfumato-Changes"
"""The header with the token for changes."""
OUR_SITE: Final = ("same-origin", "none")


async def whose(
    request: Request, accounts: GateAccounts, workers: Workers
) -> tuple[GateAccount | None, str]:
    """The account, and its session where there is a cookie. A token that is no good is refused as
    such; a cookie is not."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return await workers.look(accounts.by_token, token.strip()), ""
    if scheme:
        raise NotAdmitted(
            "The gate takes tokens.", code="not-you", attempt="Authorization: Bearer and a token."
        )
    session = request.cookies.get(COOKIE, "")
    if not session:
        return None, ""
    try:
        return await workers.look(accounts.by_token, session), session
    except NotAdmitted:
        return None, ""


def check_rights(endpoint: Endpoint, account: GateAccount | None) -> None:
    """Whether somebody may use an endpoint; `NotAdmitted` where they may not."""
    right = account.right if account else None
    if right in endpoint.rights:
        return
    if account is None:
        raise NotAdmitted(
            "Log in first.", code="not-you", attempt="your name and password, or a token."
        )
    raise NotAdmitted(
        "Your account may not do this.",
        code="not-allowed",
        found=f"It has the right '{account.right.value}'.",
        attempt=f"an account with the right {_named(endpoint.rights)}.",
    )


def _named(rights: Who) -> str:
    return (
        " or ".join(sorted(right.value for right in rights if right))
        if rights != ANYONE
        else "of anyone"
    )


def check_site(request: Request, endpoint: Endpoint, session: str) -> None:
    """Whether a request with a cookie, or one that makes one, is from our own pages."""
    if not endpoint.changes:
        return
    if not _from_our_site(request):
        raise _from_elsewhere("The request was sent from another site.")
    # Whoever may come without a session needs none of its tokens.
    needed = bool(session) and None not in endpoint.rights
    if needed and not hmac.compare_digest(
        request.headers.get(CHANGES, "").encode(), for_changes(session).encode()
    ):
        raise _from_elsewhere(f"The header {CHANGES} is missing or is not this session's.")


def _from_our_site(request: Request) -> bool:
    """By the browser's header. A browser without it names the origin of a page, if its pages let
    it."""
    said, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin", "null")
    if said is not None:
        return said in OUR_SITE
    return (
        origin == "null"
        or origin.lower().partition("://")[2] == request.headers.get("host", "").lower()
    )


def for_changes(session: str) -> str:
    """The token for changes that belongs to a session; it cannot be turned back into the
    session's."""
    return hmac.digest(session.encode(), b"for changes", hashlib.sha256).hex()[:40]


def give_cookie(response: Response, session: str, *, minutes: int, encrypted: bool) -> None:
    response.set_cookie(
        COOKIE,
        session,
        max_age=60 * minutes,
        path="/",
        httponly=True,
        samesite="strict",
        secure=encrypted,
    )


def take_cookie(response: Response, *, encrypted: bool) -> None:
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict", secure=encrypted)


def _from_elsewhere(found: str) -> NotAdmitted:
    return NotAdmitted(
        "This change was perhaps not sent by you.",
        code="not-from-here",
        found=found,
        attempt="the token for changes that /api/v1/me returns.",
    )
