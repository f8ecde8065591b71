"""Limits on a policy: sizes that no honest policy has, so that a hostile or broken one is refused at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sfumato.errors import Problem

from .hierarchies.parameters import is_list

BYTES = 8 << 20
"""Of a policy file."""
DEPTH = 32
"""Tables within tables, and lists within lists."""
NAME = 255
"""Characters of the name of a field, a table or any other key."""
TEXT = 100_000
"""Characters of a text."""
NUMBER = 10**15
"""The largest number: no table has so many rows."""
VALUES = 1_000_000
"""Values in all."""

_KEY = r"(?:[A-Za-z0-9_-]++|\"[^\"\n]*+\"|'[^'\n]*+')"
_DOTTED = re.compile(rf"(?<![A-Za-z0-9_-])(?:{_KEY}[ \t]*+\.[ \t]*+){{{DEPTH + 1}}}")
_TOLD = 10


def too_deep(text: str) -> bool:
    """Whether a key of TOML has more parts than tables may be nested: reading such a key takes very long.

    Example:
        >>> too_deep("a.b = 1"), too_deep("a." * 40 + "b = 1")
        (False, True)
    """
    return _DOTTED.search(text) is not None


def limit_problems(table: Mapping[str, object]) -> list[Problem]:
    """What is beyond the limits, at most ten problems. Nothing here recurses, however deep the table is."""
    problems: list[Problem] = []
    for problem in _beyond(table):
        problems.append(problem)
        if len(problems) == _TOLD:
            break
    return problems


def _beyond(table: Mapping[str, object]) -> Iterator[Problem]:
    waiting: list[tuple[str, object, int]] = [("", table, 0)]
    seen = 0
    while waiting:
        where, value, depth = waiting.pop()
        seen += 1
        if seen > VALUES:
            yield Problem(where="policy", found=f"It holds more than {VALUES:,} values, which is the limit.")
            return
        if isinstance(value, Mapping):
            for key in value:
                if len(str(key)) > NAME:
                    yield Problem(
                        where=where or "policy",
                        found=f"A name has {len(str(key)):,} characters; at most {NAME} are allowed.",
                        attempt="a shorter name; --rename-headers shortens those of a source.",
                    )
        elif isinstance(value, str) and len(value) > TEXT:
            yield Problem(where=where, found=f"A text has {len(value):,} characters; at most {TEXT:,} are allowed.")
        elif isinstance(value, int) and not isinstance(value, bool) and abs(value) > NUMBER:
            yield Problem(where=where, found=f"A number is beyond {NUMBER:,}, which is the limit.")
        inner = _inner(where, value)
        if inner and depth >= DEPTH:
            yield Problem(where=where, found=f"It is nested deeper than {DEPTH} levels, which is the limit.")
            return
        waiting.extend((place, item, depth + 1) for place, item in inner)


def _inner(where: str, value: object) -> list[tuple[str, object]]:
    if isinstance(value, Mapping):
        return [(f"{where}.{str(key)[:NAME]}" if where else str(key)[:NAME], item) for key, item in value.items()]
    return [(where, item) for item in value] if is_list(value) else []
