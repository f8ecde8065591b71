"""Every command and every line of Python of a tutorial runs, in its order, in one folder."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import command_server
import pytest

ROOT = Path(__file__).parents[2]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
PORTS = ("18417", "15417")
"""Of the gate, as its page has them; a test takes free ones."""
NAMED = ("a-table", "letters", "synthetic-data", "the-gate")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Iterator[Path]:
    """Where a tutorial is followed; a gate that it left open is closed."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    if (tmp_path / "gate.pid").exists():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int((tmp_path / "gate.pid").read_text()), signal.SIGTERM)


def free_port() -> str:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


def test_the_tutorials_are_those_that_newcomers_look_for():
    assert tuple(page.stem for page in TUTORIALS) == NAMED
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    (tutorials,) = re.findall(r"- Tutorials:\n((?: {6}.*\n)+)", menu)
    assert re.findall(r"- ([\w ]+):", tutorials) == [
        "A table",
        "Several tables",
        "Letters",
        "The gate",
        "Synthetic data",
    ]


@pytest.mark.long("each tutorial from its first line to its last; tests of each command stay")
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_runs_from_its_first_line_to_its_last(page, folder):
    text = page.read_text(encoding="utf-8")
    for port in PORTS:
        text = text.replace(port, free_port())
    names: dict[str, object] = {}
    blocks = re.findall(r"```(sh|python)\n(.*?)```", text, re.DOTALL)
    assert blocks
    for language, block in blocks:
        if language == "python":
            exec(compile(block, page.name, "exec"), names)
            continue
        done = subprocess.run(
            ["bash", "-euc", block],
            env=command_server.running().environment(),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
