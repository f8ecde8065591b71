"""Every example in the docs runs; every solver, model and command has its page."""

from __future__ import annotations

import doctest
import re
from functools import cache
from pathlib import Path

import pytest

from sfumato.cli import COMMANDS
from sfumato.solvers import SOLVERS
from sfumato.solvers.reference_tables import page_of

DOCS = Path(__file__).parents[2] / "docs"
ROOMS = ("solvers", "assess", "techniques")
RUN = (
    "accounting.md",
    "manifest.md",
    "people.md",
    "python.md",
    "synthesis.md",
    "tables-of-counts.md",
    "validation.md",
)
"""Pages whose Python is run as one program."""
PAGES = sorted(
    page.relative_to(DOCS).as_posix() for room in ROOMS for page in DOCS.glob(f"{room}/*.md")
)


@pytest.mark.long(
    "two pages assess and release many times; the other pages stay",
    but=("assess/[!R]*", "solvers/*", "techniques/[!c]*", "techniques/categories.md"),
)
@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page):
    found = doctest.testfile(
        str(DOCS / page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert found.failed == 0


@pytest.mark.long("one page releases many times; the other pages stay", but=("[!p]*", "people.md"))
@pytest.mark.parametrize("page", RUN)
def test_programs_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    programs = re.findall(
        r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL
    )
    assert programs
    names: dict[str, object] = {}
    for program in programs:
        exec(compile(program, page, "exec"), names)


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_has_its_page(solver):
    assert (DOCS / page_of(SOLVERS[solver])).exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_shown_somewhere(command):
    pages = [DOCS.parent / "README.md", *DOCS.glob("**/*.md")]
    assert any(f"sfumato {command}" in page.read_text(encoding="utf-8") for page in pages)


NAMED = re.compile(r"`([\w./-]+(?:\.py|/))`")
ELSEWHERE = frozenset({"NAME.py", "score.py"})
"""Names that stand for others, and a script that belongs to a corpus."""


@cache
def files_and_rooms() -> frozenset[str]:
    root = DOCS.parent
    return frozenset(
        f"/{path.relative_to(root).as_posix()}{'/' if path.is_dir() else ''}"
        for room in ("src", "tests", "tools", "docs", "benchmarks")
        for path in (root / room).rglob("*")
    )


@pytest.mark.parametrize("page", sorted(DOCS.glob("**/*.md")), ids=lambda page: page.name)
def test_files_and_rooms_that_a_page_names_are_there(page):
    there = files_and_rooms()
    prose = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    rooms = {path.rsplit("/", 2)[1] for path in there if path.endswith("/")}
    named = [
        name
        for name in NAMED.findall(prose)
        if name.rsplit("/", 1)[-1] not in ELSEWHERE
        and (name.endswith(".py") or name.split("/")[0] in rooms)
    ]
    assert [name for name in named if not any(path.endswith(f"/{name}") for path in there)] == []


def test_the_commands_page_names_every_kind_of_part():
    from sfumato.cli.catalogue import REGISTRIES

    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    (kinds,) = re.findall(r"`sfumato list ([\w\\|]+)", page)
    assert set(kinds.split("\\|")) == set(REGISTRIES)


NUMBERED = re.compile(r"(?<![\d,.])00[0-4](?: \(|,? (?:sections?|Figs?)\b)|[Pp]apers? 00[0-4]\b")
ELSEWHERE_FOLDER = re.compile(r"`shared/")


@pytest.mark.parametrize("page", sorted(DOCS.glob("**/*.md")), ids=lambda page: page.name)
def test_a_page_cites_papers_by_author_and_year_and_names_only_files_that_readers_have(page):
    text = page.read_text(encoding="utf-8")
    assert NUMBERED.findall(text) == []
    assert ELSEWHERE_FOLDER.findall(text) == []
