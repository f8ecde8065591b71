"""Which engines a test needs, read from its name: in the name of its file, of its function or of
its parameters.

`--engines=duckdb,reference` leaves out the tests that name another engine. All tests of Spark run
in one process, so that one Java is started. Both rest on names, so that a test may start a server
only where its name says so."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable

ENGINES = ("duckdb", "postgres", "reference", "spark")
_ID = re.compile(
    r"(?P<path>[^:\[]*)(?:::(?P<function>[^\[]*))?(?:\[(?P<parameters>.*)\])?.*", re.DOTALL
)


def engines_of(name: str) -> frozenset[str]:
    """The engines that the id of a test names.

    >>> sorted(engines_of("tests/contracts/test_engines.py::test_rows[postgres-view]"))
    ['postgres']
    >>> sorted(engines_of("tests/unit/text/test_reference.py::test_a_reference_number"))
    []
    """
    parts = _ID.fullmatch(name)
    assert parts is not None, name
    file = (parts["path"] or "").rsplit("/", 1)[-1]
    titles = f"{file} {parts['function'] or ''}"
    return frozenset(
        engine
        for engine in ENGINES
        if _has(engine, parts["parameters"] or "")
        or (engine != "reference" and _has(engine, titles))
    )


def read_engines(text: str) -> frozenset[str]:
    """The engines that `--engines` chooses."""
    chosen = frozenset(filter(None, (word.strip() for word in text.split(","))))
    unknown = sorted(chosen - set(ENGINES))
    if unknown or not chosen:
        raise ValueError(
            f"--engines names {', '.join(unknown) or 'no engine'}; try one or more of "
            f"{', '.join(ENGINES)}"
        )
    return chosen


def split(names: Iterable[str], chosen: frozenset[str]) -> tuple[list[int], Counter[str]]:
    """The places of the tests to run, and how many tests of each engine are left out."""
    kept, left_out = [], Counter[str]()
    for place, name in enumerate(names):
        other = engines_of(name) - chosen
        left_out.update(other)
        if not other:
            kept.append(place)
    return kept, left_out


def require_named(engine: str) -> None:
    """A test that starts a server says so in its name: by that name it is left out, or run with
    others of its kind."""
    name = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    assert not name or engine in engines_of(name), (
        f"{name} starts {engine}, and its name does not say so. Add {engine} to the name "
        "of the test or parameter."
    )


def _has(engine: str, text: str) -> bool:
    return re.search(rf"(?<![a-z]){engine}(?![a-z])", text) is not None
