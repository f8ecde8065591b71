"""Wrong-map and null-map as methods, releases to several profiles, and numbers of rows over tables:
CPU seconds, and how near each result is to its bound."""

from __future__ import annotations

import csv
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import sfumato

ROWS = 20_000
NUMBERS = {"role": "quasi", "hierarchy": {"numbers": {"widths": [5, 10, 20, 40, 80]}}}
FIELDS = {"id": "direct", "age": NUMBERS, "height": NUMBERS, "illness": "sensitive"}
QUASI = ["age", "height"]
NUMBERED = {"role": "direct", "replace": "number"}
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "wrong_map": (
        {"technique": "wrong_map", "fields": QUASI, "outside": ["illness"], "leave_out": 1.0},
        {"wrong_map": {"outside": ["illness"]}, "max_suppression": 1.0},
    ),
    "null_map": ({"technique": "null_map", "fields": QUASI}, {"null_map": True}),
    "null_map_noise": ({"technique": "null_map_noise", "fields": QUASI}, {"null_map": True}),
}


def main() -> None:
    table = Table("method", "rows", "CPU s", "found", "bound", title=f"{ROWS:,} people")
    with TemporaryDirectory() as folder:
        source = _people(Path(folder) / "people.csv")
        for name, (step, require) in CASES.items():
            start = process_time()
            made = sfumato.release(source, _policy(steps=[step], require=require))
            facts = made.manifest["steps"][0]["found"]
            table.add_row(name, f"{made.rows:,}", f"{process_time() - start:.1f}", *_found(facts))
        start = process_time()
        profiles = _policy(
            entity="id",
            require={"k": 5, "max_suppression": 0.05},
            recipient={
                "age": {"distortion": {"height": 1.0}},
                "height": {"distortion": {"age": 1.0}},
            },
        )
        both = sfumato.release_profiles(source, profiles, to=Path(folder) / "both")
        rows = " and ".join(f"{each.rows:,}" for each in both.releases.values())
        smallest = both.verdicts["together"].smallest
        table.add_row(
            "2 profiles", rows, f"{process_time() - start:.1f}", f"smallest class {smallest}", "5"
        )
        visited = _visits(Path(folder) / "visited")
        for together in (False, True):
            name = "row counts together" if together else "row counts by themselves"
            start = process_time()
            made = sfumato.release(visited, _two_tables(together=together), to=Path(folder) / name)
            bills = f"{made.manifest['tables']['bills']['rows']['released']:,}"
            cost = f"{process_time() - start:.1f}"
            table.add_row(name, bills, cost, "bills released", "no bound")
    Console().print(table)


def _two_tables(*, together: bool) -> dict[str, Any]:
    """People with visits and bills, of which some know both numbers."""
    linked = {"fields": {"person": NUMBERED}, "links": {"person": "people.id"}}
    return {
        "entity": "people.id",
        "tables": {
            "people": {"key": "id", "fields": {"id": NUMBERED, "sex": "quasi"}},
            "visits": linked,
            "bills": linked | {"row_counts": {"together": together}},
        },
        "require": {"k": 5, "max_suppression": 0.5},
    }


def _visits(folder: Path) -> Path:
    folder.mkdir()
    chance = np.random.default_rng(2)
    people = [(n, "fm"[n % 2]) for n in range(ROWS)]
    rows: dict[str, list[tuple[Any, ...]]] = {"people": [("id", "sex"), *people]}
    for name in ("visits", "bills"):
        numbers = chance.geometric(0.3, ROWS) - 1
        rows[name] = [("person",), *((n,) for n in np.repeat(np.arange(ROWS), numbers).tolist())]
    for name, lines in rows.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(lines)
    return folder


def _found(facts: dict[str, Any]) -> tuple[str, str]:
    """The result and its bound, in words."""
    if "moved" in facts:
        return f"moved {facts['moved']:.3g}", f"{facts['moved_at_least']:.3g}"
    left = facts["rows_left_out"]
    total = sum(left.values()) if isinstance(left, dict) else left
    return f"{total:,} rows left out", str(facts["fewest_left_out"])


def _policy(**parts: Any) -> dict[str, Any]:
    return {"fields": FIELDS, **parts}


def _people(path: Path) -> Path:
    """Everybody is alone with age and height; the commonest illness is that of 49 % of all."""
    chance = np.random.default_rng(1)
    illness = chance.choice(["flu", "gout", "mumps"], ROWS, p=[0.49, 0.3, 0.21])
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        places = chance.choice(400 * 400, ROWS, replace=False).tolist()
        writer.writerows(
            (n, *divmod(place, 400), each)
            for n, (place, each) in enumerate(zip(places, illness, strict=True))
        )
    return path


if __name__ == "__main__":
    main()
