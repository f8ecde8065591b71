"""The recipes of CONTRIBUTING.md run: each part is one file, found as the entry point of an
installed package."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILES = {
    name: body
    for name, body in re.findall(
        r"^```python\n# (\w+)\.py\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL
    )
}
GROUPS = {"clip": "techniques", "last_digits": "hierarchies", "bed_numbers": "detectors"}


@pytest.fixture
def installed(tmp_path):
    """A folder as an installed package has it: the files, and the entry points that lead to
    them."""
    about = tmp_path / "toy_parts-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: toy-parts\nVersion: 1.0\n", encoding="utf-8"
    )
    lines = [f"[sfumato.{group}]\n{name} = {name}:DECLARATION\n" for name, group in GROUPS.items()]
    (about / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    for name, body in FILES.items():
        (tmp_path / f"{name}.py").write_text(body, encoding="utf-8")
    return tmp_path


def run(folder, *words, code=""):
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH", ""))))
    given = ["-c", code] if code else ["-m", "sfumato.cli", *map(str, words)]
    done = subprocess.run(
        [sys.executable, *given],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


def test_every_recipe_with_code_is_run():
    assert set(FILES) == set(GROUPS)


def test_parts_of_a_package_are_listed_with_their_origin(installed):
    for group, key in (
        ("techniques", "clip"),
        ("hierarchies", "last_digits"),
        ("detectors", "bed numbers"),
    ):
        code, out, said = run(installed, "list", group, key, "--json")
        assert code == 0, said
        (entry,) = json.loads(out)
        assert (entry["key"], entry["origin"]) == (key, "toy-parts 1.0")
    _, schema, _ = run(installed, "schema", "policy")
    assert '"clip"' in schema
    assert '"last_digits"' in schema


def test_a_release_takes_them_and_verify_without_the_package_does_not_pass(installed):
    rows = "code,pay\n" + "".join(f"1{digit}7,{pay}\n" for digit in "12" for pay in (10, 20, 300))
    (installed / "people.csv").write_text(rows, encoding="utf-8")
    (installed / "people.policy.toml").write_text(
        '[fields]\ncode = { role = "quasi", hierarchy = { last_digits = 1 } }\npay = '
        '"insensitive"\n'
        '[[steps]]\ntechnique = "clip"\nfields = ["pay"]\nlimit = 100\n[require]\nk = 6\n',
        encoding="utf-8",
    )
    code, out, said = run(installed, "release", "people.csv", "--to", "out")
    assert code == 0, out + said
    released = (installed / "out" / "release.csv").read_text(encoding="utf-8")
    assert "300" not in released
    assert "\n7," in released
    code, out, said = run(installed, "verify", "out")
    assert code == 0, out + said
    (installed / "toy_parts-1.0.dist-info" / "entry_points.txt").write_text("", encoding="utf-8")
    code, out, said = run(installed, "verify", "out")
    assert code != 0
    assert "cannot be judged here" in said
    assert "not installed: clip" in said


def test_a_detector_of_a_package_looks_too(installed):
    (installed / "note.txt").write_text("He is in bed 12B and eats.", encoding="utf-8")
    code, out, said = run(installed, "scrub", "note.txt", "--to", "out", "--detectors", "rules")
    assert code == 0, out + said
    written = "".join(
        path.read_text(encoding="utf-8") for path in (installed / "out").glob("*.txt")
    )
    assert "12B" not in written
    assert "bed numbers" in (installed / "out" / "manifest.json").read_text(encoding="utf-8")


def test_a_package_that_cannot_be_loaded_is_named_and_stops_the_run(installed):
    (installed / "clip.py").write_text("import nothing_of_that_name\n", encoding="utf-8")
    code, _, said = run(installed, "list", "techniques")
    assert code != 0
    assert "toy-parts 1.0" in said
    assert "cannot be loaded" in said
