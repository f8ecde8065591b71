"""Headers that are checked before anything else is read: the addressee of a request, and that no
header is repeated.

A page of another site can have its name point to the gate's address and then read what the gate
answers (DNS rebinding). Its requests carry that site's name, so the gate answers only to names that
are its own."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, MutableMapping
from typing import Any, Final

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sfumato.errors import NotAdmitted

from .http_connection import LARGEST_HEAD
from .refusals import refusal

ONCE: Final = frozenset((
    b"authorization", b"content-length", b"content-type", b"cookie", b"host", b"origin", b"sec-fetch-site",
    b"transfer-encoding", b"x-sfumato-changes",
))  # fmt: skip
"""Headers that mean something to the gate. Two of one could be read as one thing here and as
another elsewhere."""
STRICT_TRANSPORT: Final = (b"strict-transport-security", b"max-age=31536000")
_HOST: Final = re.compile(r"(?P<name>\[[0-9a-f:.%]+\]|[a-z0-9._-]+)(:\d{1,5})?", re.ASCII)


class HeaderCheck:
    """It is before the application. Over TLS it also asks browsers to use TLS alone from now on."""

    def __init__(
        self, app: ASGIApp, *, hosts: Iterable[str], headers: MutableMapping[str, str]
    ) -> None:
        self._app, self._headers = app, headers
        self._hosts = frozenset(host.lower().rstrip(".") for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        told = _encrypted(send) if scope.get("scheme") == "https" else send
        refused = self._refused(scope)
        if refused is None:
            await self._app(scope, receive, told)
            return
        refused.headers.update({**self._headers, "Connection": "close"})
        await refused(scope, receive, told)

    def _refused(self, scope: Scope) -> Response | None:
        if _head_size(scope) > LARGEST_HEAD:
            return refusal(
                NotAdmitted(
                    "The request line and the headers are too long.",
                    code="not-fitting",
                    found=f"They have more than {LARGEST_HEAD >> 10} KiB.",
                )
            )
        names = [name.lower() for name, _ in scope["headers"]]
        twice = sorted(
            {name.decode("latin-1") for name in ONCE.intersection(names) if names.count(name) > 1}
        )
        if twice:
            return refusal(
                NotAdmitted(
                    "The request has a header twice.",
                    code="not-fitting",
                    found=f"It is {', '.join(twice)}.",
                )
            )
        if {b"content-length", b"transfer-encoding"} <= set(names):
            return refusal(
                NotAdmitted(
                    "The request has two lengths.", code="not-fitting", attempt="one of them."
                )
            )
        given = next((value for name, value in scope["headers"] if name.lower() == b"host"), b"")
        server = scope.get("server") or ("", None)
        if not is_ours(given.decode("latin-1"), server=str(server[0]), hosts=self._hosts):
            return refusal(
                NotAdmitted(
                    "The request is addressed to another host.",
                    code="not-this-host",
                    attempt="the gate's own address, or adding the name to `hosts` in the gate's "
                    "file.",
                )
            )
        return None


def _head_size(scope: Scope) -> int:
    """The bytes of a request line and its headers. The connection limits only heads in pieces."""
    line = len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"")
    return line + sum(len(name) + len(value) + 4 for name, value in scope["headers"])


def is_ours(given: str, *, server: str, hosts: Iterable[str]) -> bool:
    """Whether a Host header names the gate: by a name from its file, or by the address of the
    connection.

    Example:
        >>> asked = ("127.0.0.1:8417", "localhost", "[::1]:8417", "evil.example", "gate.example.org:443", "")
        >>> [is_ours(each, server="127.0.0.1", hosts=("gate.example.org",)) for each in asked]
        [True, True, True, False, True, False]
    """
    found = _HOST.fullmatch(given.strip().lower())
    if found is None:
        return False
    name = found["name"].strip("[]").rstrip(".")
    return name in hosts or name == server.lower() or (_is_loopback(server) and _is_loopback(name))


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def _encrypted(send: Send) -> Send:
    async def told(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers: list[Any] = list(message.get("headers", ()))
            message = {**message, "headers": [*headers, STRICT_TRANSPORT]}
        await send(message)

    return told
