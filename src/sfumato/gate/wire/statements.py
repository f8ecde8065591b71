"""A client's text, cut into statements and sorted by their treatment.

The tokenizer of the parser that admits questions does the cutting. Both therefore see the same
statements, whatever quotes, comments and dollars are in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import sqlglot
from sqlglot.errors import SqlglotError

from sfumato.errors import NotAdmitted

from ..sql.admission import DIALECT, LONGEST

MOST: Final = 20
"""Statements in one message."""


class Sort(StrEnum):
    """The treatment of a statement."""

    BEGIN = "BEGIN"
    COMMIT = "COMMIT"
    ROLLBACK = "ROLLBACK"
    SAVEPOINT = "SAVEPOINT"
    RELEASE = "RELEASE"
    BACK_TO = "ROLLBACK TO"
    SET = "SET"
    RESET = "RESET"
    SHOW = "SHOW"
    DISCARD = "DISCARD ALL"
    DEALLOCATE = "DEALLOCATE"
    CLOSE = "CLOSE CURSOR"
    UNLISTEN = "UNLISTEN"
    EXPLAIN = "EXPLAIN"
    QUERY = "SELECT"
    OTHER = "OTHER"


_NAME: Final = r'(?P<name>"[^"]+"|[\w.$]+)'
_PLANS: Final = r"((ANALY[SZ]E|VERBOSE)\s+)+|\(\s*(ANALY[SZ]E|VERBOSE|COSTS|BUFFERS|FORMAT|SETTINGS)\b[\w\s,]*\)\s*"
"""Formats in which clients ask for plans; the gate has none, and its answer has one format."""
_SORTS: Final = tuple(
    (sort, re.compile(pattern, re.IGNORECASE | re.DOTALL))
    for sort, pattern in (
        (Sort.BEGIN, r"(BEGIN|START\s+TRANSACTION)\b[\w\s,]*\Z"),
        (Sort.COMMIT, r"(COMMIT|END)\b(\s+(WORK|TRANSACTION))?(\s+AND\s+NO\s+CHAIN)?\s*\Z"),
        (Sort.BACK_TO, rf"ROLLBACK\s+((WORK|TRANSACTION)\s+)?TO\s+(SAVEPOINT\s+)?{_NAME}\s*\Z"),
        (Sort.ROLLBACK, r"(ROLLBACK|ABORT)\b(\s+(WORK|TRANSACTION))?(\s+AND\s+NO\s+CHAIN)?\s*\Z"),
        (Sort.SAVEPOINT, rf"SAVEPOINT\s+{_NAME}\s*\Z"),
        (Sort.RELEASE, rf"RELEASE\s+(SAVEPOINT\s+)?{_NAME}\s*\Z"),
        (Sort.SET, r"SET\b\s*.+\Z"),
        (Sort.RESET, rf"RESET\s+{_NAME}\s*\Z"),
        (Sort.SHOW, r"SHOW\s+(?P<name>[\w.]+|TRANSACTION\s+ISOLATION\s+LEVEL|TIME\s+ZONE)\s*\Z"),
        (Sort.DISCARD, r"DISCARD\s+(ALL|PLANS|SEQUENCES|TEMP|TEMPORARY)\s*\Z"),
        (Sort.DEALLOCATE, rf"DEALLOCATE\s+(PREPARE\s+)?{_NAME}\s*\Z"),
        (Sort.CLOSE, r"CLOSE\s+ALL\s*\Z"),
        (Sort.UNLISTEN, r"UNLISTEN\s+.+\Z"),
        (Sort.EXPLAIN, rf"EXPLAIN\s+({_PLANS})?(?P<name>(SELECT|WITH|\().+)\Z"),
        (Sort.QUERY, r"(SELECT|WITH|VALUES|TABLE)\b.*\Z|\(.*\Z"),
    )
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: its sort, its text, where it begins in the request body, and the name it is
    about."""

    sort: Sort
    text: str
    start: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class SetStatement:
    """The content of a SET; no value is the usual one."""

    name: str
    value: str | None


def split(sql: str) -> tuple[Statement, ...]:
    """The statements of a text; none where there is nothing but spaces and comments.

    Example:
        >>> [(each.sort.name, each.text) for each in split("/* a;b */ begin; select ';' -- c" + chr(10) + ";;")]
        [('BEGIN', 'begin'), ('QUERY', "select ';'")]
    """
    if len(sql) > LONGEST:
        raise NotAdmitted(
            "The query is too long.",
            code="too-long",
            found=f"It has {len(sql):,} characters; at most {LONGEST:,} are allowed.",
        )
    try:
        found = tuple(_sorted(sql[start:end].rstrip(), start) for start, end in _spans(sql))
    except (SqlglotError, ValueError, RecursionError):
        raise NotAdmitted("The query is not SQL that the gate reads.", code="syntax") from None
    if len(found) > MOST:
        raise NotAdmitted(
            "One query is asked at a time.", code="several", found=f"{len(found)} statements."
        )
    return found


def _spans(sql: str) -> Iterator[tuple[int, int]]:
    start = end = -1
    for token in sqlglot.tokenize(sql, read=DIALECT):
        if token.token_type.name == "SEMICOLON":
            if start >= 0:
                yield start, end
            start = end = -1
        else:
            start, end = token.start if start < 0 else start, token.end + 1
    if start >= 0:
        yield start, end


def _sorted(text: str, start: int) -> Statement:
    for sort, pattern in _SORTS:
        match = pattern.match(text)
        if match:
            return Statement(sort, text, start, (match.groupdict().get("name") or "").strip())
    return Statement(Sort.OTHER, text, start)


_SETS: Final = re.compile(
    r"SET\s+(?:(?:SESSION|LOCAL)\s+)?(?:"
    r"TIME\s+ZONE\s+(?P<zone>.+)"
    r"|NAMES\s+(?P<names>.+)"
    r"|(?P<transaction>(?:CHARACTERISTICS\s+AS\s+)?TRANSACTION\b[\w\s,]*)"
    r"|(?P<name>[\w.]+)\s*(?:=|\bTO\b)\s*(?P<value>.+)"
    r"|(?P<role>ROLE)\s+(?P<whose>.+)"
    r")\Z",
    re.IGNORECASE | re.DOTALL,
)


def setting_of(text: str) -> SetStatement | None:
    """The setting of a SET; None where it is about a transaction, which means nothing here.

    Example:
        >>> setting_of("SET SESSION datestyle TO 'ISO', MDY")
        SetStatement(name='datestyle', value='ISO, MDY')
    """
    match = _SETS.match(text)
    if match is None:
        raise NotAdmitted(
            "The gate does not read this SET.", code="syntax", attempt="SET name = 'value'."
        )
    if match["transaction"]:
        return None
    for group, name in (("zone", "timezone"), ("names", "client_encoding"), ("whose", "role")):
        if match[group]:
            return SetStatement(name, _value(match[group]))
    return SetStatement(match["name"], _value(match["value"]))


def _value(text: str) -> str | None:
    parts = [_unquoted(each) for each in re.findall(r"""'(?:[^']|'')*'|"[^"]*"|[^,\s]+""", text)]
    return None if [each.upper() for each in parts] == ["DEFAULT"] else ", ".join(parts)


def _unquoted(text: str) -> str:
    return (
        text[1:-1].replace("''", "'") if text[:1] in ("'", '"') and text[-1:] == text[:1] else text
    )
