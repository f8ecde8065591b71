"""What it costs to have Sfumato and to start it: the core's megabytes, an import, `--help`, and, with
`SFUMATO_FRESH=1`, `make demo` in a fresh copy of this clone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from rich.console import Console
from rich.table import Table

from .measuring import best, command, python

ROOT = Path(__file__).parents[1]
TIMES = 7
MB = 1_000_000


def main() -> None:
    table = Table(title="Having Sfumato, and starting it")
    for heading in ("what", "measured", "at most"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    bare = best([python("pass") for _ in range(TIMES)]).cpu
    imported = best([python("import sfumato") for _ in range(TIMES)]).cpu
    words = [sys.executable, "-m", "sfumato", "--help"]
    helped = best([command(words) for _ in range(TIMES)]).cpu
    table.add_row("python itself", f"{bare:.3f} s CPU", "")
    table.add_row("import sfumato, beyond that", f"{imported - bare:.3f} s CPU", "0.05 s")
    table.add_row("sfumato --help, all of it", f"{helped:.3f} s CPU", "0.10 s")
    table.add_row("the core and what it needs", f"{core_size() / MB:,.0f} MB", "250 MB")
    if os.environ.get("SFUMATO_FRESH"):
        seconds, cpu, size = fresh_demo()
        table.add_row("make demo in a fresh clone", f"{seconds:.0f} s, {cpu:.0f} s CPU", "60 s")
        table.add_row("its virtual environment", f"{size / MB:,.0f} MB", "400 MB")
    Console().print(table)


def core_size() -> int:
    """Bytes of the core's packages as they are installed here, and of Sfumato's own files."""
    own = sum(
        path.stat().st_size
        for path in (ROOT / "src").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )
    return own + sum(map(_size, core_packages()))


def core_packages() -> Iterator[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    waiting, seen = list(map(Requirement, project["dependencies"])), set()
    while waiting:
        requirement = waiting.pop()
        if requirement.name in seen:
            continue
        seen.add(requirement.name)
        yield requirement.name
        needs = map(Requirement, distribution(requirement.name).requires or ())
        waiting += [
            each for each in needs if each.marker is None or each.marker.evaluate({"extra": ""})
        ]


def _size(name: str) -> int:
    package = distribution(name)
    files = (Path(str(package.locate_file(file))) for file in package.files or ())
    return sum(file.stat().st_size for file in files if file.is_file())


def fresh_demo() -> tuple[float, float, int]:
    """Seconds, CPU seconds and bytes of the environment of `make demo`, in a clone of its own."""
    folder = Path(tempfile.mkdtemp(prefix="sfumato-fresh-"))
    try:
        words = ["git", "clone", "--quiet", str(ROOT), str(folder / "clone")]
        subprocess.run(words, check=True)
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        home = sys.base_prefix
        words = ["make", "-C", str(folder / "clone"), "demo", f"PYTHON={home}/bin/python3"]
        cost = command(words, environment=clean)
        files = (folder / "clone" / ".venv").rglob("*")
        size = sum(path.lstat().st_size for path in files if path.is_file())
        return cost.seconds, cost.cpu, size
    finally:
        shutil.rmtree(folder)
