"""How the tests are shared out among processes: whole files, the slow ones first, and all of Spark
in one process.

A file stays in one process, so that what its tests share is made once. Java starts once, in the
process that has all tests of Spark. What starts late and takes long is waited for at the end, so
that it starts early."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from engine_names import engines_of
from xdist.scheduler.loadscope import LoadScopeScheduling

SPARK = "spark"
LIST = Path(__file__).with_name("slow_tests.txt")


def slow_tests() -> dict[str, float]:
    """The functions whose tests take longest, with their seconds."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return {
        name: float(seconds)
        for seconds, _, name in (line.partition(" ") for line in lines if line[0] != "#")
    }


def unit_of(name: str) -> str:
    """The unit of work that a test belongs to, by the test's id."""
    return SPARK if SPARK in engines_of(name) else name.partition("::")[0]


def slow_units() -> list[str]:
    """The units that take longest, in the order in which they start: Spark, and then files."""
    seconds: Counter[str] = Counter()
    for name, taken in slow_tests().items():
        seconds[name.partition("::")[0]] += taken  # type: ignore[assignment]
    return [SPARK, *(unit for unit, _ in seconds.most_common())]


class FileScheduling(LoadScopeScheduling):
    """Gives whole files to processes: slow ones first, and others by their number of tests."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._slow = slow_units()

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)

    def _assign_work_unit(self, node: Any) -> None:
        following = next((unit for unit in self._slow if unit in self.workqueue), None)
        if following is not None:
            self.workqueue.move_to_end(following, last=False)
        super()._assign_work_unit(node)
