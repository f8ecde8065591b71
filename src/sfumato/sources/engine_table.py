"""Which engine can do what, as a table in markdown: what docs/engines.md shows and a test holds."""

from __future__ import annotations

from importlib import import_module

from .engine import Abilities
from .opening import ENGINES


def engine_table() -> str:
    """One row per engine, from its `Abilities`.

    Example:
        >>> engine_table().splitlines()[0]
        '| engine | larger than memory | reads | writes |'
    """
    lines = ["| engine | larger than memory | reads | writes |", "| --- | --- | --- | --- |"]
    for name in ENGINES:
        can = _abilities(name)
        larger = "yes" if can.larger_than_memory else "no"
        lines.append(f"| `{name}` | {larger} | {', '.join(can.reads)} | {', '.join(can.writes)} |")
    return "\n".join(lines) + "\n"


def _abilities(name: str) -> Abilities:
    """Of the class in the engine's own module whose name is the engine's."""
    module = import_module(f".engines.{name}", __package__)
    found = (value for value in vars(module).values() if getattr(value, "name", None) == name)
    abilities: Abilities = next(found).abilities
    return abilities
