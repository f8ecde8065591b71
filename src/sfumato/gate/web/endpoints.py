"""Endpoints: each way in is one record, with who may use it, what it takes and gives, and what it
does.

The router, the check of rights, the check of what is sent, and the description for programs
(OpenAPI) are all made from these records. There is no other way to add a way in, and a record must
name who may use it: the gate denies by default."""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from sfumato.errors import Bug

from ..accounts import GateAccount, Right
from ..gate_opener import Gate
from ..limits import Limits
from ..refusal_log import Refusals
from ..worker_threads import Workers

Schema = Mapping[str, Any]
API: Final = "/api/v1"
LARGEST: Final = 1 << 20
"""Bytes of a request by default."""

Who = frozenset[Right | None]
"""The rights that may use an endpoint; None means somebody who has not logged in."""
LOGGED_IN: Final[Who] = frozenset(Right)
ANYONE: Final[Who] = frozenset((None, *Right))


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One use of an endpoint, after its rights and the request body were checked."""

    gate: Gate = field(repr=False)
    limits: Limits = field(repr=False)
    workers: Workers = field(repr=False)
    refusals: Refusals = field(repr=False)
    request: Request = field(repr=False)
    account: GateAccount | None = None
    session: str = field(default="", repr=False)
    """The session's token, for a request with a cookie."""
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = field(default=None, repr=False)

    @property
    def me(self) -> GateAccount:
        if self.account is None:
            raise Bug("an endpoint for accounts was used without one")
        return self.account

    @property
    def address(self) -> str:
        return self.request.client.host if self.request.client else "nowhere"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One way in.

    `takes` is the schema of the body, `uploads` of a form with a file, `queries` of what follows
    the question mark. `gives` describes the answer; `status` is its number. `paced` answers are
    sent on a fixed time grid.

    Example:
        >>> async def hello(call): ...
        >>> Endpoint("GET", "/hello", hello, rights=frozenset(), summary="Says hello")
        Traceback (most recent call last):
            ...
        sfumato.errors.Bug: Sfumato contradicted itself: GET /hello does not say who may use it
          Try reporting this; nothing was released.
    """

    method: str
    path: str
    does: Callable[[Call], Awaitable[Response]] = field(repr=False)
    rights: Who = field(kw_only=True)
    summary: str = field(kw_only=True)
    takes: Schema | None = field(default=None, kw_only=True, repr=False)
    uploads: Schema | None = field(default=None, kw_only=True, repr=False)
    queries: Mapping[str, Schema] = field(default_factory=dict, kw_only=True, repr=False)
    gives: Schema | None = field(default=None, kw_only=True, repr=False)
    status: int = field(default=200, kw_only=True)
    refuses: tuple[int, ...] = field(default=(), kw_only=True)
    answers: str = field(default="application/json", kw_only=True)
    or_else: tuple[str, ...] = field(default=(), kw_only=True)
    """Other types of answers that may be asked for."""
    largest: int = field(default=LARGEST, kw_only=True)
    paced: bool = field(default=True, kw_only=True)
    asks: bool = field(default=False, kw_only=True)
    """Whether it asks a question: then the audit has a line also where it is refused at once."""

    def __post_init__(self) -> None:
        if not self.rights or not self.rights <= ANYONE:
            raise Bug(f"{self.method} {self.path} does not say who may use it")

    @property
    def changes(self) -> bool:
        """Whether it may change something, so that a browser's cookie alone is not enough."""
        return self.method not in ("GET", "HEAD")

    @property
    def is_api(self) -> bool:
        return self.path.startswith(API)


def told(content: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer as JSON; a value that JSON lacks, such as a date, is written as text."""
    return ResponseBody(content, status_code=status, headers=headers)


class ResponseBody(JSONResponse):
    def render(self, content: Any) -> bytes:
        try:
            return _as_json(content)
        except ValueError:  # Rare, and looking for it in each cell takes as long as writing them.
            return _as_json(_finite(content))


def _as_json(content: Any) -> bytes:
    return json.dumps(
        content, ensure_ascii=False, separators=(",", ":"), default=str, allow_nan=False
    ).encode()


def _finite(content: Any) -> Any:
    """JSON has no word for a number that is none.

    Example:
        >>> _finite({"rows": [(1.5, float("nan"))]})
        {'rows': [[1.5, None]]}
    """
    if isinstance(content, Mapping):
        return {name: _finite(each) for name, each in content.items()}
    if isinstance(content, list | tuple):
        return [_finite(each) for each in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content
