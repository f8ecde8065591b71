"""A new user's walk: every command and every line of Python in the README runs, in order, in a fresh
environment."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from fresh_environment import FreshEnvironment, build_wheel
from tests.walk.__main__ import ADDRESS, chosen
from tests.walk.readme import first_python, install_lines, six_people, tour

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> FreshEnvironment:
    """What a new user has: the core from its wheel, and pandas, which is their own."""
    folder = tmp_path_factory.mktemp("environment")
    made = FreshEnvironment(folder / "venv")
    made.install(build_wheel(ROOT, folder))
    made.link([*made.requirements("sfumato"), "pandas"])
    return made


@pytest.mark.long("each line starts a fresh Python; tests of each command stay in tests/end_to_end")
def test_a_new_user_pastes_the_tour_line_by_line(environment, tmp_path):
    """`make walk` does the same with packages from an index, on several versions of Python."""
    for language, text in tour():
        words = (
            ["bash", "-euc", text] if language == "sh" else ["python", "-W", "error", "-c", text]
        )
        done = environment.run(*words, cwd=tmp_path)
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
    assert (tmp_path / "fourth" / "report.html").exists()


@pytest.mark.long("it builds a fresh environment; the same Python stays in this file")
def test_a_new_user_turns_the_table_before_into_the_one_after(environment, tmp_path):
    shutil.copytree(README.parent / "examples", tmp_path / "examples")
    done = environment.run("python", "-W", "error", "-c", first_python(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "release" / "manifest.json").exists()


def test_the_lines_of_the_install_are_those_that_the_walk_pastes():
    address, core, everything, wheels, version = install_lines()
    assert address == ADDRESS
    assert core == "pip install ."
    assert everything == "pip install ./packages/text-model '.[all]'"
    assert wheels.startswith("pip wheel --no-deps --wheel-dir dist . ./packages/text-model && ")
    assert version == "sfumato --version"


def test_the_walk_takes_the_lowest_python_and_the_newest(capsys):
    found = {(3, 11): "a", (3, 12): "b", (3, 13): "c"}
    assert chosen(found) == ["a", "c"]
    assert capsys.readouterr().out == ("left out: Python 3.12, between the two that are walked\n")
    assert chosen({(3, 13): "c"}) == ["c"]
    assert capsys.readouterr().out == "left out: Python 3.11, which is not here\n"


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
    after = _table(text, "After, every row")
    assert (README.parent / "examples" / "six.csv").read_text() == six_people()
    shutil.copytree(README.parent / "examples", tmp_path / "examples")
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
