"""Work in processes: where the rest is not wanted any more, nobody waits for it."""

from __future__ import annotations

import time
from multiprocessing import active_children

from sfumato.runs.process_pool import worked

LONG = 60.0


def nap(_: int, seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def test_processes_end_with_the_run_that_asked_for_them():
    """A signal closes the generator in the same way."""
    before = set(active_children())
    results = worked(nap, [0.0, LONG, LONG], ready=int, told=("1",), jobs=2)
    assert next(results) == 0.0
    began = time.monotonic()
    results.close()  # type: ignore[attr-defined]
    assert time.monotonic() - began < LONG / 2
    assert not [each for each in set(active_children()) - before if each.is_alive()]
