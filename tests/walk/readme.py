"""The lines of the README that a new user pastes, in their order, and the table that they start
from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def blocks(text: str, *languages: str) -> list[tuple[str, str]]:
    """The language and the text of each fenced block in these languages."""
    return re.findall(rf"```({'|'.join(languages)})\n(.*?)```", text, re.DOTALL)


def lines_of(block: str) -> Iterator[str]:
    """The lines of a shell block as a person pastes them; a line that is continued is one.

    Example:
        >>> list(lines_of("mkdir a   # new\\n\\nls \\\\\\n    a\\n"))
        ['mkdir a   # new', 'ls     a']
    """
    for line in re.sub(r"\\\n", "", block).splitlines():
        if line.strip():
            yield line


def part(start: str, end: str) -> str:
    """The README from one heading up to another."""
    return README.read_text(encoding="utf-8").split(start)[1].split(end)[0]


def tour() -> list[tuple[str, str]]:
    """The tour of five minutes: ("sh", one line) or ("python", a whole block)."""
    steps: list[tuple[str, str]] = []
    for language, text in blocks(part("## Five minutes", "## What is in it"), "sh", "python"):
        steps += [(language, text)] if language == "python" else [("sh", x) for x in lines_of(text)]
    return steps


def install_lines() -> list[str]:
    """The lines below "Install", each without its comment."""
    (block,) = blocks(part("## Install", "## Five minutes"), "text")
    return [re.sub(r"\s+#.*", "", line) for line in lines_of(block[1])]


def first_python() -> str:
    """The first block of Python, which turns the table before into the one after."""
    return blocks(README.read_text(encoding="utf-8"), "python")[0][1]


def six_people() -> str:
    """The table "before" as CSV."""
    rows = part("Before, six", "After, every row").split("\n\n")[1].splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return "\n".join(",".join(row) for row in (cells[0], *cells[2:])) + "\n"
