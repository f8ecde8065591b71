"""Which tests are long: `make test` leaves them out, and `make long` runs them; CI runs both.

`@pytest.mark.long(reason)` marks a test. Of a test with parameters some cells stay in `make test`:
`but=("duckdb", "people-*")` names them by their ids, and `every=3` keeps each third of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

KEYWORDS = {"but", "every"}


def long_places(items: Iterable[Any]) -> set[int]:
    """The places of the tests that are long.

    A mark without a reason, or with a keyword that is unknown, is an error of the run.
    """
    numbers: Counter[str] = Counter()
    long: set[int] = set()
    for place, item in enumerate(items):
        marks = [*item.iter_markers("long")]
        if not marks:
            continue
        function, _, cell = item.nodeid.partition("[")
        for mark in marks:
            _check(mark, item.nodeid)
            if not _stays(mark, cell.removesuffix("]"), numbers[function]):
                long.add(place)
        numbers[function] += 1
    return long


def _stays(mark: Any, cell: str, number: int) -> bool:
    """Whether a cell of a long test stays in `make test`, by its id or by its number."""
    every = mark.kwargs.get("every", 0)
    named = any(fnmatchcase(cell, each) for each in mark.kwargs.get("but", ()))
    return named or bool(every and number % every == 0)


def without_cells(items: Iterable[Any], long: set[int]) -> list[str]:
    """The functions whose mark says that cells stay in `make test`, and none does."""
    promised, kept = set(), set()
    for place, item in enumerate(items):
        function = item.nodeid.partition("[")[0]
        if any(mark.kwargs for mark in item.iter_markers("long")):
            promised.add(function)
        if place not in long:
            kept.add(function)
    return sorted(promised - kept)


def _check(mark: Any, name: str) -> None:
    reason = mark.args[0] if len(mark.args) == 1 else None
    if not isinstance(reason, str) or len(reason.split()) < 3 or {*mark.kwargs} - KEYWORDS:
        raise ValueError(
            f"{name} is marked long without a reason, or with an unknown keyword. "
            'Try @pytest.mark.long("why it takes long, and which test of `make test` sees it").'
        )
