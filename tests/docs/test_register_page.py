"""Every command and every line of Python on the page about the register runs, in one folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "register.md"


@pytest.mark.long("a page of releases; tests/end_to_end/test_register_commands.py stays")
def test_the_page_runs(tmp_path):
    pytest.importorskip("cryptography")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for language, text in re.findall(
        r"```(sh|python)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    ):
        words = (
            ["bash", "-euc", text]
            if language == "sh"
            else [sys.executable, "-W", "error", "-c", text]
        )
        done = subprocess.run(
            words, cwd=tmp_path, env=os.environ | {"PATH": path}, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
