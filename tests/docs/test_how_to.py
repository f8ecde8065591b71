"""Every command and every line of Python of the how-to pages runs, in one folder, in their order on
the site."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import command_server
import pytest

ROOT = Path(__file__).parents[2]
LONGEST = 10
"""Lines of a block, blank ones aside: a page for a task is short."""


def pages() -> list[Path]:
    """The pages, as the site orders them."""
    named = re.findall(r"how-to/[a-z-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    return [ROOT / "docs" / name for name in named]


def blocks(page: Path) -> list[tuple[str, str]]:
    return re.findall(r"```(sh|python)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def run(words: list[str], folder: Path) -> None:
    done = subprocess.run(
        words,
        cwd=folder,
        env=command_server.running().environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{words[-1]}\n{done.stdout}\n{done.stderr}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A made-up hospital, as one table and as a database."""
    made = tmp_path_factory.mktemp("tasks")
    run(["bash", "-euc", "sfumato demo --to demo --rows 1500; cp demo/patients.csv ."], made)
    run(["bash", "-euc", "sfumato demo --database --to base; cp -r base/hospital clinic"], made)
    return made


@pytest.mark.long("every page of tasks in order; tests of each command stay")
def test_every_how_to_runs(folder):
    for page in pages():
        for language, text in blocks(page):
            run(
                ["bash", "-euc", text]
                if language == "sh"
                else [command_server.running().python, "-W", "error", "-c", text],
                folder,
            )


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_a_how_to_is_short_and_linked_from_the_first_page(page):
    assert f"how-to/{page.name}" in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    lengths = [sum(map(bool, text.splitlines())) for _, text in blocks(page)]
    assert max(lengths, default=0) <= LONGEST
