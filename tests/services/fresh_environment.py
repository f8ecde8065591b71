"""Fresh virtual environments without a network: wheels that are built here and installed by pip, and
the packages that they need, linked from the environment that runs the tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "packages" / "text-model"


def build_wheel(project: Path, folder: Path) -> Path:
    """The wheel of a project, built by its backend, which pip fetches where it is not installed."""
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    if find_spec("hatchling") is None:
        words = [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "-w",
            str(folder),
            ".",
        ]
    done = subprocess.run(words, cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


def needed(requirements: Iterable[str]) -> set[str]:
    """Names of the distributions that requirements need, directly or not.

    Example:
        >>> "numpy" in needed(["pandas"])
        True
    """
    names: set[str] = set()
    waiting = [Requirement(text) for text in requirements]
    done: set[str] = set()
    while waiting:
        requirement = waiting.pop()
        if str(requirement) in done:
            continue
        done.add(str(requirement))
        names.add(requirement.name.lower())
        waiting += _requirements(distribution(requirement.name), requirement.extras)
    return names


def _requirements(package: Distribution, extras: Iterable[str]) -> Iterator[Requirement]:
    for text in package.requires or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement


class FreshEnvironment:
    """A virtual environment with nothing in it but what is installed or linked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        words = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
        subprocess.run(words, check=True, capture_output=True)
        self.bin = folder / ("Scripts" if os.name == "nt" else "bin")
        self.packages = next(folder.glob("lib/python*/site-packages"), folder / "Lib/site-packages")

    def install(self, *wheels: Path) -> None:
        """Install wheels and nothing that they require."""
        python = str(self.bin / "python")
        words = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps"]
        words += ["--no-index", "--no-compile", "--disable-pip-version-check", *map(str, wheels)]
        done = subprocess.run(words, capture_output=True, text=True, env=self.variables())
        assert done.returncode == 0, done.stderr

    def link(self, requirements: Iterable[str]) -> None:
        """Link the packages that requirements need."""
        for name in needed(requirements):
            package = distribution(name)
            for top in {file.parts[0] for file in package.files or () if file.parts[0] != ".."}:
                link = self.packages / top
                if top != "__pycache__" and not link.exists():
                    link.symlink_to(Path(str(package.locate_file(top))))

    def requirements(self, name: str, *extras: str) -> list[str]:
        """What a package that is installed here requires, with these extras."""
        package = next(iter(Distribution.discover(name=name, path=[str(self.packages)])))
        return [
            str(requirement)
            for requirement in _requirements(package, extras)
            if requirement.name != name
        ]

    def variables(self) -> dict[str, str]:
        """The variables of a person who activated it, without anything of the tests'."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        path = f"{self.bin}{os.pathsep}{kept['PATH']}"
        return kept | {"PATH": path, "VIRTUAL_ENV": str(self.folder)}

    def run(self, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, cwd=cwd, env=self.variables(), capture_output=True, text=True)
