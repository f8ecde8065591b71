"""The application: all endpoints behind one router, which lets nobody through who was not
declared."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sfumato.errors import Bug, NotAdmitted

from ..gate_opener import Gate
from ..limits import Limits
from ..refusal_log import Refusals
from ..response_timing import paced
from ..settings import Settings
from ..worker_threads import Workers
from . import (
    account_endpoints,
    audit_endpoints,
    link_endpoints,
    login,
    plan_endpoints,
    policy_endpoints,
    query_endpoints,
    register_endpoints,
    reload_endpoints,
    validation_endpoints,
)
from .authentication import check_rights, check_site, whose
from .description import described
from .endpoints import Call, Endpoint
from .refusals import refusal
from .request_body import body_of, queries_of, unfitting_text
from .request_headers import HeaderCheck

OWN: Final = (
    *login.ENDPOINTS,
    *query_endpoints.ENDPOINTS,
    *link_endpoints.ENDPOINTS,
    *audit_endpoints.ENDPOINTS,
    *account_endpoints.ENDPOINTS,
    *policy_endpoints.ENDPOINTS,
    *plan_endpoints.ENDPOINTS,
    *register_endpoints.ENDPOINTS,
    *reload_endpoints.ENDPOINTS,
    *validation_endpoints.ENDPOINTS,
)
"""The endpoints of the API."""
HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class EndpointRoute(Route):
    """A route that was made from an endpoint. The application has no other."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        gate: Gate,
        limits: Limits,
        workers: Workers,
        refusals: Refusals,
    ) -> None:
        self.declared = endpoint

        async def handle(request: Request) -> Response:
            return await _handled(
                endpoint, request, gate=gate, limits=limits, workers=workers, refusals=refusals
            )

        super().__init__(endpoint.path, handle, methods=[endpoint.method])


def application(gate: Gate, workers: Workers, *, limits: Limits | None = None) -> Starlette:
    """The gate as an ASGI application: the API and, where they are installed, the pages."""
    limits = limits or Limits(queries_per_minute=gate.settings.queries_per_minute)
    endpoints = endpoints_of(gate)
    twice = {(e.method, e.path) for e in endpoints}
    if len(twice) != len(endpoints):
        raise Bug("two endpoints have one address")
    refusals = Refusals(audit=gate.audit, workers=workers, through="web")
    return Starlette(
        routes=[
            EndpointRoute(endpoint, gate=gate, limits=limits, workers=workers, refusals=refusals)
            for endpoint in endpoints
        ],
        exception_handlers={HTTPException: _not_found, Exception: _failed},
        middleware=[Middleware(HeaderCheck, hosts=hosts_of(gate.settings), headers=HEADERS)],
    )


def hosts_of(settings: Settings) -> tuple[str, ...]:
    """The names that the gate answers to, beside the address of a connection."""
    return (*settings.hosts, *([] if settings.host in ("0.0.0.0", "::") else [settings.host]))


def endpoints_of(gate: Gate) -> tuple[Endpoint, ...]:
    """Every way in: the API, its description, and the pages."""
    api = (*OWN, described(OWN))
    return (*api, *_pages(gate))


def _pages(gate: Gate) -> Iterable[Endpoint]:
    name = f"{__package__.removesuffix('.web')}.pages"
    if importlib.util.find_spec(name) is None:
        return ()
    found: Iterable[Endpoint] = importlib.import_module(name).pages(gate)
    return found


async def _handled(
    endpoint: Endpoint,
    request: Request,
    *,
    gate: Gate,
    limits: Limits,
    workers: Workers,
    refusals: Refusals,
) -> Response:
    """The asker, whether they may, their request, and then the endpoint's work; in that order."""
    account, body = None, None
    try:
        account, session = await whose(request, gate.accounts, workers)
        check_rights(endpoint, account)
        check_site(request, endpoint, session)
        queries, body = queries_of(request, endpoint), await body_of(request, endpoint)
        call = Call(
            gate=gate,
            limits=limits,
            workers=workers,
            refusals=refusals,
            request=request,
            account=account,
            session=session,
            path=request.path_params,
            query=queries,
            body=body,
        )
        response = await _done(endpoint, call)
    except Exception as error:
        if endpoint.asks and account is not None:
            address = request.client.host if request.client else "nowhere"
            await refusals.note(
                error,
                who=account.name,
                address=address,
                text=_asked(body) or unfitting_text(request),
            )
        response = refusal(error)
    finally:
        await request.close()  # Where a file was brought, it is gone from here on.
    return _with_headers(response)


def _asked(body: Any) -> str:
    """The text of a question, where it was received whole; of records, only what was asked about
    them."""
    if not isinstance(body, Mapping):
        return ""
    if "sql" in body:
        return str(body["sql"])
    return f"LINK {body.get('table', '')} SHOW {body.get('show', '')}"


async def _done(endpoint: Endpoint, call: Call) -> Response:
    if not endpoint.paced:
        return await endpoint.does(call)
    async with paced():
        return await endpoint.does(call)


async def _not_found(request: Request, error: Exception) -> Response:
    wrong_way = isinstance(error, HTTPException) and error.status_code == 405
    if wrong_way:
        code, said = "no-such-way", "This address is not used that way."
    else:
        code, said = "no-such-page", "There is no page at this address."
    response = refusal(NotAdmitted(said, code=code))
    allowed: Any = getattr(error, "headers", None) or {}
    response.headers.update(allowed)
    return _with_headers(response)


async def _failed(request: Request, error: Exception) -> Response:
    return _with_headers(refusal(error))


def _with_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response
