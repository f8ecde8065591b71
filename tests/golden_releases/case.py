"""A case: the source that is written, the policy, the commands that are run, and what chance
decides in the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WriteSource = Callable[[Path], object]

KEY = bytes(range(32)).hex()
RELEASE = ("release", "SOURCE", "--policy", "policy.toml", "--to", "out", "--key", "golden.key")
VERIFY = ("verify", "out", "--json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One golden run. Commands are words of the command line, run in a folder of the case's own."""

    name: str
    write: WriteSource
    """Writes what the commands read into the folder."""
    source: str = "people.csv"
    """The file or folder that stands for SOURCE in the commands."""
    policy: str = ""
    """The text of policy.toml, where there is one."""
    commands: tuple[tuple[str, ...], ...] = (RELEASE, VERIFY)
    run: Callable[[Path], dict[str, Any]] | None = None
    """In place of commands: what is run in the folder, and the record that it returns."""
    more: tuple[str, ...] = ()
    """Further words of the first command."""
    columns_by_chance: tuple[str, ...] = ()
    """Columns that the system's entropy decides, `FIELD` or `TABLE.FIELD`: their cells are not
    compared."""
    rows_by_chance: tuple[str, ...] = ()
    """Tables whose rows the system's entropy decides: only columns and counts are compared. `*` is
    every table."""
    why_chance: str = ""
    """Why something is left to chance though the key is fixed."""
    quick: bool = False
    """Whether the case is among those that every run of the tests repeats."""

    def __post_init__(self) -> None:
        if bool(self.why_chance) != bool(self.columns_by_chance or self.rows_by_chance):
            raise ValueError(
                f"{self.name}: what chance decides needs a reason, and a reason needs something"
            )

    def lines(self) -> list[tuple[str, ...]]:
        """The commands with their source."""
        first, *others = self.commands
        return [
            tuple(self.source if w == "SOURCE" else w for w in line)
            for line in [(*first, *self.more), *others]
        ]


def policy_text(
    fields: Mapping[str, str],
    require: str,
    *,
    top: str = "",
    steps: str = "",
    solve: str = "",
    after: str = "",
) -> str:
    """The TOML of a policy for one table. Fields are TOML values by name; the rest are lines of
    their sections."""
    parts = [top, "[fields]", *(f"{name} = {value}" for name, value in fields.items()), steps]
    parts += ["[require]", require] if require else []
    return "\n".join([*parts, *(["[solve]", solve] if solve else []), after]) + "\n"


def step(technique: str, lines: str) -> str:
    """A section `[[steps]]`."""
    return f'\n[[steps]]\ntechnique = "{technique}"\n{lines}\n'
