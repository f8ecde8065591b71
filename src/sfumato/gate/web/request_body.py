"""The body of a request: read up to its limit, and checked by its endpoint's schema before anything
is done.

Errors state in our words where something is wrong and which rule it breaks: a validator's own
message would repeat the request body."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from jsonschema_rs import Draft202012Validator, ValidationError
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from sfumato.errors import NotAdmitted

from .endpoints import Endpoint, Schema

JSON: Final = "application/json"
FORM: Final = "multipart/form-data"
SECONDS: Final = 60.0
"""Seconds to send a request body; then the connection is closed."""
_RULES: Final[Mapping[str, str]] = {
    "type": "it has another type.",
    "required": "a required key is missing.",
    "additionalProperties": "it has an unknown key.",
    "maxLength": "it is too long.",
    "minLength": "it is too short.",
    "maxItems": "there are too many.",
    "minItems": "there are too few.",
    "enum": "it is not one of the known words.",
    "maximum": "it is too large.",
    "minimum": "it is too small.",
    "pattern": "its format is wrong.",
    "oneOf": "it must be exactly one of several.",
    "uniqueItems": "it has an item twice.",
}


async def body_of(request: Request, endpoint: Endpoint) -> Any:
    """The body, checked; None where the endpoint takes nothing."""
    if endpoint.takes is None and endpoint.uploads is None:
        return None
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    _check_length(request, endpoint)
    try:
        async with asyncio.timeout(SECONDS):
            if endpoint.uploads is not None and given == FORM:
                return checked(await _form(request, endpoint), endpoint.uploads, whole=False)
            if given != JSON or endpoint.takes is None:
                raise NotAdmitted(
                    "The type of the request body is not supported.",
                    code="not-this-type",
                    attempt=JSON,
                )
            found = _parsed(await _bytes(request, endpoint.largest))
            request.state.sent = found
            return checked(found, endpoint.takes)
    except TimeoutError:
        raise NotAdmitted("The request body was sent too slowly.", code="too-slow") from None
    except ClientDisconnect:
        raise NotAdmitted("The request body is incomplete.", code="too-slow") from None


def unfitting_text(request: Request) -> str:
    """The text of a question that was sent with something that does not fit; no other part of the
    request body."""
    found = getattr(request.state, "sent", None)
    text = found.get("sql") if isinstance(found, dict) else None
    return text if isinstance(text, str) else ""


def queries_of(request: Request, endpoint: Endpoint) -> dict[str, Any]:
    """The parameters after the question mark, as the types of its schema; unknown ones are
    refused."""
    out: dict[str, Any] = {}
    for name, text in request.query_params.multi_items():
        schema = endpoint.queries.get(name)
        if schema is None or name in out:
            told = ", ".join(endpoint.queries) or "nothing"
            raise _wrong(
                "the address",
                "there is an unknown parameter after the question mark.",
                f"{told}.",
            )
        out[name] = _typed(text, schema)
    for name, value in out.items():
        checked(value, endpoint.queries[name], where=name)
    return out


def checked(value: Any, schema: Schema, *, where: str = "", whole: bool = True) -> Any:
    """The value, where it keeps to its schema. Of a form, only the fields that are text are looked
    at."""
    looked = (
        value
        if whole
        else {name: part for name, part in value.items() if not isinstance(part, UploadFile)}
    )
    first = next(_errors(looked, json.dumps(schema)), None)
    if first is not None:
        place = (
            ".".join([*([where] if where else []), *map(str, first.instance_path)])
            or "the request body"
        )
        raise _wrong(place[:100], _RULES.get(first.kind.name, "it does not fit the description."))
    return value


def _errors(value: Any, schema: str) -> Iterator[ValidationError]:
    try:
        yield from _validator(schema).iter_errors(value)
    except ValueError:  # A text that is no Unicode, or a number beyond all bounds.
        raise _wrong(
            "the request body", "it holds an element that is neither text nor number."
        ) from None


@lru_cache(maxsize=256)
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema))


def _check_length(request: Request, endpoint: Endpoint) -> None:
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > endpoint.largest:
        raise _too_long(endpoint.largest)


async def _bytes(request: Request, largest: int) -> bytes:
    """The body; a body in pieces, without a length, is counted while it is read."""
    out = bytearray()
    async for piece in request.stream():
        out += piece
        if len(out) > largest:
            raise _too_long(largest)
    return bytes(out)


async def _form(request: Request, endpoint: Endpoint) -> dict[str, Any]:
    """A form with a file; fields that may be given several times are lists. A form must say how
    long it is."""
    if "content-length" not in request.headers:
        raise _too_long(endpoint.largest)
    try:
        form = await request.form(max_files=1, max_fields=1_000, max_part_size=1 << 16)
    except HTTPException:
        raise NotAdmitted("The form cannot be read.", code="not-json") from None
    properties: Mapping[str, Schema] = (endpoint.uploads or {}).get("properties", {})
    out: dict[str, Any] = {}
    for name in form:
        several = properties.get(name, {}).get("type") == "array"
        out[name] = form.getlist(name) if several else _typed(form[name], properties.get(name, {}))
    return out


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise NotAdmitted("The request body is not JSON.", code="not-json") from None


def _no_number(_: str) -> Any:
    raise ValueError


def _typed(text: Any, schema: Schema) -> Any:
    """A text from an address or a form as the type that its schema names, where it can be."""
    kind = schema.get("type")
    if (
        kind == "integer"
        and isinstance(text, str)
        and text.removeprefix("-").isdecimal()
        and len(text) < 19
    ):
        return int(text)
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    return text


def _too_long(largest: int) -> NotAdmitted:
    return NotAdmitted(
        "The request body is too long.",
        code="too-long",
        found=f"At most {largest:,} bytes are allowed.",
    )


def _wrong(
    where: str, what: str, attempt: str = "the description in /api/v1/openapi.json."
) -> NotAdmitted:
    return NotAdmitted(
        "The request body does not match its schema.",
        code="not-fitting",
        found=f"{where}: {what}",
        attempt=attempt,
    )
