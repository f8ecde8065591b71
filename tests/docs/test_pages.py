"""Every example in the docs runs; every solver, model and command has its page."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from sfumato.cli import COMMANDS
from sfumato.solvers import SOLVERS
from sfumato.solvers.reference_tables import page_of

DOCS = Path(__file__).parents[2] / "docs"
ROOMS = ("solvers", "assess", "techniques")
RUN = ("manifest.md", "people.md")
"""Pages whose Python is run as one program."""
PAGES = sorted(
    page.relative_to(DOCS).as_posix() for room in ROOMS for page in DOCS.glob(f"{room}/*.md")
)


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page):
    found = doctest.testfile(
        str(DOCS / page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert found.failed == 0


@pytest.mark.parametrize("page", RUN)
def test_programs_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    programs = re.findall(
        r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL
    )
    assert programs
    for program in programs:
        exec(compile(program, page, "exec"), {})


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_has_its_page(solver):
    assert (DOCS / page_of(SOLVERS[solver])).exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_shown_somewhere(command):
    pages = [DOCS.parent / "README.md", *DOCS.glob("**/*.md")]
    assert any(f"sfumato {command}" in page.read_text(encoding="utf-8") for page in pages)
