"""Running a command in a fresh process: wall seconds, CPU seconds and peak memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Container
from dataclasses import dataclass

NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run cost. Memory is the peak resident set of the process, in MB."""

    seconds: float
    cpu: float
    megabytes: float


def python(code: str, *arguments: str) -> Cost:
    return command([sys.executable, "-c", code, *arguments])


def command(
    words: list[str], *, environment: dict[str, str] | None = None, passes: Container[int] = (0,)
) -> Cost:
    """Run once; an exit status that does not pass raises with what the command printed.

    Python keeps compiled modules as it does for everybody, whatever this environment says."""
    given = os.environ if environment is None else environment
    environment = {name: value for name, value in given.items() if name != NO_BYTECODE}
    started = time.perf_counter()
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment
    )
    assert process.stdout is not None
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - started
    if process.returncode not in passes:
        raise RuntimeError(printed.decode(errors="replace"))
    return Cost(seconds, usage.ru_utime + usage.ru_stime, _megabytes(usage))


def _megabytes(usage: resource.struct_rusage) -> float:
    return usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)


def best(costs: list[Cost]) -> Cost:
    return min(costs, key=lambda cost: cost.seconds)
