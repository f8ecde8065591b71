"""How far Spark is, by the tasks of the stages at work."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sfumato.engines.spark.session import share_done


def _tracker(stages: dict[int, Any]) -> Any:
    return SimpleNamespace(getActiveStageIds=lambda: [*stages], getStageInfo=stages.get)


def _stage(tasks: int, done: int) -> SimpleNamespace:
    return SimpleNamespace(numTasks=tasks, numCompletedTasks=done)


@pytest.mark.parametrize(
    ("stages", "share"),
    [
        ({}, None),
        ({1: None}, None),
        ({1: _stage(8, 2)}, 0.25),
        ({1: _stage(6, 3), 2: _stage(2, 1)}, 0.5),
    ],
)
def test_the_share_is_that_of_all_stages_at_work(
    stages: dict[int, Any], share: float | None
) -> None:
    assert share_done(_tracker(stages)) == share
