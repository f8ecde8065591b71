"""Every command and every line of Python on the page about verifying runs, in order, in one
folder."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import command_server
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "verify.md"


@pytest.mark.long("a page of releases and forgeries; tests/attacks/test_tampering.py stays")
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
