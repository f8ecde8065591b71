"""A scratch pad: a DuckDB in memory, closed to files, networks and settings, that runs a query over
one given table.

The gate works out with it what follows from an answer (sorting, counting, limits). It never holds a
private table."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import duckdb
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.errors import Mistake

CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "threads": 1,
    "memory_limit": "1GB",
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "lock_configuration": "true",
}

_own = threading.local()


def run_over(
    tree: exp.Expr, name: str, columns: Mapping[str, NDArray[Any]]
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The names of the columns and the rows that a query over the one table `name` gives.

    Example:
        >>> import numpy as np, sqlglot
        >>> tree = sqlglot.parse_one("SELECT a, COUNT(*) AS n FROM answer GROUP BY a ORDER BY a")
        >>> run_over(tree, "answer", {"a": np.array(["x", "y", "x"], object)})
        (['a', 'n'], [('x', 2), ('y', 1)])
    """
    pad = _pad()
    pad.register(name, dict(columns))
    try:
        found = pad.execute(tree.sql("duckdb"))
        return [each[0] for each in found.description or ()], found.fetchall()
    except duckdb.Error:
        raise Mistake(
            "What was asked of the answer cannot be worked out.",
            found="A label such as a range is not a number, and is neither summed nor rounded.",
            attempt="counting, grouping and sorting; or fields that are shown as they are.",
        ) from None
    finally:
        pad.unregister(name)


def _pad() -> duckdb.DuckDBPyConnection:
    """This thread's pad: opening one takes longer than most questions. It is empty between two of
    them."""
    pad: duckdb.DuckDBPyConnection | None = getattr(_own, "pad", None)
    if pad is None:
        pad = _own.pad = duckdb.connect(":memory:", config=CLOSED)
    return pad
