"""Refusals as clients of PostgreSQL understand them: a state of five letters, a sentence, and where
in the query it is.

Those that depend on data are all alike. An unforeseen error is reported as our mistake, and nothing
else of it."""

from __future__ import annotations

import logging
import re
import traceback
from dataclasses import dataclass
from typing import Final

from pygwire.messages import ErrorResponse, NoticeResponse

from sfumato.errors import Mistake, NotAdmitted, NotAnswered, TargetError, TooMany

from .cells import DoesNotFit

STATES: Final = {
    "syntax": "42601",
    "several": "42601",
    "not-a-question": "42501",
    "not-listed": "0A000",
    "too-deep": "54001",
    "too-long": "54000",
    "too-large": "22003",
    "too-many-fields": "54000",
    "too-many": "53400",
    "budget": "53400",
    "unknown-table": "42P01",
    "unknown-field": "42703",
    "unknown-function": "42883",
    "not-comparable": "42883",
    "unknown-type": "42704",
    "unknown-setting": "42704",
    "not-this-value": "22023",
    "never-shown": "42501",
    "mixed-condition": "0A000",
    "not-grouped": "42803",
    "not-noisy": "0A000",
    "membership": "0A000",
    "catalogue": "0A000",
    "not-you": "28P01",
    "nobody": "28000",
    "not-encrypted": "28000",
    "not-allowed": "42501",
    "parameter": "22P02",
    "no-parameter": "42P02",
    "no-statement": "26000",
    "no-portal": "34000",
    "already-there": "42P05",
    "failed-transaction": "25P02",
    "cancelled": "57014",
    "no-database": "3D000",
    "connections": "53300",
}
"""The state of a refusal that is decided before any row is looked at."""
OTHER: Final = "0A000"
NOT_ANSWERED: Final = "42501"
OURS: Final = "XX000"
_log = logging.getLogger("sfumato.gate")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementPlace:
    """The place of a statement in the client's text, so that places in it can be reported."""

    whole: str = ""
    start: int = 0
    text: str = ""
    bound: bool = False
    """Whether values were put into it since: then places in it are not those of the client's
    text."""


def refusal(
    error: BaseException, place: StatementPlace | None = None, *, fatal: bool = False
) -> ErrorResponse:
    """The response to a client."""
    match error:
        case NotAnswered():
            return _told(
                NOT_ANSWERED, error.asked, detail=error.found, hint=error.attempt, code=error.code
            )
        case TooMany():
            return _told(
                STATES[error.code], error.asked, hint=error.attempt, code=error.code, fatal=fatal
            )
        case NotAdmitted():
            where = (
                _position(error.place, place) if error.place and place and not place.bound else 0
            )
            return _told(
                STATES.get(error.code, OTHER),
                error.asked,
                detail=error.found,
                hint=error.attempt,
                code=error.code,
                position=where,
                fatal=fatal,
            )
        case TargetError():
            return _told(
                "53100",
                "The gate cannot write what it must, so it does not answer.",
                code="stopped",
            )
        case RecursionError():
            return _told(
                STATES["too-deep"],
                "The query is nested too deeply.",
                hint="a flatter one.",
                code="too-deep",
            )
        case DoesNotFit():
            return _told(
                "0A000",
                "The answer does not fit the types it was announced in.",
                code="not-worked-out",
            )
        case Mistake():
            return _told(
                "0A000", error.asked, detail=error.found, hint=error.attempt, code="not-worked-out"
            )
    return _ours(error, fatal=fatal)


def broken(told: str, *, state: str = "08P01") -> ErrorResponse:
    """The end of a conversation that cannot go on."""
    return _told(state, told, code="protocol", fatal=True)


def notice(told: str, *, state: str = "00000", severity: str = "NOTICE") -> NoticeResponse:
    """A note beside an answer."""
    return NoticeResponse(fields={"S": severity, "V": severity, "C": state, "M": _plain(told)})


def _told(
    state: str,
    message: str,
    *,
    code: str,
    detail: str = "",
    hint: str = "",
    position: int = 0,
    fatal: bool = False,
) -> ErrorResponse:
    severity = "FATAL" if fatal else "ERROR"
    hint = f"Try {hint}" if hint else ""
    said = {"D": detail, "H": hint, "P": str(position or ""), "R": code}
    fields = {
        "S": severity,
        "V": severity,
        "C": state,
        "M": message,
        **{k: v for k, v in said.items() if v},
    }
    return ErrorResponse(fields={key: _plain(value) for key, value in fields.items()})


def _plain(text: str) -> str:
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def _position(place: tuple[int, int], within: StatementPlace) -> int:
    """The character of the client's text where a name begins that ends at a line and column of the
    statement."""
    lines = within.text.split("\n")
    line, column = place
    if not 1 <= line <= len(lines):
        return 0
    end = sum(len(each) + 1 for each in lines[: line - 1]) + min(column, len(lines[line - 1]))
    word = re.search(r'("[^"]*"|\w+|\W)\Z', within.text[:end])
    return within.start + (word.start() if word else end) + 1


def _ours(error: BaseException, *, fatal: bool) -> ErrorResponse:
    """Our mistake. Its text may hold anything, so only its type and where it happened are
    logged."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{frames[-1].name}, line {frames[-1].lineno}" if frames else "nowhere"
    _log.error("The gate failed with %s in %s.", type(error).__name__, where)
    return _told(OURS, "The gate made a mistake. Nothing was answered.", code="bug", fatal=fatal)
