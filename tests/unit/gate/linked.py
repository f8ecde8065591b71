"""Gates over several tables about the same people, for the gate's tests."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sfumato.gate.gate_opener import Gate, open_gate
from sfumato.gate.settings import HeldTable, Settings, Terms

Rows = Sequence[Mapping[str, Any]]


def write_table(folder: Path, name: str, rows: Rows, policy: str, *, people: str = "") -> HeldTable:
    """A table and its policy, as a gate is told of them."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.csv").open("w", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]))
        out.writeheader()
        out.writerows(rows)
    (folder / f"{name}.toml").write_text(policy)
    return HeldTable(
        name=name,
        source=str(folder / f"{name}.csv"),
        policy=folder / f"{name}.toml",
        people=people,
    )


@contextmanager
def linked_gate(
    folder: Path, tables: Sequence[HeldTable], *, terms: Terms | None = None
) -> Iterator[Gate]:
    chosen = {"public": terms} if terms else {}
    settings = Settings(
        folder=folder / "state", tables={table.name: table for table in tables}, terms=chosen
    )
    with open_gate(settings) as gate:
        yield gate
