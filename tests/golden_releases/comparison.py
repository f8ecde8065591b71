"""Compares a record with the golden one, and says in lines that can be read where they differ."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

MOST = 12
"""Differences of a case that are listed."""
ROWS = 5
"""Rows of a table that are listed on each side."""
NOTHING = "(nothing)"
OUTCOMES = {"pass", "fail", "review"}


def differences(golden: Any, found: Any) -> list[str]:
    """Where two records differ, part by part; facts before wording."""
    facts, wording = list[str](), list[str]()
    for place, before, after in _differing(golden, found, ""):
        line = f"{place}: was {_short(before)}, is {_short(after)}"
        (wording if _is_wording(before, after) else facts).append(line)
    listed = [*facts, *(f"wording only: {line}" for line in wording)]
    return listed[:MOST] + ([f"and {len(listed) - MOST} more"] if len(listed) > MOST else [])


def _differing(before: Any, after: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            yield from _differing(
                before.get(key, NOTHING),
                after.get(key, NOTHING),
                f"{place}/{key}" if place else key,
            )
    elif isinstance(before, list) and isinstance(after, list):
        yield from _differing_lists(before, after, place)
    elif not _same(before, after):
        yield place, before, after


def _differing_lists(
    before: list[Any], after: list[Any], place: str
) -> Iterator[tuple[str, Any, Any]]:
    """Lines of a table are a multiset; every other list has its order."""
    if place.startswith("files/") and place.endswith("/lines"):
        gone, new = (
            [*(Counter(a) - Counter(b)).elements()] for a, b in ((before, after), (after, before))
        )
        if gone or new:
            yield f"{place}: {len(gone)} lines gone, {len(new)} new; first", gone[:ROWS], new[:ROWS]
    elif len(before) != len(after):
        yield f"{place} (number)", len(before), len(after)
        written = [[json.dumps(each, sort_keys=True) for each in some] for some in (before, after)]
        for each in (Counter(written[0]) - Counter(written[1])).elements():
            yield place, json.loads(each), NOTHING
        for each in (Counter(written[1]) - Counter(written[0])).elements():
            yield place, NOTHING, json.loads(each)
    else:
        for number, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _differing(one, other, f"{place}[{number}]")


def _same(before: Any, after: Any) -> bool:
    numbers = isinstance(before, float | int) and isinstance(after, float | int)
    if numbers and not isinstance(before, bool) and not isinstance(after, bool):
        return math.isclose(before, after, rel_tol=1e-8, abs_tol=1e-12)
    return type(before) is type(after) and bool(before == after)


def _is_wording(before: Any, after: Any) -> bool:
    """Whether only a sentence reads otherwise: both are texts of several words with the same
    numbers in them."""
    texts = [
        each
        for each in (before, after)
        if isinstance(each, str) and " " in each and each != NOTHING
    ]
    if len(texts) < 2:
        return False
    outcomes = [text.partition(": ")[0] for text in texts]
    if OUTCOMES & set(outcomes) and outcomes[0] != outcomes[1]:
        return False
    numbers = ["".join(c if c.isdigit() else " " for c in text).split() for text in texts]
    return numbers[0] == numbers[1]


def _short(value: Any) -> str:
    text = value if value == NOTHING else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 400 else f"{text[:400]} …"
