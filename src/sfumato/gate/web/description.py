"""The description of the API for programs (OpenAPI 3.1), made from the endpoints themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from starlette.responses import Response

from ..administration import ONE_PERSON, is_of_one_person
from .authentication import CHANGES, COOKIE
from .endpoints import ANYONE, API, Call, Endpoint, told
from .refusals import REFUSAL

ALWAYS: Final = (401, 403, 421, 422, 429, 503)
REASONS: Final = {
    200: "Done",
    201: "Made",
    204: "Done; nothing is returned",
    401: "The log-in failed",
    403: "Not allowed, or the query was not answered",
    404: "There is no page at this address",
    408: "The request was sent too slowly",
    409: "It conflicts with the present state",
    413: "It is too long",
    415: "Its type is not supported",
    421: "The request is addressed to another host",
    422: "The request is refused; the reason is given",
    429: "Too many requests; the header Retry-After says when to try again",
    503: "The gate cannot write what it must, so it does not answer",
}


def described(endpoints: Iterable[Endpoint]) -> Endpoint:
    """The endpoint that describes the others, and itself."""

    async def describe(call: Call) -> Response:
        if not await call.workers.look(is_of_one_person, call.gate):
            return told(description)
        info = description["info"]
        return told(
            {**description, "info": {**info, "description": f"{info['description']} {ONE_PERSON}"}}
        )

    itself = Endpoint(
        "GET", f"{API}/openapi.json", describe, rights=ANYONE, summary="This description", gives={"type": "object"},
        paced=False,
    )  # fmt: skip
    description = openapi((*endpoints, itself))
    return itself


def openapi(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    """The whole description."""
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        paths.setdefault(re.sub(":path}", "}", endpoint.path), {})[endpoint.method.lower()] = (
            _operation(endpoint)
        )
    from sfumato import __version__

    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Sfumato's gate",
            "version": __version__,
            "description": "Ask a private table, and get the answers that your profile allows. "
            "Refusals have a code and a message; those that depend on data all "
            "have the same.",
        },
        "paths": paths,
        "components": {
            "schemas": {"Refusal": REFUSAL},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": COOKIE,
                    "description": f"Changes also need the header {CHANGES}.",
                },
            },
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    name = re.sub(
        r"[^a-z]+", "_", f"{endpoint.method} {endpoint.path.removeprefix(API)}".lower()
    ).strip("_")
    who = sorted(right.value for right in endpoint.rights if right)
    out: dict[str, Any] = {
        "operationId": name,
        "summary": endpoint.summary,
        "description": "For anyone." if None in endpoint.rights else f"For: {', '.join(who)}.",
        "parameters": _parameters(endpoint),
        "responses": _responses(endpoint),
        "security": [] if None in endpoint.rights else [{"token": []}, {"session": []}],
    }
    content: dict[str, Any] = {}
    if endpoint.takes is not None:
        content["application/json"] = {"schema": endpoint.takes}
    if endpoint.uploads is not None:
        content["multipart/form-data"] = {"schema": endpoint.uploads}
    if content:
        out["requestBody"] = {"required": True, "content": content}
    return out


def _parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    named = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in re.findall(r"{(\w+)", endpoint.path)
    ]
    asked = [
        {"name": name, "in": "query", "schema": dict(schema)}
        for name, schema in endpoint.queries.items()
    ]
    return [*named, *asked]


def _responses(endpoint: Endpoint) -> dict[str, Any]:
    """The answer and every refusal that may be sent in its place."""
    done: dict[str, Any] = {"description": REASONS[endpoint.status]}
    if endpoint.gives is not None:
        done["content"] = {endpoint.answers: {"schema": endpoint.gives}}
    elif endpoint.status != 204:
        done["content"] = {kind: {"schema": {}} for kind in (endpoint.answers, *endpoint.or_else)}
    refused = {"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}}
    numbers = {*ALWAYS, *endpoint.refuses}
    numbers |= {408, 413, 415} if endpoint.takes is not None else set()
    numbers |= {404} if "{" in endpoint.path else set()
    refusals = {
        str(number): {"description": REASONS[number], "content": refused}
        for number in sorted(numbers)
    }
    return {str(endpoint.status): done, **refusals}
