"""A solver of another package: one file and an entry point are enough; the file is the one of
CONTRIBUTING.md."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sfumato
from sfumato.errors import Mistake
from sfumato.policy import SOLVERS, policy_from_table

ROOT = Path(__file__).parents[2]
RECIPE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Add a solver")[2]
SOURCE = re.findall(r"^```python\n(.*?)^```", RECIPE, re.DOTALL | re.MULTILINE)[0]
POLICY = """
[fields]
zip = {{ role = "quasi", hierarchy = {{ prefix = [2, 1] }} }}
[require]
k = 2
[solve]
solver = "coarse"
below = {below}
"""
ROWS = "zip\n" + "1111\n1112\n1211\n1212\n" * 2
RUN = "import sys; from sfumato.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """What an installer would leave of a package that brings one solver."""
    site = tmp_path / "site"
    facts = site / "coarse_recoding-2.1.dist-info"
    facts.mkdir(parents=True)
    (site / "coarse.py").write_text(SOURCE, encoding="utf-8")
    (facts / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: coarse-recoding\nVersion: 2.1\n", encoding="utf-8"
    )
    (facts / "entry_points.txt").write_text(
        "[sfumato.solvers]\ncoarse = coarse:DECLARATION\n", encoding="utf-8"
    )
    return site


def run(folder: Path, *words: str, site: Path | None = None) -> tuple[int, str]:
    """One command in a process of its own, with or without the package."""
    paths = [str(ROOT / "src"), *([str(site)] if site else [])]
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def test_a_package_brings_a_solver_with_one_file(package: Path, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "p.toml").write_text(POLICY.format(below=2), encoding="utf-8")
    asked = (
        "release",
        "t.csv",
        "--policy",
        "p.toml",
        "--to",
        "out",
        "--engine",
        "reference",
        "--format",
        "csv",
    )
    code, said = run(tmp_path, *asked, site=package)
    assert code == 0, said
    assert (
        sorted((tmp_path / "out" / "release.csv").read_text().split()[1:])
        == ["11**"] * 4 + ["12**"] * 4
    )
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["solver"]["package"] == "coarse-recoding 2.1"
    assert (manifest["solver"]["name"], manifest["solver"]["settings"]["below"]) == ("coarse", 2)
    assert manifest["policy"]["solve"]["below"] == 2
    code, said = run(tmp_path, "verify", "out", site=package)
    assert code == 0, said
    code, said = run(tmp_path, "verify", "out")
    assert code == 2
    assert 'The manifest calls it "coarse", of the package coarse-recoding 2.1.' in said
    assert "installing the package that brings it." in said


def test_its_settings_and_abilities_are_checked(package: Path, tmp_path: Path) -> None:
    policy = 'household = "zip"\n' + POLICY.format(below=77) + "gap = 0.5\n"
    (tmp_path / "p.toml").write_text(policy, encoding="utf-8")
    code, said = run(tmp_path, "check", "p.toml", site=package)
    assert code == 2
    assert "solve.below: It is 77, and must be from 0 to 9." in said
    assert "solve.gap: gap is a setting of best, anytime and optimal, and solver is coarse." in said
    assert (
        "household: coarse recodes every value of a field alike, and does not keep "
        "households together yet." in said
    )
    code, said = run(tmp_path, "check", "p.toml")
    assert code == 2
    assert 'solve.solver: No solver is called "coarse".' in said
    assert "or installing the package that brings it." in said


def test_settings_that_bring_their_declaration_are_taken_from_python(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: dict[str, object] = {"__name__": "coarse_of_python"}
    monkeypatch.setitem(sys.modules, "coarse_of_python", type(sys)("coarse_of_python"))
    exec(compile(SOURCE, "coarse", "exec"), named)
    settings, declaration = named["CoarseSettings"], named["DECLARATION"]
    assert isinstance(settings, type)
    (tmp_path / "t.csv").write_text(ROWS, encoding="utf-8")
    policy = policy_from_table(
        {
            "fields": {"zip": {"role": "quasi", "hierarchy": {"prefix": [2, 1]}}},
            "require": {"k": 2},
        },
        folder=tmp_path,
    )
    with pytest.raises(Mistake, match="not declared"):
        sfumato.release(tmp_path / "t.csv", policy, to=tmp_path / "out", solver=settings())
    settings.declaration = declaration  # type: ignore[attr-defined]
    made = sfumato.release(
        tmp_path / "t.csv", policy, to=tmp_path / "out", solver=settings(below=1)
    )
    assert made.manifest["solver"]["name"] == "coarse"
    assert made.manifest["solver"]["package"] == "Python"
    assert "coarse" not in SOLVERS
