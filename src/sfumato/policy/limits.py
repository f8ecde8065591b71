"""Limits on a policy: sizes that no honest policy has, so that a hostile or broken one is refused
at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sfumato.errors import Problem
from sfumato.hierarchies import is_list, is_whole

from .table_cursor import joined

BYTES = 8 << 20
"""The most bytes of a policy file."""
DEPTH = 32
"""The deepest nesting of tables within tables and lists within lists."""
NAME = 255
"""The most characters of the name of a field, a table or any other key."""
TEXT = 100_000
"""The most characters of a text."""
NUMBER = 10**15
"""The largest number: no table has so many rows."""
VALUES = 1_000_000
"""The most values in all."""

_KEY = r"(?:[A-Za-z0-9_-]++|\"[^\"\n]*+\"|'[^'\n]*+')"
_DOTTED = re.compile(rf"(?<![A-Za-z0-9_-])(?:{_KEY}[ \t]*+\.[ \t]*+){{{DEPTH + 1}}}")
_DIGITS = re.compile(r"(?<![0-9A-Za-z_])[0-9](?:_?[0-9]){1000,}")
_TOLD = 10


def too_deep(text: str) -> bool:
    """Whether a key of TOML has more parts than tables may be nested: reading such a key takes very
    long.

    Example:
        >>> too_deep("a.b = 1"), too_deep("a." * 40 + "b = 1")
        (False, True)
    """
    return _DOTTED.search(text) is not None


def shorten_numbers(text: str) -> str:
    """The text of TOML with numbers that Python refuses to read cut to twenty digits, which is
    beyond the limit too.

    Example:
        >>> shorten_numbers("k = " + "9" * 5_000)
        'k = 99999999999999999999'
    """
    return _DIGITS.sub("9" * 20, text)


def size_problems(table: Mapping[str, object]) -> list[Problem]:
    """Why a table cannot be read at all: too deep or too large. Nothing here recurses, however deep
    the table is."""
    waiting: list[tuple[str, object, int]] = [("", table, 0)]
    seen = 0
    while waiting:
        where, value, depth = waiting.pop()
        seen += 1
        if seen > VALUES:
            return [
                Problem(
                    where="policy",
                    found=f"It holds more than {VALUES:,} values, which is the limit.",
                )
            ]
        inner = _inner(where, value)
        if inner and depth >= DEPTH:
            return [
                Problem(
                    where=where,
                    found=f"It is nested deeper than {DEPTH} levels, which is the limit.",
                )
            ]
        waiting.extend((place, item, depth + 1) for place, item in inner)
    return []


def limit_problems(table: Mapping[str, object]) -> list[Problem]:
    """The numbers beyond the limits; of a table that can be read, at most ten problems and how many
    more there are."""
    problems = size_problems(table) or list(_beyond("", table))
    more = len(problems) - _TOLD
    if more > 0:
        problems[_TOLD:] = [
            Problem(
                where="policy", found=f"Beyond the limits: {more:,} more of its values and names."
            )
        ]
    return problems


def within_limits(table: Mapping[str, object]) -> dict[str, object]:
    """A copy with every number, text and name brought within the limits, so that its other problems
    can be found.

    Example:
        >>> within_limits({"require": {"k": 10**20}})
        {'require': {'k': 1000000000000000}}
    """
    return {str(key)[:NAME]: _limited(value) for key, value in table.items()}


def _limited(value: object) -> object:
    if isinstance(value, Mapping):
        return within_limits(value)
    if is_list(value):
        return [_limited(item) for item in value]
    if is_whole(value):
        return max(-NUMBER, min(value, NUMBER))
    return value[:TEXT] if isinstance(value, str) else value


def _beyond(where: str, value: object) -> Iterator[Problem]:
    if isinstance(value, Mapping):
        for key in value:
            if len(str(key)) > NAME:
                yield Problem(
                    where=where or "policy",
                    found=f"A name has {len(str(key)):,} characters; at most {NAME} are allowed.",
                    attempt="a shorter name; --rename-headers shortens those of a source.",
                )
    elif isinstance(value, str) and len(value) > TEXT:
        yield Problem(
            where=where,
            found=f"A text has {len(value):,} characters; at most {TEXT:,} are allowed.",
        )
    elif is_whole(value) and abs(value) > NUMBER:
        yield Problem(where=where, found=f"A number is beyond {NUMBER:,}, which is the limit.")
    for place, item in _inner(where, value):
        yield from _beyond(place, item)


def _inner(where: str, value: object) -> list[tuple[str, object]]:
    if isinstance(value, Mapping):
        return [(joined(where, str(key)[:NAME]), item) for key, item in value.items()]
    return [(where, item) for item in value] if is_list(value) else []
