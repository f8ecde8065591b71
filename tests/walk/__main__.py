"""`make walk`: in a fresh clone `make demo`, then the README's lines one by one, on Python 3.11 and the
newest Python of this machine. Packages come from the usual index.

    python -m tests.walk [PYTHON ...] [--all]

`--all` installs every optional part as well, which takes minutes and gigabytes."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.walk.readme import first_python, install_lines, tour

ROOT = Path(__file__).parents[2]
LEAST = (3, 11)
ADDRESS = "git clone ADDRESS sfumato && cd sfumato"


def say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


def interpreters() -> dict[tuple[int, int], str]:
    """The Pythons of this machine that Sfumato runs on, by version."""
    places = [sys.executable, *Path.home().glob(".pyenv/versions/3.*/bin/python3")]
    places += [path for minor in range(11, 30) if (path := shutil.which(f"python3.{minor}"))]
    found: dict[tuple[int, int], str] = {}
    for place in map(str, places):
        words = [place, "-c", "import ensurepip, sys; print(*sys.version_info[:2])"]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode == 0:
            major, minor = map(int, done.stdout.split())
            if (major, minor) >= LEAST:
                found.setdefault((major, minor), place)
    return found


def chosen(found: dict[tuple[int, int], str]) -> list[str]:
    """The lowest version and the newest at hand; one line says what is left out."""
    wanted = sorted({LEAST, max(found)})
    if LEAST not in found:
        say("left out: Python 3.11, which is not here")
    if others := [f"{x}.{y}" for x, y in sorted(found) if (x, y) not in wanted]:
        say(f"left out: Python {', '.join(others)}, between the two that are walked")
    return [found[version] for version in wanted if version in found]


class Walk:
    """One walk, on one Python, in a folder of its own."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder, self.python = folder, python
        bin_folder = folder / "environment" / "bin"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        self.variables = kept | {"PATH": f"{bin_folder}{os.pathsep}{kept['PATH']}"}

    def run(self, *words: str, cwd: Path) -> None:
        """Run one step, print what it took, and end the walk where it fails."""
        started = time.monotonic()
        done = subprocess.run(
            words, cwd=cwd, env=self.variables, capture_output=True, text=True, errors="replace"
        )
        name = words[-1].splitlines()[0][:90]
        say(f"{time.monotonic() - started:6.1f} s  {name}")
        if done.returncode:
            sys.exit(f"{words[-1]}\nended with {done.returncode}:\n{done.stdout}\n{done.stderr}")

    def paste(self, line: str, cwd: Path) -> None:
        self.run("bash", "-euc", line, cwd=cwd)

    def walk(self, *, everything: bool) -> None:
        clone, work = self.folder / "sfumato", self.folder / "work"
        work.mkdir()
        self.run("git", "clone", "--quiet", str(ROOT), str(clone), cwd=self.folder)
        self.paste(f"make demo PYTHON={self.python}", clone)
        self.run(self.python, "-m", "venv", str(self.folder / "environment"), cwd=self.folder)
        for line in install_lines():
            if line != ADDRESS and (everything or ".[all]" not in line):
                self.paste(line, clone)
        self.paste("pip install --quiet pandas", work)
        self.run("python", "-W", "error", "-c", first_python(), cwd=clone)
        for language, text in tour():
            if language == "sh":
                self.paste(text, work)
            else:
                self.run("python", "-W", "error", "-c", text, cwd=work)


def main() -> None:
    parser = argparse.ArgumentParser(description="Walk through the README in fresh environments.")
    parser.add_argument("pythons", nargs="*", help="which (default: 3.11 and the newest here)")
    parser.add_argument("--all", action="store_true", help="install every optional part as well")
    options = parser.parse_args()
    for python in options.pythons or chosen(interpreters()):
        version = subprocess.run([python, "--version"], capture_output=True, text=True).stdout
        say(f"{re.sub(r'[^0-9A-Za-z. ]', '', version)}")
        with tempfile.TemporaryDirectory(prefix="sfumato-walk-") as folder:
            Walk(Path(folder), python).walk(everything=options.all)
    say("The walk reached its end.")


if __name__ == "__main__":
    main()
