"""Rewrites tests/services/slow_tests.txt from the log of `pytest --durations=0 -vv`, read from
standard input."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

LIST = Path(__file__).parents[1] / "tests" / "services" / "slow_tests.txt"
LEAST = 0.5
_LINE = re.compile(r"\s*([\d.]+)s (?:setup|call|teardown) +([^\[\s]+)")
HEAD = """\
# Seconds of each function whose tests took longest together, means of three runs with three processes.
# `--fast` leaves these out, and files start in this order. Made by tools/slow_tests.py.
"""


def slow(lines: Iterable[str], *, least: float = LEAST) -> list[tuple[float, str]]:
    """The functions whose tests took at least so many seconds, longest first.

    >>> slow(["2.00s call  tests/a.py::test_a[1]", "1.00s setup tests/a.py::test_a[2]", "0.10s call a.py::test_b"])
    [(3.0, 'tests/a.py::test_a')]
    """
    total: Counter[str] = Counter()
    for line in lines:
        if found := _LINE.match(line):
            total[found[2]] += float(found[1])  # type: ignore[assignment]
    return [(seconds, name) for name, seconds in total.most_common() if seconds >= least]


if __name__ == "__main__":
    rows = "".join(f"{seconds:.1f} {name}\n" for seconds, name in slow(sys.stdin))
    LIST.write_text(HEAD + rows, encoding="utf-8")
