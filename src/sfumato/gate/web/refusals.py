"""Refusals as they are sent: one form for all, which discloses nothing that the asker may not
know."""

from __future__ import annotations

import logging
import math
import traceback
from collections.abc import Mapping
from typing import Any, Final

from starlette.responses import Response

from sfumato.errors import (
    Mistake,
    NotAdmitted,
    NotAnswered,
    PolicyError,
    ReleaseBroken,
    SfumatoError,
    TargetError,
    TooMany,
)

from .endpoints import Schema, told

STATUS: Final[Mapping[str, int]] = {
    "not-you": 401,
    "not-allowed": 403,
    "not-from-here": 403,
    "no-such-page": 404,
    "not-there": 404,
    "no-such-way": 405,
    "too-slow": 408,
    "already-there": 409,
    "not-kept": 409,
    "already-shown": 409,
    "too-long": 413,
    "not-this-type": 415,
    "not-this-host": 421,
    "too-many": 429,
}
"""The number of a refusal that is decided before any row is looked at; 422 where none is named."""
REFUSAL: Final[Schema] = {
    "type": "object",
    "properties": {
        "code": {"type": "string"},
        "message": {"type": "string"},
        "query": {"type": "string"},
        "found": {"type": "string"},
        "attempt": {"type": "string"},
        "place": {
            "type": "object",
            "properties": {"line": {"type": "integer"}, "column": {"type": "integer"}},
        },
        "problems": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {n: {"type": "string"} for n in ("where", "found", "attempt")},
            },
        },
    },
    "required": ["code", "message"],
    "additionalProperties": False,
}
_log = logging.getLogger("sfumato.gate")


def refusal(error: Exception) -> Response:
    """The response to the asker. An unforeseen error is reported as our mistake, without its
    text."""
    match error:
        case NotAnswered():
            return told({**_plain(error.code, error), "query": error.query}, status=403)
        case TooMany():
            wait = str(math.ceil(error.seconds))
            return told(_plain(error.code, error), status=429, headers={"Retry-After": wait})
        case NotAdmitted():
            found = STATUS.get(error.code, 422)
            headers = {"WWW-Authenticate": 'Bearer realm="sfumato"'} if found == 401 else None
            return told(
                {**_plain(error.code, error), **_place(error)}, status=found, headers=headers
            )
        case PolicyError():
            problems = [
                {"where": p.where, "found": p.found, "attempt": p.attempt} for p in error.problems
            ]
            return told({**_plain("policy", error), "problems": problems}, status=422)
        case TargetError():
            return told(
                {
                    "code": "stopped",
                    "message": "The gate cannot write what it must, so it does not answer.",
                },
                status=503,
            )
        case ReleaseBroken():
            return told(_plain("broken", error), status=409)
        case Mistake():
            return told(_plain("not-worked-out", error), status=422)
    return _ours(error)


def _plain(code: str, error: SfumatoError) -> dict[str, Any]:
    said = {"found": error.found, "attempt": error.attempt}
    return {
        "code": code,
        "message": error.asked,
        **{key: text for key, text in said.items() if text},
    }


def _place(error: NotAdmitted) -> dict[str, Any]:
    return (
        {} if error.place is None else {"place": {"line": error.place[0], "column": error.place[1]}}
    )


def _ours(error: Exception) -> Response:
    """Our mistake. Its text may hold anything, so only its type and where it happened are
    logged."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{frames[-1].name}, line {frames[-1].lineno}" if frames else "nowhere"
    _log.error("The gate failed with %s in %s.", type(error).__name__, where)
    return told(
        {"code": "bug", "message": "The gate made a mistake. Nothing was answered."}, status=500
    )
