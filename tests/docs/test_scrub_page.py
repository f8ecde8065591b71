"""Every command and every line of Python on the page about scrubbing runs, in order, in one
folder."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import command_server
import pytest

from sfumato.cli import parser
from sfumato.cli.scrub import configure

PAGE = Path(__file__).parents[2] / "docs" / "scrub.md"


@pytest.mark.long("a page of commands about letters; tests/end_to_end/test_scrub.py stays")
def test_the_page_runs(tmp_path):
    server = command_server.running()
    for language, text in re.findall(
        r"```(sh|python)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    ):
        words = (
            ["bash", "-euc", text]
            if language == "sh"
            else [server.python, "-W", "error", "-c", text]
        )
        done = subprocess.run(
            words, cwd=tmp_path, env=server.environment(), capture_output=True, text=True
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
    assert b"Townsend" not in b"".join(
        file.read_bytes() for file in (tmp_path / "scrubbed").rglob("*.txt")
    )


def test_every_option_is_on_the_page():
    top = parser(only="")
    configure(top)
    said = PAGE.read_text(encoding="utf-8")
    options = {
        word for action in top._actions for word in action.option_strings if word.startswith("--")
    }
    assert {word for word in options if f"{word}" not in said} <= {"--help", "--version"}
