"""Every command and every line of Python on the pages about the register and views runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.long("pages of releases; tests of the same commands in tests/end_to_end stay")
@pytest.mark.parametrize("page", ["register.md", "views.md"])
def test_the_page_runs(tmp_path, page):
    pytest.importorskip("cryptography")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for language, text in re.findall(
        r"```(sh|python)\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL
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
