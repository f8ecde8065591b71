"""Small gates over made-up people, for the gate's tests."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.gate.gate_opener import Gate, open_gate
from sfumato.gate.settings import Asker, HeldTable, Settings, Terms

ANN = Asker(name="ann", profile="public")
BOB = Asker(name="bob", profile="public")
POLICY = """
[fields.name]
role = "direct"
[fields.age]
role = "quasi"
hierarchy = { numbers = { widths = [5, 10, 20] } }
[fields.town]
role = "quasi"
hierarchy = { tree = { north = ["Aberdeen", "Bergen"], south = ["Cadiz", "Delphi"] } }
[fields.sex]
role = "quasi"
[fields.test]
role = "sensitive"
[fields.cost]
role = "insensitive"

[require]
k = 5
"""


def people(count: int = 2000, *, seed: int = 1, share: float = 0.3) -> list[dict[str, Any]]:
    """One row each; `test` is 1 for a share of them, whoever they are."""
    draw = np.random.default_rng(seed)
    return [
        {
            "name": f"Person {number}",
            "age": int(age),
            "town": str(town),
            "sex": str(sex),
            "test": int(test),
            "cost": int(cost),
        }
        for number, (age, town, sex, test, cost) in enumerate(
            zip(
                draw.integers(20, 80, count),
                draw.choice(["Aberdeen", "Bergen", "Cadiz", "Delphi"], count),
                draw.choice(["F", "M"], count),
                draw.random(count) < share,
                draw.integers(0, 1000, count),
                strict=True,
            )
        )
    ]


def write(folder: Path, rows: Sequence[Mapping[str, Any]], *, policy: str = POLICY) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "people.csv").open("w", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]))
        out.writeheader()
        out.writerows(rows)
    (folder / "policy.toml").write_text(policy)


@contextmanager
def a_gate(
    folder: Path,
    rows: Sequence[Mapping[str, Any]],
    *,
    policy: str = POLICY,
    terms: Terms | None = None,
    register: Path | None = None,
    reload: bool = True,
) -> Iterator[Gate]:
    write(folder, rows, policy=policy)
    table = HeldTable(
        name="people", source=str(folder / "people.csv"), policy=folder / "policy.toml"
    )
    chosen = {"public": terms} if terms else {}
    with open_gate(
        Settings(
            folder=folder / "state",
            tables={"people": table},
            terms=chosen,
            register=register,
            reload=reload,
        )
    ) as gate:
        yield gate
