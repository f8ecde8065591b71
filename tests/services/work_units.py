"""How the tests are shared out among processes: whole files, the slow ones first, and all of Spark in one process.

A file stays in one process, so that what its tests share is made once. Java starts once, in the process that has all
tests of Spark.
"""

from __future__ import annotations

from typing import Any

from engine_names import engines_of
from xdist.scheduler.loadscope import LoadScopeScheduling

SPARK = "spark"
SLOW: tuple[str, ...] = (SPARK,)
"""The units that take longest, longest first: a slow unit that starts late is waited for at the end."""


def unit_of(name: str) -> str:
    """The unit of work that a test belongs to, by the test's id."""
    return SPARK if SPARK in engines_of(name) else name.partition("::")[0]


class FileScheduling(LoadScopeScheduling):
    """Gives whole files to processes, in the order of `SLOW` and then by their number of tests."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)

    def _assign_work_unit(self, node: Any) -> None:
        following = next((unit for unit in SLOW if unit in self.workqueue), None)
        if following is not None:
            self.workqueue.move_to_end(following, last=False)
        super()._assign_work_unit(node)
