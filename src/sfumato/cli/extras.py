"""`sfumato --version`: the version, and which optional parts are installed."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

_REQUIREMENT = r"([A-Za-z0-9_.-]+).*extra\s*==\s*[\"']([\w-]+)[\"']"
_NOT_PARTS = ("all", "dev", "report", "transformer")
"""Extras of several others, for development, and names that others had in 0.1."""


class VersionAction(argparse.Action):
    """Print the version and the extras, and end."""

    def __init__(self, option_strings: Sequence[str], dest: str, **_: Any) -> None:
        super().__init__(
            option_strings, dest, nargs=0, help="print the version and the installed extras"
        )

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        print(version_text())
        parser.exit()


def version_text() -> str:
    """The version in the first line; then extras that are installed, and extras that are not."""
    import sfumato

    found = dict(extras())
    there = [name for name, is_there in found.items() if is_there]
    missing = [name for name, is_there in found.items() if not is_there]
    lines = [f"sfumato {sfumato.__version__}"]
    lines += [f"extras: {', '.join(there)}"] if there else []
    lines += [f"not installed: {', '.join(missing)}"] if missing else []
    return "\n".join(lines)


def extras() -> Iterator[tuple[str, bool]]:
    """Each extra, and whether all of its packages are there."""
    import re
    from importlib.metadata import PackageNotFoundError, requires

    packages: dict[str, list[str]] = {}
    try:
        said = requires("sfumato") or []
    except PackageNotFoundError:  # Run from its source, without having been installed.
        said = []
    for line in said:
        found = re.match(_REQUIREMENT, line)
        if found is not None and found[2] not in _NOT_PARTS and found[1] != "sfumato":
            packages.setdefault(found[2], []).append(found[1])
    for extra, names in sorted(packages.items()):
        yield extra, all(map(_is_installed, names))


def _is_installed(package: str) -> bool:
    from importlib.metadata import PackageNotFoundError, version

    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True
