"""Every command and every line of Python in the README's tour runs, in order, in one folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"


def blocks() -> list[tuple[str, str]]:
    tour = (
        README.read_text(encoding="utf-8").split("## Five minutes")[1].split("## What is in it")[0]
    )
    return re.findall(r"```(sh|python)\n(.*?)```", tour, re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("tour")


def test_the_tour_runs(folder):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for language, text in blocks():
        words = (
            ["bash", "-euc", text]
            if language == "sh"
            else [sys.executable, "-W", "error", "-c", text]
        )
        done = subprocess.run(
            words, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
    assert (folder / "fourth" / "report.html").exists()


def test_the_readme_opens_with_the_two_commands():
    first = re.search(r"```sh\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert first is not None
    assert [line.split()[:2] for line in first[1].splitlines()] == [
        ["make", "demo"],
        ["make", "test"],
    ]


def _table(text: str, heading: str) -> list[list[str]]:
    """The table below a sentence of the README, as rows of cells."""
    lines = text.split(heading)[1].split("\n\n")[1].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [rows[0], *rows[2:]]


def test_the_python_at_the_top_turns_the_table_before_into_the_one_after(tmp_path, monkeypatch):
    text = README.read_text(encoding="utf-8")
    before, after = _table(text, "Before, six"), _table(text, "After, every row")
    (tmp_path / "six.csv").write_text("\n".join(",".join(row) for row in before) + "\n")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(re.search(r"```python\n(.*?)```", text, re.DOTALL)[1], names)
    frame = names["made"].frame
    assert list(frame.columns) == after[0]
    assert sorted(frame.values.tolist()) == sorted(after[1:])
    assert (tmp_path / "release" / "manifest.json").exists()


def test_the_readme_says_how_to_install_and_stays_short_at_the_top():
    top = README.read_text(encoding="utf-8").split("## Five minutes")[0]
    assert "pip install ." in top
    for block in re.findall(r"```(?:python|text)\n(.*?)```", top, re.DOTALL):
        assert len(block.splitlines()) <= 10


def test_links_in_the_docs_lead_somewhere():
    root = README.parent
    for page in [README, *root.glob("docs/**/*.md"), root / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_figure_beside_others_is_in_the_benchmarks():
    text = README.read_text(encoding="utf-8")
    table = text.split("## Beside others")[1].split("## Where to go next")[0]
    rows = [line.split("|")[2:] for line in table.splitlines() if line.startswith("|")]
    figures = set(re.findall(r"\d[\d,.]*\d|\d", " ".join(" ".join(row) for row in rows)))
    docs = README.parent / "docs"
    recorded = "".join(
        (docs / name).read_text(encoding="utf-8") for name in ("benchmarks.md", "text-accuracy.md")
    )
    assert len(figures) > 15
    assert [each for each in sorted(figures) if not re.search(rf"\b{each}\b", recorded)] == []
